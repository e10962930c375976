#!/usr/bin/env bash
# Functions that end in a jump to a function of another module last until that
# function returns: through each kind of procedure linkage table, bound at the
# start or at the first call, to indirect functions, and to libraries that are
# loaded later. The run-time linker, which finds these functions, is none of
# them. Programs of gcc and clang, launched and attached to, both mechanisms.
# tier: core full
# covers: probe/arrival probe/calibrate probe/rings
. "$(dirname "$0")/../lib.sh"

CALLS=4
wraps=(wrap_first wrap_later wrap_indirect)

# The functions that are jumped to sleep for 5 ms, and call another function
# very often. The run-time linker finds that one, too.
cat >library.c <<'END'
#include <unistd.h>
volatile long noted;
void note(void) { noted++; }
int rest(int n)
{
	for (int i = 0; i < 5000; i++)
		note();
	usleep(5000);
	return n + 1;
}
#ifdef INDIRECT
static int (*choose(void))(int) { return rest; }
int chosen(int n) __attribute__((ifunc("choose")));
#endif
END
sed 's/rest/plugged/g' library.c >plugin.c
cat >main.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
int rest(int n), chosen(int n);
static int (*plugged)(int);
APART int wrap_first(int n) { return rest(n); }
APART int wrap_later(int n) { return n < 0 ? n : rest(n); }
APART int wrap_indirect(int n) { return chosen(n); }
APART int wrap_plugged(int n) { return plugged(n); }
int main(int argc, char **argv)
{
	int sum = 0;

	if (argc > 2) {
		puts("ready");
		fflush(stdout);
		getchar();
	}
	for (int i = 0; i < CALLS; i++) {
		sum += wrap_first(i) + wrap_later(i) + wrap_indirect(i);
#ifdef PLUGIN
		/* Each time the library is mapped at the same address. */
		void *library = dlopen(argv[1], RTLD_LAZY);
		if (!library)
			return 1;
		plugged = (int (*)(int))dlsym(library, "plugged");
		sum += wrap_plugged(i);
		dlclose(library);
#endif
	}
	printf("sum %d\n", sum);
	return 0;
}
END

# lasted FUNCTION...: how often each was measured, and whether each time for as
# long as it sleeps; whether the counts agree; and whether nothing else was
# followed than these calls, and the few with which functions were found
lasted() {
	json "[(time(f)['count'], time(f)['min_ns'] > 4500000) for f in '$*'.split()],
		kept(), t['summary']['followed'] <= $# * (2 * $CALLS + 4)"
}

# right COUNT: what `lasted` prints for that many functions
right() {
	local row="($CALLS, True)" rows='' i

	for ((i = 0; i < $1; i++)); do rows+="${rows:+, }$row"; done
	echo "[$rows] True True"
}

# attached COMMAND...: carries out the commands, attached to the server, and lets
# the server go on. The report is then in t.json.
attached() {
	local options=()

	while [ $# -gt 0 ]; do
		options+=(-e "$1")
		shift
	done
	rm -f t.json
	# (The program may have ended before the tool runs it, which is no error.)
	try perftool -q -n -b -f json -o t.json -p "$server" \
		-e "set mechanism $MECHANISM" "${options[@]}" -e 'monitor on' \
		-e 'shell echo >in'
}

# measure COMPILER WAY FUNCTION...
measure() {
	local name="$MECHANISM: $1 $2" functions=("${@:3}")

	times "${functions[@]}" -- ./program ./plugin.so
	is "$status $(lasted "${functions[@]}")" "0 $(right ${#functions[@]})" \
		"$name: functions last until the functions return to which they jump"
	batch "profile functions ${functions[*]}" run 'save functions f.json' -- \
		./program ./plugin.so
	is "$(json '[(f["calls"], f["total_ns"] > 4500000 * f["calls"])
		for f in t["functions"]], True, True' f.json)" \
		"$(right ${#functions[@]})" \
		"$name: so they do for a profile of functions"
	batch "break entry ${functions[0]} if 1" \
		"break return ${functions[0]} if 1" 'add leg 1 2' 'add leg 2 1' -- \
		./program ./plugin.so
	is "$(json '[(l["count"], l["min_ns"] > 4500000) for l in t["legs"]], kept()')" \
		"[($CALLS, True), ($((CALLS - 1)), True)] True" \
		"$name: so they do for legs that match by order"
	serve ./program ./plugin.so wait
	attached "${functions[@]/#/time }"
	is "$reply $(lasted "${functions[@]}")" "ready $(right ${#functions[@]})" \
		"$name: so they do in a program that is attached to"
	exec 3>&- 4>&-
}

ways=('-Wl,-z,lazy' '-Wl,-z,now' -fno-plt '-no-pie -fno-pie'
	'-fcf-protection -Wl,-z,ibtplt -Wl,-z,lazy' -static -static-pie)
for compiler in gcc clang; do
	$compiler -O2 -w -shared -fPIC -DINDIRECT library.c -o library.so
	$compiler -O2 -w -shared -fPIC plugin.c -o plugin.so
	for way in "${ways[@]}"; do
		one_in 14 || continue
		case $way in
		-static*)
			# shellcheck disable=SC2086 # several words
			$compiler -O2 -w -DCALLS=$CALLS -DINDIRECT $way main.c \
				library.c -o program
			functions=("${wraps[@]}")
			;;
		*)
			# shellcheck disable=SC2086
			$compiler -O2 -w -DCALLS=$CALLS -DPLUGIN $way main.c \
				./library.so -o program
			functions=("${wraps[@]}" wrap_plugged)
			;;
		esac
		for MECHANISM in int3 fast; do
			measure "$compiler" "$way" "${functions[@]}"
		done
	done
done

# ---- functions that come back to their frame by way of a table ---------------

cat >even.c <<'END'
int odd(int);
int evens;
int even(int n) { evens++; return n ? odd(n - 1) : 1; }
END
cat >odd.c <<'END'
int even(int);
int odds;
int odd(int n) { odds++; return n ? even(n - 1) : 0; }
END
cat >ring.c <<'END'
#include <stdio.h>
extern int evens, odds;
int even(int), odd(int);
int main(void)
{
	for (int i = 0; i < 30; i++)
		even(i), odd(i);
	printf("even %d odd %d\n", evens, odds);
}
END
gcc -O2 -w -shared -fPIC even.c -o even.so
gcc -O2 -w -shared -fPIC odd.c ./even.so -o odd.so
gcc -O2 -w -Wl,-z,lazy ring.c ./odd.so ./even.so -o ring
for MECHANISM in int3 fast; do
	times even odd -- ./ring
	is "$(json 'time("even")["count"], time("odd")["count"],
		[l["unwound"] for l in t["legs"]], kept()')" \
		"$(own even) $(own odd) [0, 0] True" \
		"$MECHANISM: libraries whose functions jump to each other: each call is timed"
done

# ---- threads that bind the same functions at the same time -------------------

cat >crowd.c <<'END'
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
APART long number(char *s) { return atol(s); }
APART long length(char *s) { return (long)strlen(s); }
APART double sine(double x) { return sin(x); }
APART double lower(double x) { return floor(x); }
static pthread_barrier_t barrier;
static void *work(void *sum)
{
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 50; i++)
		*(volatile long *)sum += number("5") + length("five") +
					 (long)sine(i) + (long)lower(i);
	return NULL;
}
int main(void)
{
	static long sums[8][16];
	pthread_t threads[8];

	pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, work, sums[i]);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}
END
gcc -O2 -w -fno-builtin -Wl,-z,lazy crowd.c -o crowd -lm -pthread
for MECHANISM in int3 fast; do
	times number length sine lower -- ./crowd
	is "$(json '[(l["count"], l["unwound"]) for l in t["legs"]], kept()')" \
		'[(400, 0), (400, 0), (400, 0), (400, 0)] True' \
		"$MECHANISM: threads that bind functions at the same time: each call is timed"
done

done_testing

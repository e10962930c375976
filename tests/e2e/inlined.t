#!/usr/bin/env bash
# Functions that were inlined: the places of their copies, the values there, and
# what a stop shows. gdb gives the same answers.
# tier: core full
# covers: debuginfo/scopes debuginfo/frames debuginfo/lines session/inspect probe/request
# again: int3
# shellcheck disable=SC2016 # dollars and backticks are the language's
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library
. "$ROOT/tests/gdb.sh"

# reached PROGRAM BREAK-ARGUMENT...: prints the counts of these breakpoints, in
# the order of the arguments
reached() { # PROGRAM BREAK-ARGUMENT...
	local program=$1 loc
	local -a commands=()
	shift
	for loc; do
		case $loc in
		*' if '*) commands+=(-e "break $loc") ;;
		*) commands+=(-e "break $loc if 1") ;;
		esac
	done
	perftool -n -q -b -f json -o report.json -e 'monitor on' \
		"${commands[@]}" "$program" >/dev/null 2>log
	/usr/bin/python3 -c 'import json
print(*[n["count"] for n in json.load(open("report.json"))["nodes"]])' 2>&1
	rm -f report.json
}

gdb_counts() { # PROGRAM LOC...: prints gdb's counts in one line
	gdb_reached "$@" | cut -d' ' -f2 | paste -sd' '
}

# own_frames: prints the frames of the program's own files in a backtrace of gdb
# or of the tool
own_frames() {
	sed -n 's/^#[0-9]* *\(0x[0-9a-f]* in \|(inlined) *in \)\?\([a-z_0-9]* (.*)\) at .*\(stops\|hot\).c:\([0-9]*\)$/\2 \4/p'
}

# ---- a stop -----------------------------------------------------------------

cat >stops.c <<'END'
#include <stdio.h>

static volatile int sink;

static inline __attribute__((always_inline)) int callee(int n)
{
	int m = n * 3; /* in callee */

	sink += m;
	return m;
}

static inline __attribute__((always_inline)) int middle(int n)
{
	return callee(n + 1); /* in middle */
}

__attribute__((noinline)) int outer(int n)
{
	return middle(n + 5); /* in outer */
}

int main(void)
{
	for (int i = 0; i < 3; i++)
		sink += outer(i);
	printf("%d\n", sink);
	return 0;
}
END
lines=()
for what in callee middle outer; do
	lines+=("stops.c:$(grep -n "in $what" stops.c | cut -d: -f1)")
done
for how in 'gcc -O1' 'gcc -O2' 'clang -O1' 'clang -O2'; do
	one_in 4 || continue
	# shellcheck disable=SC2086 # two words are two words
	$how -g stops.c -o stops
	for loc in callee middle outer "${lines[@]}"; do
		printf '%s\n' "break $loc" run where continue where kill |
			perftool -n -q ./stops 2>&1 | own_frames >ours
		gdb -nx -batch -ex 'set print entry-values no' \
			-ex "break $loc" -ex run -ex bt -ex continue -ex bt \
			./stops 2>&1 | own_frames >gdbs
		ok "$how: $loc was reached" test -s ours
		is "$(cat ours)" "$(cat gdbs)" \
			"$how: a stop at $loc has the frames that gdb shows"
	done
done
gcc -O2 -g stops.c -o stops
# all three functions begin at the same address, and each has a variable n
is "$(reached ./stops 'outer if n == 1' 'middle if n == 6' 'callee if n == 7' \
	"${lines[2]} if n == 1" "${lines[1]} if n == 6" "${lines[0]} if n == 7")" \
	'1 1 1 1 1 1' 'a condition uses the variables of the function that has the breakpoint'
is "$(printf '%s\n' 'break middle' run 'evaluate n' 'frame 1' 'evaluate n' kill |
	perftool -n -q ./stops 2>&1 | grep -v '^#\|^Break\|^$' | tr '\n' ' ')" \
	'5 0 ' 'evaluate uses the variables of the function that was stopped at'
line=$(grep -n 'in outer' stops.c | cut -d: -f1)
is "$(printf '%s\n' 'break outer' run kill | perftool -n ./stops 2>&1 |
	sed -n 's/^Breakpoint 1, //p')" "outer () at stops.c:$line" \
	'the message of a stop names the function that has the breakpoint'

# ---- copies whose entry has no code -------------------------------------------

cat >hot.c <<'END'
#include <stdio.h>
#include <string.h>

struct node {
	int value;
	struct node *left, *right;
};

__attribute__((noinline)) int walk(struct node *node, int depth)
{
	int a, b;

	if (!node)
		return 0;
	a = walk(node->left, depth + 1);
	b = walk(node->right, depth + 1);
	__asm__ volatile("" : "+r"(a));
	return a + b + node->value;
}

__attribute__((cold, noinline)) int cold(int x)
{
	return x * 3;
}

int hotcold(int x)
{
	if (__builtin_expect(x > 100, 0)) {
		puts("cold");
		printf("%d\n", x);
		return cold(x);
	}
	return x;
}

static struct node nodes[3] = {{1, &nodes[1], &nodes[2]}, {2}, {3}};

int main(void)
{
	int total = walk(nodes, 0);

	total += hotcold(5) + hotcold(500);
	printf("%d\n", total);
	return 0;
}
END
for how in $(sampled 1 -O1 -O2 -O3 -Os); do
	gcc -g "$how" hot.c -o hot
	is "$(reached ./hot hotcold cold walk)" \
		"$(gdb_counts ./hot hotcold cold walk)" \
		"$how: copies whose entry has no code are reached as often as in gdb"
	perftool -n -q -b -f json -o report.json -e 'break hotcold if 1' \
		-e 'break entry cold if 1' -e 'add leg 1 2' ./hot >/dev/null 2>&1
	is "$(/usr/bin/python3 -c 'import json
print(json.load(open("report.json"))["legs"][0]["count"])')" 1 \
		"$how: the entry of a copy is reached before its body"
done

# ---- parts of a function that are inlined into itself ---------------------------

cat >parts.c <<'END'
#include <stdio.h>

static volatile int sink;

int heavy(int *list, int count)
{
	int sum = 0;

	if (!list)
		return 0;
	for (int i = 0; i < count; i++) {
		sink += list[i];
		sum += sink ^ i;
	}
	for (int i = count; i-- > 0;) {
		sink -= list[i] * 3;
		sum -= sink | i;
	}
	printf("%d\n", sum);
	return sum;
}

__attribute__((noinline)) int one(int *list)
{
	return heavy(list, 2) + 1;
}

int main(void)
{
	int (*volatile pointer)(int *, int) = heavy;
	int list[] = {1, 2, 3};

	for (int i = 0; i < 10; i++)
		sink += pointer(list, 3) + one(i & 1 ? list : NULL) +
			pointer(NULL, 0);
	return 0;
}
END
gcc -g -O2 parts.c -o parts
is "$(reached ./parts heavy)" 30 \
	'a part of a function that is inlined into the function is no call'

# ---- libraries ------------------------------------------------------------------

cat >lib.c <<'END'
static volatile int counter;

static inline __attribute__((always_inline)) int helper(int x)
{
	counter += x;
	return counter;
}

static inline __attribute__((always_inline)) int both(int x)
{
	counter -= x;
	return counter;
}

int work(int k)
{
	return helper(k) + helper(k + 1) + both(k);
}
END
cat >user.c <<'END'
int work(int k);

__attribute__((noinline)) int both(int x)
{
	__asm__ volatile("");
	return x + 1;
}

int main(void)
{
	int total = 0;

	for (int i = 0; i < 5; i++)
		total += work(i) + both(i);
	return total == 12345;
}
END
gcc -g -O1 -fPIC -shared lib.c -o liblib.so
gcc -g -O1 user.c -o user ./liblib.so
is "$(reached ./user helper lib.c:helper 'help*@liblib.so' helper@liblib.so \
	both 'helper if x > 2')" '10 10 10 10 10 5' \
	'copies in a library are found with and without the name of the library'
is "$(gdb_counts ./user helper both 'helper if x > 2')" '10 10 5' \
	"gdb finds the same copies in the library"
printf '%s\n' 'break work' run 'break helper' 'list breaks' kill |
	perftool -n -q ./user >out 2>&1
is "$(grep -c 'inlined into work lib.c:5 in liblib.so' out)" 2 \
	'copies in a library that is already loaded are listed'
printf '%s\n' 'break entry both if 1' 'monitor on' run | perftool -n ./user >out 2>&1
is "$(grep -c 'both is also inlined, in 1 place of liblib.so: calls there have no exit and are not timed; .break both. counts them' out)" \
	1 'break entry says which inlined copies it does not cover'
times both -- ./user
is "$(json '[l["count"] for l in t["legs"]]')" 5 \
	'time measures only the function itself, not inlined copies'
perftool -n -t both ./user >out 2>&1
is "$(grep -c 'also inlined' out)" 1 'time says once that it does not cover inlined copies'

is "$(printf '%s\n' 'list callee' | perftool -n -q ./stops |
	grep -c 'int m = n \* 3')" 1 'list shows the source of a function that is only inlined'

# globs find inlined copies, as names do
is "$(reached ./stops 'middl*' 'm[i]ddle' 'calle?')" '3 3 3' 'globs find inlined copies'

# ---- functions of which no code is left -------------------------------------

cat >gone.c <<'END'
static inline int helper(int x)
{
	__asm__ volatile("");
	return x + 3;
}

int main(int argc, char **argv)
{
	(void)argv;
	return helper(argc) * 2;
}
END
gcc -g -O1 gone.c -o gone
printf '%s\n' 'break helper' | perftool -n --pending ./gone >out 2>&1
is "$(head -n 1 out)" \
	'Breakpoint #1: helper (pending: the compiler inlined helper and left no code of it in gone, libc.so.6, ld-linux-x86-64.so.2).' \
	'a message says that the compiler left no code of an inlined function'

cat >dropped.c <<'END'
#include <stdio.h>

struct pair {
	int a, b;
};

__attribute__((noinline)) static int work(int n, struct pair *pair, double w)
{
	printf("%d %d\n", n, pair->a);
	return w > 1e300 ? n : pair->b;
}

static inline int unused(int n, int *list)
{
	int kept = n + 1;

	(void)list;
	printf("%d\n", kept);
	return kept;
}

__attribute__((noinline)) static int never(int n, double w)
{
	(void)w;
	printf("%d\n", n);
	return n;
}

int main(void)
{
	struct pair pair = {1, 2};
	int list[3] = {1, 2, 3};
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += work(i, &pair, i) + unused(i, list) + never(i, i * 0.5);
	return sum == 77;
}
END
for how in 'gcc -O1' 'gcc -O2' 'clang -O1' 'clang -O2'; do
	one_in 4 || continue
	# shellcheck disable=SC2086
	$how -g dropped.c -o dropped
	for loc in unused never; do
		# gdb 13 stops at code that gcc has moved to before the entry
		[ "$loc" = unused ] && [ "${how%% *}" = gcc ] && continue
		printf '%s\n' "break $loc" run where kill |
			perftool -n -q ./dropped 2>&1 |
			sed -n 's/^#0.* in \([a-z]* (.*)\) at .*/\1/p' |
			sed 's/0x[0-9a-f]*/ADDRESS/g' >ours
		gdb -nx -batch -ex 'set print entry-values no' \
			-ex "break $loc" -ex run -ex bt ./dropped 2>&1 |
			sed -n 's/^#0  \(0x[0-9a-f]* in \)\?\([a-z]* (.*)\) at .*/\2/p' |
			sed 's/0x[0-9a-f]*/ADDRESS/g' >gdbs
		ok "$how: $loc was reached" test -s gdbs
		is "$(cat ours)" "$(cat gdbs)" \
			"$how: a stop at $loc has the arguments that gdb shows"
	done
done
clang -O2 -g dropped.c -o dropped
printf '%s\n' 'break entry never if w > 1' | perftool -n ./dropped >out 2>&1
like "$(cat out)" "column 1: 'w': optimized out$" \
	'the error about an optimized-out variable at an entry has no advice'

# ---- numbers ----------------------------------------------------------------------

cat >deep.c <<'END'
#include <stdio.h>

__attribute__((noinline)) int down(int n)
{
	int r = n ? down(n - 1) : puts("deep");

	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

int main(void)
{
	return down(3000) < 0;
}
END
gcc -g -O0 deep.c -o deep
printf '%s\n' 'break puts' run 'frame 2001' 'evaluate n' 'frame 5000' kill |
	perftool -n -q ./deep >out 2>&1
is "$(grep -c '^2000$' out)" 1 'frame 2001 of a deep recursion can be chosen'
like "$(cat out)" 'there is no frame 5000; the outermost is 300[0-9]' \
	'the error about a missing frame names the outermost frame'
printf '%s\n' 'break puts' run where kill | perftool -n -q ./deep >out 2>&1
is "$(tail -n 1 out | grep -c 'perhaps more')" 1 'where says that there may be more frames'
is "$(reached ./stops 'outer if $node(1) < 2')" 2 \
	'a condition may use the count of a node that was not reached yet'
done_testing

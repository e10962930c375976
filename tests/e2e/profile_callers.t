#!/usr/bin/env bash
# Each form of a profile of calls says which functions have called a function, also if
# these are not counted: `print graph`, gmon.out as gprof reads it, callgrind.out and
# JSON agree with one another and with Valgrind's callgrind.
# tier: core
# covers: session/profiling report/files profile
. "$(dirname "$0")/../lib.sh"

cat >arcs.c <<'END'
#include <signal.h>
#define APART __attribute__((noipa))
static volatile long sum;
APART void work(long n)
{
	for (long i = 0; i < n; i++)
		sum += i;
}
APART void light(void)
{
	for (int i = 0; i < 80; i++)
		work(10);
}
APART void heavy(void)
{
	for (int i = 0; i < 40; i++)
		work(10000);
}
APART void outer(void)
{
	light();
	heavy();
}
APART void on_signal(int number)
{
	sum += number;
}
int main(void)
{
	outer();
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	return 0;
}
END
gcc -g -O1 arcs.c -o arcs

# counted PATTERN...: counts the calls of functions, and writes all forms
counted() {
	rm -f gmon.out callgrind.out profile.json
	try perftool -q -n -b -e "profile calls $*" -e run -e 'print graph' \
		-e 'save profile gmon.out' -e 'save profile callgrind.out' \
		-e 'save profile profile.json' ./arcs
	is "$status" 0 "profile calls $*: status 0"
}

# The callers of work(), as `80 light`, in each form.
in_listing() { # the parents of the entry of work() in a listing of gprof's form
	awk '/^-----/ { n = 0; next }
		/^\[[0-9]+\].* work \[/ { for (i = 0; i < n; i++) print parents[i] }
		{ parents[n++] = $0 }' |
		sed -n 's/.* \([0-9]*\)\/[0-9]* *\([a-z]*\) \[[0-9]*\]$/\1 \2/p' | sort
}
in_callgrind() {
	/usr/bin/callgrind_annotate --tree=caller --auto=no "$1" |
		awk '/ < / { callers = callers $0 "\n"; next }
			/ \* .*:work / { printf "%s", callers }
			{ callers = "" }' |
		sed -n 's/.*:\([a-z]*\) (\([0-9]*\)x).*/\2 \1/p' | sort
}
in_json() {
	/usr/bin/python3 - profile.json <<-'END' | sort
		import collections, json, sys
		t = json.load(open(sys.argv[1]))
		names = {x["id"]: x["name"] for x in t["functions"]}
		counts = collections.Counter()
		for arc in t["arcs"]:
		    if names[arc["callee"]] == "work":
		        counts[names.get(arc["caller"])] += arc["count"]
		for name, count in counts.items():
		    print(count, name)
	END
}

# agree WANTED NAME
agree() {
	is "$(in_listing <<<"$out")" "$1" "$2: print graph"
	is "$(gprof -b -q ./arcs gmon.out | in_listing)" "$1" "$2: gmon.out"
	is "$(in_callgrind callgrind.out)" "$1" "$2: callgrind.out"
	is "$(in_json)" "$1" "$2: JSON"
}

both=$'40 heavy\n80 light'
valgrind --tool=callgrind --callgrind-out-file=valgrind.out ./arcs >/dev/null 2>&1
is "$(in_callgrind valgrind.out)" "$both" "Valgrind's callgrind has these callers"

counted work light heavy
agree "$both" 'the callers are counted'
counted work
agree "$both" 'the callers are not counted'
like "$out" ' 0\.00 +[0-9.]+ +<spontaneous>' 'such a caller has no time of its own'
counted outer work
agree '120 outer' 'the callers are not counted, but one of theirs is'

counted on_signal
like "$out" ' 1/1 +<spontaneous>' 'a signal handler has no caller'

done_testing

#!/usr/bin/env bash
# `save profile': the counts and the ticks of a program that knows its own truth,
# in each kind of file.
# tier: core
# covers: report/files session/profiling command/families
. "$(dirname "$0")/../lib.sh"

cat >truth.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static volatile int sink;
static long leaves, fibs, compares;
__attribute__((noinline)) static void leaf(int n)
{
	leaves++;
	for (int i = 0; i < n; i++)
		sink += i;
}
__attribute__((noinline)) int fib(int n)
{
	fibs++;
	leaf(20);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
static int compare(const void *a, const void *b)
{
	compares++;
	return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) static void work(void)
{
	for (int i = 0; i < 300; i++)
		leaf(100000);
}
int main(void)
{
	int v[1000];

	for (int i = 0; i < 1000; i++)
		v[i] = (int)(i * 2654435761u % 1009);
	qsort(v, 1000, sizeof(*v), compare);
	fib(12);
	work();
	printf("leaf %ld, fib %ld, compare %ld\n", leaves, fibs, compares);
	return 0;
}
END
gcc -O1 -g -fno-optimize-sibling-calls -Wall truth.c -o truth || exit 1

# ---- calls ----
try perftool -b -e 'profile calls' -e run -e 'save profile gmon.out' \
	-e 'save profile callgrind.out.1' -e 'save profile x.json' \
	-e 'save profile other format=callgrind' -- ./truth
is "$status" 0 "files of counted calls are written"
like "$err" 'gprof knows no callers outside of a file' \
	"what gprof cannot be told is said"
leaf=$(own leaf) fib=$(own fib) compare=$(own compare)
calls=$(gprof -b -p truth gmon.out | awk '$NF ~ /^(leaf|compare|work|main)$/ {
	print $NF, $4 }' | sort)
is "$calls" "compare $compare
leaf $leaf
main 1
work 1" "gprof has the counts of the program"
like "$(gprof -b -q truth gmon.out)" " 1\\+$((fib - 1)) +fib " \
	"gprof has the recursive calls"
is "$(/usr/bin/python3 - <<-'END'
	import collections, re
	calls, names, callee = collections.Counter(), {}, None
	for line in open("callgrind.out.1"):
	    m = re.match(r"c?fn=\((\d+)\)(?: (.*))?$", line)
	    if m:
	        if m[2]:
	            names[m[1]] = m[2]
	        callee = names[m[1]]
	    elif line.startswith("calls="):
	        calls[callee] += int(line[6:].split()[0])
	print(*(calls[n] for n in ("leaf", "fib", "compare", "work")))
END
)" "$leaf $fib $compare 1" "callgrind's file has the counts of the program"
is "$(sed 's/^pid: .*/pid:/' other)" "$(sed 's/^pid: .*/pid:/' callgrind.out.1)" \
	"format=callgrind writes the same under another name"
is "$(json '[sum(a["count"] for a in t["arcs"] if
	t["functions"][a["callee"]]["name"] == n) for n in
	("leaf", "fib", "compare", "work")]' x.json)" "$leaf $fib $compare 1" \
	"JSON has the counts of the program"
is "$(json 't["program"]["path"].split("/")[-1], t["samples"],
	t["measurement"]["kind"], t["measurement"]["watch"]' x.json)" \
	"truth [] profile None" "JSON says what was measured"
try perftool -q -b -e 'profile calls' -e run -e 'save profile x.svg' -- ./truth
like "$status $err" '125 .*\*\.svg needs samples' \
	"a flame graph of calls alone is refused"

# ---- ticks ----
try perftool -q -b -e 'profile on' -e run -e 'save profile x.folded' \
	-e 'save profile x.json' -e 'save profile x.svg' -e 'save profile x.pb.gz' \
	-e 'save profile callgrind.out' -e 'save profile gmon.out' -- ./truth
is "$status" 0 "files of ticks are written"
ticks=$(json 'sum(s["weight"] for s in t["samples"])' x.json)
ok "there are ticks" test "$ticks" -gt 0
# those that found the tool's own code are not samples
is "$(json "t['measurement']['ticks'] >= $ticks" x.json)" True \
	"JSON has no more samples than there were ticks"
is "$(awk '{ sum += $NF } END { print sum }' x.folded)" "$ticks" \
	"folded stacks have all ticks"
is "$(sed -n 's/^totals: //p' callgrind.out)" "${ticks}000000" \
	"callgrind's file has all ticks"
like "$(cat x.folded)" '^truth;(.*;)?main;work;leaf [0-9]+' \
	"folded stacks begin with the thread"
ok "the flame graph is XML" xmllint --noout x.svg
like "$(cat x.svg)" '<title>leaf \(truth\): ' "the flame graph has the function"
ok "pprof's file is complete" gzip -t x.pb.gz
is "$(gprof -b -p truth gmon.out | awk '$NF == "leaf" { print $3 }')" \
	"$(json '"%.2f" % (sum(s["weight"] for s in t["samples"]
		if s["stack"][0]["function"] == "leaf") / 1000)' x.json)" \
	"gprof has the ticks of a function"

# ---- names ----
fails_with 125 'call the file gmon.out, callgrind.out\*, \*.folded, \*.svg, \*.pb.gz or \*.json' \
	"the error of another name lists the names" \
	perftool -q -b -e 'profile calls' -e run -e 'save profile x.txt' -- true
fails_with 125 'is not a format; use gmon, callgrind, folded, svg, pprof or json' \
	"the error of another format lists the formats" \
	perftool -q -b -e 'profile calls' -e run \
	-e 'save profile x.txt format=xml' -- true
done_testing

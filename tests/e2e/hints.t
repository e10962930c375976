#!/usr/bin/env bash
# The messages about names that do not exist help the user to type the right
# command next.
# tier: core
# covers: session/names probe/request
. "$(dirname "$0")/../lib.sh"
values=$PROGRAMS/values

# ---- functions that have no exit ----
cat >never.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static void __attribute__((noinline, noreturn)) die(int status)
{
	puts("dying");
	exit(status);
}
int main(int argc, char **argv)
{
	(void)argv;
	die(argc == 7);
}
END
gcc -O1 -g -o never never.c || exit 2
try perftool -n -e 'break exit die if 1' -e run -e 'list breaks' -- ./never
like "$err$out" 'exit of die \(which has no exit: it never returns' \
	'list breaks says that a function that never returns has no exit'
like "$err$out" 'die has no exit: it never returns' \
	'a message says that a function that never returns has no exit'
unlike "$err$out" 'die was never found|pending' \
	'a function without an exit is not reported as pending or not found'
try perftool -n --pending -e 'break exit nosuch if 1' -e run -- ./never
like "$err$out" 'nosuch was never found' \
	'a function that does not exist is reported as never found'

# ---- places in files with the same name ----
mkdir a b
cat >a/x.c <<'END'
int second(int n);
int __attribute__((noinline)) first(int n)
{
	return n + 1;
}
int main(int argc, char **argv)
{
	(void)argv;
	return first(argc) + second(argc) - 6;
}
END
cat >b/x.c <<'END'
int __attribute__((noinline)) second(int n);
int __attribute__((noinline)) second(int n)
{
	return n + 3;
}
END
gcc -O1 -g -o same a/x.c b/x.c || exit 2
try perftool -n -q -e 'break x.c:4' -e 'break first' -e 'list breaks' -- ./same
like "$out" 'first a/x\.c:4 in same.*second b/x\.c:4 in same' \
	'list breaks tells files of the same name apart by their folders'
like "$out" 'first x\.c:[0-9]+ in same' \
	'a place in only one of these files is listed without a folder'

# ---- words that do not exist ----
fails_with 125 'did you mean .print tables.' \
	'print tabels: the error asks whether print tables was meant' \
	perftool -n -q -e 'print tabels' -- "$values"
fails_with 125 '.delete break 1. ' 'delete breaks 1 2: the error names delete break 1' \
	perftool -n -q -e 'delete breaks 1 2' -- "$values"

# ---- settings that the user may have forgotten ----
try perftool -n -e 'set conditions name' -e 'break entry main if argc > 7' \
	-e 'condition 1 argc > 8' -e 'condition 1 1' -- ./same
like "$err" "#1 counts each hit \(.set conditions name' is on\); a histogram of it counts the values of argc\. With .set conditions auto' it counts only the hits" \
	'set conditions name: a hint says that each hit is counted'
is "$(grep -c 'counts each hit' <<<"$err")" 2 \
	'set conditions name: each condition that has a variable gets a hint'
try perftool -n -q -e 'time main' -e 'track none' -e run -e 'print legs' -e 'track all' \
	-e 'print legs' -- "$PROGRAMS/ends" exit 0
is "$(grep -c "Legs are not measured: .track none' is on; .track all'" <<<"$out")" 1 \
	'a leg table says that legs are not measured'

# ---- only one CPU ----
cpu=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
try taskset -c "$cpu" perftool -n -q -b -t work -- "$PROGRAMS/threads"
like "$err" 'Placement = tool and program on one CPU, the only one they may use' \
	'the report says that tool and program may use only one CPU'
done_testing

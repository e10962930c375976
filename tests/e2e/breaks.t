#!/usr/bin/env bash
# The number of breaks handled is the number of hits that counted, under each
# mechanism. A separate line reports the stops at which nothing counted.
# tier: core
# covers: measure probe/arrival probe/rings
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/values
line=$(grep -n 'the line of .result.' "$ROOT/tests/programs/values.c" | cut -d: -f1)

# same WANTED NAME COMMAND... -- PROGRAM [ARG...]: the number of breaks is
# WANTED under each mechanism, is the sum of the nodes' counts, and fits the
# other figures of the header
same() {
	local wanted=$1 name=$2 mechanism
	shift 2
	for mechanism in int3 auto; do
		MECHANISM=$mechanism batch "$@"
		is "$(json 't["summary"]["breaks"]')" "$wanted" \
			"$name, $mechanism: the number of breaks is right"
		is "$(json 't["summary"]["breaks"] == sum(n["count"] for n in t["nodes"]),
			t["summary"]["added_overhead_ns"] >= t["summary"]["overhead_ns"],
			abs(t["summary"]["average_overhead_ns"] * t["summary"]["breaks"]
				- t["summary"]["overhead_ns"]) <= 1')" \
			'True True True' "$name, $mechanism: the figures of the header agree"
	done
}

same 10 'a condition' 'break entry handle if n < 10' -- "$program"
same 130 'several conditions, also at one place' 'break entry handle if n < 10' \
	'break entry handle if n >= 80' "break values.c:$line if 1" -- "$program"
same 5 'a breakpoint disabled and enabled at stops' 'break here' 'break entry nap if 1' \
	'monitor on' run 'disable 2' continue 'enable 2' continue \
	'set format json' 'print tables' -- "$PROGRAMS/naps" 10 0
# while the monitor is off, a hit stops the program; such a hit does not count
same 9 'the monitor turned off and on again' 'break here' 'break entry nap if 1' \
	'monitor on' run 'monitor off' continue 'monitor on' continue continue \
	'set format json' 'print tables' -- "$PROGRAMS/naps" 10 0


# The stops that held the program although nothing counted, as far as the tool
# sees them.
MECHANISM=int3 batch 'break entry handle if n < 10' -- "$program"
is "$(json 't["summary"]["passed_over"], t["summary"]["average_overhead_ns"] * 10
	> t["summary"]["overhead_ns"] * 0.99')" '90 True' \
	'with an int3, hits whose condition was false are counted'
try perftool -q -n -b -e 'set mechanism int3' -e 'monitor on' -e 'break entry handle if n < 10' \
	-e run -e 'print tables' "$program"
like "$out" $'handled = 10\n.*\nHits whose Condition was false = 90 ' \
	'the header has a line for hits whose condition was false'
try perftool -q -n -b -e 'set mechanism int3' -e 'monitor on' -e 'break entry handle if n < 0' \
	-e run -e 'print tables' "$program"
like "$out" $'handled = 0\nAverage Overhead per Perf Break = -\n' \
	'without breaks, the average overhead is -'
MECHANISM=auto batch 'break entry handle if n < 10' -- "$program"
is "$(json 'node(1)["mechanism"], t["summary"]["passed_over"]')" 'fast 0' \
	'with a jump, no hits with a false condition are counted'
# ---- stops where the user may have wanted to measure ----
try perftool -n -e 'break entry work if n == 2' -e run -e 'disable 1' \
	-e 'break entry half' -e continue -e 'disable 2' -e continue -- "$PROGRAMS/pie" 5
is "$(grep -c 'The monitor is off: a breakpoint with a condition stops' <<<"$out$err")" 1 \
	'a stop at a breakpoint with a condition says that the monitor is off'

done_testing

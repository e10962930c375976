#!/usr/bin/env bash
# Fast nodes are places with a jump in the program's code. Their counts are the
# same as those of int3s, and the same as the program's own counts.
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
MECHANISM=auto

# ---- every hit ------------------------------------------------------------

# more hits than the rings can hold, so that the rings are filled again and
# again
times work -- "$PROGRAMS/segment" nothing 500000
is "$(json 'time("work")["count"]')" "$(own work)" 'a million executions'
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'and two million hits'
is "$(mechanisms_once)" fast 'fast they are'
is "$(json 'kept()')" True 'nothing disappears'
ok 'half of the executions are no longer than 20 ns' \
	[ "$(json 'int(time("work")["p50_ns"])')" -le 20 ]

# ---- how the user asks for fast nodes ---------------------------------------

batch 'break entry work mechanism=int3 if 1' 'break exit work if 1' \
	-- "$PROGRAMS/segment"
is "$(json 'node(1)["mechanism"], node(2)["mechanism"]')" 'int3 fast' \
	'mechanism= of a breakpoint'
is "$(json 'node(1)["count"], node(2)["count"]')" '2000 2000' \
	'a function entered by one and left by the other'
batch 'set mechanism int3' 'break entry work if 1' \
	'break exit work mechanism=fast if 1' -- "$PROGRAMS/segment"
is "$(json 'node(1)["mechanism"], node(2)["mechanism"]')" 'int3 fast' \
	'set mechanism'
try perftool -q -n -b -e 'break work mechanism=slow if 1' \
	-- "$PROGRAMS/segment"
like "$err" 'mechanism is one of auto\|int3\|fast, not .slow' \
	'another mechanism'
try perftool -q -n -b -e 'break entry work mechanism=int3 if 1' \
	-e 'monitor on' -e run -e 'list breaks' -e 'print nodes' \
	-e 'save tables t.json' -- "$PROGRAMS/segment"
like "$out" 'reached 2000 times, int3 \(as it was asked for\)' \
	'list breaks says why'
like "$out" 'int3 at node 1: as it was asked for\.' 'so do the tables'
is "$(json 'node(1)["int3_reason"]')" 'as it was asked for' 'as JSON, too'
try perftool -q -n -b -e 'set mechanism auto' -e 'break entry work if 1' \
	-e run -e 'list breaks' \
	-e 'monitor on' -e continue -e 'list breaks' -- "$PROGRAMS/segment"
like "$out" 'int3 \(it stops the program\).*reached 2000 times, fast' \
	'one that stops the program is an int3, until the monitor is on'

# ---- the same tables --------------------------------------------------------

# tables COMMAND...: prints the figures that do not depend on time
tables() {
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		"$@"
	json 'counted()'
}

# same NAME COMMAND...: the figures are the same with int3s and with jumps
same() {
	local name=$1 mechanism stopped
	shift
	mechanism=int3
	stopped=$(tables "$@")
	mechanism=fast
	is "$(tables "$@")" "$stopped" "the same tables: $name"
	like "$(mechanisms_once)" fast "by jumps: $name"
}

same recursion -e 'time fib' -- "$SAMPLES/recursion"
same sort -e 'time compare' -e 'time merge*' -- "$SAMPLES/sort"
same 'a queue, by keys' -e 'break entry submit if 1' \
	-e 'break entry finish if 1' -e 'add leg 1 2 key=request' \
	-e 'monitor on' -- "$SAMPLES/queue"
same longjmp -e 'time f*' -- "$PROGRAMS/longjmp"
same exceptions -e 'time f*' -- "$PROGRAMS/exceptions"
same coroutines -e 'time *' -- "$PROGRAMS/coroutines"
same 'children' -e 'time work' -- "$PROGRAMS/family"
same returns -e 'time *' -- "$PROGRAMS/returns"

# ---- signals, threads ---------------------------------------------------------

times work -- "$PROGRAMS/signals"
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'amid signals'
times work brief -- "$PROGRAMS/storm" 1000
is "$(json 'time("work")["count"], time("brief")["count"]')" \
	"$(own work) $(own brief)" 'in a thousand threads'
is "$(json 'kept()')" True 'of which none loses anything'

# ---- programs in which fast nodes are not possible --------------------------

for how in gs gs0 tsc; do
	times work -- "$PROGRAMS/segment" $how 1000
	is "$(json 'time("work")["count"]')" 2000 "$how: counted"
	is "$(mechanisms_once)" int3 "$how: by int3 in the end"
done
is "$("$PROGRAMS/segment" gs 1000)" \
	"$(times work -- "$PROGRAMS/segment" gs 1000; cat "$SCRATCH/out")" \
	'gs: the program has what it has put there'
times work -- "$PROGRAMS/segment" brk 1000
is "$(json 'time("work")["count"]') $(mechanisms_once)" '2000 fast' \
	'a heap that grows by 200 MiB'

# ---- attaching and detaching ------------------------------------------------

start "$PROGRAMS/busy" 2
busy=$started
for _ in 1 2 3 4 5; do
	try perftool -q -n -e 'set mechanism auto' -t work --for 50ms -f json -o t.json -p "$busy"
	is "$status $(mechanisms_once)" '0 fast' 'attached'
	ok 'counted' [ "$(json 'time("work")["count"]')" -gt 0 ]
	is "$(foreign "$busy")" 0 'no byte is left'
	is "$(grep -c perftool-rings "/proc/$busy/maps")" 0 'nor a ring'
done

# the tool is killed: the program goes on, and the next tool removes the jumps
start perftool -q -n -b -e 'set mechanism auto' -e 'time work' -p "$busy"
tool=$started
has_jumps() { [ "$(foreign "$busy")" != 0 ]; }
wait_for 10 has_jumps
kill -KILL "$tool"
wait "$tool" 2>/dev/null
ok 'killed: the jumps are there' has_jumps
before=$(awk '{ print $14 }' "/proc/$busy/stat")
later() { [ "$(awk '{ print $14 }' "/proc/$busy/stat")" -gt "$before" ]; }
ok 'killed: the program goes on' wait_for 10 later
try perftool -q -n -b -e "attach $busy" -e detach
is "$status" 0 'killed: the next one'
is "$(foreign "$busy")" 0 'killed: the next one has removed them'
is "$(grep -c perftool-rings "/proc/$busy/maps")" 0 'killed: and the rings'
ok 'killed: the program goes on after that' kill -0 "$busy"

done_testing

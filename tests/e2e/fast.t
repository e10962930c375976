#!/usr/bin/env bash
# Fast nodes are places with a jump in the program's code. Their counts are the
# same as those of int3s, and the same as the program's own counts.
# tier: core full
# covers: probe/fast probe/rings arch/x86_64
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
MECHANISM=auto

# ---- every hit ------------------------------------------------------------

# more hits than the rings can hold, so that the rings are filled again and
# again
times work -- "$PROGRAMS/segment" nothing 500000
is "$(json 'time("work")["count"]')" "$(own work)" 'jumps: every one of many executions is timed'
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'jumps: every one of many entries and exits is counted'
is "$(mechanisms_once)" fast 'jumps: both nodes are fast'
is "$(json 'kept()')" True 'jumps: the leg accounts for every hit of its nodes'
ok 'half of the executions are no longer than 20 ns' \
	[ "$(json 'int(time("work")["p50_ns"])')" -le 20 ]

# ---- how the user asks for fast nodes ---------------------------------------

batch 'break entry work mechanism=int3 if 1' 'break exit work if 1' \
	-- "$PROGRAMS/segment"
is "$(json 'node(1)["mechanism"], node(2)["mechanism"]')" 'int3 fast' \
	'mechanism= of a breakpoint sets its mechanism'
is "$(json 'node(1)["count"], node(2)["count"]')" '2000 2000' \
	'an int3 at the entry and a jump at the exit count every hit'
batch 'set mechanism int3' 'break entry work if 1' \
	'break exit work mechanism=fast if 1' -- "$PROGRAMS/segment"
is "$(json 'node(1)["mechanism"], node(2)["mechanism"]')" 'int3 fast' \
	'mechanism= of a breakpoint comes before set mechanism'
try perftool -q -n -b -e 'break work mechanism=slow if 1' \
	-- "$PROGRAMS/segment"
like "$err" 'mechanism is one of auto\|int3\|fast, not .slow' \
	'an unknown mechanism is refused'
try perftool -q -n -b -e 'break entry work mechanism=int3 if 1' \
	-e 'monitor on' -e run -e 'list breaks' -e 'print nodes' \
	-e 'save tables t.json' -- "$PROGRAMS/segment"
like "$out" 'reached 2000 times, int3 \(as it was asked for\)' \
	'list breaks gives the reason for an int3'
like "$out" 'int3 at node 1: as it was asked for\.' 'the tables give the reason for an int3'
is "$(json 'node(1)["int3_reason"]')" 'as it was asked for' 'JSON gives the reason for an int3'
try perftool -q -n -b -e 'set mechanism auto' -e 'break entry work if 1' \
	-e run -e 'list breaks' \
	-e 'monitor on' -e continue -e 'list breaks' -- "$PROGRAMS/segment"
like "$out" 'int3 \(it stops the program\).*reached 2000 times, fast' \
	'a breakpoint that stops is an int3, and a jump when the monitor is on'

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
	one_in 4 || return
	mechanism=int3
	stopped=$(tables "$@")
	mechanism=fast
	is "$(tables "$@")" "$stopped" "$name: jumps give the same figures as int3s"
	like "$(mechanisms_once)" fast "$name: a node is a jump"
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
	"$(own work) $(own work)" 'jumps count every call amid signals'
times work brief -- "$PROGRAMS/storm" 1000
is "$(json 'time("work")["count"], time("brief")["count"]')" \
	"$(own work) $(own brief)" 'jumps count every call in a thousand threads'
is "$(json 'kept()')" True 'a thousand threads: the legs account for every hit of their nodes'

# ---- programs in which fast nodes are not possible --------------------------

# Some hypervisors do not enforce that a program may not read the counter. There,
# jumps go on.
cat >forbidden.c <<'END'
#include <sys/prctl.h>

int main(void)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	return __builtin_ia32_rdtsc() == 0;
}
END
gcc -static -o forbidden forbidden.c
forbidden=int3
try ./forbidden
[ "$status" != 0 ] || forbidden=fast
for how in gs=int3 gs0=int3 tsc=$forbidden; do
	times work -- "$PROGRAMS/segment" "${how%=*}" 1000
	is "$(json 'time("work")["count"]')" 2000 \
		"${how%=*}: every call is counted"
	is "$(mechanisms_once)" "${how#*=}" \
		"${how%=*}: the nodes become int3s, if they have to"
done
is "$("$PROGRAMS/segment" gs 1000)" \
	"$(times work -- "$PROGRAMS/segment" gs 1000; cat "$SCRATCH/out")" \
	'gs: the program keeps its own gs'
times work -- "$PROGRAMS/segment" brk 1000
is "$(json 'time("work")["count"]') $(mechanisms_once)" '2000 fast' \
	'jumps count every call while the heap grows by 200 MiB'

# ---- functions of one byte each ----------------------------------------------

# Each jump reaches into the functions behind it, so that all 4,000 are one row of
# sites that depend on each other. Collecting such a row again for each of its sites
# took more than a gigabyte.
if in_full; then
	awk 'BEGIN {
		for (i = 0; i < 4000; i++)
			print "__attribute__((noinline)) void byte_" i "(void) { __asm__ volatile(\"\"); }"
		print "int main(void) {"
		for (i = 0; i < 4000; i++) print "byte_" i "();"
		print "return 0; }" }' >bytes.c
	gcc -Os -g bytes.c -o bytes || exit 1
	try /usr/bin/python3 -c 'if True:
		import resource, subprocess, sys
		status = subprocess.call(sys.argv[1:])
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
		sys.exit(status)' \
		perftool -q -n -b -e 'set mechanism auto' -e 'time byte_* most=9000' -e run \
		-e 'save tables t.json' ./bytes
	is "$status $(json 'set(x["count"] for x in t["legs"]), len(t["legs"])')" \
		'0 {1} 4000' 'functions of one byte: each call is counted'
	ok 'functions of one byte: the tool needs less than 500 MB' [ "$(tail -n 1 <<<"$out")" -lt 500 ]
fi

# ---- attaching and detaching ------------------------------------------------

start "$PROGRAMS/busy" 2
busy=$started
for _ in 1 2 3 4 5; do
	try perftool -q -n -e 'set mechanism auto' -t work --for 50ms -f json -o t.json -p "$busy"
	is "$status $(mechanisms_once)" '0 fast' 'attached: the nodes are jumps'
	ok 'attached: calls are counted' [ "$(json 'time("work")["count"]')" -gt 0 ]
	is "$(foreign "$busy")" 0 'attached: after detaching, the code is restored'
	is "$(grep -c perftool-rings "/proc/$busy/maps")" 0 'attached: after detaching, no ring is mapped'
done

# the tool is killed: the program goes on, and the next tool removes the jumps
start perftool -q -n -b -e 'set mechanism auto' -e 'time work' -p "$busy"
tool=$started
has_jumps() { [ "$(foreign "$busy")" != 0 ]; }
wait_for 10 has_jumps
kill -KILL "$tool"
wait "$tool" 2>/dev/null
ok 'killed: the jumps of the killed tool are still in place' has_jumps
before=$(awk '{ print $14 }' "/proc/$busy/stat")
later() { [ "$(awk '{ print $14 }' "/proc/$busy/stat")" -gt "$before" ]; }
ok 'killed: the program goes on' wait_for 10 later
try perftool -q -n -b -e "attach $busy" -e detach
is "$status" 0 'killed: the next tool ends with status 0'
is "$(foreign "$busy")" 0 'killed: the next tool removes the jumps'
is "$(grep -c perftool-rings "/proc/$busy/maps")" 0 'killed: the next tool removes the rings'
ok 'killed: the program goes on after the next tool' kill -0 "$busy"

done_testing

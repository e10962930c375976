#!/usr/bin/env bash
# Threads: the tool traces each thread from its start and misses none.
# tier: core
# covers: target measure/threads probe/rings
# again: int3
. "$(dirname "$0")/../lib.sh"

for threads in 1 4 16; do
	times work brief -- "$PROGRAMS/threads" "$threads" 400
	is "$status" 0 "$threads threads: the program ends with status 0"
	is "$(json 'time("work")["count"]')" "$(own work)" "$threads threads: work() is counted as by the program"
	is "$(json 'time("brief")["count"]')" "$(own brief)" \
		"$threads threads: short threads are counted as by the program"
	is "$(json 'kept()')" True "$threads threads: the counts of legs and nodes agree"
done

# one owner for all threads: the memo's rule loses executions, and the tool says
# so
batch 'break entry work if 1' 'break exit work if 1' 'add leg 1 2' \
	'add leg 2 1 owner=leg' -- "$PROGRAMS/threads" 4 400
is "$(json 'node(1)["count"], node(2)["count"]')" "$(own work) $(own work)" \
	'nodes count all hits whichever owner the legs have'
is "$(json 'kept()')" True 'the counts of legs and nodes agree with owner=leg'
is "$(json 'leg(0)["count"], leg(0)["owner"], leg(1)["owner"]')" \
	"$(own work) thread leg" 'the report has the owner of each leg'

# a request that begins in one thread and ends in another
try perftool -q -n -b -f json -o t.json -e 'break entry submit' \
	-e 'break entry finish' -e 'add leg 1 2 key=request' \
	-- "$SAMPLES/queue"
is "$(json 'leg(0)["count"], leg(0)["ignored_from"], leg(0)["ignored_to"]')" \
	'400 0 0' 'a leg with a key goes from one thread to another'
is "$(json 'leg(0)["owner"]')" key=request 'the owner of a leg with a key is the key'

# the first thread of a process may end before the others
times work -- "$PROGRAMS/ends" thread-exit
is "$status" 0 'the main thread ends first: the program ends with status 0'
is "$(json 'time("work")["count"]')" "$(own work)" \
	'the main thread ends first: work() is counted as by the program'
done_testing

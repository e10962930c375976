#!/usr/bin/env bash
# `break calls` finds calls of a function of every form and tells them apart,
# and `break allocations` counts each allocation once.
# tier: core
# covers: probe/request probe/site
. "$(dirname "$0")/../lib.sh"

# at FUNC: the counts of the places in that function
at() {
	sed -n "s/^ *0x[0-9a-f]* $1\>.* in calling, .* \([0-9]*\) times\{0,1\}\$/\1/p" list |
		paste -sd' '
}

for MECHANISM in int3 fast; do
	batch 'break calls callee if 1' 'break entry callee if 1' \
		'break calls callee in indirect if 1' \
		'break calls callee in indirect_tail if 1' \
		'break calls square::area in draw if 1' \
		'break calls malloc in heap if 1' 'break calls mallo? in heap if 1' \
		'break calls strdup in main if 1' 'monitor on' 'collect nodes' run \
		'list breaks > list' 'save tables t.json' -- "$PROGRAMS/calling"
	is "$status" 0 "$MECHANISM: the program ends as always"
	# (Only the sites of the first two breakpoints are in these functions.)
	is "$(at direct) $(at tail) $(at tail_if)" "100 100 100 $(own if_odd)" \
		"$MECHANISM: calls and tail calls count, conditional ones when taken"
	is "$(json 'node(1)["count"]')" $((300 + $(own if_odd))) \
		"$MECHANISM: the count of the node is the sum"
	is "$(json 'node(2)["count"]')" \
		$((300 + $(own if_odd) + $(own by_pointer) + $(own by_tail_pointer))) \
		"$MECHANISM: the other calls are indirect"
	is "$(json '[node(n)["count"] for n in (3, 4, 5)]')" \
		"$(own by_pointer) $(own by_tail_pointer) $(own squares)" \
		"$MECHANISM: indirect and virtual calls count when they lead to the function"
	is "$(json '[node(n)["count"] for n in (6, 7, 8)]')" '100 100 100' \
		"$MECHANISM: calls of functions of libraries, also by a pattern"
	is "$(json 'sorted({n["kind"] for n in t["nodes"]})')" 'call entry' \
		"$MECHANISM: their kind is call"
	like "$(<list)" 'direct calling.cc:[0-9]* in calling, a call, 100 times' \
		"$MECHANISM: calls"
	like "$(<list)" 'tail calling.cc:[0-9]* in calling, a jump .tail call., 100' \
		"$MECHANISM: tail calls"
	like "$(<list)" 'in calling, an indirect call, if it leads there, ' \
		"$MECHANISM: indirect calls"
	like "$(<list)" 'heap calling.cc:[0-9]* in calling, a call through the [PG][LO]T, ' \
		"$MECHANISM: and calls through tables of the linker are told apart"

	batch 'break allocations in heap if 1' 'break allocations if 1' \
		-- "$PROGRAMS/calling" 100
	is "$(json 'node(1)["count"], node(1)["kind"]')" "$(own allocated) allocation" \
		"$MECHANISM: each allocation of heap() counts once"
	few=$(json 'node(2)["count"]') own_few=$(($(own allocated) + $(own duplicated)))
	batch 'break allocations in heap if 1' 'break allocations if 1' \
		-- "$PROGRAMS/calling" 300
	is "$(($(json 'node(2)["count"]') - few))" \
		$(($(own allocated) + $(own duplicated) - own_few)) \
		"$MECHANISM: and each allocation of the whole program"
done

# legs, and the words of commands
unset MECHANISM
batch 'add leg entry heap allocations in heap' \
	'add leg calls callee in direct calls callee in tail' \
	-- "$PROGRAMS/calling"
is "$(json 'leg(0)["count"], leg(1)["count"], kept()')" '100 100 True' \
	'legs begin and end at allocations and calls'
for what in 'calls nosuch in heap|no function nosuch in .*' \
	'calls callee in nosuch|no function nosuch in .*' \
	'calls calle in heap|no function calle in .*near names: callee' \
	'calls callee in heap|heap has no call of callee' \
	'calls main|no code calls main by its name' \
	'allocations in callee|callee has no call of a function that allocates'; do
	fails_with 125 "${what#*|}" "\`break ${what%|*}' says why there is none" \
		perftool -b -e "break ${what%|*}" "$PROGRAMS/calling"
done
done_testing

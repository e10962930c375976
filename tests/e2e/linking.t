#!/usr/bin/env bash
# The same program, linked and compiled in every way, has the same counts.
# tier: core
# covers: debuginfo/elf debuginfo/symbols probe/request probe/process
# again: int3
. "$(dirname "$0")/../lib.sh"

try "$PROGRAMS/pie" 700
sum=$(own sum)
for how in pie nopie lld static staticpie stripped dwarf4 optimized unoptimized; do
	times work half -- "$PROGRAMS/$how" 700
	is "$status" 0 "$how: the program ends with status 0"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" "$how: each call of work() is counted"
	is "$(json 'time("half")["count"]')" "$(own half)" "$how: each call of half() is timed"
	is "$(own sum)" "$sum" "$how: the program computed what it should"
	is "$(json 'kept()')" True "$how: the counts of legs and nodes agree"
done

# other names for the same function
program=$PROGRAMS/nopie
line=$(grep -n 'work_calls++' "$ROOT/tests/programs/calls.h" | cut -d: -f1)
address=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')
batch "break calls.h:$line if n >= 0" "break *0x$address if 1" \
	'break work if 1' 'break work+0 if 1' 'break entry wor? if 1' \
	-- "$program" 300
is "$(json '[node(n)["count"] for n in range(1, 6)]')" '300 300 300 300 300' \
	'FILE:LINE, *ADDRESS, FUNC, FUNC+OFFSET and a glob agree'
is "$(json '[node(n)["kind"] for n in range(1, 6)]')" \
	'line address function address entry' 'a node has the kind of the place that was named'

is "$(gdb_count work "$PROGRAMS/optimized" 300)" 300 'gdb counts 300 calls of work()'
done_testing

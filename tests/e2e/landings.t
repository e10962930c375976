#!/usr/bin/env bash
# Landings: the targets of jumps that replace short instructions. The number of
# pieces of memory for landings is limited, and no landing stands where the heap
# will grow. If no landing is possible, the next instruction makes room for
# another one.
# tier: full
# covers: probe/fast probe/site target/remote
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

# begin COMMAND...: starts a program that gets its orders from the test, and the
# tool
begin() {
	serve "$@"
	is "$reply" ready 'the program is ready'
	attach_told -n >said 2>&1
	tell 'set mechanism fast' 'monitor on'
}

# mappings: prints the number of mappings of perftool that the program has
mappings() {
	grep -c perftool "/proc/$server/maps"
}

# An area of slots and some of trampolines may be needed beside the program and
# beside its libraries.
MOST_LEFT=8

# ends NAME: the tool detaches, and the program goes on
ends() {
	tell detach
	is "$(foreign "$server")" 0 "$1: detach restores the code of the program"
	ok "$1: detach unmaps the landings ($(mappings) mappings stay)" \
		[ "$(mappings)" -le $MOST_LEFT ]
	says 3 '3 rounds, right' "$1: the program goes on after detach"
	exec 5>&-
	end_server
}

# ---- as many landings as there can be ---------------------------------------

begin "$PROGRAMS/landings"
tell 'break entry land_* if 1'
echo "it stood still for $(sed -n 's/The program stood still for //p' said |
	sort -n | tail -n 1)" | diag
tell 'list breaks'
like "$(grep 'of land_' said)" '4302 places in landings if 1, fast$' \
	'all 4,302 places get landings and are fast'
# There are at most 5,120 mappings for landings, and some for all other
# purposes.
mapped=$(mappings)
ok "the landings are in a bounded number of mappings ($mapped)" [ "$mapped" -lt 5140 ]
says 2 '2 rounds, right' 'with 4,302 jumps, the program computes what it should'
tell 'save tables t.json'
# each round calls land_N() N % 3 + 1 times, and the other functions once
calls=$((2 * (1433 * (1 + 2 + 3) + 1 + 2)))
is "$(json 'node(1)["count"]')" $calls 'with 4,302 jumps, each hit is counted'
tell 'delete 1' 'break entry land_* if 1' 'list breaks'
like "$(grep '^ *2 .*of land_' said)" ' fast$' 'deleted and set again, all places are fast'
ok 'deleted and set again, the landings need no more mappings' \
	[ "$(mappings)" -le $((mapped + 1)) ]
says 1 '1 rounds, right' 'deleted and set again: the program computes what it should'
tell 'save tables again.json'
is "$(json 'node(2)["count"]' again.json)" $((calls / 2)) \
	'deleted and set again: each hit is counted'
ends 'with 4,302 jumps'

# Places that have a breakpoint at the next instruction keep that breakpoint,
# and the other places already have the landings: jumps are made from higher
# addresses to lower ones.
begin "$PROGRAMS/landings"
taken=()
for ((i = 0; i < 100; i++)); do
	taken+=("break land_$i+1 if \$fs_base != 1")
done
tell "${taken[@]}" 'break entry land_* if 1' 'list breaks'
like "$(grep '^ *101 ' said)" \
	' 4202 fast, 100 int3 \(perftool has used up its areas for targets of jumps\)' \
	'an instruction that has a breakpoint makes no room for a landing'
says 1 '1 rounds, right' \
	'with breakpoints at next instructions: the program computes what it should'
tell 'save tables t.json'
is "$(json 'node(101)["count"], sum(node(i)["count"] for i in range(1, 101))')" \
	"$((calls / 2)) 232" 'with breakpoints at next instructions: each hit is counted'
ends 'with breakpoints at next instructions'

# The tool is killed: the program goes on, and the next tool cleans up.
begin "$PROGRAMS/landings"
tell 'break entry land_* if 1'
kill -KILL "$tool"
wait "$tool" 2>/dev/null
exec 5>&-
says 1 '1 rounds, right' 'perftool was killed: the program computes what it should'
try perftool -q -n -b -p "$server" -e detach
is "$(foreign "$server")" 0 'perftool was killed: the next perftool restores the code'
says 1 '1 rounds, right' 'perftool was killed: the program works with the restored code'
ok "perftool was killed: the next perftool unmaps the landings ($(mappings) mappings stay)" \
	[ "$(mappings)" -le $MOST_LEFT ]

# Each perftool uses the memory that the one before it has left: the trampolines
# of these jumps fill more than a megabyte, which is the size of a mapping.
left=$(mappings)
for end in detach KILL detach KILL detach; do
	attach_told -n >said 2>&1
	tell 'set mechanism fast' 'monitor on' 'break entry land_* if 1' 'list breaks'
	like "$(grep 'of land_' said)" '4302 places in landings if 1, fast$' \
		"one perftool after the other, which ends by $end: all places are fast"
	says 1 '1 rounds, right' "until $end: the program computes what it should"
	if [ $end = KILL ]; then
		end_tool KILL
	else
		tell detach
		ok "after $end there are not more mappings ($(mappings)) than before ($left)" \
			[ "$(mappings)" -le "$left" ]
	fi
	exec 5>&-
	says 1 '1 rounds, right' "after $end: the program computes what it should"
done
end_server

# ---- the heap -------------------------------------------------------------------

begin setarch -R "$PROGRAMS/landings"
# The next instructions have breakpoints and therefore make no room.
tell 'break entry land_near if 1' 'break entry land_far if 1' \
	'break land_near+1 if $fs_base != 1' \
	'break land_far+1 if $fs_base != 1' 'list breaks'
like "$(grep 'of land_near.* if 1' said)" \
	'int3 \(the memory that its jump could reach is in use; in another run it may be free\)' \
	'a jump that leads to 100 MiB above the heap gets no landing'
like "$(grep 'of land_far.* if 1' said)" 'if 1, fast$' \
	'a jump that can lead only to 900 MiB above the heap gets a landing'
says 1 '1 rounds, right' 'beside a heap: the program computes what it should'
says 'grow 800' 'the heap has grown' 'beside a heap: the heap grows by 800 MiB'
says 1 '1 rounds, right' 'beside a larger heap: the program computes what it should'
says 'grow 150' 'the heap cannot grow' 'beside a larger heap: the heap cannot grow any more'
says 'get 80' 'got it' 'beside a larger heap: the program gets memory elsewhere'
says 1 '1 rounds, right' 'with memory elsewhere: the program computes what it should'
tell 'save tables t.json'
is "$(json 'node(1)["count"], node(2)["count"]')" '3 3' \
	'beside a heap: each hit is counted'
ends 'beside a heap'

# a program at a fixed address, wherever the kernel places its heap
begin "$PROGRAMS/heap"
tell 'break entry reach_* if 1' 'list breaks'
like "$(grep 'of reach_' said)" '60 places in heap if 1, fast$' \
	'at a fixed address: all places get landings and are fast'
says all right 'at a fixed address: the program computes what it should'
says 'grow 900' 'the heap has grown' 'at a fixed address: the heap grows by 900 MiB'
says all right 'at a fixed address: the program works with the larger heap'
tell 'save tables t.json'
is "$(json 'node(1)["count"]')" 120 'at a fixed address: each hit is counted'
tell detach
is "$(foreign "$server")" 0 'at a fixed address: detach restores the code of the program'
says all right 'at a fixed address: the program goes on after detach'
exec 5>&-
end_server

done_testing

#!/usr/bin/env bash
# Where jumps in place of short instructions lead: there are 4,096 pieces of
# memory for that, and none of them is where the heap is about to grow.
. "$(dirname "$0")/../lib.sh"

mark=0
# tell COMMAND...: to the tool; returns when it has done them
tell() {
	printf '%s\n' "$@" "evaluate $((++mark + 7000))" >&5
	wait_for 50 grep -q $((mark + 7000)) said ||
		fail 'the tool does not answer' "$*" "$(tail said)"
}

# begin COMMAND...: a program that is told what to do, and the tool
begin() {
	serve "$@"
	is "$reply" ready 'the program'
	rm -f commands
	mkfifo commands
	exec 5<>commands
	start perftool -n -p "$server" <commands >said 2>&1 5>&-
	tell 'set mechanism fast' 'monitor on'
}

# ends NAME: after `detach'
ends() {
	tell detach
	is "$(foreign "$server")" 0 "$1: its code is as it was"
	says 3 '3 rounds, right' "$1: it goes on"
	exec 5>&-
	end_server
}

# ---- more than there can be ---------------------------------------------------

begin "$PROGRAMS/landings"
tell 'break entry land_* if 1'
echo "it stood still for $(sed -n 's/The program stood still for //p' said |
	sort -n | tail -n 1)" | diag
tell 'list breaks'
like "$(<said)" '4302 places .* 4096 fast, 206 int3 \(there are too many landings of jumps\)' \
	'as many as can be are jumps'
says 2 '2 rounds, right' 'it does what it did'
tell 'save tables t.json'
# land_N() is called N % 3 + 1 times in a round, the others once
calls=$((2 * (1433 * (1 + 2 + 3) + 1 + 2)))
is "$(json 'node(1)["count"]')" $calls 'all are counted'
tell 'delete 1' 'break entry land_* if 1' 'list breaks'
like "$(grep -A 2 '^ *2 ' said)" ' 4096 fast, 206 int3' \
	'once more: the same landings'
says 1 '1 rounds, right' 'once more: it does what it did'
tell 'save tables again.json'
is "$(json 'node(2)["count"]' again.json)" $((calls / 2)) \
	'once more: all are counted'
ends 'with 4,096 landings'

# ---- the heap -------------------------------------------------------------------

begin setarch -R "$PROGRAMS/landings"
tell 'break entry land_near if 1' 'break entry land_far if 1' 'list breaks'
like "$(grep 'of land_near.* if 1' said)" \
	'int3 \(where its jump could lead to is in use; another run may have it free\)' \
	'900 MiB above the heap: no landing'
like "$(grep 'of land_far.* if 1' said)" 'if 1, fast$' \
	'1,200 MiB above the heap: a landing'
says 1 '1 rounds, right' 'beside a heap: a round'
says 'grow 1000' 'the heap has grown' 'the heap grows by 1,000 MiB'
says 1 '1 rounds, right' 'beside a larger heap: a round'
says 'grow 250' 'the heap cannot grow' 'it cannot grow any more'
says 'get 80' 'got it' 'there is memory beyond'
says 1 '1 rounds, right' 'with memory elsewhere: a round'
tell 'save tables t.json'
is "$(json 'node(1)["count"], node(2)["count"]')" '3 3' \
	'beside a heap: all are counted'
ends 'beside a heap'

# a program at a fixed address, wherever the kernel has put its heap
begin "$PROGRAMS/heap"
tell 'break entry reach_* if 1' 'list breaks'
like "$(grep 'of reach_' said)" \
	'60 places .* [1-9][0-9]* fast, [1-9][0-9]* int3 \(where its jump' \
	'at a fixed address: some have landings, others would be in the way'
says all right 'at a fixed address: they do what they did'
says 'grow 900' 'the heap has grown' 'at a fixed address: 900 MiB more heap'
says all right 'at a fixed address: with that heap'
tell 'save tables t.json'
is "$(json 'node(1)["count"]')" 120 'at a fixed address: all are counted'
tell detach
is "$(foreign "$server")" 0 'at a fixed address: its code is as it was'
says all right 'at a fixed address: it goes on'
exec 5>&-
end_server

done_testing

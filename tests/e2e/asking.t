#!/usr/bin/env bash
# If a command at a terminal lacks an argument, the tool asks for the argument.
# The fields of the memo's window keep their values.
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

# ends_with LINE: is LINE the last line of the screen?
# shellcheck disable=SC2317 # wait_for calls it by name
ends_with() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == "$1" ]]
}

# at LINE NAME: the cursor is after LINE
at() {
	ok "$2" wait_for 20 ends_with "$1"
}

# do_at_prompt LINE REGEX NAME: enters LINE at the prompt; the screen must match
# REGEX
do_at_prompt() {
	wait_for 20 ends_with 'perftool>'
	enter "$1"
	expect "$2" "$3"
}

# leaves KEY NAME: KEY leaves the question; the tool prints nothing, and a
# prompt follows
leaves() {
	enter 'delete leg'
	at 'Leg:' "$2: a question"
	keys -l 7
	[ "$1" != C-u ] || keys C-u
	[ "$1" != C-d ] || keys C-u
	keys "${@:1:1}"
	[ "$1" != C-u ] || keys Enter
	at 'perftool>' "$2: a prompt again"
	unlike "$(screen)" 'no leg 7|missing' "$2: nothing is done"
}

new_terminal "perftool -n $SAMPLES/swapper; echo over; exec cat"
do_at_prompt 'break entry AllocVM if 1' 'Breakpoint #1' 'a breakpoint'
do_at_prompt 'break exit AllocVM if 1' 'Breakpoint #2' 'another one'
do_at_prompt 'collect nodes' 'Collected' 'they are nodes'
expect 'The monitor is on: conditional breakpoints count, and do not stop' \
	'the first node turns the monitor on'
do_at_prompt 'monitor off' '' 'it is turned off'

enter 'Add Leg!'
at 'From Node:' 'Add Leg! asks for the first node'
keys Tab
expect '\*  1  2' 'the nodes are offered'
keys -l '?'
keys Enter
expect 'add leg FROM TO.*  \* +each node.*  1 +entry of AllocVM' 'a ? tells what may come there'
at 'From Node:' 'and it is asked for again'
keys -l 1
keys Enter
at 'To Node:' 'and for the second one'
keys -l 2
keys Enter
expect 'Leg from 1 to 2 added' 'the leg is added'

enter 'Add Leg!'
at 'From Node:' 'Add Leg! asks once more'
keys -l '1 2'
keys Enter
expect '.1 2. is not a node number or a place' 'two numbers are none'
enter 'list breaks'
expect '2 +exit of AllocVM' 'no breakpoint was made of an answer'
unlike "$(screen)" ' 3 ' 'none at all'
wait_for 20 ends_with 'perftool>'
keys C-l
enter 'Break Xit'
at 'function:' 'Break Xit asks for the function'
keys Escape
at 'perftool>' 'ESC leaves it'
enter 'break'
at 'place:' 'break asks for the place'
keys -l '?'
keys Enter
expect 'AllocVM' 'functions are told of'
at 'place:' 'and it is asked for again'
keys Enter
at 'perftool>' 'an empty line leaves it'
keys C-l

# The memo's commands on histograms take their arguments only from fields.
enter 'Print!'
at 'Histogram Node:' 'Print! asks for the field that is empty'
keys Escape
at 'perftool>' 'ESC leaves it'
enter 'Type: leg'
enter 'Add!'
at 'Histogram Leg:' 'Add! asks for the field of that type'
keys -l 0
keys Enter
expect 'Added Histogram for Leg 0' 'and adds it'
enter 'Histogram Leg:'
enter 'Delete!'
at 'Histogram Leg:' 'Delete! asks'
keys -l first
keys Enter
expect 'first. is not a leg' 'what is no number is told'
enter 'Type: node'

for key in Escape C-c C-d C-u; do
	leaves "$key" "$key"
done
enter 'add leg 2'
at 'To Node:' 'only what is missing is asked for'
keys -l 1
keys Enter
expect 'Leg from 2 to 1 added' 'a leg back'
enter 'add leg 9'
at 'To Node:' 'what is wrong is said when all is given'
keys -l 1
keys Enter
expect 'no (node|breakpoint) 9|breakpoint #?9' 'what is wrong is said'

unlike "$(screen)" 'The monitor is on.*The monitor is on' 'what is turned off stays off'
do_at_prompt 'monitor' 'The monitor is off' 'it is'

# ---- a question mark asks what may come ----
do_at_prompt 'add leg 1 ?' 'add leg FROM TO' 'a question mark tells what may come there'
do_at_prompt 'add ?' 'successor +add a leg for every two nodes' 'and of a word what it does'

# ---- fields ----
do_at_prompt 'Type: leg  Histogram Leg: 0  Class: log' '' 'fields are set'
do_at_prompt 'Buckets: 12 Scale: 10B' '' 'more of them'
do_at_prompt 'Add!' 'Added Histogram for Leg 0' 'Add! acts on the fields'
do_at_prompt 'Print!' 'Histogram for Leg 0' 'Print! does'
expect 'Scale Factor \(2.n\) +8' 'the scale was octal'
do_at_prompt 'Delete!' '' 'Delete! does'
do_at_prompt 'Print!' 'leg 0 has no histogram' 'there is none any more'
do_at_prompt 'From Node: x' "not a node number" 'a wrong value is told'
do_at_prompt 'quit' 'over' 'quit'

# ---- in scripts, where there is no user to ask ----
fails_with 125 'an argument is missing; usage: add leg' 'in a script it is an error' \
	perftool -q -n -b -e 'add leg' "$SAMPLES/swapper"
try perftool -q -n -b -e 'break entry AllocVM if 1' -e 'break exit AllocVM if 1' \
	-e 'From Node: 1 To Node: 2' -e 'Add Leg!' -e 'monitor on' -e run -e 'save tables t.json' \
	"$SAMPLES/swapper"
is "$(json 'leg(0)["count"]')" 697 'fields work in a script'
done_testing

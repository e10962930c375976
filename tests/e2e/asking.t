#!/usr/bin/env bash
# If a command at a terminal lacks an argument, the tool asks for the argument.
# The fields of the memo's window keep their values.
# tier: core
# covers: command/question ui/prompt
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
	at 'Leg:' "$2 at a question: delete leg asks for the leg"
	keys -l 7
	[ "$1" != C-u ] || keys C-u
	[ "$1" != C-d ] || keys C-u
	keys "${@:1:1}"
	[ "$1" != C-u ] || keys Enter
	at 'perftool>' "$2 at a question: the prompt returns"
	unlike "$(screen)" 'no leg 7|missing' "$2 at a question: no command is carried out"
}

new_terminal "perftool -n $SAMPLES/swapper; echo over; exec cat"
do_at_prompt 'break entry AllocVM if 1' 'Breakpoint #1' 'break entry makes breakpoint 1'
do_at_prompt 'break exit AllocVM if 1' 'Breakpoint #2' 'break exit makes breakpoint 2'
do_at_prompt 'collect nodes' 'Collected' 'collect nodes makes nodes of the breakpoints'
expect 'The monitor is on: conditional breakpoints count, and do not stop' \
	'the first node turns the monitor on'
do_at_prompt 'monitor off' '' 'monitor off is accepted'

enter 'Add Leg!'
at 'From Node:' 'Add Leg! asks for the first node'
keys Tab
expect '\*  1  2' 'Tab at the question for a node offers the nodes'
keys -l '?'
keys Enter
expect 'add leg FROM TO.*  \* +each node.*  1 +entry of AllocVM' 'a ? at the question for a node tells what may come there'
at 'From Node:' 'after the ?, Add Leg! asks for the first node again'
keys -l 1
keys Enter
at 'To Node:' 'Add Leg! asks for the second node'
keys -l 2
keys Enter
expect 'Leg from 1 to 2 added' 'Add Leg! adds the leg when both nodes are known'

enter 'Add Leg!'
at 'From Node:' 'a second Add Leg! asks for the first node'
keys -l '1 2'
keys Enter
expect '.1 2. is not a node number or a place' 'two numbers are refused as a node'
enter 'list breaks'
expect '2 +exit of AllocVM' 'after a refused answer, list breaks shows the breakpoints'
unlike "$(screen)" ' 3 ' 'no breakpoint 3 is made of a refused answer'
wait_for 20 ends_with 'perftool>'
keys C-l
enter 'Break Xit'
at 'function:' 'Break Xit asks for the function'
keys Escape
at 'perftool>' 'ESC leaves the question for the function'
enter 'break'
at 'place:' 'break asks for the place'
keys -l '?'
keys Enter
expect 'AllocVM' 'a ? at the question for a place lists functions'
at 'place:' 'after the ?, break asks for the place again'
keys Enter
at 'perftool>' 'an empty line leaves the question for the place'
keys C-l

# The memo's commands on histograms take their arguments only from fields.
enter 'Print!'
at 'Histogram Node:' 'Print! asks for the node of the histogram if the field is empty'
keys Escape
at 'perftool>' 'ESC leaves the question for the node of the histogram'
enter 'Type: leg'
enter 'Add!'
at 'Histogram Leg:' 'Add! asks for the leg of the histogram after Type: leg'
keys -l 0
keys Enter
expect 'Added Histogram for Leg 0' 'Add! adds the histogram of the leg'
enter 'Histogram Leg:'
enter 'Delete!'
at 'Histogram Leg:' 'Delete! asks for the leg of the histogram'
keys -l first
keys Enter
expect 'first. is not a leg' 'an answer that is not a leg is refused'
enter 'Type: node'

for key in Escape C-c C-d C-u; do
	leaves "$key" "$key"
done
enter 'add leg 2'
at 'To Node:' 'add leg 2 asks only for the second node'
keys -l 1
keys Enter
expect 'Leg from 2 to 1 added' 'add leg 2 adds the leg when the second node is known'
enter 'add leg 9'
at 'To Node:' 'add leg 9 asks for the second node'
keys -l 1
keys Enter
expect 'no (node|breakpoint) 9|breakpoint #?9' 'node 9 is refused when both nodes are given'

unlike "$(screen)" 'The monitor is on.*The monitor is on' 'a monitor that the user turned off is not turned on again'
do_at_prompt 'monitor' 'The monitor is off' 'the command monitor says that the monitor is off'

# ---- a question mark asks what may come ----
do_at_prompt 'add leg 1 ?' 'add leg FROM TO' 'add leg 1 ? shows what may come there'
do_at_prompt 'add ?' 'successor +add a leg for every two nodes' 'add ? says what each word does'

# ---- fields ----
do_at_prompt 'Type: leg  Histogram Leg: 0  Class: log' '' 'a line sets several fields'
do_at_prompt 'Buckets: 12 Scale: 10B' '' 'a second line sets more fields'
do_at_prompt 'Add!' 'Added Histogram for Leg 0' 'Add! acts on the fields'
do_at_prompt 'Print!' 'Histogram for Leg 0' 'Print! acts on the fields'
expect 'Scale Factor \(2.n\) +8' 'a scale that ends in B is octal'
do_at_prompt 'Delete!' '' 'Delete! accepts the fields'
do_at_prompt 'Print!' 'leg 0 has no histogram' 'Delete! has deleted the histogram of the fields'
do_at_prompt 'From Node: x' "not a node number" 'a wrong value of a field is refused'
do_at_prompt 'quit' 'over' 'quit ends the tool'

# ---- in scripts, where there is no user to ask ----
fails_with 125 'an argument is missing; usage: add leg' 'a missing argument in a script is an error' \
	perftool -q -n -b -e 'add leg' "$SAMPLES/swapper"
try perftool -q -n -b -e 'break entry AllocVM if 1' -e 'break exit AllocVM if 1' \
	-e 'From Node: 1 To Node: 2' -e 'Add Leg!' -e 'monitor on' -e run -e 'save tables t.json' \
	"$SAMPLES/swapper"
is "$(json 'leg(0)["count"]')" 697 'fields work in a script'
done_testing

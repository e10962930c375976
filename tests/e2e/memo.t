#!/usr/bin/env bash
# The memo's session as it is printed, with a program that has the name of the
# memo's configuration: in a script, in a pipe, and typed. And wrong values of
# the fields. (tests/docs/memo.t tries each word of the session.)
# tier: core
# covers: command session/settings report/text
# again: int3
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

cp "$SAMPLES/swapper" Mesa
cat >printed.pt <<'END'
set columns memo
SEt Root configuration: Mesa
-- allocate most of memory to exercise the swapper
SEt Module context: SegmentsB
-- set breakpoints to monitor the AllocVM procedure
SEt Module context: Swapper
Break Entry procedure: AllocVM
ATtach Condition #: 1, condition: pages = 1
-- a histogram is attached to this breakpoint and the variable pages will be counted.
Break Xit procedure: AllocVM
-- the Condition Breaks command is used to make this a conditional break.
Condition Breaks!
Collect Nodes!
From Node: 1
To Node: 2
Add Leg!
Print Nodes!
Type: node
Histogram Node: 1
Class: linear
Buckets: 8
Scale: 1
Base: 0
Add!
Type: leg
Histogram Leg: 0
Class: log
Buckets: 12
Scale: 8
Add!
Monitor: on
Proceed
Print Tables!
END

# gives_figures NAME: the file `all` has the figures of the memo
gives_figures() {
	local text line
	text=$(tr -s ' ' <all)
	for line in 'Breakpoint #1' 'Breakpoint #2' 'Conditionalized breaks' 'Collected nodes' \
		'Leg from 1 to 2 added' 'Added Histogram for Node 1' 'Added Histogram for Leg 0' \
		'Total number of Perf Breaks handled = 1,394' \
		'Number of References 697' 'Sum of Values 2,454' 'Average Value 3' 'Scale Factor 1' \
		'1 3 ' '2 190 ' '3 76 ' '4 297 ' '5 131 ' '6 0 ' '7 0 ' 'Overflow 0' \
		'Scale Factor (2↑n) 8'; do
		if grep -qF -- "$line" <<<"$text"; then
			pass "$1: the output has '$line'"
		else
			fail "$1: the output has '$line'" "$text"
		fi
	done
	like "$text" $'\n1\\* 0x[0-9a-f]+ 0x[0-9a-f]+ 697 Mesa swapper\n' \
		"$1: the node table has 697 hits of node 1"
	like "$text" $'\n2 0x[0-9a-f]+ 0x[0-9a-f]+ 697 Mesa swapper\n' \
		"$1: the node table has 697 hits of node 2"
	like "$text" $'\n0\\* 1 -> 2 697 ' "$1: the leg table has 697 executions of leg 0"
}

perftool -n -b -x printed.pt ./Mesa >all 2>&1
is $? 0 'a script: perftool ends with status 0'
gives_figures 'a script'
perftool -n ./Mesa <printed.pt >all 2>&1
is $? 0 'a pipe: perftool ends with status 0'
gives_figures 'a pipe'

# ---- typed ----------------------------------------------------------------

# ready: is the last line of the screen an empty prompt?
# shellcheck disable=SC2317 # wait_for calls it by name
ready() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == 'perftool>' ]]
}

# type_line LINE: types the line at the prompt, after which the prompt comes
# again
type_line() {
	wait_for 20 ready || fail "a prompt before: $1" "$(screen)"
	enter "$1"
}

new_terminal "perftool -n ./Mesa; echo over; exec cat"
type_line 'set columns memo'
type_line 'SEt Root configuration: Mesa'
type_line 'SEt Module context: SegmentsB'
type_line 'AllocatePages[140]'
expect 'calls no functions of the *program' \
	'typed: a message says that perftool calls no functions of the program'
while IFS= read -r line; do
	type_line "$line"
done < <(sed '1,/SegmentsB/d' printed.pt)
wait_for 20 ready
expect 'Scale Factor \(2.n\) +8.*Overflow' 'typed: the last histogram of the session is printed'
wait_for 20 ready
screen >all
gives_figures typed

# ---- wrong values of fields -------------------------------------------------

# After a wrong value, the field keeps its old value, and the prompt comes
# again.
wrong() { # LINE REGEX
	type_line "$1"
	expect "$2" "typed: $1 is an error"
	fails_with 125 "-e .*$2" "an option: $1 is an error" \
		perftool -q -n -b -e "$1" -e quit ./Mesa
	printf '%s\n' 'Monitor: on' "$1" >wrong.pt
	fails_with 125 "^wrong.pt:2: .*$2" \
		"a script: $1 is an error with a line number" \
		perftool -q -n -b -x wrong.pt ./Mesa
	try perftool -q -n ./Mesa <wrong.pt
	is "$status" 125 "a pipe: $1 ends perftool with status 125"
	like "$err" "^standard input:2: .*$2" "a pipe: $1 is an error with a line number"
}
wrong 'From Node: AllocVM' "AllocVM' is not a node number"
wrong 'From Node: 1 2' "1 2' is not a node number"
wrong 'To Node: -1' "-1' is not a node number"
wrong 'Leg: *' "\\*' is not a leg number"
wrong 'Process: Mesa' "Mesa' is not a process number"
wrong 'Process: 8B' "8B' is not a process number"
wrong 'Type: tree' "unknown type .tree'; there is node, leg"
wrong 'Class: linear log' "unknown class of histogram .linear log'"
wrong 'Histogram Node: 1.5' "1.5' is not a node number"
wrong 'Histogram Leg: 99999999999' "99999999999' is not a leg number"
wrong 'Buckets: 0' "number of buckets .0' is out of range"
wrong 'Buckets: 65537' "number of buckets .65537' is out of range"
wrong 'Scale: -1' "scale .-1' is out of range"
wrong 'Base: 9223372036854775808' "base .9223372036854775808' is out of range"
wrong 'Monitor: maybe' "unknown state of the monitor .maybe'"
wrong 'Track: some' "unknown mode of tracking .some'"
wrong 'Add: all' "unknown command .add all'"
type_line 'show fields > fields.txt'
wait_for 20 grep -qs Base fields.txt
is "$(paste -sd, fields.txt)" "From Node: 1,To Node: 2,Leg:,Process: (empty: all),\
Type: leg,Class: log,Histogram Node: 1,Histogram Leg: 0,Buckets: 12,Scale: 8,Base: 0" \
	'a wrong value leaves its field unchanged'
type_line 'From Node:'
type_line 'Add Leg!'
expect 'From Node: *$' 'Add Leg! asks for an empty From Node'
keys C-c
type_line 'Histogram Leg:'
type_line 'Print!'
expect 'Histogram Leg: *$' 'Print! asks for an empty Histogram Leg'
keys C-c
type_line 'quit'
expect over 'perftool ends after quit'
for command in 'Add!' 'Delete!' 'Print!'; do
	fails_with 125 'the field Histogram Node is empty' \
		"$command in a script is an error if Histogram Node is empty" \
		perftool -q -n -b -e "$command" -e quit ./Mesa
done
done_testing

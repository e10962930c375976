#!/usr/bin/env bash
# Commands of a careless user: with names that do not exist, on terminals that
# are too narrow, and interrupted.
# tier: core
# covers: command report/text ui/terminal
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
program=$SAMPLES/swapper

# ---- commands and arguments that do not exist ----
# bad_command REGEX COMMAND: the command fails with one line on standard error
# and status 125
bad_command() {
	fails_with 125 "$1" "$2: fails as an option -e" perftool -q -n -e 'break entry AllocVM if 1' \
		-e 'break exit AllocVM if 1' -e 'add leg 1 2' -e "$2" "$program"
	printf '%s\n' 'break entry AllocVM if 1' 'break exit AllocVM if 1' \
		'add leg 1 2' "$2" >commands
	try perftool -q -n "$program" <commands
	is "$status" 125 "$2: status 125 on standard input"
	like "$err" "$1" "$2: the reason is given on standard input"
}
bad_command 'unexpected `c.' 'add leg a b c'
bad_command 'no function nosuch in' 'add leg 1 nosuch'
bad_command 'no function nosuch in' 'add leg nosuch *'
bad_command '`99999999999999999999. is not a node number' 'add leg 1 99999999999999999999'
bad_command 'a place is missing' "add leg '' 1"
bad_command 'no leg is called `nosuch' 'print legs nosuch'
bad_command 'no leg is called `\[' 'print legs ['
bad_command 'no leg is called `b' 'print legs > a b'
bad_command 'unknown order `x' 'print legs sort=x'
bad_command 'top `0. is out of range' 'print legs top=0'
bad_command '`-1. is out of range' 'print legs top=-1'
bad_command "no column is called \`'; columns are auto, memo,.* id, name, " 'print legs columns=,'
bad_command 'no column is called `nosuch.; .* count, total, mean, ' 'print legs columns=id,nosuch'
bad_command 'no column is called `x.; .* p90, p99, max' 'set columns x'
bad_command 'by=x.: only by=process is possible here' 'print legs by=x'
bad_command 'unexpected `B' 'print legs A B'
bad_command 'no source file or loaded library .nosuch. in swapper' 'set module context nosuch'
bad_command 'unexpected `b' 'set module context a b'
bad_command 'not `nosuch' 'set root configuration nosuch'
bad_command "name is missing" 'set root configuration'
bad_command "no setting 'fields x'" 'show fields x'
bad_command '`x. is not a node number' 'From Node: x'
bad_command 'histogram `x' 'Class: x'
bad_command 'out of range \(1 to 65536\)' 'Buckets: 0'
bad_command 'Histogram Node is empty' 'Add!'
bad_command 'Histogram Node is empty' 'Print!'
bad_command 'column 1: `x. is not known' 'expect x'
bad_command 'nested too deeply' "expect $(printf '(%.0s' {1..30000})"
bad_command "not 'x'" 'set pending x'
bad_command 'no value' 'set columns'
bad_command 'no function is named \*zz$' 'list functions *zz'
bad_command 'unknown command `nosuch' 'help nosuch'
bad_command 'number is missing' 'attach condition'
bad_command 'no breakpoint 9' 'attach condition 9, 1'
bad_command 'a condition is missing' 'attach condition 1,'
bad_command 'there is no leg 9' 'print histogram leg 9'
bad_command '`x. does not end in' 'save tables x'
bad_command 'no leg 9' 'trace x.csv leg 9'
bad_command 'the name of the script is empty' 'source ""'
ok 'a trace of a leg that does not exist makes no file' [ ! -e x.csv ]
fails_with 125 'the name of the script is empty' '-x with an empty name fails' \
	perftool -q -n -x '' "$program"
for every in 0 -1s x ''; do
	fails_with 125 "\`$every'" "--every '$every' fails" \
		perftool -q -n --every "$every" -t AllocVM "$program"
done

# ---- a pattern that looks like an address ----
try perftool -q -n -e 'list functions *VM' "$program"
like "$out" 'AllocVM at swapper.c' 'list functions accepts a pattern that begins with *'

# ---- a condition behind -t ----
times 'AllocVM if pages > 3' -- "$program"
is "$status" 0 '-t with a condition: status 0'
is "$(json 'leg(0)["count"], node(1)["condition"]')" '428 pages > 3' \
	'-t with a condition: only calls that meet the condition are timed'
try perftool -q -n -t 'Alloc*' -t 'AllocVM if pages * 2 > 6 by=pages' "$program"
is "$status" 0 '-t accepts a condition with a split'
try perftool -q -n -t 'AllocVM if pages * 2 > 6' "$program"
unlike "$err" 'never executed' 'a * in the condition makes no pattern'
fails_with 125 'no condition after `if' '-t with an empty condition fails' \
	perftool -q -n -t 'AllocVM if' "$program"
fails_with 125 'no variable here that is called .nosuch' '-t with an unknown variable in its condition fails' \
	perftool -q -n -t 'AllocVM if nosuch' "$program"

# ---- many legs ----
{
	printf 'break entry %s if 1\n' {AllocVM,main,deal,swap_out,now_ns}
	echo 'collect nodes'
	echo 'add leg * *'
} >many.pt
try perftool -n -x many.pt "$program"
is "$(grep -c '^Leg from' <<<"$err$out")" 20 'add leg * * prints only the first 20 new legs'
like "$err$out" $'\nand 5 more: `print legs. has all' 'add leg * * says how many more legs it has added'

# ---- after a run, the tool names each library once ----
try perftool -q -n -e 'time AllocVM' -e 'run >/dev/null' -e 'break nosuch' "$program"
is "$(grep -o 'libc\.so\.6' <<<"$err" | wc -l)" 1 'the message on an unknown function names a library once'

# ---- at a prompt ----
ready() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == 'perftool>' ]]
}
answer() { # LINE REGEX NAME
	wait_for 20 ready
	enter "$1"
	expect "$2" "$3"
}
mkfifo fifo fifo.json

new_terminal "perftool -q -n $program; echo over; exec cat"
# tabbed TYPED REGEX NAME: types TYPED, presses Tab twice, and then empties the
# line
tabbed() {
	wait_for 20 ready
	keys -l "$1"
	keys Tab Tab
	expect "$2" "$3"
	keys C-u
}
tabbed 'time ' 'AllocVM +' 'Tab after time offers functions'
tabbed 'add leg ' 'AllocVM .*\*|\* .*_fini' 'Tab after add leg offers functions if there are no nodes'
tabbed 'break entry ' $'perftool> break entry\n.*swap_out' 'Tab after break entry offers functions'
tabbed 'help express' 'help expressions' 'Tab after help completes a topic'
answer 'time AllocVM' 'Leg 0' 'time makes leg 0'
tabbed 'print legs AllocV' 'print legs AllocVM' 'Tab after print legs completes the name of a leg'
tabbed 'expect leg("' 'leg\("AllocVM"\)' 'Tab after expect completes the name of a leg'
tabbed 'set module context sw' 'context swapper.c' 'Tab after set module context completes a source file'

# No process opens the other end of these FIFOs.
for command in 'source fifo' 'log fifo' 'trace fifo' 'save tables fifo.json' \
	'print legs > fifo'; do
	wait_for 20 ready
	enter "$command"
	ok "$command: the command waits for the other end of the FIFO" wait_for 20 shows "$command"$'\n*$'
	keys C-c
	ok "$command: Ctrl-C returns the prompt" wait_for 5 ready
	unlike "$(screen)" 'Interrupted system call|cannot' "$command: Ctrl-C leads to no error message"
done

# ---- 20 columns ----
# fits NAME: no line of the screen has more than 20 columns, except the lines
# that were typed, and those that are one word, which cannot be broken
fits() {
	is "$(screen | grep -v 'perftool>' | awk 'length > 20 && NF > 1')" '' "$1"
}
# Is the prompt there, with output above it?
has_answered() {
	ready && [ "$(screen | grep -c .)" -gt 1 ]
}
is_narrow() {
	[ "$(stty size <"$("${terminal[@]}" display-message -p '#{pane_tty}')")" = '30 20' ]
}
wait_for 20 ready
keys -l 'run >/dev/null'
keys Enter
expect 'exited' 'run runs the program'
wait_for 20 ready
"${terminal[@]}" resize-window -x 20 -y 30
ok 'the terminal gets 20 columns' wait_for 20 is_narrow
for command in 'print nodes' 'print legs' 'print legs -v' 'print legs columns=memo' \
	'print histogram leg 0' 'print slowest' 'list breaks' 'help monitor' 'show'; do
	clear_screen
	enter "$command"
	wait_for 20 has_answered
	fits "20 columns: no line of $command is wider"
	keys q C-u
done
answer 'print nodes' $'\n1 +697 ' '20 columns: print nodes keeps the number and the count of a node'
answer 'quit' over 'quit ends the tool'
done_testing

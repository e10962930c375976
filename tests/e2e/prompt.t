#!/usr/bin/env bash
# The prompt, at a terminal (tmux), as a person uses it.
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"

export TERM=xterm
terminals=0
terminal=(false)

test_clean_up() {
	"${terminal[@]}" kill-server 2>/dev/null
}

# open COMMAND...: a new terminal of 100 by 30 that runs it. A server of its own
# for each: one that is about to end takes no new session. The shell in between
# outlives a Ctrl-C that is for the command.
open() {
	test_clean_up
	terminals=$((terminals + 1))
	terminal=(tmux -S "$SCRATCH/tmux$terminals" -f /dev/null)
	"${terminal[@]}" new-session -d -x 100 -y 30 \
		"trap : INT; $(printf '%q ' "$@"); echo \"over: \$?\"; exec cat"
}

keys() {
	"${terminal[@]}" send-keys "$@"
}

enter() { # TEXT: typed, and the return key
	keys -l "$1"
	keys Enter
}

screen() { # all lines so far, without trailing blanks
	"${terminal[@]}" capture-pane -p -J -S - 2>/dev/null | sed 's/ *$//'
}

shows() {
	[[ $(screen) =~ $1 ]]
}

# expect REGEX NAME: it appears on the screen
expect() {
	if wait_for 20 shows "$1"; then
		pass "$2"
	else
		fail "$2" "never on the screen: $1" "$(screen)"
	fi
}

# The last line of the screen is an empty prompt.
ready() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == 'perftool>' ]]
}

# answer TEXT REGEX NAME: typed at the prompt, answered, and a prompt again
answer() {
	wait_for 20 ready
	enter "$1"
	expect "$2" "$3"
}

# ---- the memo's session, typed ----
open perftool "$SAMPLES/swapper"
expect 'perftool [0-9.]+\.' 'a greeting'
wait_for 20 ready
answer 'set conditions name' conditions 'a setting'
answer 'Break Entry procedure: AllocVM' '(Breakpoint|#)[^'$'\n'']*1' 'Break Entry'
answer 'ATtach Condition #: 1, condition: pages = 1' condition: 'Attach Condition'
answer 'Break Xit procedure: AllocVM' '(Breakpoint|#)[^'$'\n'']*2' 'Break Xit'
answer 'Condition Breaks!' '[Cc]onditionalized' 'Condition Breaks!'
answer 'Collect Nodes!' '[Cc]ollected' 'Collect Nodes!'
answer 'Add Leg! From Node: 1 To Node: 2' 'Leg from 1 to 2 added|Leg 0' 'Add Leg!'
answer 'Add Histogram! Node 1 Class: linear' 'Added [Hh]istogram for [Nn]ode 1' 'a histogram for the node'
answer 'Add Histogram! Leg 0 Class: log Buckets: 12 Scale: 8' 'Added [Hh]istogram for [Ll]eg 0' 'a histogram for the leg'
answer 'Monitor: on' on 'Monitor: on'
answer 'Run' 'AllocVM: 697 calls' 'Run'
wait_for 20 ready
answer 'pr ta' 'Histogram for Leg 0' 'Print Tables, shortened'
expect 'Total number of Perf Breaks handled = 1,394' "the memo's number of breaks"
expect '1 -> 2 +697' 'the leg'

# ---- a second run keeps the counts ----
answer 'run' 'AllocVM: 697 calls.*AllocVM: 697 calls' 'a second run'
answer 'pr le' '1 -> 2 +1,394' 'the tables keep their counts'
wait_for 20 ready

# ---- completion ----
keys -l 'break entry Allo'
keys Tab
expect 'break entry AllocVM' 'a function is completed'
keys C-u
keys -l 'init'
keys Tab
expect 'initialize' 'a command is completed'
keys C-u
keys -l 'set conditions '
keys Tab Tab
expect 'filter|name' 'a value is completed'
keys C-u

# ---- history search ----
keys C-r
keys -l 'Xit'
expect 'Break Xit procedure: AllocVM' 'Ctrl-R finds an earlier line'
keys C-g
keys C-u

# ---- errors leave the prompt ----
answer 'break entry AllocVN' 'AllocVM' 'an unknown function: near names'
answer 'nonsense' 'unknown command' 'an unknown command'
answer 'quit' 'over: 0' 'quit'

# ---- history is kept over sessions ----
open perftool -q "$PROGRAMS/ends"
wait_for 20 ready
keys Up
expect 'quit' 'history is kept over sessions'
keys C-u

# ---- Ctrl-C interrupts the program and returns the prompt ----
answer 'time work' 'work' 'time'
answer 'run loop' ready 'the program runs'
keys C-c
wait_for 20 ready
ok 'Ctrl-C returns the prompt' ready
answer 'where' '#0|[0-9a-f]{6,}' 'the program is stopped'
answer 'list threads' '[0-9]+' 'its threads'
answer 'print nodes' 'N O D E' 'tables while it is stopped'
answer 'continue for 200ms' 'continue for' 'continue for'
wait_for 20 ready
ok 'it comes back by itself' ready

# ---- the window changes its size ----
"${terminal[@]}" resize-window -x 60 -y 20
answer 'show clock' 'tsc|monotonic' 'commands work in a window of another size'

# ---- kill, and run again ----
answer 'kill' 'Killed' 'kill'
answer 'run exit 4' 'work 10' 'run again'
expect '4' 'its status is told'

# ---- quit asks while a program runs ----
wait_for 20 ready
enter 'run loop'
expect 'ready' 'a program runs'
keys C-c
wait_for 20 ready
enter 'quit'
expect '\(y or n\)' 'quit asks'
enter 'n'
wait_for 20 ready
ok 'and takes no for an answer' ready
keys C-d
expect '\(y or n\).*\(y or n\)' 'Ctrl-D asks, too'
enter 'y'
expect 'over: 0' 'and leaves'

# ---- a program that reads from the terminal ----
open perftool -q "$PROGRAMS/echo"
wait_for 20 ready
enter 'run'
expect 'in\?' 'the program asks'
enter 'typed for the program'
expect $'typed for the program\n(typed for the program)' 'it gets what is typed'
keys C-d
expect 'copy 1' 'and its end'
wait_for 20 ready
ok 'the prompt is back' ready
enter 'quit'
expect 'over: 0' 'quit'

# ---- batch mode at a terminal: a status line, gone at the end ----
open perftool -n -t work "$PROGRAMS/ends" loop
expect 'hits/s' 'a live status line'
keys C-c
expect 'over: 3' 'Ctrl-C in batch mode ends the measuring'
expect 'L E G' 'and prints the tables'
if shows 'hits/s'; then
	fail 'the status line is gone' "$(screen)"
else
	pass 'the status line is gone'
fi
done_testing

#!/usr/bin/env bash
# `perftool ctl PID` at a terminal (tmux): a prompt whose lines a perftool that
# serves carries out and completes.
# tier: full
# covers: ui/prompt serve/client operations
# shellcheck disable=SC2317 # functions are called by name
# shellcheck disable=SC2016 # what is typed is not for this shell
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

export XDG_RUNTIME_DIR=$SCRATCH/run XDG_STATE_HOME=$SCRATCH/state
mkdir -m 700 "$XDG_RUNTIME_DIR"
program=$PROGRAMS/server

# open COMMAND...: opens a new terminal that runs the command. The shell in
# between survives a Ctrl-C that is for the command.
open() {
	new_terminal \
		"trap : INT; $(printf '%q ' "$@"); echo \"over: \$?\"; exec cat"
}

# ready: is the last line of the screen an empty prompt?
ready() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == 'perftool>' ]]
}

# answer TEXT REGEX NAME: TEXT is typed at the prompt and answered, and a prompt
# follows
answer() {
	wait_for 20 ready || fail "$3: a prompt before it" "$(screen)"
	enter "$1"
	expect "$2" "$3"
}

is_sized() {
	[ "$(stty size <"$("${terminal[@]}" display-message -p '#{pane_tty}')")" = "$2 $1" ]
}

resize() { # COLUMNS ROWS
	"${terminal[@]}" resize-window -x "$1" -y "$2"
	wait_for 20 is_sized "$1" "$2"
}

# has_request: has the tool sent the line to the server, so that Ctrl-C is for
# the wait? The cursor is then at the beginning of a line.
has_request() {
	[ "$("${terminal[@]}" display-message -p '#{cursor_x}')" = 0 ]
}

serve perftool serve -q -n "$program" 1
tool=$server
wait_for 20 pgrep -P "$tool" >/dev/null || fail 'no program was started'
pid=$(pgrep -P "$tool")
wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock" ||
	fail 'there is no socket'

# ---- commands ----
open perftool ctl "$pid"
expect "serves $pid .*server 1"$'\n' 'the prompt greets with the process and the program'
answer 'time work' 'Leg 0: nodes 1 -> 2, entry of work' 'a command is carried out'
says 20 'done 20 total 20' 'the program works'
resize 60 30
answer 'pr le' 'work +20 .*too narrow for all columns' 'and is measured; the table fits the window'
resize 100 30
answer 'no such command' '`no' 'the message of a command that fails is shown'
answer 'show clock' 'clock +(tsc|monotonic)' 'after that, the prompt goes on'

# ---- completion, which the server does ----
clear_screen
keys -l 'init'
keys Tab
expect 'perftool> initialize' 'Tab completes the name of a command'
keys C-u
keys -l 'break entry call_w'
keys Tab
expect 'perftool> break entry call_work' 'Tab completes the name of a function of the program'
keys C-u
keys -l 'set conditions '
keys Tab Tab
expect $'\nauto +filter +name' 'Tab Tab lists the values of a setting'
keys C-u
keys -l 'break entry work@serv'
keys Tab
expect 'perftool> break entry work@server' 'a part of a word is completed from where it begins'
keys C-u
keys -l 'xyzzy '
keys Tab
keys -l '.'
expect 'perftool> xyzzy \.' 'Tab without candidates changes nothing'
keys C-u

# ---- questions, and the pager ----
clear_screen
enter 'add leg'
expect $'add leg\nFrom Node:$' 'a missing argument is asked for'
keys Tab
expect $'\\*  1  2\n' 'Tab at the question offers the nodes'
enter '?'
expect $'add leg FROM TO.*From Node:$' 'a ? tells what may come, and the question returns'
enter 1
expect 'To Node:$' 'the next argument is asked for'
enter 2
expect 'Leg from 1 to 2 is there already: leg 0' 'and the command is carried out'
wait_for 20 ready
enter 'delete leg'
expect 'Leg:$' 'another question'
keys -l 0
keys C-c
wait_for 20 ready
is "$?" 0 'Ctrl-C leaves the question'
answer 'add leg' 'From Node:$' 'a question again'
enter '1 2'
expect '.1 2. is not a node number' 'an answer that is none is refused'
answer 'print ?' 'legs +.*perftool>' 'a line that ends in ? is answered'
answer 'print legs' '0\*? +work' 'nothing was done without an answer'
resize 80 10
clear_screen
enter 'help time'
expect $'Time every call.*\n:$' 'a long help text is shown in the pager'
unlike "$(screen)" 'sqlite3' 'page by page'
keys q
wait_for 20 ready
is "$?" 0 'which returns to the prompt'
answer 'print nodes' 'N O D E' 'where commands work as before'
wait_for 20 ready
resize 100 30

# ---- the history ----
keys C-r
keys -l 'ime wo'
expect 'time work' 'Ctrl-R finds an earlier line'
keys C-g C-u
answer 'history' '2  pr le'$'\n'' +3  no such command' 'history lists the lines of this prompt'

# ---- Ctrl-C, and a window of another size ----
# (Ctrl-C drops what the terminal has and the prompt has not read yet.)
clear_screen
keys -l 'half a line'
wait_for 20 shows 'perftool> half a line'
keys C-c
expect $'half a line\\^C\nperftool>' 'Ctrl-C drops what was typed'
keys -l 'xbreak +++'
resize 60 20
keys -l '+'
expect $'perftool> xbreak \\+{4}\n*$' 'a typed line is drawn again in a window of another size'
is "$(screen | grep -c 'xbreak')" 1 'and is on the screen once'
keys C-u
answer 'print nodes' 'N O D E' 'commands work in a window of another size'
wait_for 20 ready
enter 'continue for 1000s'
wait_for 20 has_request
keys C-c
expect 'interrupted; the command itself goes on' 'Ctrl-C does not wait for the end of a command'
wait_for 20 ready
is "$?" 0 'but returns to the prompt'
keys -l 'half'
wait_for 20 shows 'perftool> half'
keys C-c
expect $'half\\^C\nperftool>' 'where lines can be typed while the server is at work'
is "$(kill -0 "$tool" && echo runs)" runs 'and the server goes on'

# ---- ends ----
wait_for 20 ready
keys C-d
expect 'over: 0' 'Ctrl-D leaves'
is "$(kill -0 "$pid" && echo runs)" runs 'and the program runs on'
kill -KILL "$tool"
wait "$tool" 2>/dev/null

serve perftool serve -q -n "$program" 1
tool=$server
wait_for 20 pgrep -P "$tool" >/dev/null || fail 'no program was started'
pid=$(pgrep -P "$tool")
wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock" ||
	fail 'there is no socket'
open perftool ctl
expect "serves $pid " 'without a PID, the only process is asked'
keys C-p
expect 'perftool> continue for 1000s' 'the history is kept for the next time'
keys C-u
answer 'qui' 'over: 0' 'quit leaves'
try perftool who
is "$out" "$pid  $program 1" 'and the process is served on'

open perftool ctl -q "$pid"
wait_for 20 ready
is "$(screen | sed '/^$/d')" 'perftool>' '-q: without a greeting'
keys -l 'half'
pkill -TERM -P "$("${terminal[@]}" display-message -p '#{pane_pid}')"
expect 'over: 143' 'SIGTERM ends the prompt'

open perftool ctl "$pid"
wait_for 20 ready
keys -l 'half a line'
expect 'half a line' 'while a line is being typed'
kill -KILL "$pid"
expect 'it is served no longer.*over: 0' 'the prompt ends when the program ends'
wait "$tool" 2>/dev/null

# ---- Ctrl-Z ----
serve perftool serve -q -n "$program" 1
tool=$server
wait_for 20 pgrep -P "$tool" >/dev/null || fail 'no program was started'
new_terminal "PS1='shell: ' bash --norc -i"
expect 'shell:' 'a shell with job control'
enter 'perftool ctl -q'
wait_for 20 ready
keys -l 'half'
expect 'perftool> half' 'a line is begun'
keys C-z
expect $'Stopped .*\nshell:' 'Ctrl-Z returns to the shell'
enter 'clear; fg'
wait_for 20 shows '^perftool ctl'
keys -l '+more'
expect $'perftool> half\\+more\n*$' 'and the line is still there when the prompt returns'
keys C-u C-d
expect $'\nshell:\n*$' 'which Ctrl-D leaves'
kill -KILL "$tool"
wait "$tool" 2>/dev/null

open perftool -q -n "$program"
wait_for 20 ready
keys C-p
expect 'perftool> qui' "the ordinary prompt has the same history"
keys C-u C-d
expect 'over: 0' 'and ends as ever'

done_testing

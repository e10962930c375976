#!/usr/bin/env bash
# The prompt at a terminal (tmux), as a user works with it.
# shellcheck disable=SC2317 # functions are called by name
# shellcheck disable=SC2016 # what is typed is not for this shell
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

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

# is_entered: has the tool seen the return key? The cursor is then at the
# beginning of a line.
is_entered() {
	[ "$("${terminal[@]}" display-message -p '#{cursor_x}')" = 0 ]
}

# answer TEXT REGEX NAME: TEXT is typed at the prompt and answered, and a prompt
# follows
answer() {
	wait_for 20 ready || fail "$3: a prompt before it" "$(screen)"
	enter "$1"
	expect "$2" "$3"
}

# ---- the memo's session, typed ----
open perftool "$SAMPLES/swapper"
expect 'perftool [0-9.]+\.' 'a greeting'
wait_for 20 ready
answer 'set conditions name' conditions 'a setting'
answer 'set columns memo' columns 'another'
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
keys -l 'break entry AllocV'
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

# ---- the prompt stays after errors ----
wait_for 20 ready
enter 'break entry AllocVN'
expect 'AllocVM\)\.[[:space:]]+Keep[[:space:]]+the[[:space:]]+name[[:space:]]+for[[:space:]]+what[[:space:]]+the[[:space:]]+program[[:space:]]+loads[[:space:]]+later\?[[:space:]]+\(y or n\)' \
	'an unknown function: near names, and a question'
enter n
expect 'AllocVN is not kept' 'an unknown function: no'
answer 'nonsense' 'unknown command' 'an unknown command'
answer 'quit' 'over: 0' 'quit'

# ---- the history is kept from session to session ----
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
is_sized() { # COLUMNS ROWS
	[ "$(stty size <"$("${terminal[@]}" display-message -p '#{pane_tty}')")" = "$2 $1" ]
}

resize() { # COLUMNS ROWS
	"${terminal[@]}" resize-window -x "$1" -y "$2"
	wait_for 20 is_sized "$1" "$2"
}

resize 60 20
answer 'show clock' 'tsc|monotonic' 'commands work in a window of another size'
wait_for 20 ready

# The line that is being typed is on the screen once, whatever happens to the
# window. Another key shows that the line was drawn again. At first the line
# takes 41 columns.
typed='xbreak f if t->name == "abcdefg"'
copies() {
	screen | grep -c 'xbreak'
}
keys -l "$typed"
for size in '60 12' '41 12' '60 20' '20 20' '39 20' '42 20' '100 30'; do
	# shellcheck disable=SC2086 # two words
	resize $size
	keys -l '+'
	typed+='+'
	at_end="perftool> ${typed//+/\\+}"$'\n*$'
	expect "$at_end" "a line in a window of ${size/ / by }"
	is "$(copies)" 1 'once'
done
keys -l ' and so on, until it takes more than a row of any window that it meets here'
keys C-a
expect 'meets here' 'a long line'
for size in '60 20' '25 20' '60 30' '100 30'; do
	# shellcheck disable=SC2086
	resize $size
	keys -l '+'
	expect 'perftool> \++xbreak .* here'$'\n*$' "the cursor at its beginning, ${size/ / by }"
	is "$(copies)" 1 'once'
done
keys C-e C-u
expect $'perftool>\n*$' 'and it goes without a trace'

# ---- kill, and run again ----
answer 'kill' 'Killed' 'kill'
answer 'run exit 4' 'work 10' 'run again'
expect '4' 'its status is told'

# ---- quit asks while a program runs ----
wait_for 20 ready
enter 'run loop'
expect 'ready.*ready' 'a program runs'
keys C-c
wait_for 20 ready
enter 'quit'
expect '\(y or n\)' 'quit asks'
enter 'n'
wait_for 20 ready
ok 'and takes no for an answer' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'once more'
enter 'history'
expect 'history'$'\n''Please answer y or n\.'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'anything else is no answer'
enter 'run'
expect '(Please answer.*){2}\(y or n\)'$'\n*$' 'nor is another command'
enter 'where'
expect 'No answer, taken as no\.'$'\n''perftool>'$'\n*$' 'the third is taken as no'
wait_for 20 ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'quit asks anew'
enter ''
wait_for 20 ready
ok 'an empty line is no' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'quit asks anew'
keys C-c
wait_for 20 ready
ok 'Ctrl-C is no' ready
answer 'where' '#0.*in main' 'the program is there'
wait_for 20 ready
keys C-d
expect 'perftool> \^D'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'Ctrl-D asks, too'
enter ' No '
wait_for 20 ready
ok 'and hears a no' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'at last'
keys C-d
expect 'EOF \[assumed Y\].*over: 0' 'Ctrl-D is yes, as in gdb'

# ---- lines of messages are broken at blanks, and only at a terminal ----
message="Breakpoint #1: entry of AllocVN (pending: no function AllocVN in swapper, libc.so.6, ld-linux-x86-64.so.2 (near names: AllocVM))."
open perftool -q -n --pending "$SAMPLES/swapper"
resize 60 20
wait_for 20 ready
answer 'break entry AllocVN' "$(sed 's/function /function\n  /; s/near /near\n  /; s/[()]/\\&/g' <<<"$message")" 'what was done'
answer 'set conditions neither-of-these-two-words' $'not\n  '"'neither-of-these-two-words'" 'an error'
answer 'help where' $'\n''where'.*$'\n''perftool>' 'help'
"${terminal[@]}" capture-pane -p | sed 's/ *$//' >narrow.txt
words() { # prints the words of standard input, each once
	tr -s '[:blank:]' '\n' | grep . | sort -u
}
is "$(comm -23 <(sed '1,/help where/d; /^perftool>/d' narrow.txt | words) \
	<(perftool -n -b -e 'help where' | words))" '' 'no word is broken at the edge'
new_terminal "perftool -n -b --pending -e 'break entry AllocVN' '$SAMPLES/swapper' 2>all.txt; exec cat"
ok 'to a file' wait_for 20 grep -qxF "$message" all.txt

# ---- output that is longer than the screen ----
open perftool -q -n "$SAMPLES/swapper"
wait_for 20 ready
enter 'help'
expect $'help\nThe program.*\n:$' 'help goes through less'
if shows 'quit\|exit'; then
	fail 'a screenful' "$(screen)"
else
	pass 'a screenful'
fi
keys q
wait_for 20 ready
answer 'help quit' $'\n''Leave\.' 'what fits on the screen does not'
answer 'help >help.txt' 'perftool> help >help' 'nor what goes to a file'
ok 'which has all of it' wait_for 20 grep -q '^delete help list' help.txt
answer 'quit' 'over: 0' 'quit'
open env PAGER='sed s/^/"paged: "/' perftool -q -n
wait_for 20 ready
answer 'h' 'paged: The program.*paged: delete help list' '$PAGER'
answer 'quit' 'over: 0' 'quit'
open env PAGER=cat perftool -q -n -e help
expect '^The program.*'$'\n''perftool>' 'a command of -e is not paged'
clear='perftool>.*perftool>.*perftool> help'
keys Enter Enter
answer 'help' "$clear"$'\n''The program.*run where' 'nor is anything with cat'
answer 'quit' 'over: 0' 'quit'
open perftool -n -b -e help
expect 'The program.*run where.*over: 0' 'nor in batch mode'

# Ctrl-C in the pager reaches only the pager. (This pager says when it has got
# the Ctrl-C, because less may drop text that is typed directly after it.)
cat >pager <<-'END'
	#!/usr/bin/env bash
	trap 'echo the pager has it' INT
	cat
	until IFS= read -r line </dev/tty; do :; done
END
chmod +x pager
open env PAGER=./pager perftool -q -n "$PROGRAMS/ends"
wait_for 20 ready
enter 'run loop'
expect 'ready' 'a program runs'
keys C-c
wait_for 20 ready
enter 'help'
expect 'delete help list list print' 'help'
keys C-c
expect 'the pager has it' 'Ctrl-C is for the pager'
keys Enter
wait_for 20 ready
answer 'where' '#0.*in main' 'the program is there still'
answer 'kill' 'Killed' 'kill'
answer 'quit' 'over: 0' 'quit'

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

# ---- a question in the middle of a run ----
cat >asks.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *second(void *unused)
{
	for (;;)
		usleep(1000);
	return unused;
}

static void line(const char *what)
{
	char text[80] = "nothing\n";

	printf("%s?\n", what);
	printf("%s: %s", what, fgets(text, sizeof(text), stdin));
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int (*many)(void);

	setvbuf(stdout, NULL, _IOLBF, 0);
	pthread_create(&thread, NULL, second, NULL);
	line("before");
	many = (int (*)(void))dlsym(dlopen(argv[argc - 1], RTLD_NOW), "many_7");
	printf("many %d\n", many());
	line("after");
	return 0;
}
END
for i in {1..1001}; do
	echo "int many_$i(void) { return $i; }"
done >many.c
gcc -shared -fPIC many.c -o many.so
gcc -g -O1 asks.c -o asks -pthread

# states_of PROGRAM: prints the states of all its threads, each once
states_of() {
	ps -L -C "$1" -o stat= | cut -c1 | sort -u | tr -d '\n'
}

# asked: runs the program, in a shell with job control, until the tool asks its
# question
asked() {
	enter 'run'
	expect $'\n'"before\?"$'\n*$' 'a program runs, and has the terminal'
	enter 'one'
	expect 'before: one'$'\n''many_\* names 1001 functions. Time them all\? \(y or n\)'$'\n*$' \
		'a library comes that is asked about'
	is "$(states_of asks)" t 'while its threads stand still'
}

open bash --norc -i
enter "perftool -n -q --pending -e 'time many_*' ./asks ./many.so"
wait_for 20 ready
asked
enter 'perhaps'
expect 'Please answer y or n\.'$'\n''many_.*\(y or n\)'$'\n*$' 'what is no answer'
enter 'y'
expect 'many 7'$'\n''after\?'$'\n*$' 'yes: the program goes on'
enter 'two'
expect 'after: two' 'and reads from the terminal'
wait_for 20 ready
answer 'print legs' '6\* +many_[0-9]+ +(13 -> 14 +)?1 ' 'and is timed'
wait_for 20 ready
answer 'quit' 'bash.*[$#] *'$'\n*$' 'quit'

refused='many_\* names 1001 functions, more than 1000; .time "many_\*" most=1001. times them all'
open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
enter 'n'
expect "$refused"$'\n''many 7'$'\n''after\?'$'\n*$' 'no: the program goes on'
enter 'two'
expect 'after: two' 'and reads from the terminal'
wait_for 20 ready
answer 'quit' 'over: 0' 'quit'

open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
keys C-d
expect 'EOF \[assumed N\]'$'\n'"$refused"$'\n''many 7'$'\n''after\?'$'\n*$' 'Ctrl-D is no'
enter 'two'
expect 'after: two' 'and the program reads'
answer 'quit' 'over: 0' 'quit'

open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
keys C-c
expect "$refused"$'\n''.*Interrupted' 'Ctrl-C is no, and interrupts the run'
wait_for 20 ready
ok 'with a prompt' ready
enter 'continue'
expect 'many 7.*after\?'$'\n*$' 'which goes on'
enter 'two'
expect 'after: two' 'and reads'
answer 'quit' 'over: 0' 'quit'

# a program that ran before the tool started, while the user types a line
mkfifo to
start ./asks ./many.so <>to >asks.out
server=$started
wait_for 20 grep -q before asks.out
open perftool -n -q --pending -p "$server" -e 'time many_*'
wait_for 20 ready
keys -l 'half a wo'
expect 'perftool> half a wo'$'\n*$' 'a line is being typed'
echo one >to
expect $'\n''many_\* names 1001 functions. Time them all\? \(y or n\)'$'\n*$' 'a question above it'
is "$(states_of asks)" t 'while the program stands still'
enter 'y'
expect '\(y or n\) y'$'\n''perftool> half a wo'$'\n*$' 'answered, and the line is there again'
ok 'the program goes on' wait_for 20 grep -q after asks.out
keys -l 'rd'
expect 'perftool> half a word'$'\n*$' 'and can be typed on'
keys C-u
answer 'print legs' '6\* +many_[0-9]+ +(13 -> 14 +)?1 ' 'its calls are timed'
answer 'quit' 'over: 0' 'quit'
kill -KILL "$server"
wait "$server" 2>/dev/null

# and while another question waits for its answer
start ./asks ./many.so <>to >asks.out
server=$started
wait_for 20 grep -q before asks.out
open perftool -n -q --pending -p "$server" -e 'time many_*'
wait_for 20 ready
enter 'kill'
expect 'did not start\? \(y or n\)'$'\n*$' 'a question'
echo one >to
expect 'Time them all\? \(y or n\)'$'\n*$' 'another'
enter 'n'
expect "$refused"$'\n''End process .* did not start\? \(y or n\)'$'\n*$' 'and the first one again'
enter 'n'
wait_for 20 ready
ok 'the program is there' kill -0 "$server"
answer 'quit' 'over: 0' 'quit'
kill -KILL "$server"
wait "$server" 2>/dev/null

# ---- options after the program ----
# The program has a short name, because this test is not about the place where
# the terminal breaks a line.
ln -s "$PROGRAMS/echo" echo
open perftool -n ./echo -t copy
expect "\`-t' after ./echo is an argument of the program: perftool's options come before the program"$'\n''perftool>' \
	'an option behind the program'
answer 'quit' 'over: 0' 'quit'
open perftool -n -t copy "$PROGRAMS/echo" -t copy
expect 'argument copy'$'\n''in\?' 'where something was asked for'
keys C-d
expect 'over: 0' 'a table is printed'
ok 'nothing is said of it' eval '! shows "argument of its own"'

# ---- several processes ----
open perftool -q /bin/bash
wait_for 20 ready
enter "run -c '$PROGRAMS/ends loop & $PROGRAMS/ends loop; exit 4'"
expect 'ready.*ready' 'a shell runs two programs'
keys C-c
expect 'Interrupted in process [0-9]+ \(' 'Ctrl-C, and the process is named'
answer 'list processes' $'bash .*ends .*ends ' 'all of them are listed'
answer 'list threads' 'Process [0-9]+.*Process [0-9]+.*Process [0-9]+' 'and their threads'
wait_for 20 ready
answer 'continue for 100ms' 'Time is over, in process' 'one Ctrl-C interrupts once'
second=$(screen | sed -n 's/^[* ] *\([0-9]*\)  ends .*/\1/p' | head -n 1)
answer "thread $second" 'perftool> thread' 'a thread of another process'
answer 'where' 'where.*#0 .*in main \(.*\) at ends.c' 'and where that is'
answer "set process $second" 'perftool> set process' 'one of them is tracked'
answer 'set process 1' 'process 1 is not measured' 'one that is not there cannot be'
answer 'kill' 'Killed' 'kill ends them all'
wait_for 20 ready
ended() { # PID: has ended, or is a zombie
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}
ok 'none is left' ended "$second"
enter "run -c '$PROGRAMS/ends loop & exit 4'"
expect 'Process [0-9]+ exited with status 4; 1 other goes on' 'the program has ended, its child goes on'
keys C-c
expect 'goes on.*Interrupted in' 'and can be interrupted'
wait_for 20 ready
answer 'detach' 'Detached from process [0-9]+; it goes on by itself' 'and let go'
third=$(screen | sed -n 's/^Detached from process \([0-9]*\).*/\1/p')
is "$(status_of "$third" TracerPid)" 0 'it runs on, untraced'
kill -INT "$third"
# (the program's last output stands after the prompt)
enter 'quit'
expect 'over: 0' 'quit asks nothing then'

# ---- a program that ran before the tool ----
is_untraced() { # PID
	[ "$(status_of "$1" TracerPid)" = 0 ]
}

start "$PROGRAMS/ends" loop >ends.out
server=$started
wait_for 20 grep -q ready ends.out
open perftool -q
wait_for 20 ready
answer 'attach 0' 'no process 0' 'no such process'
answer "attach $server" "Attached to process $server \(ends\), 1 thread; it stood still for [0-9.]+ ms" 'attach'
answer 'run' "process $server is being measured; .detach' first" 'run'
answer 'kill' "End process $server, which perftool did not start\? \(y or n\)" 'kill asks first'
enter 'n'
wait_for 20 ready
ok 'kill, and no' kill -0 "$server"
answer 'time work' 'Leg 0.*The program stood still for [0-9.]+ ms' 'time'
answer 'list threads' 'list threads.*The program stood still' 'list threads'
answer 'continue for 200ms' "Time is over; process $server goes on" 'continue for'
wait_for 20 ready
enter 'continue'
ok 'continue' wait_for 20 is_entered
keys C-z
expect 'not suspended, because .*; Ctrl-C ends the waiting' 'Ctrl-Z is refused, and Ctrl-C offered for what it does'
keys C-c
expect "Interrupted; process $server goes on" 'Ctrl-C ends the waiting only'
counted() { # prints the last count of node 1 on the screen
	screen | sed -n 's/^1 .* \([0-9,][0-9,]*\)  *ends  *ends .*/\1/p' | tail -n 1 | tr -d ,
}
answer 'print nodes' 'entry work' 'tables while it runs'
wait_for 20 ready
first=$(counted)
more() {
	wait_for 5 ready
	enter 'print nodes'
	wait_for 5 ready
	[ "$(counted)" -gt $((first + 100)) ]
}
ok 'it is measured while commands are typed' wait_for 20 more
answer 'shell echo $((6 * 7))' $'\n42\n' 'a shell command meanwhile'
wait_for 20 ready
first=$(counted)
enter 'help'
expect $'\n'':$' 'help, in a pager'
keys C-z C-c
time_of() { # prints the processor time of the program, in ticks
	awk '{ print $14 + $15 }' "/proc/$server/stat"
}
before=$(time_of)
runs_on() {
	[ "$(time_of)" -gt "$before" ]
}
ok 'it runs while somebody reads' wait_for 20 runs_on
keys q
ok 'and is measured' wait_for 20 more
wait_for 20 ready
answer 'break work' 'Breakpoint 3, work \(\) at ends.c' 'a breakpoint stops it'
answer 'where' '#0.*work.*#1.*main' 'then it stands'
answer 'delete 3' 'perftool> delete 3' 'delete'
wait_for 20 ready
enter 'continue'
ok 'continue' wait_for 20 is_entered
keys C-c
wait_for 20 ready
keys C-z
expect 'Not suspended, because' 'Ctrl-Z would make it stand still'
keys -l 'half a wo'
kill -KILL "$server"
expect $'The program was killed by signal 9.*\nperftool> half a wo\n*$' 'its end is told above what is being typed'
keys -l 'rd'
expect $'\nperftool> half a word\n*$' 'which can be typed on'
keys C-u
answer 'quit' 'over: 0' 'quit'

# ---- all ways to leave the prompt detach from the program ----
start "$PROGRAMS/ends" loop >ends.out
server=$started
wait_for 20 grep -q ready ends.out

# leave NAME REGEX COMMAND...: gives the command at the prompt of a tool that
# has attached
leave() {
	local name=$1 regex=$2
	shift 2
	open perftool -p "$server" -e 'time work'
	expect 'Leg 0' "attached: $name"
	wait_for 20 ready
	"$@"
	if [ "$regex" ]; then
		expect "$regex" "$name"
	fi
	ok "$name: it is let go" wait_for 20 is_untraced "$server"
}

signal_tool() { # SIGNAL
	kill "-$1" "$(status_of "$server" TracerPid)"
}

leave 'quit' "Detached from process $server; it stood still for [0-9.]+ ms.*over: 0" enter quit
leave 'Ctrl-D' "Detached from process $server.*over: 0" keys C-d
leave 'SIGTERM' "Detached from process $server.*over: 143" signal_tool TERM
leave 'SIGHUP' "Detached from process $server.*over: 129" signal_tool HUP
leave 'SIGQUIT' "Detached from process $server.*over: 131" signal_tool QUIT
leave 'the terminal is gone' '' test_clean_up
kill -INT "$server"
wait "$server"
is $? 3 'it ends as it would have'
start "$PROGRAMS/ends" loop >ends.out
server=$started
wait_for 20 grep -q ready ends.out
open perftool -q -p "$server"
wait_for 20 ready
answer 'kill' "did not start\? \(y or n\)" 'kill'
enter 'y'
expect 'Killed' 'kill, and yes'
wait "$server"
is $? 137 'it is killed'
answer 'list processes' 'No processes\.' 'then there are none'
answer 'quit' 'over: 0' 'quit'

# ---- Ctrl-Z in batch mode stops both; fg goes on ----
open bash --norc -i
enter "perftool -n -q -t work $PROGRAMS/ends loop"
expect 'ready' 'batch mode in a shell with job control'
keys C-z
expect 'Stopped' 'Ctrl-Z'
enter 'echo states: $(ps -o stat= -p $(jobs -p) --ppid $(jobs -p))'
expect 'states: T[^ ]* [tT]' 'stops tool and program'
enter 'fg'
expect 'fg.*perftool -n' 'fg'
keys C-c
expect 'work [0-9]+.*L E G' 'the program goes on to its end'
is "$(counted)" "$(screen | sed -n 's/^\(\^C\)\{0,1\}work \([0-9]*\)$/\2/p')" 'and every call was counted'

# ---- batch mode at a terminal: a status line, gone at the end ----
open sh -c "exec perftool -n -t work $PROGRAMS/ends loop >loop.out"
expect 'hits/s' 'a live status line, where the program writes elsewhere'
keys C-c
expect 'over: 3' 'Ctrl-C in batch mode ends the measuring'
expect 'L E G' 'and prints the tables'
if shows 'hits/s'; then
	fail 'the status line is gone' "$(screen)"
else
	pass 'the status line is gone'
fi
done_testing

#!/usr/bin/env bash
# The prompt at a terminal (tmux), as a user works with it.
# tier: core full
# covers: ui/prompt ui/terminal command/question command/help
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
expect 'perftool [0-9.]+\.' 'the prompt greets with the version'
wait_for 20 ready
answer 'set conditions name' conditions 'set conditions name is accepted'
answer 'set columns memo' columns 'set columns memo is accepted'
answer 'Break Entry procedure: AllocVM' '(Breakpoint|#)[^'$'\n'']*1' 'Break Entry sets a breakpoint'
answer 'ATtach Condition #: 1, condition: pages = 1' condition: 'Attach Condition attaches a condition'
answer 'Break Xit procedure: AllocVM' '(Breakpoint|#)[^'$'\n'']*2' 'Break Xit sets a breakpoint'
answer 'Condition Breaks!' '[Cc]onditionalized' 'Condition Breaks! makes the breaks conditional'
answer 'Collect Nodes!' '[Cc]ollected' 'Collect Nodes! collects the nodes'
answer 'Add Leg! From Node: 1 To Node: 2' 'Leg from 1 to 2 added|Leg 0' 'Add Leg! adds a leg'
answer 'Add Histogram! Node 1 Class: linear' 'Added [Hh]istogram for [Nn]ode 1' 'Add Histogram! adds a histogram for a node'
answer 'Add Histogram! Leg 0 Class: log Buckets: 12 Scale: 8' 'Added [Hh]istogram for [Ll]eg 0' 'Add Histogram! adds a histogram for a leg'
answer 'Monitor: on' on 'Monitor: on is accepted'
answer 'Run' 'AllocVM: 697 calls' 'Run runs the program'
wait_for 20 ready
answer 'pr ta' 'Histogram for Leg 0' 'pr ta prints the tables'
expect 'Total number of Perf Breaks handled = 1,394' "the tables have the memo's number of breaks"
expect '1 -> 2 +697' 'the tables have the leg with its 697 executions'

# ---- a second run keeps the counts ----
answer 'run' 'AllocVM: 697 calls.*AllocVM: 697 calls' 'run runs the program a second time'
answer 'pr le' '1 -> 2 +1,394' 'a second run adds to the counts of the tables'
wait_for 20 ready

# ---- completion ----
keys -l 'break entry AllocV'
keys Tab
expect 'break entry AllocVM' 'Tab completes the name of a function'
keys C-u
keys -l 'init'
keys Tab
expect 'initialize' 'Tab completes the name of a command'
keys C-u
keys -l 'set conditions '
keys Tab Tab
expect 'filter|name' 'Tab Tab lists the values of a setting'
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
	'an unknown function: perftool tells near names and asks whether to keep it'
enter n
expect 'AllocVN is not kept' 'an unknown function is not kept after the answer n'
answer 'nonsense' 'unknown command' 'an unknown command is an error'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

# ---- the history is kept from session to session ----
open perftool -q "$PROGRAMS/ends"
wait_for 20 ready
keys Up
expect 'quit' 'the history is kept from session to session'
keys C-u

# ---- Ctrl-C interrupts the program and returns the prompt ----
answer 'time work' 'work' 'time makes a leg'
answer 'run loop' ready 'run starts the program'
keys C-c
wait_for 20 ready
ok 'Ctrl-C returns the prompt' ready
answer 'where' '#0|[0-9a-f]{6,}' 'where shows the stack of the interrupted program'
answer 'list threads' '[0-9]+' 'list threads lists the threads of the interrupted program'
answer 'print nodes' 'N O D E' 'print nodes prints a table while the program is stopped'
answer 'continue for 200ms' 'continue for' 'continue for TIME is accepted'
wait_for 20 ready
ok 'the prompt comes back when the time of continue for is over' ready

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
	expect "$at_end" "a typed line is drawn again in a window of ${size/ / by }"
	is "$(copies)" 1 "the typed line is on the screen once, ${size/ / by }"
done
keys -l ' and so on, until it takes more than a row of any window that it meets here'
keys C-a
expect 'meets here' 'a line longer than every window can be typed'
for size in '60 20' '25 20' '60 30' '100 30'; do
	# shellcheck disable=SC2086
	resize $size
	keys -l '+'
	expect 'perftool> \++xbreak .* here'$'\n*$' "a long line with the cursor at its start is drawn again, ${size/ / by }"
	is "$(copies)" 1 "the long line is on the screen once, ${size/ / by }"
done
keys C-e C-u
expect $'perftool>\n*$' 'a long line that is deleted leaves nothing on the screen'

# ---- kill, and run again ----
answer 'kill' 'Killed' 'kill ends the program'
answer 'run exit 4' 'work 10' 'run starts the program again after kill'
expect '4' 'the status of the program is told'

# (the tier core ends here)
in_full || done_testing

# ---- quit asks while a program runs ----
wait_for 20 ready
enter 'run loop'
expect 'ready.*ready' 'run loop starts the program'
keys C-c
wait_for 20 ready
enter 'quit'
expect '\(y or n\)' 'quit asks while a program runs'
enter 'n'
wait_for 20 ready
ok 'the prompt comes back after the answer n' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'a second quit asks again'
enter 'history'
expect 'history'$'\n''Please answer y or n\.'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'a text that is neither y nor n is asked again'
enter 'run'
expect '(Please answer.*){2}\(y or n\)'$'\n*$' 'a second text that is no answer is asked again'
enter 'where'
expect 'No answer, taken as no\.'$'\n''perftool>'$'\n*$' 'a third text that is no answer is taken as no'
wait_for 20 ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'quit asks after three texts that were no answer'
enter ''
wait_for 20 ready
ok 'an empty line is taken as no' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'quit asks after an empty line'
keys C-c
wait_for 20 ready
ok 'Ctrl-C at the question is taken as no' ready
answer 'where' '#0.*in main' 'where shows the program that was not ended'
wait_for 20 ready
keys C-d
expect 'perftool> \^D'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'Ctrl-D at the prompt asks while a program runs'
enter ' No '
wait_for 20 ready
ok 'the answer No in blanks returns the prompt' ready
enter 'quit'
expect 'quit'$'\n''The [^'$'\n'']* \(y or n\)'$'\n*$' 'quit asks after a no to Ctrl-D'
keys C-d
expect 'EOF \[assumed Y\].*over: 0' 'Ctrl-D at the question of quit is yes, as in gdb'

# ---- lines of messages are broken at blanks, and only at a terminal ----
message="Breakpoint #1: entry of AllocVN (pending: no function AllocVN in swapper, libc.so.6, ld-linux-x86-64.so.2 (near names: AllocVM))."
open perftool -q -n --pending "$SAMPLES/swapper"
resize 60 20
wait_for 20 ready
answer 'break entry AllocVN' "$(sed 's/function /function\n  /; s/near /near\n  /; s/[()]/\\&/g' <<<"$message")" 'a message is broken at blanks in a window of 60 columns'
answer 'set conditions neither-of-these-two-words' $'not\n  '"'neither-of-these-two-words'" 'an error is broken at blanks in a window of 60 columns'
answer 'help where' $'\n''where'.*$'\n''perftool>' 'help where is shown in a window of 60 columns'
"${terminal[@]}" capture-pane -p | sed 's/ *$//' >narrow.txt
words() { # prints the words of standard input, each once
	tr -s '[:blank:]' '\n' | grep . | sort -u
}
is "$(comm -23 <(sed '1,/help where/d; /^perftool>/d' narrow.txt | words) \
	<(perftool -n -b -e 'help where' | words))" '' 'help breaks no word at the edge of the window'
new_terminal "perftool -n -b --pending -e 'break entry AllocVN' '$SAMPLES/swapper' 2>all.txt; exec cat"
ok 'a message that goes to a file is not broken' wait_for 20 grep -qxF "$message" all.txt

# ---- output that is longer than the screen ----
open perftool -q -n "$SAMPLES/swapper"
wait_for 20 ready
enter 'help'
expect $'help\nThe program.*\n:$' 'help longer than the screen goes through less'
if shows 'quit\|exit'; then
	fail 'less shows one screen of help first' "$(screen)"
else
	pass 'less shows one screen of help first'
fi
keys q
wait_for 20 ready
answer 'help quit' $'\n''Leave\.' 'help that fits on the screen is not paged'
answer 'help >help.txt' 'perftool> help >help' 'help that goes to a file is not paged'
ok 'the file has all of the help' wait_for 20 grep -q '^delete help list' help.txt
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
open env PAGER='sed s/^/"paged: "/' perftool -q -n
wait_for 20 ready
answer 'h' 'paged: The program.*paged: delete help list' 'help goes through the command in PAGER'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
open env PAGER=cat perftool -q -n -e help
expect '^The program.*'$'\n''perftool>' 'the help of -e is not paged'
clear='perftool>.*perftool>.*perftool> help'
keys Enter Enter
answer 'help' "$clear"$'\n''The program.*run where' 'help is not paged if PAGER is cat'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
open perftool -n -b -e help
expect 'The program.*run where.*over: 0' 'help is not paged in batch mode'

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
expect 'ready' 'run loop starts a program before the pager'
keys C-c
wait_for 20 ready
enter 'help'
expect 'delete help list list print' 'help is shown in a pager'
keys C-c
expect 'the pager has it' 'Ctrl-C in the pager reaches the pager'
keys Enter
wait_for 20 ready
answer 'where' '#0.*in main' 'Ctrl-C in the pager does not end the program'
answer 'kill' 'Killed' 'kill ends the program after the pager'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

# ---- a program that reads from the terminal ----
open perftool -q "$PROGRAMS/echo"
wait_for 20 ready
enter 'run'
expect 'in\?' 'a program that reads from the terminal writes its question'
enter 'typed for the program'
expect $'typed for the program\n(typed for the program)' 'the program gets the line that is typed'
keys C-d
expect 'copy 1' 'Ctrl-D is the end of file for the program'
wait_for 20 ready
ok 'the prompt comes back when the program has ended' ready
enter 'quit'
expect 'over: 0' 'quit ends perftool with status 0'

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

# states_of PROGRAM: prints the states of all threads, each once, of the program in this
# directory
states_of() {
	ps -L -p "$(for exe in /proc/[0-9]*/exe; do
		[ "$exe" -ef "$1" ] && cut -d / -f 3 <<<"$exe"
	done | paste -sd ,)" -o stat= | cut -c1 | sort -u | tr -d '\n'
}

# asked: runs the program, in a shell with job control, until the tool asks its
# question
asked() {
	enter 'run'
	expect $'\n'"before\?"$'\n*$' 'the program reads from the terminal before it loads a library'
	enter 'one'
	expect 'before: one'$'\n''many_\* names 1001 functions. Time them all\? \(y or n\)'$'\n*$' \
		'a library with 1001 functions raises a question'
	is "$(states_of asks)" t 'all threads stand still while perftool asks'
}

open bash --norc -i
enter "perftool -n -q --pending -e 'time many_*' ./asks ./many.so"
wait_for 20 ready
asked
enter 'perhaps'
expect 'Please answer y or n\.'$'\n''many_.*\(y or n\)'$'\n*$' 'a text that is neither y nor n repeats the question'
enter 'y'
expect 'many 7'$'\n''after\?'$'\n*$' 'the program goes on after the answer y'
enter 'two'
expect 'after: two' 'the program reads from the terminal after the answer y'
wait_for 20 ready
answer 'print legs' '6\* +many_[0-9]+ +(13 -> 14 +)?1 ' 'the functions of the library are timed after the answer y'
wait_for 20 ready
answer 'quit' 'bash.*[$#] *'$'\n*$' 'quit returns to the shell'

refused='many_\* names 1001 functions, more than 1000; .time "many_\*" most=1001. times them all'
open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
enter 'n'
expect "$refused"$'\n''many 7'$'\n''after\?'$'\n*$' 'the program goes on after the answer n'
enter 'two'
expect 'after: two' 'the program reads from the terminal after the answer n'
wait_for 20 ready
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
keys C-d
expect 'EOF \[assumed N\]'$'\n'"$refused"$'\n''many 7'$'\n''after\?'$'\n*$' 'Ctrl-D at the question is taken as no, and the program goes on'
enter 'two'
expect 'after: two' 'the program reads from the terminal after Ctrl-D'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

open perftool -n -q --pending -e 'time many_*' ./asks ./many.so
wait_for 20 ready
asked
keys C-c
expect "$refused"$'\n''.*Interrupted' 'Ctrl-C at the question is taken as no, and interrupts the run'
wait_for 20 ready
ok 'the prompt comes back after Ctrl-C at the question' ready
enter 'continue'
expect 'many 7.*after\?'$'\n*$' 'continue lets the program go on after Ctrl-C at the question'
enter 'two'
expect 'after: two' 'the program reads from the terminal after continue'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

# a program that ran before the tool started, while the user types a line
mkfifo to
start ./asks ./many.so <>to >asks.out
server=$started
wait_for 20 grep -q before asks.out
open perftool -n -q --pending -p "$server" -e 'time many_*'
wait_for 20 ready
keys -l 'half a wo'
expect 'perftool> half a wo'$'\n*$' 'half a line is typed at the prompt while the program runs'
echo one >to
expect $'\n''many_\* names 1001 functions. Time them all\? \(y or n\)'$'\n*$' 'perftool asks about the library while a line is being typed'
is "$(states_of asks)" t 'the program stands still while perftool asks, attached'
enter 'y'
expect '\(y or n\) y'$'\n''perftool> half a wo'$'\n*$' 'the half line is there again after the answer'
ok 'the program goes on after the answer y, attached' wait_for 20 grep -q after asks.out
keys -l 'rd'
expect 'perftool> half a word'$'\n*$' 'the half line can be typed on after the answer'
keys C-u
answer 'print legs' '6\* +many_[0-9]+ +(13 -> 14 +)?1 ' 'the functions of the library are timed, attached'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
kill -KILL "$server"
wait "$server" 2>/dev/null

# and while another question waits for its answer
start ./asks ./many.so <>to >asks.out
server=$started
wait_for 20 grep -q before asks.out
open perftool -n -q --pending -p "$server" -e 'time many_*'
wait_for 20 ready
enter 'kill'
expect 'did not start\? \(y or n\)'$'\n*$' 'kill asks about a process that perftool did not start'
echo one >to
expect 'Time them all\? \(y or n\)'$'\n*$' "the library's question comes while kill waits for an answer"
enter 'n'
expect "$refused"$'\n''End process .* did not start\? \(y or n\)'$'\n*$' "the question of kill is asked again after the library's"
enter 'n'
wait_for 20 ready
ok 'the answer n to kill leaves the program alive' kill -0 "$server"
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
kill -KILL "$server"
wait "$server" 2>/dev/null

# ---- options after the program ----
# The program has a short name, because this test is not about the place where
# the terminal breaks a line.
ln -s "$PROGRAMS/echo" echo
open perftool -n ./echo -t copy
expect "\`-t' after ./echo is an argument of the program: perftool's options come before the program"$'\n''perftool>' \
	'an option after the program gets a warning at the prompt'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'
open perftool -n -t copy "$PROGRAMS/echo" -t copy
expect 'argument copy'$'\n''in\?' 'an option after the program reaches the program as an argument'
keys C-d
expect 'over: 0' 'batch mode ends with status 0 at the end of input'
ok 'an option after the program gets no warning if -t came before' eval '! shows "argument of its own"'

# ---- several processes ----
open perftool -q /bin/bash
wait_for 20 ready
enter "run -c '$PROGRAMS/ends loop & $PROGRAMS/ends loop; exit 4'"
expect 'ready.*ready' 'run starts a shell that runs two programs'
keys C-c
expect 'Interrupted in process [0-9]+ \(' 'Ctrl-C interrupts, and the process is named'
answer 'list processes' $'bash .*ends .*ends ' 'list processes lists the shell and both programs'
answer 'list threads' 'Process [0-9]+.*Process [0-9]+.*Process [0-9]+' 'list threads lists the threads of all three processes'
wait_for 20 ready
answer 'continue for 100ms' 'Time is over, in process' 'one Ctrl-C interrupts once: continue for runs until the time is over'
second=$(screen | sed -n 's/^[* ] *\([0-9]*\)  ends .*/\1/p' | head -n 1)
answer "thread $second" 'perftool> thread' 'thread N chooses a thread of another process'
answer 'where' 'where.*#0 .*in main \(.*\) at ends.c' 'where shows the stack of a thread of another process'
answer "set process $second" 'perftool> set process' 'set process accepts one of the processes'
answer 'set process 1' 'process 1 is not measured' 'set process refuses a process that is not measured'
answer 'kill' 'Killed' 'kill says that the processes are killed'
wait_for 20 ready
ended() { # PID: has ended, or is a zombie
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}
ok 'kill ends all processes' ended "$second"
enter "run -c '$PROGRAMS/ends loop & exit 4'"
expect 'Process [0-9]+ exited with status 4; 1 other goes on' 'a program ends, and perftool tells that its child goes on'
keys C-c
expect 'goes on.*Interrupted in' 'Ctrl-C interrupts the child that goes on'
wait_for 20 ready
answer 'detach' 'Detached from process [0-9]+; it goes on by itself' 'detach lets the child go'
third=$(screen | sed -n 's/^Detached from process \([0-9]*\).*/\1/p')
is "$(status_of "$third" TracerPid)" 0 'the child that was let go runs untraced'
kill -INT "$third"
# (the program's last output stands after the prompt)
enter 'quit'
expect 'over: 0' 'quit asks nothing after detach'

# ---- a program that ran before the tool ----
is_untraced() { # PID
	[ "$(status_of "$1" TracerPid)" = 0 ]
}

start "$PROGRAMS/ends" loop >ends.out
server=$started
wait_for 20 grep -q ready ends.out
open perftool -q
wait_for 20 ready
answer 'attach 0' 'no process 0' 'attach 0 is an error'
answer "attach $server" "Attached to process $server \(ends\), 1 thread; it stood still for [0-9.]+ m?s" 'attach tells the process, its threads and how long it stood still'
answer 'run' "process $server is being measured; .detach' first" 'run is refused while an attached process is measured'
answer 'kill' "End process $server, which perftool did not start\? \(y or n\)" 'kill asks first'
enter 'n'
wait_for 20 ready
ok 'the answer n to kill leaves the attached process alive' kill -0 "$server"
answer 'time work' 'Leg 0.*The program stood still for [0-9.]+ m?s' 'time tells how long the attached program stood still'
answer 'list threads' 'list threads.*The program stood still' 'list threads tells how long the attached program stood still'
answer 'continue for 200ms' "Time is over; process $server goes on" 'continue for ends while the attached process goes on'
wait_for 20 ready
enter 'continue'
ok 'continue begins to wait for the attached process' wait_for 20 is_entered
keys C-z
expect 'not suspended, because .*; Ctrl-C ends the waiting' 'Ctrl-Z is refused during continue, and Ctrl-C is suggested'
keys C-c
expect "Interrupted; process $server goes on" 'Ctrl-C ends the waiting, and the process goes on'
counted() { # prints the last count of node 1 on the screen
	screen | sed -n 's/^1 .* \([0-9,][0-9,]*\)  *ends  *ends .*/\1/p' | tail -n 1 | tr -d ,
}
answer 'print nodes' 'entry work' 'print nodes prints a table while the process runs'
wait_for 20 ready
first=$(counted)
more() {
	wait_for 5 ready
	enter 'print nodes'
	wait_for 5 ready
	[ "$(counted)" -gt $((first + 100)) ]
}
ok 'the process is measured while commands are typed' wait_for 20 more
answer 'shell echo $((6 * 7))' $'\n42\n' 'shell runs a command while the process runs'
wait_for 20 ready
first=$(counted)
enter 'help'
expect $'\n'':$' 'help is paged while the process runs'
keys C-z C-c
time_of() { # prints the processor time of the program, in ticks
	awk '{ print $14 + $15 }' "/proc/$server/stat"
}
before=$(time_of)
runs_on() {
	[ "$(time_of)" -gt "$before" ]
}
ok 'the process runs while help is read in the pager' wait_for 20 runs_on
keys q
ok 'the process is measured after Ctrl-Z and Ctrl-C in the pager' wait_for 20 more
wait_for 20 ready
answer 'break work' 'Breakpoint 3, work \(\) at ends.c' 'a breakpoint stops the attached process'
answer 'where' '#0.*work.*#1.*main' 'where shows the stack at the breakpoint'
answer 'delete 3' 'perftool> delete 3' 'delete 3 is accepted at the stop'
wait_for 20 ready
enter 'continue'
ok 'continue begins to wait after delete' wait_for 20 is_entered
keys C-c
wait_for 20 ready
keys C-z
expect 'Not suspended, because' 'Ctrl-Z at the prompt is refused'
keys -l 'half a wo'
kill -KILL "$server"
expect $'The program was killed by signal 9.*\nperftool> half a wo\n*$' 'the end of the process is told above the line that is being typed'
keys -l 'rd'
expect $'\nperftool> half a word\n*$' 'the line can be typed on after the message of the end'
keys C-u
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

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
	expect 'Leg 0' "$name: perftool attaches"
	wait_for 20 ready
	"$@"
	if [ "$regex" ]; then
		expect "$regex" "$name: perftool detaches and ends with its status"
	fi
	ok "$name: the process is left untraced" wait_for 20 is_untraced "$server"
}

signal_tool() { # SIGNAL
	kill "-$1" "$(status_of "$server" TracerPid)"
}

leave 'quit' "Detached from process $server; it stood still for [0-9.]+ m?s.*over: 0" enter quit
leave 'Ctrl-D' "Detached from process $server.*over: 0" keys C-d
leave 'SIGTERM' "Detached from process $server.*over: 143" signal_tool TERM
leave 'SIGHUP' "Detached from process $server.*over: 129" signal_tool HUP
leave 'SIGQUIT' "Detached from process $server.*over: 131" signal_tool QUIT
leave 'the terminal is gone' '' test_clean_up
kill -INT "$server"
wait "$server"
is $? 3 'the process ends with its own status after all detaches'
start "$PROGRAMS/ends" loop >ends.out
server=$started
wait_for 20 grep -q ready ends.out
open perftool -q -p "$server"
wait_for 20 ready
answer 'kill' "did not start\? \(y or n\)" 'kill of an attached process asks first'
enter 'y'
expect 'Killed' 'the answer y to kill ends the attached process'
wait "$server"
is $? 137 'the process was killed by SIGKILL'
answer 'list processes' 'No processes\.' 'list processes has none after kill'
answer 'quit' 'over: 0' 'quit ends perftool with status 0'

# ---- Ctrl-Z in batch mode stops both; fg goes on ----
open bash --norc -i
enter "perftool -n -q -t work $PROGRAMS/ends loop"
expect 'ready' 'batch mode starts the program in a shell with job control'
keys C-z
expect 'Stopped' 'Ctrl-Z suspends the job in batch mode'
enter 'echo states: $(ps -o stat= -p $(jobs -p) --ppid $(jobs -p))'
expect 'states: T[^ ]* [tT]' 'Ctrl-Z stops both perftool and the program'
enter 'fg'
expect 'fg.*perftool -n' 'fg continues the job'
keys C-c
expect 'work [0-9]+.*L E G' 'the program goes on to its end after fg'
is "$(counted)" "$(screen | sed -n 's/^\(\^C\)\{0,1\}work \([0-9]*\)$/\2/p')" 'every call was counted though Ctrl-Z stopped the program'

# ---- batch mode at a terminal: a status line, gone at the end ----
open sh -c "exec perftool -n -t work $PROGRAMS/ends loop >loop.out"
expect 'hits/s' 'a status line is shown if the program writes elsewhere'
keys C-c
expect 'over: 3' 'Ctrl-C in batch mode ends the measuring'
expect 'L E G' 'batch mode prints the tables after Ctrl-C'
if shows 'hits/s'; then
	fail 'the status line is gone at the end' "$(screen)"
else
	pass 'the status line is gone at the end'
fi
done_testing

#!/usr/bin/env bash
# Job control at a terminal: Ctrl-Z stops the tool's job together with the
# program, fg continues it, and no hit is lost.
# tier: full
# covers: ui/terminal session/run
# again: int3
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

# state_is NAME REGEX: is the process in this state? T: it is stopped. t: a
# tracer has stopped it.
state_is() { # NAME REGEX
	[[ $(ps -o stat= -p "$(cat "$1.pid")") =~ ^$2 ]]
}

# Each of them writes its process number to a file.
cat >job <<-END
	echo \$\$ >tool.pid
	exec perftool -q -n -f json -o t.json -t work@ends ./program
END
cat >program <<-END
	#!/bin/sh
	echo \$\$ >program.pid
	exec '$PROGRAMS/ends' loop
END
chmod +x program
new_terminal "PS1='prompt> ' bash --norc --noprofile -i"
expect 'prompt>' 'the shell shows a prompt'
enter 'bash job'
expect $'\n''ready' 'perftool starts the program in a job'
seen=
for round in 1 2 3; do
	keys C-z
	seen+='.*Stopped[^'$'\n'']*bash job.*prompt>'
	expect "$seen" "Ctrl-Z $round: the shell shows a prompt"
	ok "Ctrl-Z $round: perftool is stopped" wait_for 10 state_is tool T
	ok "Ctrl-Z $round: the program is stopped" wait_for 10 state_is program '[Tt]'
	enter fg
	seen+=' fg'$'\n''bash job'
	expect "$seen" "fg $round: the shell continues the job"
	ok "fg $round: the program goes on" wait_for 10 state_is program '[SRD]'
done
# Only the program gets the signal. Ctrl-C would also end the measurement, at
# another moment, perhaps between an entry and its exit.
kill -INT "$(cat program.pid)"
expect 'work [0-9]+'$'\n''.*prompt>' 'the program ends by itself after SIGINT'
out=$(screen)
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'no call is lost by stopping and continuing the job'

keys -R C-l
"${terminal[@]}" clear-history
rm tool.pid program.pid
enter 'bash job'
expect $'\n''ready' 'perftool starts the program in a second job'
keys C-c
expect '\^C.*work [0-9]+'$'\n''.*prompt>' \
	'Ctrl-C: the program ends by itself, and the shell is back'

# A pager shows the help. It stops with the tool and continues with it.
keys -R C-l
"${terminal[@]}" clear-history
enter 'clear; perftool -q -n'
expect 'perftool>' 'perftool shows its prompt'
enter help
expect $'help\nThe program.*\n:$' 'help is shown in a pager'
keys C-z
expect 'Stopped[^'$'\n'']*perftool -q -n' 'Ctrl-Z in the pager stops the job'
enter fg
expect 'fg'$'\n''perftool -q -n.*'$'\n'':$' 'fg shows the pager again'
keys q
expect 'perftool>$' 'after the pager, perftool shows its prompt'
enter quit
expect 'perftool> quit'$'\n' 'the prompt accepts quit'

# While a job in the background attaches, its output and the signals of job
# control must not stop it, because the program would stand still. After the
# tool has detached, the job is stopped like any other job.
start "$PROGRAMS/busy"
enter "set -b; stty tostop; clear; perftool -n -t work -p $started --for 1s &"
expect 'Attached to process.*Stopped' \
	'a background job attaches to a program and is stopped later'
is "$(status_of "$started" TracerPid)" 0 'a background job has detached before it is stopped'
enter 'fg; stty -tostop'
expect 'L E G' 'fg: the background job prints its leg table'

enter "clear; perftool -q -n -t work -e 'shell touch commands-done' -p $started & echo 'tool '\$!"
expect $'\n''tool [0-9]+' 'a second background job starts'
tool=$(sed -n 's/^tool \([0-9]*\)$/\1/p' <<<"$(screen)" | tail -n 1)
# The program continues after the last command. An interrupt before that would
# end the command, and the tool would print no table.
is_measured() {
	[ -e commands-done ] && [ "$(status_of "$started" State | cut -c1)" != t ]
}
ok 'the second background job measures the program' wait_for 20 is_measured
for signal in TTIN TTOU TSTP; do
	kill -$signal "$tool"
done
# one more signal ends the tool, so that the signals before have not stopped it
kill -INT "$tool"
enter 'wait; echo ended'
expect 'L E G .*'$'\n''ended' 'SIGTTIN, SIGTTOU and SIGTSTP do not stop a background job'
done_testing

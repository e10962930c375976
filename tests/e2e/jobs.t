#!/usr/bin/env bash
# Job control at a terminal: Ctrl-Z stops the tool's job with the program in
# it, fg lets it go on, and nothing is lost.
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

# its state, as the first letter: T where it is stopped, t where a tracer
# looks on
state_is() { # NAME REGEX
	[[ $(ps -o stat= -p "$(cat "$1.pid")") =~ ^$2 ]]
}

# Each leaves its process number.
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
expect 'prompt>' 'a shell'
enter 'bash job'
expect $'\n''ready' 'the program is at work'
seen=
for round in 1 2 3; do
	keys C-z
	seen+='.*Stopped[^'$'\n'']*bash job.*prompt>'
	expect "$seen" "Ctrl-Z $round: the shell is back"
	ok "Ctrl-Z $round: the tool is stopped" wait_for 10 state_is tool T
	ok "Ctrl-Z $round: so is the program" wait_for 10 state_is program '[Tt]'
	enter fg
	seen+=' fg'$'\n''bash job'
	expect "$seen" "fg $round"
	ok "fg $round: the program goes on" wait_for 10 state_is program '[SRD]'
done
# Of the two only the program is told: Ctrl-C would end the measuring as well,
# at a moment of its own, between an entry and its exit perhaps.
kill -INT "$(cat program.pid)"
expect 'work [0-9]+'$'\n''.*prompt>' 'the program ends by itself'
out=$(screen)
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'no call was lost'

keys -R C-l
"${terminal[@]}" clear-history
rm tool.pid program.pid
enter 'bash job'
expect $'\n''ready' 'once more'
keys C-c
expect '\^C.*work [0-9]+'$'\n''.*prompt>' \
	'Ctrl-C: the program ends by itself, and the shell is back'

# Help is read in a pager, which stops with the tool and comes back with it.
keys -R C-l
"${terminal[@]}" clear-history
enter 'clear; perftool -q -n'
expect 'perftool>' 'the prompt of perftool'
enter help
expect $'help\nThe program.*\n:$' 'help, in a pager'
keys C-z
expect 'Stopped[^'$'\n'']*perftool -q -n' 'Ctrl-Z in the pager'
enter fg
expect 'fg'$'\n''perftool -q -n.*'$'\n'':$' 'fg: the pager is back'
keys q
expect 'perftool>$' 'and the prompt after it'
enter quit
expect 'perftool> quit'$'\n' 'quit'

# A job in the background that attaches must not be stopped by what it prints,
# nor by the signals of job control, while the program would stand still. When
# it has let go it is as any other.
start "$PROGRAMS/busy"
enter "set -b; stty tostop; clear; perftool -n -t work -p $started --for 1s &"
expect 'Attached to process.*Stopped' 'a job in the background attaches, and lets go'
is "$(status_of "$started" TracerPid)" 0 'and is not stopped before that'
enter 'fg; stty -tostop'
expect 'L E G' 'fg: it says what it has found'

enter "clear; perftool -q -n -t work -e 'shell touch commands-done' -p $started & echo 'tool '\$!"
expect $'\n''tool [0-9]+' 'once more, to be sent signals'
tool=$(sed -n 's/^tool \([0-9]*\)$/\1/p' <<<"$(screen)" | tail -n 1)
# The program goes on after the last command. An interrupt before that would
# end the command, and print no table.
is_measured() {
	[ -e commands-done ] && [ "$(status_of "$started" State | cut -c1)" != t ]
}
ok 'it is measured' wait_for 20 is_measured
for signal in TTIN TTOU TSTP; do
	kill -$signal "$tool"
done
# by the time that it ends at one more, it has not stopped at those before
kill -INT "$tool"
enter 'wait; echo ended'
expect 'L E G .*'$'\n''ended' 'SIGTTIN, SIGTTOU and SIGTSTP do not stop it'
done_testing

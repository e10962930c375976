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
done_testing

#!/usr/bin/env bash
# Job control at a terminal: Ctrl-Z stops the tool's job with the program in
# it, fg lets it go on, and nothing is lost.
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"

export TERM=xterm
terminal=(tmux -S "$SCRATCH/tmux" -f /dev/null)

test_clean_up() {
	"${terminal[@]}" kill-server 2>/dev/null
}

screen() {
	"${terminal[@]}" capture-pane -p -J -S - 2>/dev/null | sed 's/ *$//'
}

shows() {
	[[ $(screen) =~ $1 ]]
}

expect() { # REGEX NAME
	if wait_for 20 shows "$1"; then
		pass "$2"
	else
		fail "$2" "never on the screen: $1" "$(screen)"
	fi
}

# its state, as the first letter: T where it is stopped, t where a tracer
# looks on
state_is() { # NAME REGEX
	[[ $(ps -o stat= -p "$(cat "$1.pid")") =~ ^$2 ]]
}

type_line() {
	"${terminal[@]}" send-keys -l "$1"
	"${terminal[@]}" send-keys Enter
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
"${terminal[@]}" new-session -d -x 100 -y 30 \
	"PS1='prompt> ' bash --norc --noprofile -i"
expect 'prompt>' 'a shell'
type_line 'bash job'
expect $'\n''ready' 'the program is at work'
seen=
for round in 1 2 3; do
	"${terminal[@]}" send-keys C-z
	seen+='.*Stopped[^'$'\n'']*bash job.*prompt>'
	expect "$seen" "Ctrl-Z $round: the shell is back"
	ok "Ctrl-Z $round: the tool is stopped" wait_for 10 state_is tool T
	ok "Ctrl-Z $round: so is the program" wait_for 10 state_is program '[Tt]'
	type_line fg
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

"${terminal[@]}" send-keys -R C-l
"${terminal[@]}" clear-history
rm tool.pid program.pid
type_line 'bash job'
expect $'\n''ready' 'once more'
"${terminal[@]}" send-keys C-c
expect '\^C.*work [0-9]+'$'\n''.*prompt>' \
	'Ctrl-C: the program ends by itself, and the shell is back'
done_testing

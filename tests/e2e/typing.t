#!/usr/bin/env bash
# The tool is attached to a busy program. All that the user types at the prompt
# and all that perftool writes is on the screen.
# tier: full
# covers: ui/prompt ui/terminal
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

start "$PROGRAMS/busy" 3 >/dev/null
new_terminal "perftool -q -n -p $started; echo over: \$?; exec cat"
enter 'time work'
expect 'Leg 0: ' 'time adds a leg to a busy program'
line='evaluate 1000000000 + 234567890 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9'
# are_answered COUNT: are so many answers on the screen, followed by a prompt?
# shellcheck disable=SC2317 # wait_for calls it by name
are_answered() {
	[ "$(screen | grep -c '^1234567935$')" = "$1" ] &&
		[ "$(screen | sed '/^$/d' | tail -n 1)" = 'perftool>' ]
}
for i in {1..12}; do
	wait_for 20 are_answered $((i - 1))
	for ((at = 0; at < ${#line}; at++)); do
		keys -l "${line:at:1}"
	done
	keys Enter
done
ok 'each of 12 lines is answered' wait_for 20 are_answered 12
is "$(screen | grep -cF "perftool> $line")" 12 \
	'each line is on the screen as it was typed'
enter quit
expect 'over: 0' 'quit ends perftool with status 0'
is "$(foreign "$started")" 0 'no patch is left in the program'
done_testing

# terminal.sh - a terminal (tmux) for tests: the test types at it and reads its
# screen
#
# A test sources this file after lib.sh: `. "$ROOT/tests/terminal.sh"`. The
# terminal ends with the test.
#
# shellcheck shell=bash

export TERM=xterm
terminals=0
terminal=(false)

# Ends the terminal, and waits for the ends of what runs there: perftool writes its
# history into the home of the test.
test_clean_up() {
	local shells
	shells=$("${terminal[@]}" list-panes -a -F '#{pane_pid}' 2>/dev/null | paste -sd ,)
	"${terminal[@]}" kill-server 2>/dev/null
	[ -z "$shells" ] || wait_for 20 has_no_process "$shells"
}
# has_no_process SHELLS: have all processes of the sessions of these shells ended?
has_no_process() {
	! pgrep -s "$1" >/dev/null
}

# new_terminal SHELL-COMMAND: makes a new terminal of 100 columns and 30 rows
# that runs the command. Ends the previous terminal. Each terminal has a tmux
# server of its own, because a server that is about to end takes no new session.
new_terminal() {
	test_clean_up
	terminals=$((terminals + 1))
	terminal=(tmux -S "$SCRATCH/tmux$terminals" -f /dev/null)
	"${terminal[@]}" new-session -d -x 100 -y 30 "$1"
}

# keys KEY...: presses keys, which have tmux's names. keys -l TEXT: types the
# text as it is.
keys() {
	"${terminal[@]}" send-keys "$@"
}

# enter TEXT: types the text and presses the return key
enter() {
	keys -l -- "$1"
	keys Enter
}

# screen: prints all lines so far, without blanks at their ends
screen() {
	"${terminal[@]}" capture-pane -p -J -S - 2>/dev/null | sed 's/ *$//'
}

# shows REGEX: is there a match on the screen?
shows() {
	[[ $(screen) =~ $1 ]]
}

# expect REGEX NAME: passes if a match appears on the screen
expect() {
	if wait_for 20 shows "$1"; then
		pass "$2"
	else
		fail "$2" "never on the screen: $1" "$(screen)"
	fi
}

# clear_screen: clears the screen, so that it shows only the prompt. A later
# `expect` then cannot match old text.
clear_screen() {
	keys C-l
	wait_for 20 is_cleared
}
is_cleared() {
	"${terminal[@]}" clear-history
	[ "$(screen | sed '/^$/d')" = 'perftool>' ]
}

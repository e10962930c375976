# terminal.sh - a terminal (tmux) that a test types at, and whose screen it
# reads: `. "$ROOT/tests/terminal.sh"`, after lib.sh. It ends with the
# test.
#
# shellcheck shell=bash

export TERM=xterm
terminals=0
terminal=(false)

test_clean_up() {
	"${terminal[@]}" kill-server 2>/dev/null
}

# new_terminal SHELL-COMMAND: a new one, of 100 by 30, that runs it; the one
# before ends. A server of its own for each: one that is about to end takes no
# new session.
new_terminal() {
	test_clean_up
	terminals=$((terminals + 1))
	terminal=(tmux -S "$SCRATCH/tmux$terminals" -f /dev/null)
	"${terminal[@]}" new-session -d -x 100 -y 30 "$1"
}

# keys KEY...: pressed, by tmux's names of keys; keys -l TEXT: as it is
keys() {
	"${terminal[@]}" send-keys "$@"
}

# enter TEXT: typed, and the return key
enter() {
	keys -l -- "$1"
	keys Enter
}

# screen: all lines so far, without trailing blanks
screen() {
	"${terminal[@]}" capture-pane -p -J -S - 2>/dev/null | sed 's/ *$//'
}

# shows REGEX: is it on the screen?
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

# clear_screen: it shows the prompt alone, so that what is expected next is not
# found in what was there before
clear_screen() {
	keys C-l
	wait_for 20 is_cleared
}
is_cleared() {
	"${terminal[@]}" clear-history
	[ "$(screen | sed '/^$/d')" = 'perftool>' ]
}

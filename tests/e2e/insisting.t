#!/usr/bin/env bash
# Ctrl-C that is pressed again, or at the moment at which the program ends: what
# was measured is reported in whole, and the exit status is that of the program.
# tier: core
# covers: ui session/run
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

# A report of 600 legs does not fit in a pipe.
many=(-n -q -e 'time legacy_* most=700' -b -f json)
program=$PROGRAMS/legacy

# unread: prints how many bytes are in the FIFO that descriptor 9 has
unread() {
	/usr/bin/python3 -c 'import array, fcntl, termios
n = array.array("i", [0])
fcntl.ioctl(9, termios.FIONREAD, n)
print(n[0])'
}
# waits_for_reader: is the FIFO full, and does the tool wait?
waits_for_reader() {
	[ "$(unread)" -gt 60000 ] && [ "$(status_of "$tool" State)" = S ]
}
is_stopped() {
	[ "$(status_of "$tool" State)" = T ]
}
is_read() {
	[ "$(unread)" = 0 ]
}

# The program has ended, and the tool waits until somebody reads its report. The
# tool is stopped, so that it finds the SIGINT when there is room again.
mkfifo report
exec 9<>report
start perftool "${many[@]}" -o report "$program" </dev/null >said 2>&1 9>&-
tool=$started
ok 'the report waits for its reader' wait_for 60 waits_for_reader
kill -STOP "$tool"
wait_for 20 is_stopped
kill -INT "$tool"
cat report >t.json 9>&- &
reader=$!
wait_for 20 is_read
kill -CONT "$tool"
wait "$tool"
is "$?" 0 'Ctrl-C during the report: the status is that of the program'
exec 9>&-
wait "$reader"
is "$(json 'len(t["legs"])')" 600 'Ctrl-C during the report: the report is whole'

# open COMMAND...: opens a new terminal that runs the command. The shell in
# between survives a Ctrl-C that is for the command.
open() {
	new_terminal \
		"trap : INT; $(printf '%q ' "$@"); echo \"over: \$?\"; exec cat"
}

# The terminal sends each Ctrl-C to the program, too, which dies of the first one.
rm -f t.json
open perftool "${many[@]}" -o "$PWD/t.json" "$program"
expect 'ready' 'the program runs at a terminal'
keys C-c C-c C-c C-c C-c C-c
expect 'over: 130' 'Ctrl-C six times: the status is that of a program that was interrupted'
is "$(json 'len(t["legs"])')" 600 'Ctrl-C six times: the report is whole'

# At a prompt, Ctrl-C ends what the tool prints. The tables stay.
open env PAGER= perftool -n -e 'time legacy_* most=700' "$program"
expect 'perftool>' 'a prompt'
enter 'run'
expect 'ready' 'the program runs below the prompt'
keys C-c
expect 'Interrupted' 'Ctrl-C stops the program'
enter 'print tables'
keys C-c C-c C-c
enter 'evaluate 4000 + 321'
expect '4321' 'Ctrl-C three times during a table: the prompt is there'
enter "save tables $PWD/kept.json"
enter 'evaluate 5000 + 321'
expect '5321' 'the tables are saved after that'
is "$(json 'len(t["legs"])' kept.json)" 600 'Ctrl-C three times during a table: the tables are whole'
enter 'quit'
keys y Enter
expect 'over: ' 'the tool ends'

done_testing

#!/usr/bin/env bash
# `top`: of a program, of a process, at a terminal and in a file, and of
# programs that do nothing.
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"

program=$PROGRAMS/spied

try perftool top "$program" shares 500
is "$status" 0 'top of a program that ends'
like "$out" '[0-9]+ ticks in [0-9.]+ s, [0-9.]+ CPUs in use; [0-9]+ functions' \
	'the heading'
is "$(awk '$1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ { print $NF; exit }' \
	<<<"$out")" sixty 'what takes most is first'
like "$out" $'To time one of them:\n    time sixty\n' \
	'the command that would time it'
try perftool -q -n -b -t "$(sed -n 's/^    time //p' <<<"$out" | head -n 1)" \
	"$program" shares 50
is "$status" 0 'and that command works'

try perftool top cat <<<'what cat reads'
like "$out" 'what cat reads' 'standard input is that of the program'

try perftool top --for 300ms "$program" shares 60000
is "$status" 130 'a program that is launched ends as by --for'
like "$out" 'sixty' 'and its table is printed'
start sleep 60
# shellcheck disable=SC2317 # wait_for calls it
asleep() {
	[ "$(status_of "$started" State)" = S ]
}
wait_for 20 asleep
try perftool top --for 200ms -p "$started"
like "$out" 'No thread has used a CPU' 'a program that sleeps'
try perftool top true
is "$status" 0 'a program that ends at once'
try perftool top -o table.txt "$program" shares 200
like "$(cat table.txt)" 'sixty' 'top -o FILE'
fails_with 125 'no program to look at' 'top without a program' perftool top
fails_with 127 'no-such-program: not found' 'top of no program' \
	perftool top no-such-program
try perftool -q -n -b -e 'top for 300ms > o.txt' "$program" shares 2000
like "$(cat o.txt)" 'sixty' 'the command has a duration and a file'

serve "$program" serves
try perftool top --for 400ms -p "$server"
is "$status" 0 'top of a process'
like "$out" 'sixty' 'what it does'
ok 'and it lives on' kill -0 "$server"
is "$(foreign "$server")" 0 'with nothing of the tool in it'
new_terminal "perftool top --for 4s -p $server; echo status \$?; cat"
expect 'ticks in [0-9.]+ s.*sixty' 'at a terminal the table is shown'
first=$(screen | sed -n 's/ ticks in .*//p')
# shellcheck disable=SC2317 # wait_for calls it
changes() {
	[ "$(screen | sed -n 's/ ticks in .*//p' | tail -n 1)" != "$first" ]
}
ok 'and refreshed' wait_for 20 changes
is "$("${terminal[@]}" capture-pane -p | grep -c ' ticks in ')" 1 'in place'
expect 'status 0' 'and ends'
new_terminal "perftool top --for 50s -p $server; echo status \$?; cat"
expect 'ticks in [0-9.]+ s.*sixty' 'it is shown'
keys C-c
expect 'status [0-9]' 'Ctrl-C ends it'
ok 'and not the program' kill -0 "$server"
"${terminal[@]}" kill-server
end_server

terminals=$((terminals + 1))
terminal=(tmux -S "$SCRATCH/tmux$terminals" -f /dev/null)
"${terminal[@]}" new-session -d -x 80 -y 24 \
	"perftool top --for 2s $program shares 60000; cat"
expect 'time sixty' 'it fits a terminal of 80 columns'
is "$(screen | awk 'length > 80' | wc -l)" 0 'line by line'

done_testing

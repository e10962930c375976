#!/usr/bin/env bash
# Profiles at a terminal: Ctrl-C while the program is measured, once and twice, a
# terminal that changes its size, and commands that come at an unexpected time.
# tier: full
# covers: session/profiling command/families ui/prompt ui/terminal
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"
program=$PROGRAMS/spied

traced() {
	[ "$(status_of "$server" TracerPid)" != 0 ]
}
counts() {
	grep -q 'are counted' e.txt
}

# used PID: prints the CPU time that the process has used, in clock ticks
used() {
	cut -d' ' -f14 "/proc/$1/stat"
}

# has_worked: has the server used the CPU for a tenth of a second since $before?
has_worked() {
	[ "$(used "$server")" -ge $((before + 10)) ]
}

# profile_process: profiles the server at a new terminal. What perftool prints
# is then in o.txt and e.txt. Returns when calls of it have been counted.
profile_process() {
	new_terminal "perftool --profile -f json -o o.txt -p $server 2>e.txt
		echo status \$?; stty -a; exec cat"
	wait_for "$LIMIT" counts || fail 'calls are counted' "$(cat e.txt)"
	before=$(used "$server")
	wait_for "$LIMIT" has_worked
}

# has_all NAME: passes if the terminal and the program are as they were
has_all() {
	expect '[^-]echo ' "$1: the terminal echoes"
	ok "$1: the program lives on" kill -0 "$server"
	is "$(status_of "$server" TracerPid)" 0 "$1: nobody traces it"
	is "$(foreign "$server")" 0 "$1: and has nothing of the tool in it"
}

# ---- Ctrl-C --------------------------------------------------------------------

serve "$program" serves
: >e.txt
profile_process
keys C-c
expect 'status 0' 'Ctrl-C ends the profile of a process'
has_all 'Ctrl-C'
like "$(json '" ".join(sorted(t))' o.txt)" 'functions' 'the report is written'
ok 'with the calls' [ "$(json 'sum(f["calls"]
	for f in t["functions"]["functions"])' o.txt)" -gt 0 ]

: >e.txt
profile_process
keys C-c C-c
expect 'status [0-9]+' 'Ctrl-C twice ends it, too'
has_all 'Ctrl-C twice'

# The tool is at work in the process: it is to be as it was.
: >e.txt
new_terminal "perftool --profile -p $server >o.txt 2>e.txt
	echo status \$?; stty -a; exec cat"
ok 'the tool attaches' wait_for "$LIMIT" traced
keys C-c
expect 'status [0-9]+' 'Ctrl-C while the tool attaches ends it'
has_all 'Ctrl-C while the tool attaches'
end_server

# is_at_work: has the program used the CPU for a tenth of a second?
is_at_work() {
	local pid

	pid=$(pgrep -xf "$program shares 100001") && [ "$(used "$pid")" -ge 10 ]
}

# The program gets the Ctrl-C of its terminal, and dies. Its profile is printed.
new_terminal "perftool --profile $program shares 100001 2>e.txt
	echo status \$?; exec cat"
ok 'the program works' wait_for "$LIMIT" is_at_work
keys C-c
expect 'status 130' 'Ctrl-C ends a program that was started'
like "$(cat e.txt)" 'All ticks.* sixty.*Percent +On CPU +Function.* sixty' \
	'and the tables are printed'

# ---- the size of the terminal ----------------------------------------------------

# fits COLUMNS: is the table there, with no line that goes on in the next one,
# except those of a single word, which may be too long for any line? And is most of
# the screen used?
fits() {
	local shown

	shown=$("${terminal[@]}" capture-pane -p -J | sed 's/ *$//')
	[[ $shown = *'ticks in'*with_a_long_name* ]] &&
		[ "$(awk -v columns="$1" 'length > columns && NF > 1' \
			<<<"$shown")" = '' ] &&
		[ "$(grep -c ' ticks in ' <<<"$shown")" = 1 ] &&
		[ "$(grep -c . <<<"$shown")" -ge 8 ]
}

# The names of many functions take a line of their own in a narrow terminal.
{
	for ((i = 10; i < 30; i++)); do
		echo "__attribute__((noinline)) void with_a_long_name_$i(void)"
		echo '{ for (volatile int j = 0; j < 100000; j++); }'
	done
	echo 'int main(void) { for (;;) {'
	printf 'with_a_long_name_%d();' {10..29}
	echo '} }'
} >long_names.c
gcc -g long_names.c -o long_names
new_terminal "perftool top --for 50s ./long_names; echo status \$?
	exec cat"
"${terminal[@]}" set-option -g window-size manual
expect 'ticks in [0-9.]+ s.*with_a_long_name' 'top shows its table'
# (so few lines that the table would scroll if it did not count divided lines)
"${terminal[@]}" resize-window -x 40 -y 12
ok 'it fits a terminal that has become narrow' wait_for 20 fits 40
"${terminal[@]}" resize-window -x 100 -y 30
ok 'and one that has become wide again' wait_for 20 fits 100
keys C-c
expect 'status 130' 'and Ctrl-C ends it'

# ---- commands at an unexpected time --------------------------------------------

new_terminal "perftool -n $program shares 200; echo status \$?; exec cat"
expect 'perftool>$' 'the prompt'
for command in 'profile off' 'spy off' 'profile on' 'profile on' 'spy on' \
	'spy on' run run 'profile off' 'profile off' 'spy off' 'spy off'; do
	clear_screen
	enter "$command"
	expect "perftool> $command"$'\n'".*perftool>\$" "$command: the prompt returns"
	unlike "$(screen)" 'internal|error' "$command: without an error"
done
clear_screen
enter 'print flat'
expect 'sixty' 'what two runs recorded is shown'
clear_screen
enter quit
expect 'status 0' 'and the tool ends'

# ---- children that execute ---------------------------------------------------------

try perftool -q -n -b -e 'profile on' -e "profile functions '*'" -e run \
	-e 'print flat > flat' -e 'set format json' \
	-e 'print functions > functions' "$program" forks
[ "$status" = 0 ] || diag <<<"$err"
is "$status" 0 'a program that forks and executes is profiled'
like "$(cat flat)" ' sixty' 'there are ticks'
# What the child executes also calls thirty(), as often as the processor manages.
is "$(json '(lambda calls: (list(calls("child_work").values()),
	[n for pid, n in calls("thirty").items()
		if pid not in calls("child_work")]))(
	lambda name: {x["pid"]: x["calls"] for f in t["functions"]
		if f["function"] == name for x in f["threads"]})' functions)" \
	'[1] [400]' \
	'and the calls of the parent and of the child'
is "$(json '[len({x["pid"] for x in f["threads"]})
	for f in t["functions"] if f["function"] == "main"]' functions)" 2 \
	'and those of what the child executes'

done_testing

#!/usr/bin/env bash
# If the tool cannot write a file, it says so in one line, and the status is
# 125.
# tier: core
# covers: ui base command/families session/tables
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
program=$PROGRAMS/pie
LIMIT=20

# unwritten REGEX NAME [OPTION...]: with these options, a file is not written.
# The program's own output is not checked. If a trace fails, the tool also says
# so at the time of the failure.
unwritten() {
	local regex=$1 name=$2
	shift 2
	try perftool -q -n "$@" "$program"
	if [ "$status" = 125 ] && [[ $err =~ $regex ]] &&
		[ "$(grep -vc '^cannot write the trace' "$SCRATCH/err")" = 1 ]; then
		pass "a file that cannot be written is an error: $name"
	else
		fail "a file that cannot be written is an error: $name" \
			"status $status, standard error:" "$err" \
			"wanted 125 and a line like: $regex"
	fi
}

for name in x.json x.txt; do
	ln -s /dev/full "$name"
done
for part in nodes legs histograms by; do
	ln -s /dev/full "x-$part.csv"
done
full='No space left on device'

unwritten "/dev/full.*$full" '-o' -t work -o /dev/full
unwritten "x.json.*$full" '-o, JSON' -t work -f json -o x.json
unwritten "x-nodes.csv.*$full" '-o, CSV' -t work -f csv -o x
unwritten "trace /dev/full.*$full" 'trace' -b -e 'time work' -e 'trace /dev/full' -o t.txt
unwritten "trace x.json.*$full" 'trace, JSON' -b -e 'time work' -e 'trace x.json' -o t.txt
unwritten "trace /dev/full.*$full" 'trace, turned off' -e 'time work' -e 'trace /dev/full' -e run -e 'trace off'
unwritten "log /dev/full.*$full" 'log' -e 'log /dev/full' -e 'time work' -e run
unwritten "log /dev/full.*$full" 'log, turned off' -e 'log /dev/full' -e 'time work' -e 'log off'
unwritten "log /dev/full.*$full" 'log, of batch mode' -b -e 'log /dev/full' -e 'time work' -o t.txt
for name in x.json x.txt x.csv; do
	unwritten "x(.json|.txt|-nodes.csv).*$full" "save tables $name" \
		-e 'time work' -e run -e "save tables $name"
done
for what in tables nodes legs 'slowest 3'; do
	unwritten "/dev/full.*$full" "print $what" \
		-e 'time work' -e run -e "print $what > /dev/full"
done
unwritten 'nosuch/x.*No such' 'trace, not opened' -e 'trace nosuch/x'
unwritten 'nosuch/x.*No such' 'log, not opened' -e 'log nosuch/x'

# ---- standard output and standard error ----
# fails_to NAME REGEX COMMAND...: the command fails, with standard output as
# $where says; the program prints nothing
fails_to() { # NAME REGEX COMMAND...
	local name=$1 regex=$2
	shift 2
	status=0
	case $where in
	full) "$@" 2>err >/dev/full </dev/null ;;
	closed) "$@" 2>err >&- </dev/null ;;
	esac
	status=$?
	err=$(cat err)
	is "$status" 125 "$name: standard output that is $where makes status 125"
	like "$err" "$regex" "$name: standard output that is $where is reported"
	is "$(grep -vc 'never found' err)" 1 \
		"$name: standard output that is $where is reported in one line"
}
for where in full closed; do
	fails_to 'print tables' 'cannot write' perftool -q -n -e 'time main' -e 'print tables' "$program"
	fails_to 'help' 'cannot write' perftool -q -n -e help "$program"
	fails_to 'a report to standard output' 'cannot write' \
		perftool -q -n --pending -t nosuch -o - /bin/true
	fails_to '--help' 'cannot write standard output' perftool --help
	fails_to '--version' 'cannot write standard output' perftool --version
done
perftool -q -n -t main "$program" >out 2>/dev/full
is "$?" 125 'a report to standard error that is full makes status 125'

# a file that the tool opens does not get the number of a closed stream
perftool -n --pending -t nosuch -o t.txt "$program" 2>&- >out
is "$(grep -c 'nosuch.*found' t.txt)" 0 'standard error closed: messages are not in the report'
perftool -q -n --pending -t work -f json -o t.json -- sh -c 'ls -l /proc/self/fd >fds' 2>&- 3>&-
is "$(grep -c ' 2 -> /dev/null' fds)" 0 \
	'standard error closed: the program gets /dev/null as standard error'

# ---- a history that cannot be written is no reason to fail ----
for what in 'ln -s /dev/full' mkfifo mkdir; do
	rm -rf "$HOME/.perftool_history"
	$what "$HOME/.perftool_history"
	new_terminal "perftool -n $program; echo \"over: \$?\"; exec cat"
	expect 'perftool>' "history file made by $what: perftool shows its prompt"
	enter quit
	expect 'over: 0' "history file made by $what: perftool ends with status 0"
done
done_testing

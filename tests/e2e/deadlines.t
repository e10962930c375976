#!/usr/bin/env bash
# SIGINT and SIGTERM soon end everything that the tool waits for or computes.
# The program then goes on, and all bytes of its code are its own.
# tier: full
# covers: session/run session/names probe/request ui/terminal
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
program=$PROGRAMS/many
all='time "many_*" most=100000' # takes minutes
declare -A statuses=([INT]=130 [TERM]=143)

# log_has TEXT: the tool has begun this command
log_has() {
	grep -qF ">$1" log 2>/dev/null
}
# state_is PID LETTER: is the process in this state?
state_is() {
	[ "$(status_of "$1" State)" = "$2" ]
}
has_ended() {
	! kill -0 "$tool" 2>/dev/null
}
# ends SIGNAL STATUS NAME: the tool ends soon after this signal, with this
# status
ends() {
	kill "-$1" "$tool"
	ok "$3: the tool ends soon" wait_for 20 has_ended
	wait "$tool"
	is "$?" "$2" "$3: the tool ends with status $2"
}
# goes_on NAME: the program goes on
goes_on() {
	says 7 'done 7' "$1: the program goes on"
	is "$(foreign "$server")" 0 "$1: the program's code is restored"
	is "$(status_of "$server" TracerPid)" 0 "$1: nobody traces the program"
}

for signal in INT TERM; do
	# ---- looking for names ----
	rm -f log
	start perftool -n -e 'log log' -e "$all" -b "$program" 2>err </dev/null
	tool=$started
	wait_for 20 log_has time
	ends "$signal" "${statuses[$signal]}" "time *, SIG$signal"
	like "$(<err)" "perftool: -e .time .*interrupted$" \
		"time *, SIG$signal: the message says interrupted"

	# ---- the same, while the program stands still for the search ----
	serve "$program"
	rm -f log
	start perftool -n -q -e 'log log' -e "$all" -b -p "$server" 2>err
	tool=$started
	# (the program also stands still while the tool attaches)
	wait_for 20 log_has time
	ok "time *, attached, SIG$signal: the program stands still for the search" wait_for 20 state_is "$server" t
	# (the program goes on during the search)
	ends "$signal" "${statuses[$signal]}" "time *, attached, SIG$signal"
	is "$(<err)" "perftool: -e \`$all': interrupted" \
		"time *, attached, SIG$signal: the message says interrupted"
	goes_on "time *, attached, SIG$signal"
	end_server
done

# ---- at a prompt: what was there is as it was ----
at_prompt() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == 'perftool>' ]]
}
rm -f log
new_terminal "trap : INT; perftool -n -e 'log log' -e 'time work' $program; exec cat"
expect 'Leg 0: nodes 1 -> 2' 'the prompt: time makes a leg'
wait_for 20 at_prompt
enter "$all"
wait_for 20 log_has "$all"
keys C-c
ok 'the prompt: Ctrl-C ends the command' wait_for 20 grep -qx interrupted log
ok 'the prompt: the prompt returns after Ctrl-C' wait_for 20 at_prompt
enter 'save tables t.json'
wait_for 20 log_has 'save tables t.json'
wait_for 20 at_prompt
is "$(json '[n["location"] for n in t["nodes"]], len(t["legs"])')" \
	"['work', 'work'] 1" 'the prompt: nodes and legs are those from before the command'

# ---- a duration has a timer of its own, beside the tick ----
# has_timers COUNT: the tool has so many timers that send SIGALRM
has_timers() {
	[ "$(grep -c '^signal: 14/' "/proc/$tool/timers")" = "$1" ]
}
if [ -r /proc/self/timers ]; then
	serve "$program"
	start perftool -n -q -t work --for 300s -p "$server" 2>err
	tool=$started
	ok '--for: the tool has a tick and another timer' wait_for 20 has_timers 2
	ends TERM 0 '--for, SIGTERM'
	goes_on '--for, SIGTERM'
	end_server
fi
try perftool -n -q -e 'time work' -e 'run' --for 70ms -f json -o t.json \
	-b "$PROGRAMS/ends" loop
is "$(json 't["summary"]["elapsed_ns"] >= 70_000_000')" True \
	'--for 70ms: the program is measured for 70 ms'

# ---- a process whose only thread waits for its vfork child ----
mkfifo child_in child_out
exec 7<>child_in 8<>child_out
waits_in_vfork() {
	grep -q '^State:.D' "/proc/$server/status"
}
# Has the tool installed its signal handlers, and does it sleep?
sleeps() {
	(($((16#$(status_of "$tool" SigCgt))) & 1 << 14)) && state_is "$tool" S
}
for signal in INT TERM; do
	serve "$PROGRAMS/borrowers" single 5<child_in 6>child_out 7>&- 8>&-
	ask child
	STARTED+=("${reply#child }")
	ok "vfork, SIG$signal: a process waits for its vfork child" wait_for 20 waits_in_vfork
	start perftool -n -q -t work -p "$server" 2>err
	tool=$started
	ok "vfork, SIG$signal: the tool waits for the process" wait_for 20 sleeps
	ends "$signal" "${statuses[$signal]}" "vfork, SIG$signal"
	is "$(<err)" 'perftool: interrupted' "vfork, SIG$signal: the message says interrupted"
	printf e >&7
	says 10 'done 10' "vfork, SIG$signal: the program goes on"
	ask look
	like "$reply" '^traced 0 foreign 0 .* wrong 0$' \
		"vfork, SIG$signal: the program is unchanged, and nothing went wrong"
	end_server
done

# ---- a program that was killed and does not end ----
start perftool -n -q -t work -f json -o t.json "$PROGRAMS/unended" \
	>tracer 2>err
tool=$started
ok 'a program that does not end: the program runs' wait_for 20 test -s tracer
tracer=$(<tracer)
if [ "$tracer" != 'cannot be traced' ]; then
	STARTED+=("$tracer")
	unended=$(status_of "$tracer" PPid)
	kill -TERM "$tool"
	ok 'a program that does not end: the tool kills the program' wait_for 20 state_is "$unended" Z
	kill -INT "$tool"
	ok 'a program that does not end: the tool does not wait for ever' wait_for 20 has_ended
	wait "$tool"
	is "$?" 125 'a program that does not end: the tool ends with status 125'
	like "$(<err)" "process $unended was killed, but does not end: thread $unended \(state Z" \
		'a program that does not end: the message names the thread'
	kill -KILL "$tracer"
fi

# ---- hits that come faster than the tool can count them ----
# Each hit belongs to 400 legs, and 4 threads have made tens of thousands of hits
# before the signal comes. (They and the tool share the processors: with 16
# threads, the tool had too little of them to be soon.) How many hits are counted
# depends on the machine. test_session_late checks that hits are given up if
# counting them takes longer than a second.
{
	for ((i = 0; i < 2000; i += 10)); do
		echo "break entry crowd_$i if 1"
	done
	printf '%s\n' 'collect nodes' 'add leg * *' 'monitor on' \
		'shell touch begun' continue
} >crowd.pt
# is_behind: do threads wait only for room for their records?
is_behind() {
	[ -e begun ] || return
	for _ in {1..5}; do
		[ "$(cat "/proc/$server/task/"*/stat | grep -c ') t ')" -ge 2 ] ||
			return
		sleep 0.1
	done
}
serve "$PROGRAMS/crowd" 4
echo go >&3
hear
start perftool -n -q -b -x crowd.pt -p "$server" -o tables 2>err </dev/null
tool=$started
ok 'many legs: hits are made faster than they are counted' wait_for 60 is_behind
ends TERM 0 'many legs, SIGTERM'
unlike "$(<err)" 'does not stop' 'many legs: no thread is reported as stuck'
like "$(<tables)" 'Total Elapsed Time' 'many legs: the tables are printed'
echo stop >&3
hear
like "$reply" '^[0-9]+ rounds, right$' 'many legs: the program computes right'
is "$(foreign "$server")" 0 "many legs: the program's code is restored"
end_server

# ---- a program whose input is a FIFO without a writer ----
mkfifo nobody
# Does the child wait that is to become the program?
child_waits() {
	local child
	child=$(<"/proc/$tool/task/$tool/children")
	[ -n "$child" ] && state_is "${child% }" S
}
for signal in INT TERM; do
	start perftool -n -q -e 'time work' -e 'run < nobody' "$program" 2>err
	tool=$started
	ok "run < nobody, SIG$signal: the program waits for its input" wait_for 20 child_waits
	ends "$signal" "${statuses[$signal]}" "run < nobody, SIG$signal"
	like "$(<err)" 'interrupted' "run < nobody, SIG$signal: the message says interrupted"
done
done_testing

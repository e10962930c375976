#!/usr/bin/env bash
# Programs that work with signals, and job control: the programs see what they
# would see without the tool, and the counts are exact.
# tier: core
# covers: probe target
# again: int3
. "$(dirname "$0")/../lib.sh"

# counts FUNC N NAME: the function has N entries and N exits
counts() {
	is "$(json "entry('$1')['count'], exit('$1')['count']")" "$2 $2" "$3"
}

# ---- a timer at 1 kHz ----
times work interrupted -- "$PROGRAMS/signals" 20000 60
is "$status $(own wrong)" '0 0' 'timer: the program ends with status 0 and finds nothing wrong'
counts work "$(own work)" 'timer: work() is counted inside and outside handlers'
counts interrupted "$(own interrupted)" 'timer: a function that is interrupted is counted'
ok 'timer: the handler runs more than 50 times' [ "$(own handler)" -gt 50 ]
is "$(json 'kept()')" True 'timer: the counts of legs and nodes agree'

# ---- queues ----
for how in handler wait fd; do
	times work handled -- "$PROGRAMS/sigqueue" "$how"
	is "$status $(own received) $(own order)" '0 2000 0' \
		"queue, $how: no signal is lost, and the order is kept"
	counts handled 2000 "queue, $how: handled() is counted for all 2000 signals"
	counts work "$(own work)" "queue, $how: work() is counted as by the program"
done

# ---- children that end ----
times work handled -- "$PROGRAMS/sigqueue" children
is "$status $(own received) $(own order)" '0 300 0' 'SIGCHLD: all 300 children are reaped'
counts handled 300 'SIGCHLD: handled() is counted for all 300 children'
counts work "$(own work)" 'SIGCHLD: work() is counted as by the program'

# ---- faults ----
times poke handled -- "$PROGRAMS/segv"
is "$status $(own wrong)" '0 0' \
	'SIGSEGV: the handler sees the address and the pc of the fault'
counts handled 300 'SIGSEGV: calls of the handler are counted'
is "$(json 'entry("poke")["count"], exit("poke")["count"]')" \
	"$(own entered) $(own left)" \
	'SIGSEGV: entries and exits are exact though the displaced instruction faults'
is "$(json 'kept()')" True 'SIGSEGV: the counts of legs and nodes agree'

# ---- stopped and continued ----
for how in self other threads; do
	times work -- "$PROGRAMS/stops" "$how"
	is "$status $(own continued) $(own child)" '0 50 0' \
		"SIGSTOP, $how: the program is stopped and continued 50 times"
	counts work "$(own work)" "SIGSTOP, $how: work() is counted as by the program"
done

# ---- system calls that are interrupted ----
# The calls go through libc first; then a probe stands at the system call
# instruction itself.
for how in restart break ignored; do
	alone=$("$PROGRAMS/interrupted" "$how")
	times handled read@libc.so.6 epoll_wait@libc.so.6 syscall@libc.so.6 \
		clock_nanosleep@libc.so.6 -- "$PROGRAMS/interrupted" "$how"
	is "$out" "$alone" "interrupted calls, $how: the output is as without perftool"
	counts handled "$(own handled)" "interrupted calls, $how: the handler is counted as by the program"
	is "$(json 'kept()')" True "interrupted calls, $how: the counts of legs and nodes agree"
	times call_at -- "$PROGRAMS/interrupted" "$how"
	is "$out" "$alone" "interrupted in a slot, $how: the output is as without perftool"
	counts call_at "$(own direct)" \
		"interrupted in a slot, $how: the system call is counted once"
	is "$(json 'kept()')" True "interrupted in a slot, $how: the counts of legs and nodes agree"
done
done_testing

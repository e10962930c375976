#!/usr/bin/env bash
# Programs that work with signals, and job control: the programs see what they
# would see without the tool, and the counts are exact.
. "$(dirname "$0")/../lib.sh"

# counts FUNC N NAME: the function has N entries and N exits
counts() {
	is "$(json "entry('$1')['count'], exit('$1')['count']")" "$2 $2" "$3"
}

# ---- a timer at 1 kHz ----
times work interrupted -- "$PROGRAMS/signals" 20000 60
is "$status $(own wrong)" '0 0' 'timer: no handler spoiled the program'
counts work "$(own work)" 'timer: work, in handlers and out of them'
counts interrupted "$(own interrupted)" 'timer: a function that is interrupted'
ok 'timer: it did tick' [ "$(own handler)" -gt 50 ]
is "$(json 'kept()')" True 'timer: nothing disappears'

# ---- queues ----
for how in handler wait fd; do
	times work handled -- "$PROGRAMS/sigqueue" "$how"
	is "$status $(own received) $(own order)" '0 2000 0' \
		"queue, $how: none was lost, their order was kept"
	counts handled 2000 "queue, $how: handled"
	counts work "$(own work)" "queue, $how: work"
done

# ---- children that end ----
times work handled -- "$PROGRAMS/sigqueue" children
is "$status $(own received) $(own order)" '0 300 0' 'SIGCHLD: all were reaped'
counts handled 300 'SIGCHLD: handled'
counts work "$(own work)" 'SIGCHLD: work'

# ---- faults ----
times poke handled -- "$PROGRAMS/segv"
is "$status $(own wrong)" '0 0' \
	'SIGSEGV: the handler sees the address and the pc of the fault'
counts handled 300 'SIGSEGV: its handler'
is "$(json 'entry("poke")["count"], exit("poke")["count"]')" \
	"$(own entered) $(own left)" \
	'SIGSEGV: a fault in the displaced instruction, jumped out of or repeated'
is "$(json 'kept()')" True 'SIGSEGV: nothing disappears'

# ---- stopped and continued ----
for how in self other threads; do
	times work -- "$PROGRAMS/stops" "$how"
	is "$status $(own continued) $(own child)" '0 50 0' \
		"SIGSTOP, $how: stopped and continued 50 times"
	counts work "$(own work)" "SIGSTOP, $how: work"
done

# ---- system calls that are interrupted ----
# The calls go through libc first; then a probe stands at the system call
# instruction itself.
for how in restart break ignored; do
	alone=$("$PROGRAMS/interrupted" "$how")
	times handled read@libc.so.6 epoll_wait@libc.so.6 syscall@libc.so.6 \
		clock_nanosleep@libc.so.6 -- "$PROGRAMS/interrupted" "$how"
	is "$out" "$alone" "interrupted calls, $how: as without the tool"
	counts handled "$(own handled)" "interrupted calls, $how: the handler"
	is "$(json 'kept()')" True "interrupted calls, $how: nothing disappears"
	times call_at -- "$PROGRAMS/interrupted" "$how"
	is "$out" "$alone" "interrupted in a slot, $how: as without the tool"
	counts call_at "$(own direct)" \
		"interrupted in a slot, $how: the call was made once"
	is "$(json 'kept()')" True "interrupted in a slot, $how: nothing disappears"
done
done_testing

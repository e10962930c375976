#!/usr/bin/env bash
# Many threads, short threads, and threads that end during hits: the counts are
# exact.
# tier: core full
# covers: probe target
. "$(dirname "$0")/../lib.sh"

times work brief -- "$PROGRAMS/threads" 64 100
is "$status" 0 '64 threads: the program ends with status 0'
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" '64 threads: work() is counted as by the program'
is "$(json 'time("brief")["count"]')" "$(own brief)" \
	'64 threads: short threads are counted as by the program'
is "$(json 'kept()')" True '64 threads: the counts of legs and nodes agree'

threads=1000
! in_full || threads=10000
# The time limit is only for a program that hangs: this test takes minutes on a
# machine that is busy with other work.
LIMIT=200
times work brief -- "$PROGRAMS/storm" $threads
is "$status" 0 "$threads threads: the program ends with status 0"
is "$(json 'entry("brief")["count"], exit("brief")["count"]')" \
	"$(own brief) $(own brief)" "$threads threads: brief() is counted as by the program"
is "$(own brief)" $((2 * threads)) "$threads threads: the program itself counts all calls"
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" "$threads threads: work() in the long threads is counted"
is "$(json 'time("brief")["count"], time("brief")["unwound"]')" \
	"$(own brief) 0" "$threads threads: all calls of brief() are timed, and none is unwound"
is "$(json 'kept()')" True "$threads threads: the counts of legs and nodes agree"
LIMIT=60

# word N FILE: prints the Nth number of the shared memory that the program
# leaves
word() {
	od -An -tu8 -w8 "$2" | sed -n "$1p" | tr -d ' '
}

# If a thread is ended, its hit may be reported before work() could count
# itself. There is at most one such hit for each of the 8 threads, and there is
# never a hit too few.
ended_amid_hits() { # HOW STATUS [MORE-CALLS]
	local truth count

	rm -f truth
	times work -- "$PROGRAMS/threadend" "$1" truth 8 4000
	is "$status" "$2" "$1 amid hits: the program ends with its own status"
	truth=$(word 1 truth)
	count=$(json 'entry("work")["count"]')
	ok "$1 amid hits: no entry is missing ($count, the program counted $truth)" \
		[ "$count" -ge "$truth" -a "$count" -le $((truth + 8)) ]
	is "$(json 'kept()')" True "$1 amid hits: the counts of legs and nodes agree"
	is "$(json 'time("work")["open"], time("work")["unwound"]')" '0 0' \
		"$1 amid hits: no execution of an ended thread stays open"
}

ended_amid_hits exit-group 7
ended_amid_hits kill 137
ended_amid_hits exec 8

times work -- "$PROGRAMS/threadend" leader truth.leader 64 6400
is "$status" 7 'the first thread ends first: the program ends with status 7'
is "$(json 'entry("work")["count"], exit("work")["count"]')" '6400 6400' \
	'the first thread ends first: the other 64 threads are measured'
is "$(word 1 truth.leader)" 6400 'the first thread ends first: the program itself counts 6400 calls'
is "$(json 'kept()')" True 'the first thread ends first: the counts of legs and nodes agree'

# each thread needs memory for its hits, which is mapped by threads that still
# exist
for mechanism in $(sampled 1 int3 fast auto); do
	rm -f truth
	MECHANISM=$mechanism times work -- "$PROGRAMS/threadend" heirs truth \
		64 6400
	is "$status" 7 "$mechanism: threads begin after the first has ended, status 7"
	is "$(json 'entry("work")["count"], exit("work")["count"]') $err" \
		'6400 6400 ' "$mechanism: threads that begin after the first has ended are measured"
done
done_testing

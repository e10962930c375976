#!/usr/bin/env bash
# Int3s on a CPU that other programs want, too. A thread that stops at an int3
# then waits long for the CPU: so does the tool before it sees the stop, and the
# thread when the tool has let it go on. No leg and no call has that time. But a
# leg has the time for which the program itself had to give up its CPU.
# tier: quiet
# covers: measure/threads probe/arrival probe/rings
. "$(dirname "$0")/../lib.sh"
cpu=$PROGRAMS/cpu

# Everything is on one CPU: the first one that this shell may use.
first=$(taskset -pc $$ | sed 's/.*: *\([0-9]*\).*/\1/')
if ! taskset -pc "$first" $$ >/dev/null; then
	pass 'a busy CPU # SKIP this shell may not choose its CPU'
	done_testing
fi

# Without the kernel's log of context switches nobody knows of such waits.
batch 'time work' -- "$cpu" compute 2
if [ "$(json 'time("work")["cpu_count"]')" != 2 ]; then
	pass 'a busy CPU # SKIP the kernel does not tell of context switches'
	done_testing
fi

others=()
for _ in 1 2; do
	start "$cpu" compute 100000
	others+=("$started")
done

# truth WORD: prints what the program has printed behind WORD
truth() {
	sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" <<<"$out"
}

# away TOTAL: how far TOTAL, in ns, is from the time that has passed by the
# program's own clock in work(), in us
away() {
	local away=$(($1 / 1000 - $(truth passed)))

	echo "${away#-}"
}

# is_close NAME WITH WITHOUT: with the log of switches, the time is wrong by a
# small part of what work() computes, or by a small part of what it is wrong by
# without the log
is_close() {
	diag <<<"$1: wrong by $2 us, without the log by $3 us, of $(truth cpu) us"
	ok "$1: the time is the program's own" \
		[ $(($2 * 5)) -lt "$(truth cpu)" -o $(($2 * 4)) -lt "$3" ]
}

MECHANISM=int3
CALLS=3000 SPINS=100000
batch 'set cpu-time off' 'time work' -- "$cpu" compute $CALLS 1 $SPINS
without=$(away "$(json 'time("work")["total_ns"]')")
batch 'time work' -- "$cpu" compute $CALLS 1 $SPINS
is "$(json 'time("work")["count"], time("work")["cpu_count"]')" \
	"$CALLS $CALLS" 'a leg: the time on the CPU of every execution is known'
is_close 'a leg' "$(away "$(json 'time("work")["total_ns"]')")" "$without"
# The waiting is the difference of the leg's time and its time on a CPU. If the
# program did not have to wait, the errors of these two are what is left.
ok 'a leg: what the program waits for its CPU by itself stays in it' \
	[ "$(json 'time("work")["waiting_ns"] * 20 >=
		-time("work")["cpu_ns"]')" = True ]

# called: prints the time of work() in the table of functions
called() {
	/usr/bin/python3 -c 'import json
print(sum(f["self_ns"] for f in json.load(open("f.json"))["functions"]
          if f["function"] == "work"))'
}
for counting in auto ring; do
	profile=("set counting $counting" 'profile functions work' run
		'save functions f.json')
	batch 'set cpu-time off' "${profile[@]}" -- \
		"$cpu" compute $CALLS 1 $SPINS
	without=$(away "$(called)")
	batch "${profile[@]}" -- "$cpu" compute $CALLS 1 $SPINS
	is_close "calls, counting $counting" "$(away "$(called)")" "$without"
done

# ---- threads that do not tell when they go on --------------------------------

# If the processor's counter may not be read, no thread records anything, and
# the kernel's log alone tells when a thread goes on. (Only a static program that
# reads no clock runs without the counter: see clock.t.) All executions take as
# long as their median, but for those in which the kernel took the CPU away from
# the program: no more than it has had involuntary context switches. After an
# int3, the thread waits for the CPU of its own accord.
cat >forbid.c <<'END'
#include <stdlib.h>
#include <sys/prctl.h>

__attribute__((constructor)) static void forbid(void)
{
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		abort();
}
END
cat >steady.c <<'END'
#include <stdio.h>
#include <sys/resource.h>

__attribute__((noinline)) void work(void)
{
	for (volatile int i = 0; i < 100000; i++)
		;
}

int main(void)
{
	struct rusage usage;

	for (int i = 0; i < 3000; i++)
		work();
	getrusage(RUSAGE_SELF, &usage);
	printf("preempted %ld\n", usage.ru_nivcsw);
	return 0;
}
END
gcc -shared -fPIC -o forbid.so forbid.c
gcc -O1 -static -falign-functions=64 -o steady steady.c
# steady COMMAND...: prints how many executions took more than five times the
# median, and how often the program was preempted
steady() {
	local options=()

	for command; do
		options+=(-e "$command")
	done
	rm -f t.json
	try env LD_PRELOAD="$PWD/forbid.so" ASAN_OPTIONS=verify_asan_link_order=0 \
		perftool -q -n -b -f json -o t.json "${options[@]}" \
		-e 'time work' -- ./steady
	json "sum(count for low, _, count in time('work')['buckets']
		if low > 5 * time('work')['p50_ns']), $(truth preempted)"
}
read -r long preempted < <(steady 'set cpu-time off')
diag <<<"without the log: $long executions are long, $preempted preemptions"
read -r long preempted < <(steady)
diag <<<"without records: $long executions are long, $preempted preemptions"
# (What a hypervisor takes is no preemption: a hundredth of the executions.)
ok 'without records: no execution has the wait for the CPU after its int3s' \
	[ "$long" -le $((preempted + 30)) ]

kill "${others[@]}"
done_testing

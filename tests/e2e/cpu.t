#!/usr/bin/env bash
# Time on the CPU and waiting time of a program that knows both. If these times
# are not known, the tool says why.
# tier: core full
# covers: measure/threads probe/rings target
# shellcheck disable=SC1010,SC2016 # `done' is an answer, `$0' another shell's
. "$(dirname "$0")/../lib.sh"
cpu=$PROGRAMS/cpu

# truth WORD: prints the sum, in microseconds, of the values that the program
# has printed after WORD
truth() {
	sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" <<<"$out" |
		awk '{ sum += $1 } END { print sum }'
}

# slack: prints by how much a time on the CPU may differ from the program's: by
# 2 %, and by 15 us for each time that the thread was taken off its CPU. The
# kernel counts the work of a switch as time of the thread that comes next, but
# reports the switch later, and it counts the way from a wake-up to the CPU as
# time on the CPU. (A comparison of `perf record --switch-events' with
# /proc/thread-self/schedstat on a busy machine gave 12 us.)
slack() {
	echo $(($(truth cpu) / 50 + 15 * $(truth switches) + 10000))
}

# knows NAME: the leg of work() agrees with the program. Where this machine is
# virtual and had no CPU for a while, the thread was not taken off its CPU, but
# the kernel does not count that as time on the CPU. So the time is at least what
# the kernel counts, and at most the time in which the thread neither slept nor
# waited for a CPU.
knows() {
	local slack got
	slack=$(slack)

	is "$(json 'time("work")["count"], time("work")["cpu_count"],
		time("work")["cpu_problem"]')" \
		"$(truth calls) $(truth calls) None" "$1: the time on the CPU of every execution is known"
	is "$(json 'time("work")["cpu_ns"] + time("work")["waiting_ns"]
		== time("work")["total_ns"]')" True "$1: time on the CPU and waiting time add up to the total"
	got=$(json 'time("work")["cpu_ns"] // 1000')
	if [ "$got" -ge $(($(truth cpu) - slack)) ] &&
		[ "$got" -le $(($(truth passed) - $(truth off) + slack)) ]; then
		pass "$1: the time on the CPU agrees with the program's"
	else
		fail "$1: the time on the CPU agrees with the program's" \
			"got $got, give or take $slack, of $out"
	fi
	# The program's clock also counts the time for which the tool holds its
	# threads. A leg does not: the summary has it as overhead.
	ok "$1: the total is the time that has passed, but for what the tool took" \
		[ "$(json '(time("work")["total_ns"] +
			t["summary"]["added_overhead_ns"]) // 1000')" -ge \
		"$(($(truth passed) * 98 / 100))" ]
}

# PERCENT NAME: waiting time, as a part of the time on the CPU
waits_at_least() {
	ok "$2" [ "$(json 'time("work")["waiting_ns"] * 100
		// time("work")["cpu_ns"]')" -ge "$1" ]
}

for MECHANISM in $(sampled 1 int3 fast); do
	times work -- "$cpu" compute
	knows "$MECHANISM, computing"
	times work -- "$cpu" rest
	knows "$MECHANISM, resting"
	ok "$MECHANISM, resting: rest is waiting time" \
		[ "$(json 'time("work")["waiting_ns"]')" -ge 100000000 ]
	times work -- "$cpu" rest 10 4
	knows "$MECHANISM, four threads"
	# each call is much longer than the time that the kernel gives a
	# thread before another one has its turn
	times work -- "$cpu" share 8 2 160000000
	knows "$MECHANISM, two threads on one CPU"
	waits_at_least 30 "$MECHANISM, two threads on one CPU: each waits for the other"
	times work -- "$cpu" fork 10 2
	knows "$MECHANISM, a child of a fork"
	times work -- "$cpu" exec 10
	knows "$MECHANISM, another program"
	times work brief -- "$PROGRAMS/threads" 4 2000
	is "$(json 'time("work")["cpu_count"], time("brief")["cpu_count"]')" \
		"$(own work) $(own brief)" "$MECHANISM: short executions in short threads have their time on the CPU"
	# more hits than a ring holds
	times work -- "$PROGRAMS/threads" 2 50000
	is "$(json 'time("work")["cpu_count"]')" "$(own work)" \
		"$MECHANISM: more hits than a ring holds have their time on the CPU"
	batch 'set compensation off' 'time work' -- "$cpu" rest 5
	is "$(json 'time("work")["cpu_count"],
		time("work")["cpu_ns"] + time("work")["waiting_ns"]
		== time("work")["total_ns"]')" '5 True' \
		"$MECHANISM, compensation off: the two times add up to the total"
	is "$(json 'time("work")["cpu_ns"] // 1000 >= '"$(truth cpu) - $(slack)")" \
		True "$MECHANISM, compensation off: the time on the CPU includes the cost"
done

# ---- what is printed --------------------------------------------------------

unset MECHANISM
try perftool -q -n -e 'time work' -e run -e 'print slowest 1' \
	-e 'print legs' -- "$cpu" rest 3
like "$out" 'Max +On CPU +Waiting' 'print legs has the columns On CPU and Waiting'
like "$out" 'Name +Time +On CPU +Start' 'print slowest has the column On CPU'
unlike "$out" 'not known' 'known times on the CPU are not called unknown'
try perftool -q -n -e 'trace t.csv' -t work -o /dev/null -- "$cpu" rest 3
is "$(head -n 1 t.csv)" \
	leg,name,pid,tid,start_ns,duration_ns,key,value,by,cpu_ns,interrupted 'a trace has its heading'
is "$(tail -n +2 t.csv | grep -c ',[0-9][0-9]*,false$')" 3 \
	'a trace has the time on the CPU of each execution'

# ---- time on the CPU that is not known --------------------------------------

batch 'set cpu-time off' 'time work' -- "$cpu" rest 3
is "$(json 'time("work")["cpu_count"], time("work")["cpu_ns"],
	time("work")["cpu_mean_ns"], time("work")["waiting_ns"],
	time("work")["waiting_mean_ns"], time("work")["cpu_problem"]')" \
	'0 None None None None set cpu-time is off' 'cpu-time off: no time on the CPU is known, and JSON has the reason'
try perftool -q -n -b -e 'set cpu-time off' -t work -- "$cpu" rest 3
like "$err" 'On CPU, Waiting: not known: set cpu-time is off' \
	'cpu-time off: the table has the reason'
try perftool -n -e 'set cpu-time off' -e 'show cpu-time'
is "$out" 'cpu-time      off' 'cpu-time off: show cpu-time says off'

# a tool in a container; the filter of the container also applies to the program
try "$PROGRAMS/seccomp" unheard perftool -q -n -f json -o t.json -t work \
	-- "$cpu" rest 3
is "$status $(json 'time("work")["count"], time("work")["cpu_count"],
	time("work")["cpu_problem"]')" \
	'0 3 0 the kernel, or a filter of the container, forbids perf_event_open(2)' 'perf_event_open forbidden: the leg counts and names the reason'

batch 'break entry submit if 1' 'break exit finish if 1' \
	'add leg 1 2 key=request' -- "$SAMPLES/queue"
is "$(json 'leg(0)["count"], leg(0)["cpu_count"], leg(0)["cpu_problem"]')" \
	'400 0 executions end in another thread than they began in' \
	'a leg from one thread to another: JSON says why the time is not known'

# (the tier core ends here)
in_full || done_testing

# ---- breakpoints that come and go, on a busy machine -----------------------

# When the tool lets a thread go on, the thread must wait for a CPU, gets one,
# and may lose it before it executes the program again. This also happens during
# calibration.
others=()
for _ in 1 2 3; do
	start "$cpu" compute 100000
	others+=("$started")
done
comes_and_goes() {
	local n

	echo "set mechanism $MECHANISM"
	echo 'trace t.csv'
	for n in {1..23..2}; do
		echo 'break entry part if 1'
		echo 'break exit part if 1'
		echo "add leg $n $((n + 1)) match=nested"
		echo 'monitor on'
		echo 'continue for 60ms'
		echo 'print tables'
		echo "disable $n"
		echo 'continue for 10ms'
		echo "enable $n"
		echo 'continue for 30ms'
		echo "delete break $n"
		echo "delete break $((n + 1))"
	done
}
for MECHANISM in int3 fast; do
	start "$cpu" parts
	comes_and_goes >commands
	rm -f t.csv
	try perftool -q -n -x commands -p "$started"
	is "$status" 0 "$MECHANISM, a busy machine: status 0"
	kill "$started"
	# the tool subtracts at most the cost of a whole break from an
	# execution, and on a busy machine this cost is large; it knows the
	# costs of jumps to some ns, and the difference of the two clocks to
	# some tens of ns
	echo "$out" >tables
	is "$(/usr/bin/python3 - "$MECHANISM" <<-'END'
		import csv, re, sys
		units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
		costs = re.findall(r"Cost per Perf Break = ([0-9.]+)([a-z]+), "
		                   r"spread ([0-9.]+)([a-z]+)", open("tables").read())
		costs = [float(a) * units[b] + float(c) * units[d]
		         for a, b, c, d in costs]
		least = -max(costs) if sys.argv[1] == "int3" else -100
		rows = list(csv.DictReader(open("t.csv")))
		known = [int(r["cpu_ns"]) for r in rows if r["cpu_ns"]]
		print(len(rows) > 100, len(known) > len(rows) * 0.9,
		      [x for x in known if not least <= x <= 10**8][:3])
	END
	)" 'True True []' "$MECHANISM, a busy machine: no time on the CPU is impossible"
done
kill "${others[@]}"

# ---- users other than root --------------------------------------------------

# The kernel reports switches of all programs of the same user, unless it is
# configured not to. The memory that a user may lock limits the number of
# threads. All processes of a user share it, so this user runs nothing else.
nobody=()
[ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=$((100000 + $$)) --regid=65534
	--clear-groups)
chmod 755 "$SCRATCH"
mkdir open && chmod 777 open
cp "$cpu" "$BUILD/perftool" "$PROGRAMS/threads" open
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 3)
try "${nobody[@]}" open/perftool -q -n -f json -o open/t.json -t work \
	-- open/cpu rest 3
if [ "$paranoid" -le 2 ]; then
	is "$(json 'time("work")["cpu_count"]' open/t.json)" 3 'a user other than root: the times on the CPU are known'
else
	like "$(json 'time("work")["cpu_problem"]' open/t.json)" \
		'perf_event_paranoid' 'a user other than root: the reason for unknown times is given'
fi
# more threads than files
try bash -c 'ulimit -n 40; exec perftool -q -n -f json -o t.json \
	-e "set mechanism fast" -t work -- "$0" rest 1 200 1000000' "$cpu"
is "$(json 'time("work")["count"], time("work")["cpu_count"]')" '200 200' \
	'200 threads with 40 files: all times on the CPU are known'
try "${nobody[@]}" bash -c 'ulimit -l 0; exec "$@"' - open/perftool -q -n \
	-f json -o open/t.json -e 'set mechanism fast' -t work \
	-- open/cpu rest 1 700 1000000
is "$(json 'time("work")["count"]' open/t.json)" 700 \
	'700 threads of a user: all executions are counted'
if [ "$paranoid" -le 2 ]; then
	like "$(json 'time("work")["cpu_problem"]' open/t.json)" \
		'perftool may lock no more memory' \
		'700 threads of a user: the report says that memory is short'
	ok '700 threads of a user: some times on the CPU are known' \
		[ "$(json 'time("work")["cpu_count"]' open/t.json)" -gt 10 ]
fi

# ---- records that are lost --------------------------------------------------

# the tool stands still and cannot read the reports of the kernel
rm -f t.json
serve perftool -q -n -f json -o t.json -e 'set mechanism fast' -t nap \
	-- "$cpu" asked
says 10 done 'the program takes ten naps'
kill -STOP "$server"
# each nap makes two switches, and a log has room for 4,096 switches
says 6000 done 'the program takes many naps while the tool stands still'
kill -CONT "$server"
# it is not known when exactly the tool reads again
for _ in {1..300}; do
	ask 1
done
exec 3>&-
wait_for 20 test -s t.json
is "$(json 'time("nap")["count"], time("nap")["cpu_ns"],
	time("nap")["cpu_problem"]')" \
	'302 None perftool missed some context switches' \
	'lost switches: the sum of the times on the CPU is not known'
unknown=$(json 'time("nap")["count"] - time("nap")["cpu_count"]')
ok "lost switches: the times of all but $unknown executions are known" [ "$unknown" -ge 1 -a "$unknown" -le 200 ]
ok 'lost switches: the known executions mostly wait' [ "$(json 'time("nap")["waiting_mean_ns"]
	> time("nap")["cpu_mean_ns"] > 0')" = True ]
wait "$server"

# ---- a program that runs already --------------------------------------------

serve "$cpu" asked
start perftool -q -n -b -f json -o t.json -t nap -p "$server" 2>err
tool=$started
low=$(sed -n '1s/-.*//p' "/proc/$server/maps")
wait_for 20 has_patch "$server" $((16#$low + $(address_of nap "$cpu")))
says 200 done 'attached: the program naps'
says 200 done 'attached: the program naps a second time'
end_tool INT
is "$(json 'time("nap")["count"], time("nap")["cpu_count"]')" '2 2' \
	'attached: the times on the CPU are known'
ok 'attached: the naps wait more than they compute' \
	[ "$(json 'time("nap")["waiting_ns"] > time("nap")["cpu_ns"]')" = True ]
end_server

done_testing

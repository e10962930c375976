#!/usr/bin/env bash
# Times are compared with the clock of the measured program, on one machine and
# in one run. The limits leave room for other work of the machine.
# tier: quiet
# covers: measure probe/calibrate probe/arrival probe/rings target/memory
. "$(dirname "$0")/../lib.sh"

# The time of a call is compared with the time that the program makes it last,
# in ns. Most calls take 1,260 ticks of 256 ns, so that this is the median,
# whatever else the machine does. The total is the program's own sum, in us,
# plus the time for which a thread waits for a processor after a break. This
# wait is nothing on a quiet machine and most of the time on a busy one, so that
# the total has no upper limit.
try perftool -q -n -f json -o t.json -t AllocVM "$SAMPLES/swapper"
own_us=$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\) ms$/\1\2/p' <<<"$out")
leg_us=$(json 'int(time("AllocVM")["total_ns"] / 1000)')
near "$(json 'time("AllocVM")["p50_ns"]')" 322560 $((322560 / 20 + 2000)) \
	'swapper: the time of a call is the program'\''s own'
ok 'swapper: the total of the leg has all of the program'\''s own' \
	[ "$leg_us" -ge $((own_us - own_us / 20 - 700 * 2)) ]
is "$(json 'time("AllocVM")["min_ns"] <= time("AllocVM")["p50_ns"]
	<= time("AllocVM")["p90_ns"] <= time("AllocVM")["p99_ns"]
	<= time("AllocVM")["p999_ns"] <= time("AllocVM")["max_ns"] * 1.01')" True \
	'percentiles are in order'

# The two humps: quick calls and slow calls, as many as in the program.
try perftool -q -n -b -f json -o t.json -e 'break entry AllocVM' \
	-e 'break exit AllocVM' -e 'add leg 1 2' \
	-e 'add histogram leg 0 log buckets=12 scale=8' "$SAMPLES/swapper"
quick=$(json 'sum(b["count"] for b in t["histograms"][0]["buckets"][:9])')
slow=$(json 'sum(b["count"] for b in t["histograms"][0]["buckets"][9:])
	+ t["histograms"][0]["overflow"]')
near "$quick" 134 14 'swapper: the histogram has the quick calls'
near "$slow" 563 14 'swapper: the histogram has the slow calls'
is $((quick + slow)) 697 'swapper: the histogram has all 697 calls'

# Recursion, with only the outermost calls: the total is the program's own.
try perftool -q -n -b -f json -o t.json -e 'break entry fib' \
	-e 'break exit fib' -e 'add leg 1 2 match=outermost' "$SAMPLES/recursion"
is "$(json 'leg(0)["count"]')" 20 'recursion: only the 20 outermost calls are in the leg'
# the overhead inside the calls is subtracted: the total is far less than the
# time with all stops
ok 'recursion: the total of the leg is less than the elapsed time' \
	[ "$(json 'leg(0)["total_ns"] <= t["summary"]["elapsed_ns"]')" = True ]

# The way of a request from one thread to another.
try perftool -q -n -b -f json -o t.json -e 'break entry submit' \
	-e 'break entry finish' -e 'add leg 1 2 key=request' "$SAMPLES/queue"
own_us=$(sed -n 's/.*, \([0-9]*\)\.\([0-9]*\) ms in all.*/\1\2/p' <<<"$out")
leg_us=$(json 'int(leg(0)["total_ns"] / 1000)')
near "$leg_us" "$own_us" $((own_us / 5 + 400 * 100)) \
	'queue: the total of the leg is near the program'\''s own'

# The figures of the header add up.
is "$(json 'abs(t["summary"]["elapsed_ns"] - t["summary"]["overhead_ns"]
	- t["summary"]["elapsed_less_overhead_ns"]) < 2')" True \
	'elapsed time less overhead is elapsed time minus overhead'
is "$(json 't["summary"]["breaks"] == node(1)["count"] + node(2)["count"]')" \
	True 'every hit is a break handled'

# Where the kernel needs milliseconds to describe the mappings of a program, the
# tool does not look at all of them for each thread that follows pointers.
took=()
for MECHANISM in int3 fast; do
	times 'spoken by=text' -- "$PROGRAMS/pointers" wide 10
	is "$(json 'time("spoken")["count"]')" 12000 \
		"pointers into thousands of mappings, $MECHANISM: all calls count"
	took[${#took[@]}]=$(own took)
done
ok 'pointers into thousands of mappings: threads do not wait much longer than at int3s' \
	[ "${took[1]}" -lt $((3 * took[0] + 500)) ]
done_testing

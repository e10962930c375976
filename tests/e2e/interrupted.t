#!/usr/bin/env bash
# Executions during which the program was stopped: in which figures they count,
# and how each form of output marks them.
# tier: core
# covers: measure report
# again: int3
. "$(dirname "$0")/../lib.sh"

# The program stops at a breakpoint in the middle of two of ten naps, twice in
# each.
for mechanism in int3 auto; do
	cat >stops <<-EOF
		set mechanism $mechanism
		break here
		break there_too
		time nap
		set format json
		run
		continue
		continue
		continue
		continue
		print tables > t.json
		set format text
		print legs -v > legs.txt
		print slowest > slowest.txt
		set format csv
		print legs > legs.csv
	EOF
	try perftool -n -x stops "$PROGRAMS/naps" 10 5
	is "$(json 'leg(0)["count"], leg(0)["interrupted"], leg(0)["total_ns"] >= 8 * 5e6')" \
		'10 2 True' "$mechanism: ten naps, two of them interrupted"
	is "$(json 'leg(0)["min_ns"] >= 5e6, abs(leg(0)["mean_ns"] * 10 -
		leg(0)["total_ns"]) < 10')" 'True True' \
		"$mechanism: no nap is too short, and the mean is the total by the count"
	is "$(json 'sum(b["count"] for h in t["histograms"] for b in h["buckets"])')" \
		8 "$mechanism: the histogram has the naps that were not interrupted"
	like "$(<legs.txt)" ' 10~ .*Interrupted by a stop of the program: 2 exec' \
		"$mechanism: the leg table marks the leg and says why"
	is "$(grep -c 's~ ' slowest.txt)" 2 \
		"$mechanism: print slowest marks the interrupted naps"
	is "$(/usr/bin/python3 -c 'import csv
for row in csv.DictReader(open("legs.csv")): print(row["interrupted"])')" 2 \
		"$mechanism: CSV has the number of interrupted naps"
done

# A split, and a trace. If all executions of a row were interrupted, the row has
# no minimum.
try perftool -n -e 'break here' -e 'time nap by=number' \
	-e 'trace t.csv' -e run -e continue -e continue -e 'trace off' \
	-e 'set format json' -e 'print tables > t.json' "$PROGRAMS/naps" 9 1
is "$(json '[(r["value"], r["interrupted"], r["min_ns"] is None, r["p50_ns"] is None)
	for r in sorted(leg(0)["by"]["values"], key=lambda r: str(r["value"])) if r["value"] in (3, 4, 8)]')" \
	'(3, 1, True, True) (4, 0, False, False) (8, 1, True, True)' \
	'the rows of a split have the numbers of interrupted naps'
is "$(sed 1d t.csv | cut -d, -f11 | sort | uniq -c | xargs)" \
	'7 false 2 true' 'the rows of a trace say which naps were interrupted'

# The end of "continue for", and time that passes while the program is stopped:
# a nap ends during the stop, although the program ran for less than a nap. How many
# naps a stop interrupts depends on how long it takes until all threads stand still.
try perftool -n -e 'break main' -e 'time nap' -e run -e 'continue for 70ms' \
	-e 'shell sleep 0.05' -e 'continue for 70ms' -e 'shell sleep 0.05' \
	-e 'continue for 70ms' -e 'shell sleep 0.05' -e continue \
	-e 'set format json' -e 'print tables > t.json' "$PROGRAMS/naps" 8 50
is "$(json 'leg(0)["count"], leg(0)["interrupted"] >= 1,
	(leg(0)["min_ns"] or 50e6) >= 50e6, (leg(0)["p50_ns"] or 50e6) >= 50e6 * 0.99')" \
	'8 True True True' 'continue for: no nap is measured shorter than it was'
done_testing

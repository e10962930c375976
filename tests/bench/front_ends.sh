# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what front ends of `perftool serve` cost the program, and
# how many operations a server carries out.
#
# The program calls a function, which is timed, all the time. Its time with ten
# front ends, each of which gets a report every 100 ms, is compared with its time
# under a server without reports. The runs take turns, and each pair has a figure
# of its own.

front_ends_pairs=3 # in each round
front_ends_calls=300000

front_ends_run() { # FRONT_ENDS: sets $said
	PYTHONPATH=tests timeout 120 /usr/bin/python3 tests/bench/front_ends.py reports "$tool" \
		"$1" "$bench/steady" $front_ends_calls 2>"$scratch/messages" \
		>"$scratch/front-ends" || die "front ends: $(complaint)"
	record "front-ends-$1" "$(sed -n 's/^ns //p' "$scratch/front-ends")"
}

measure_front_ends() {
	local pair

	for ((pair = 0; pair < front_ends_pairs; pair++)); do
		front_ends_run 0
		front_ends_run 10
		record front-ends-reports \
			"$(sed -n 's/^reports //p' "$scratch/front-ends")"
	done
	record front-ends-pings "$(PYTHONPATH=tests timeout 120 /usr/bin/python3 \
		tests/bench/front_ends.py pings "$tool" 5000 "$bench/steady" \
		10000000 2>"$scratch/messages" | sed -n 's/^pings //p')"
}

show_front_ends() {
	echo "Front ends (medians of $rounds rounds of $front_ends_pairs pairs," \
		"with the interval of 95 %)"
	derive front-ends-cost "100 * (a / b - 1)" front-ends-10 front-ends-0
	row "  10 with reports every 100 ms" \
		"$(calc "$(median front-ends-cost)")" % \
		"($(median_interval front-ends-cost)) $(verdict \
			"$(median front-ends-cost)" '<=' 1)"
	show front-ends-reports "" "    reports in a run"
	show front-ends-pings /s "  operations, one after the other"
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what `set detail auto` costs the program, and how soon a
# function has counts when its phase begins.
#
# The program (phases.c) has three phases with functions of their own, of which
# each call takes some 20 us. Its time with detail is compared with its time in a
# run without, under the tool, too; the runs take turns, and each pair has a
# figure of its own. The time on a CPU does not have the stops in it.

detail_pairs=2 # in each round
detail_calls=100000 # in each phase of a long run; a short one has a quarter

detail_run() { # off|auto CALLS NAME
	timeout 120 "$tool" -q -b -n -e "set detail $1" -o "$scratch/detail.txt" \
		"$bench/phases" 3 "$2" >"$scratch/detail" \
		2>"$scratch/messages" || die "detail: $(complaint)"
	record "$3-$1" "$(sed -n 's/^ns //p' "$scratch/detail")"
	record "$3-cpu-$1" "$(sed -n 's/^cpu //p' "$scratch/detail")"
}

measure_detail() {
	local pair milliseconds

	for ((pair = 0; pair < detail_pairs; pair++)); do
		detail_run off $detail_calls detail
		detail_run auto $detail_calls detail
		detail_run off $((detail_calls / 4)) detail-short
		detail_run auto $((detail_calls / 4)) detail-short
	done
	PYTHONPATH=tests timeout 120 /usr/bin/python3 tests/bench/detail.py "$tool" 6 \
		$detail_calls "$bench/phases" >"$scratch/detail" \
		2>"$scratch/messages" || die "detail: $(complaint)"
	while read -r milliseconds; do
		record detail-counted "$milliseconds"
	done < <(sed -n 's/^counted .* //p' "$scratch/detail")
	record detail-said "$(sed -n 's/^cost //p' "$scratch/detail")"
}

show_detail_cost() { # TEXT NAME
	derive "$2-cost" "100 * (a / b - 1)" "$2-auto" "$2-off"
	row "$1" "$(calc "$(median "$2-cost")")" % "($(median_interval \
		"$2-cost")) $(verdict "$(median "$2-cost")" '<=' 3)"
}

show_detail() {
	echo "Adaptive detail (medians of $rounds rounds of $detail_pairs pairs," \
		"with the interval of 95 %)"
	show_detail_cost "  cost by the clock" detail
	show_detail_cost "  cost in time on a CPU" detail-cpu
	show_detail_cost "  of short runs, by the clock" detail-short
	show_detail_cost "  of short runs, on a CPU" detail-short-cpu
	show detail-said % "  cost that it says itself"
	show detail-counted ms "  from the begin of a phase to counts"
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what `set detail auto` costs the program, and how soon a
# function has counts when its phase begins.
#
# The program (phases.c) has three phases with functions of their own, of which
# each call takes some 20 us. Its time with detail is compared with its time in a
# run without, under the tool, too; the runs take turns, and each pair has a
# figure of its own. The time on a CPU does not have the stops in it.

detail_pairs=3 # in each round
detail_calls=100000

detail_run() { # off|auto
	timeout 120 "$tool" -q -b -n -e "set detail $1" -o "$scratch/detail.txt" \
		"$bench/phases" 3 $detail_calls >"$scratch/detail" \
		2>"$scratch/messages" || die "detail: $(complaint)"
	record "detail-$1" "$(sed -n 's/^ns //p' "$scratch/detail")"
	record "detail-cpu-$1" "$(sed -n 's/^cpu //p' "$scratch/detail")"
}

measure_detail() {
	local pair milliseconds

	for ((pair = 0; pair < detail_pairs; pair++)); do
		detail_run off
		detail_run auto
	done
	PYTHONPATH=tests timeout 120 /usr/bin/python3 tests/bench/detail.py "$tool" 6 \
		$detail_calls "$bench/phases" >"$scratch/detail" \
		2>"$scratch/messages" || die "detail: $(complaint)"
	while read -r milliseconds; do
		record detail-counted "$milliseconds"
	done < <(sed -n 's/^counted .* //p' "$scratch/detail")
	record detail-said "$(sed -n 's/^cost //p' "$scratch/detail")"
}

show_detail() {
	echo "Adaptive detail (medians of $rounds rounds of $detail_pairs pairs," \
		"with the interval of 95 %)"
	derive detail-cost "100 * (a / b - 1)" detail-auto detail-off
	derive detail-cpu-cost "100 * (a / b - 1)" detail-cpu-auto detail-cpu-off
	row "  cost by the clock" "$(calc "$(median detail-cost)")" % \
		"($(median_interval detail-cost)) $(verdict \
			"$(median detail-cost)" '<=' 3)"
	row "  cost in time on a CPU" "$(calc "$(median detail-cpu-cost)")" % \
		"($(median_interval detail-cpu-cost)) $(verdict \
			"$(median detail-cpu-cost)" '<=' 3)"
	show detail-said % "  cost that it says itself"
	show detail-counted ms "  from the begin of a phase to counts"
}

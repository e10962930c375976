# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: how often `perftool compare` calls two equal builds
# different, and how often it finds 3 % more work, in 100 trials of 10 runs each.

compare_trials=100 # of all rounds together

measure_compare() {
	local trials=$(((compare_trials + rounds - 1) / rounds)) name equal slower \
		percent width

	/usr/bin/python3 tests/bench/compare.py "$tool" "$bench/builds" \
		"$trials" "$scratch" >"$scratch/compare" \
		2>"$scratch/messages" || die "compare: $(complaint)"
	while read -r name equal slower percent width; do
		case $equal in
		slower | faster) record "compare-$name-alarm" 1 ;;
		*) record "compare-$name-alarm" 0 ;;
		esac
		case $slower in
		slower) record "compare-$name-found" 1 ;;
		*) record "compare-$name-found" 0 ;;
		esac
		record "compare-$name-percent" "$percent"
		record "compare-$name-width" "$width"
	done <"$scratch/compare"
}

# compare_count NAME: how many trials had it, of 100
compare_count() {
	awk '{ n += $1 } END { printf "%.3g", 100 * n / NR }' "$figures/$1"
}

compare_row() { # NAME OPERATOR GOAL TEXT
	local count

	count=$(compare_count "$1")
	row "  $4" "$count" % "($(verdict "$count" "$2" "$3"))"
}

show_compare() {
	local name

	echo "Comparisons of known builds ($(wc -l <"$figures/compare-mean-alarm")" \
		"trials of 10 runs each)"
	for name in mean p50; do
		compare_row "compare-$name-alarm" '<=' 10 \
			"equal builds called different, by $name"
		compare_row "compare-$name-found" '>=' 95 \
			"3 % more work found, by $name"
	done
	row "  equal builds called different, by p99" \
		"$(compare_count compare-p99-alarm)" %
	row "  3 % more work found, by p99" "$(compare_count compare-p99-found)" %
	for name in mean p50; do
		show "compare-$name-percent" % "  difference found, by $name"
		show "compare-$name-width" % "  width of its interval"
	done
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what it takes to count a hit that a fast node has recorded.
# Whoever hits one all the time waits for it when his ring is full.

counting_hits=1000000
counting_order=(rdtsc fast break deep wide threads)

measure_counting() {
	local what

	for what in "${counting_order[@]}"; do
		record "counting-$what" \
			"$(ns_of "$bench/counting" "$what" $counting_hits)"
	done
}

counting_row() { # WHAT TEXT
	row "$2" "$(median "counting-$1")" ns "($(spread "counting-$1"))"
	row "" "$(calc "$(median "counting-$1") / $(median counting-rdtsc)")" x \
		"of it"
}

show_counting() {
	echo "To count a hit of a fast node (medians of $rounds rounds)"
	row "one reading of the counter" "$(median counting-rdtsc)" ns \
		"($(spread counting-rdtsc))"
	counting_row fast "a hit, with its leg and histogram"
	counting_row break "  told of as a hit and a break"
	counting_row deep "  in ten frames of a recursion"
	counting_row wide "  of 10,000 functions by turns"
	counting_row threads "  of eight threads by turns"
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what it costs a program to be sampled, and what it takes to
# unwind a stack.
#
# The cost of sampling is that of the quickest of equal chunks of a busy program
# that is 30 frames deep, beside the same program alone. It is CPU time of the
# program. 0.3 % are less than what the speed of a processor changes by within
# seconds, so a short run with samples and one without follow each other, many
# times, and each pair has a figure of its own.

sampling_chunks=20
sampling_pairs=4 # in each round
sampling_rates=(97 1000)

sampled_ns() { # RATE
	ns_of "$tool" -q -n -b -e "spy rate $1" -e 'spy on' -e run \
		"$bench/deep" $sampling_chunks
}

measure_sampling() {
	local rate pair

	for ((pair = 0; pair < sampling_pairs; pair++)); do
		for rate in "${sampling_rates[@]}"; do
			record "sampling-none-$rate" \
				"$(ns_of "$bench/deep" $sampling_chunks)"
			record "sampling-$rate" "$(sampled_ns "$rate")"
		done
	done
}

# The interval in which the median of what was measured lies, in 95 of 100 such
# measurements: from one of the sorted figures to another.
median_interval() { # NAME
	sort -g "$figures/$1" | awk '{ v[NR] = $1 }
		END { k = int((NR - 1.96 * sqrt(NR)) / 2)
		if (k < 1) k = 1
		printf "%.2f .. %.2f", v[k], v[NR + 1 - k] }'
}

sampling_row() { # RATE GOAL
	local cost=sampling-cost-$1

	derive "$cost" "100 * (a / b - 1)" "sampling-$1" "sampling-none-$1"
	have "$cost" || return 0
	row "  $1 ticks a second" "$(calc "$(median "$cost")")" % \
		"($(median_interval "$cost")) $(verdict "$(median "$cost")" \
			'<=' "$2")"
}

show_sampling() {
	echo "To be sampled, 30 frames deep (medians of" \
		"$((rounds * sampling_pairs)) pairs, with the interval of 95 %)"
	sampling_row 97 0.3
	sampling_row 1000 2
}

unwind_depth=24
unwind_rounds=5000

measure_unwind() {
	local ours theirs

	"$bench/unwind" $unwind_depth $unwind_rounds >"$scratch/unwind"
	ours=$(sed -n 's/^perftool \([^ ]*\) .*/\1/p' "$scratch/unwind")
	theirs=$(sed -n 's/^libunwind \([^ ]*\) .*/\1/p' "$scratch/unwind")
	record unwind-perftool "$ours"
	[ -z "$theirs" ] || record unwind-libunwind "$theirs"
}

show_unwind() {
	local frames

	frames=$(sed -n 's/^perftool [^ ]* //p' "$scratch/unwind")
	echo "To unwind a stack of $frames frames (medians of $rounds rounds)"
	show unwind-perftool us "perftool" \
		"$(verdict "$(median unwind-perftool)" '<=' 5)"
	show unwind-libunwind us "libunwind-ptrace"
}

# shellcheck shell=bash disable=SC2154
# Sourced by run.sh: what it costs a program to be sampled, and what it takes to
# unwind a stack.
#
# The cost of sampling is that of the quickest of equal chunks of a busy program
# that is 30 frames deep, beside the same program alone.

sampling_chunks=100
sampling_rates=(97 1000)

measure_sampling() {
	local rate

	record sampling-none "$(ns_of "$bench/deep" $sampling_chunks)"
	for rate in "${sampling_rates[@]}"; do
		record "sampling-$rate" "$(ns_of "$tool" -q -n -b \
			-e "spy rate $rate" -e 'spy on' -e run \
			"$bench/deep" $sampling_chunks)"
	done
}

# The quickest of all rounds: what disturbs one disturbs no other.
sampling_cost() { # RATE: in percent
	calc "100 * ($(sort -g "$figures/sampling-$1" | head -n 1) / \
		$(sort -g "$figures/sampling-none" | head -n 1) - 1)"
}

sampling_row() { # RATE GOAL
	local cost

	cost=$(sampling_cost "$1")
	row "  $1 ticks a second" "$cost" % \
		"$(verdict "$cost" '<=' "$2")"
}

show_sampling() {
	echo "To be sampled, 30 frames deep (the quickest of $rounds rounds)"
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

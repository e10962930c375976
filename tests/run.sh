#!/usr/bin/env bash
# Every test under prove: tests/run.sh BUILD
# Those of what counts, for a tool with another default: tests/run.sh BUILD --mechanism
# Some, one after the other: tests/run.sh BUILD TEST...
#
# Twice as many tests as there are processors run at a time, because most of them
# wait for much of their time. The test that compares times with the clock of
# the program runs alone, after all others.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: tests/run.sh BUILD [--mechanism | TEST...]}
shift
PERFTOOL_BUILD=$(cd "$build" && pwd) || exit 2
export PERFTOOL_BUILD CMOCKA_MESSAGE_OUTPUT=TAP
export UBSAN_OPTIONS=print_stacktrace=1

# A test that hangs is ended after this many seconds. It then fails, because it
# has printed no plan.
limit=600

only_mechanism=
if [ "${1:-}" = --mechanism ]; then
	only_mechanism=yes
elif [ $# -gt 0 ]; then
	exec prove --exec "tests/one.sh $limit" "$@"
fi

# This test needs a quiet machine.
alone=(tests/e2e/times.t)

# These take longest. They are the first, so that at the end no processor is idle
# while one of them still runs.
longest=()
for test in self_counts fast_moved gdb_classes hazards prompt cpu index_cache \
	profile_ticks profile_files profile_callgrind gdb_print spy \
	profile_functions fast_conditions frame_ends built crowd \
	self_counts_order detail formats distribution calls profile_forms busy \
	attach page serve_deaths serve_perils labs labs_where labs_caches \
	labs_recursion labs_anyone labs_threads labs_server labs_mappings \
	labs_compare save_stopped; do
	longest+=("tests/e2e/$test.t")
done

together=(tests/docs/memo.t tests/docs/blocks.t tests/torture/small.t
	"${longest[@]}" tests/layers.t tests/periphery.t)
for test in "$build"/tests/unit/test_*; do
	[ -x "$test" ] && [ "${test%.d}" = "$test" ] && together+=("$test")
done
for test in tests/e2e/*.t tests/docs/*.t tests/torture/*.t; do
	[[ " ${alone[*]} ${together[*]} " == *" $test "* ]] ||
		together+=("$test")
done

# What is counted must not depend on the mechanism: functions and how they are
# left, threads and processes, matching, conditions and splits, changes amid a
# run, signals, stops, and other programs than those of the tests. Tests that
# choose each mechanism themselves are not among them.
if [ "$only_mechanism" ]; then
	together=()
	for test in details frame_ends profile_functions goroutines storms \
		attach real redis built linking inlined follow prefork \
		by_process borrowers children threads flow unwinding thunks \
		tails_left stacks signals traps jobs waiting process_ends \
		interrupted insisting unloading replaced later places calls sync \
		marks conditions keys callers timed distribution legs inside \
		origins look watch language samples memo; do
		together+=("tests/e2e/$test.t")
	done
fi

# prove runs the tests that no rule names one by one, after all others.
rules=()
for test in "${together[@]}"; do
	rules+=(--rules "par=$test")
done
exec prove "-j$(($(nproc) * 2))" --timer "${rules[@]}" \
	--exec "tests/one.sh $limit" "${together[@]}" "${alone[@]}"

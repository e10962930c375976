#!/usr/bin/env bash
# Every test under prove: tests/run.sh BUILD
# Those that start whole programs, without the labs: tests/run.sh BUILD --programs
# Some, one after the other: tests/run.sh BUILD TEST...
#
# Twice as many tests as there are processors run at a time, because most of them
# wait for much of their time. The test that compares times with the clock of
# the program runs alone, after all others.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: tests/run.sh BUILD [--programs | TEST...]}
shift
PERFTOOL_BUILD=$(cd "$build" && pwd) || exit 2
export PERFTOOL_BUILD CMOCKA_MESSAGE_OUTPUT=TAP
export UBSAN_OPTIONS=print_stacktrace=1

# A test that hangs is ended after this many seconds. It then fails, because it
# has printed no plan.
limit=600

only_programs=
if [ "${1:-}" = --programs ]; then
	only_programs=yes
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

if [ "$only_programs" ]; then
	programs=()
	for test in "${together[@]}"; do
		case $test in
		tests/e2e/labs*) ;;
		tests/e2e/* | tests/torture/small.t) programs+=("$test") ;;
		esac
	done
	together=("${programs[@]}")
fi

# prove runs the tests that no rule names one by one, after all others.
rules=()
for test in "${together[@]}"; do
	rules+=(--rules "par=$test")
done
exec prove "-j$(($(nproc) * 2))" --timer "${rules[@]}" \
	--exec "tests/one.sh $limit" "${together[@]}" "${alone[@]}"

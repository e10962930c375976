#!/usr/bin/env bash
# Every test under prove: tests/run.sh BUILD [TEST...]
#
# Unit tests, tests of the documents and most end-to-end tests run two at a
# time. The end-to-end tests that look at times run one by one after them, as
# does the test of the prompt, which has a terminal.
set -u
cd "$(dirname "$0")/.." || exit 2
build=${1:?usage: tests/run.sh BUILD [TEST...]}
shift
PERFTOOL_BUILD=$(cd "$build" && pwd) || exit 2
export PERFTOOL_BUILD CMOCKA_MESSAGE_OUTPUT=TAP
export UBSAN_OPTIONS=print_stacktrace=1

# A test that hangs is ended after this many seconds. It then fails, because it
# has printed no plan.
limit=300
[ "$build" = build ] || limit=600

if [ $# -gt 0 ]; then
	exec prove --exec "tests/one.sh $limit" "$@"
fi

# These tests need a quiet machine, or look at how long something took.
alone=(tests/e2e/times.t tests/e2e/cpu.t tests/e2e/prompt.t)

together=(tests/layers.t tests/periphery.t)
for test in "$build"/tests/unit/test_*; do
	[ -x "$test" ] && [ "${test%.d}" = "$test" ] && together+=("$test")
done
for test in tests/e2e/*.t tests/docs/*.t tests/torture/*.t; do
	[[ " ${alone[*]} " == *" $test "* ]] || together+=("$test")
done

# prove runs the tests that no rule names one by one, after all others.
rules=()
for test in "${together[@]}"; do
	rules+=(--rules "par=$test")
done
exec prove -j2 --timer "${rules[@]}" \
	--exec "tests/one.sh $limit" "${together[@]}" "${alone[@]}"

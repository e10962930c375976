#!/bin/sh
# Run every fuzz target of DIRECTORY for FUZZ_SECONDS (10) each, starting from
# the seeds, and say how many inputs it tried. What breaks one is kept in
# tests/fuzz/crashes/, where a unit test replays it.
set -u
cd "$(dirname "$0")/../.." || exit 2
directory=${1:?usage: run.sh DIRECTORY}
seconds=${FUZZ_SECONDS:-10}
status=0

for target in "$directory"/fuzz_*; do
	[ -x "$target" ] || continue
	name=$(basename "$target")
	work=$(mktemp -d) || exit 2
	mkdir -p tests/fuzz/crashes "tests/fuzz/seeds/$name"
	if timeout $((seconds + 60)) "$target" -max_total_time="$seconds" \
		-timeout=10 -rss_limit_mb=2048 -max_len=65536 \
		-artifact_prefix="tests/fuzz/crashes/$name-" \
		-print_final_stats=1 "$work" "tests/fuzz/seeds/$name" \
		>"$work.log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"$work.log")
		echo "ok - $name: ${runs:-0} runs"
	else
		echo "not ok - $name:"
		grep -E 'ERROR|SUMMARY|Test unit|timeout' "$work.log" ||
			tail -5 "$work.log"
		status=1
	fi
	rm -rf "$work" "$work.log"
done
exit $status

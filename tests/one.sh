#!/usr/bin/env bash
# One test under prove: tests/one.sh SECONDS TEST
#
# A test meets the same world wherever it runs: default signal actions, an empty
# standard input, and a time limit. What it prints goes through a file, as a
# process that it forgot would hold a pipe open and keep prove waiting for ever.
# Such a process is a failure of the test, and ends here, before it can slow
# down all other tests. What failed is said on standard error, as prove shows
# only numbers.
set -u
limit=$1
test=$2
log=$(mktemp "${TMPDIR:-/tmp}/perftool-log.XXXXXX") || exit 2
trap 'rm -f "$log"' EXIT
trap 'exit 1' INT TERM HUP

export PERFTOOL_TEST_ID=$test.$$

# Processes that know whose test they are, but for this one.
left_behind() {
	local environ pid
	for environ in /proc/[0-9]*/environ; do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		[ "$pid" = $$ ] && continue
		grep -qsaFx -z "PERFTOOL_TEST_ID=$PERFTOOL_TEST_ID" "$environ" &&
			echo "$pid"
	done
}

env --default-signal timeout --kill-after=10 "$limit" "$test" \
	>"$log" </dev/null
status=$?

# (In a process substitution, bash has a copy of itself run the function.)
forgotten=$(left_behind)
for pid in $forgotten; do
	[ "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" ] || continue
	echo "$test left behind: $pid $(tr '\0' ' ' <"/proc/$pid/cmdline")" |
		tee -a "$log" >&2
	kill -KILL "$pid"
	status=1
done

cat "$log"
if [ $status -ne 0 ]; then
	echo "$test: status $status" >&2
	grep -A 20 '^not ok' "$log" | head -n 200 >&2
fi
exit $status

#!/usr/bin/env bash
# One test under prove: tests/one.sh SECONDS TEST
#
# TEST is a test; TEST@full, the same with all its cases, whatever $PERFTOOL_TIER is;
# TEST@int3, the same with the tool whose nodes are all int3s; or surroundings/NAME,
# which is the core of the tests in other surroundings.
#
# A test meets the same world wherever it runs: default signal actions, an empty
# standard input, and a time limit. What it prints goes through a file, as a
# process that it forgot would hold a pipe open and keep prove waiting for ever.
# Such a process is a failure of the test, and ends here, before it can slow
# down all other tests. What failed is said on standard error, as prove shows
# only numbers. If $PERFTOOL_TIMES is set, this file gets a line: the seconds and
# the CPU seconds that the test took, and its name; and one with "skip" for each part that
# was left out, and why.
set -u
limit=$1
test=$2
within=$PERFTOOL_BUILD/tests/programs/within
log=$(mktemp "${TMPDIR:-/tmp}/perftool-log.XXXXXX") || exit 2
trap 'rm -f "$log" "$log.times"' EXIT
trap 'exit 1' INT TERM HUP

command=("$test")
case $test in
*@int3)
	command=("${test%@int3}")
	# The same test without @int3 tries all cases with jumps; here a sample of
	# them is enough.
	export PERFTOOL_TIER=core
	export PERFTOOL_BUILD=$PERFTOOL_BUILD-INT3
	;;
*@full)
	command=("${test%@full}")
	export PERFTOOL_TIER=full
	;;
surroundings/*) command=(tests/surroundings/enter "${test#*/}") ;;
esac
export PERFTOOL_TEST_ID=$test.$$

# The processes whose environment says that they belong to this test. (This script
# had another environment when it was started.)
left_behind() {
	# The list is made before grep starts, so that grep is not in it.
	local environs=(/proc/[0-9]*/environ)

	grep -lsaFxz "PERFTOOL_TEST_ID=$PERFTOOL_TEST_ID" "${environs[@]}" |
		cut -d / -f 3
}

begin=$EPOCHREALTIME
env --default-signal "$within" "$limit" "${command[@]}" \
	>"$log" </dev/null
status=$?
end=$EPOCHREALTIME

if [ "${PERFTOOL_TIMES:-}" ]; then
	# The second line of `times` has the user and system time of the children
	# that have ended. It goes to a file, because a shell that is forked for a
	# pipe has no children yet.
	times >"$log.times"
	tr 'ms' '  ' <"$log.times" | awk -v took="$begin $end" -v test="$test" '
		NR == 2 { split(took, at)
			printf "%.2f %.2f %s\n", at[2] - at[1],
				60 * ($1 + $3) + $2 + $4, test }' \
		>>"$PERFTOOL_TIMES"
	# (without a reason: what was skipped)
	sed -nE 's/^ok [0-9]+ - (.*) # [Ss][Kk][Ii][Pp][a-z]*:? *$/skip \1/p; t
		s/^(ok|1\.\.0).* # [Ss][Kk][Ii][Pp][a-z]*:? */skip /p' "$log" \
		>>"$PERFTOOL_TIMES"
fi

# is_killed PID: does the process have a pending SIGKILL? On a busy machine, a
# process that was killed may wait for a processor before it ends. (Bit 8 of the
# mask is signal 9.)
is_killed() {
	local key value

	while read -r key value; do
		[[ $key != @(SigPnd|ShdPnd): ]] || ! ((16#$value & 0x100)) || return 0
	done 2>/dev/null <"/proc/$1/status"
	return 1
}

# (In a process substitution, bash has a copy of itself run the function.)
forgotten=$(left_behind)
for pid in $forgotten; do
	words=$(tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline")
	if [ -z "$words" ] || is_killed "$pid"; then
		continue
	fi
	echo "$test left behind: $pid $words" |
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

#!/usr/bin/env bash
# The ticks of the profiler: when they are on, what stays of them, their three
# listings, and the files that are made of them.
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/spied
gcc -std=gnu17 -O1 -D_GNU_SOURCE "$ROOT/tests/surroundings/confine.c" \
	-o confine || exit 1

# profile COMMAND... -- [ARG...]: gives the commands for the program with the
# arguments
profile() {
	local options=()

	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	try perftool -q -n -b "${options[@]}" "$program" "$@"
}

# ticks FILE: how many ticks the listing in the file has
ticks() {
	if grep -q '^No ticks\.$' "$1"; then
		echo 0
	else
		sed -n 's/^\([0-9,]*\) ticks\{0,1\} of .*/\1/p' "$1" | tr -d ,
	fi
}

# listing FILE HEAD: the rows "COUNT PROCEDURE" of one of the three listings
listing() {
	awk -v head="$2" '/^[A-Z].*[a-z]$/ && !/^Count/ {
		here = index($0, head) == 1 }
		here && $1 ~ /^[0-9,]+$/ { gsub(/,/, "", $1); print $1, $3 }' \
		"$1"
}

sum() {
	awk '{ all += $1 } END { print all + 0 }'
}

# ---- on, off, flush, rate ------------------------------------------------------

profile 'profile on' run 'print flat > 1' 'profile off' run 'print flat > 2' \
	'profile on' run 'print flat > 3' 'profile flush' 'print flat > 4' \
	run 'print flat > 5' 'profile off' 'profile flush' \
	'profile rate 10ms' 'profile run' 'print flat > 6' -- shares 300
is "$status" 0 'ticks are turned on and off'
ok 'there are ticks' [ "$(ticks 1)" -gt 0 ]
is "$(ticks 2)" "$(ticks 1)" 'there are none while they are off'
near "$(ticks 3)" $((2 * $(ticks 1))) $(($(ticks 1) / 2)) \
	'on again, they accumulate'
is "$(ticks 4)" 0 'flush forgets them'
near "$(ticks 5)" "$(ticks 1)" $(($(ticks 1) / 2)) 'and they go on'
near "$(ticks 6)" $(($(ticks 1) / 10)) $(($(ticks 1) / 15)) \
	'they have the rate that was asked for, during a command'
like "$(cat 1)" 'Count is the number of ticks' \
	'the first listing of a session says what its columns mean'
unlike "$(cat 2)" 'Count is the number' 'the others do not'

profile 'profile run' run 'print flat > 1' -- shares 100
near "$(ticks 1)" 100 50 'profile COMMAND ends with its command'
profile 'profile source none' -- shares 1
is "$status" 125 'a command that fails fails'
profile 'print flat' -- shares 1
like "$err" 'there are no ticks; .profile on.' 'there are no ticks'
profile 'profile on' 'profile rate 5ms' -- shares 1
like "$err" 'the ticks are on; .profile off. first' 'the rate is fixed'
profile 'profile rate 1ns' -- shares 1
like "$err" 'from 0.1 to 10000 ticks a second' 'the rate has a limit'

# ---- the three listings ----------------------------------------------------------

profile 'profile on' run 'print flat > f' 'save profile gmon.out' \
	'save profile x.json' 'save profile x.folded' 'save profile x.svg' \
	'save profile callgrind.out.x' -- shares 1000
all=$(listing f 'All ticks' | sum)
is "$all" "$(ticks f)" 'the first listing has all ticks'
is $(($(listing f 'Ticks that were not delayed' | sum) + \
	$(listing f 'Ticks that were delayed' | sum))) "$all" \
	'those that were delayed and those that were not add up to all'
for name in sixty thirty; do
	share=$(sed -n "s/.*\\b$name \\([0-9]*\\).*/\\1/p" <<<"$out")
	ours=$(listing f 'All ticks' | awk -v name=$name '$2 == name {
		print $1 }')
	near $((100 * ours / all)) "$share" 6 "$name has its share"
done

near "$(gprof -b -p "$program" gmon.out | awk '$NF == "sixty" {
	printf "%.0f", $3 * 1000 }')" \
	"$(/usr/bin/python3 - <<-'END'
		import json
		print(sum(s["weight"] for s in json.load(open("x.json"))["samples"]
		          if s["stack"] and s["stack"][0]["function"] == "sixty"))
	END
	)" 5 'gprof has the ticks that were found in a function'
is "$(awk '{ all += $NF } END { print all }' x.folded)" "$all" \
	'so have the folded stacks'
like "$(head -n 5 callgrind.out.x)" 'callgrind|version' 'callgrind.out'
like "$(cat x.svg)" '<svg.*sixty' 'and the flame graph'
profile 'profile on' run 'save profile x.txt' -- shares 1
is "$status" 125 'a name that tells no format is refused'
like "$err" 'gmon.out, callgrind.out\*, \*.folded' 'and the names are listed'
profile 'profile on' run 'save profile /dev/full format=json' -- shares 1
is "$status" 125 'a full disk is an error'
like "$err" 'cannot write /dev/full: No space left on device' 'and is named'
profile 'profile on' 'spy on' run 'save profile later.json' \
	'save profile a.json from=profile' 'save profile b.json from=spy' \
	'spy flush' -- shares 100
is "$(grep -oh '"kind": *"[a-z]*"' later.json a.json b.json | tr -d ' ' |
	paste -sd' ')" '"kind":"spy" "kind":"profile" "kind":"spy"' \
	'from= chooses whose samples a file has'
profile 'save profile x.json' -- shares 1
like "$err" 'there is no profile; .profile on. takes ticks' \
	'there is nothing to save'

# ---- elsewhere ---------------------------------------------------------------------

try perftool --profile "$program" shares 200
is "$status" 0 'perftool --profile'
for part in 'All ticks' 'Call graph' 'Flat profile' 'Percent  Function'; do
	like "$out$err" "$part" "--profile prints: $part"
done
try ./confine perf perftool -q -n -b -e 'profile on' -e run \
	-e 'print flat > f' "$program" shares 300
like "$(cat f)" 'The tool stopped threads for ticks: .*perf_event_open' \
	'without the kernel, the tool takes the ticks and says so'
[ "$(ticks f)" -gt 10 ] || diag <f
near "$(listing f 'All ticks' | sum)" "$(ticks f)" 0 'and all are listed'
for mechanism in int3 auto; do
	profile "set mechanism $mechanism" 'time sixty' 'profile on' run \
		'print flat > f' -- shares 300
	like "$(cat f)" 'sixty' "$mechanism: ticks beside breakpoints"
done

done_testing

#!/usr/bin/env bash
# Ten thousand functions of a running program at once: how long the command
# takes, and how long the program stands still.
#
# usage: tests/bench/crowd.sh BUILD [ROUNDS]     (5 rounds)
#
# Two programs: functions as a compiler makes them, whose first instruction has
# room for a jump; and tests/programs/crowd.c, where a half have none.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "${1:?usage: tests/bench/crowd.sh BUILD [ROUNDS]}" && pwd) || exit 2
rounds=${2:-5}
export LC_ALL=C
unset DEBUGINFOD_URLS
# shellcheck source=../wait.sh
. tests/wait.sh

scratch=$(mktemp -d)
program=
tool=
end() {
	local pid
	for pid in $program $tool; do
		kill -KILL "$pid" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap end EXIT

die() {
	echo "bench: $*" >&2
	exit 1
}

# The functions, and a program that goes on calling them.
write_program() {
	awk 'BEGIN {
		print "volatile long sink;"
		for (i = 0; i < 10000; i++)
			printf "__attribute__((noinline)) long crowd_%d(long x)" \
				"{ return x * %dL + sink; }\n", i, 7919 * (i + 1)
		print "int main(void) { for (;;) {"
		for (i = 0; i < 10000; i++)
			printf "sink = crowd_%d(sink);\n", i
		print "} }"
	}'
}

# measure NAME GO PROGRAM [ARG...]: a line of seconds and milliseconds each round;
# GO is what the program is told
measure() {
	local name=$1 go=$2 before start after pause
	shift 2
	rm -f "$scratch/in" "$scratch/commands"
	mkfifo "$scratch/in" "$scratch/commands"
	exec 3<>"$scratch/in" 4<>"$scratch/commands"
	"$@" <"$scratch/in" >"$scratch/out" 3>&- 4>&- &
	program=$!
	[ -z "$go" ] || echo "$go" >&3
	"$build/perftool" -n -p "$program" <"$scratch/commands" \
		>"$scratch/said" 2>&1 3>&- 4>&- &
	tool=$!
	printf '%s\n' 'monitor on' 'evaluate 7001' >&4
	wait_for 20 grep -q 7001 "$scratch/said" || die "cannot attach"
	before=$(wc -l <"$scratch/said")
	before=$((before + 1))
	start=$(date +%s.%N)
	echo 'break entry crowd_* if 1' >&4
	wait_for 60 grep -q '^Breakpoint #1' "$scratch/said" ||
		die "no breakpoint: $(tail -n 3 "$scratch/said")"
	after=$(date +%s.%N)
	printf '%s\n' 'evaluate 7002' >&4
	wait_for 60 grep -q 7002 "$scratch/said" || die "it does not answer"
	grep -q '10000 places' "$scratch/said" || die "not all functions"
	pause=$(sed -n "$before,\$s/^The program stood still for \([0-9.]*\) ms.*/\1/p" \
		"$scratch/said" | sort -g | tail -n 1)
	awk "BEGIN { print $after - $start }" >>"$scratch/$name-time"
	echo "${pause:?}" >>"$scratch/$name-pause"
	echo detach >&4
	exec 4>&-
	wait "$tool"
	exec 3>&-
	kill -KILL "$program"
	wait "$program" 2>/dev/null
	program='' tool=''
}

# show NAME UNIT GOAL WHAT: the median, and what it is to be
show() {
	sort -g "$scratch/$1" | awk -v unit="$2" -v goal="$3" -v what="$4" '
		{ v[NR] = $1 }
		END {
			m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
			printf "  %-44s %8.4g %-3s (%.4g .. %.4g); goal <= %s: %s\n",
				what, m, unit, v[1], v[NR], goal,
				m <= goal ? "met" : "MISSED"
		}'
}

write_program >"$scratch/many.c"
gcc -g -O1 "$scratch/many.c" -o "$scratch/many" || die "cannot compile"
for ((i = 0; i < rounds; i++)); do
	measure many '' "$scratch/many"
	measure crowd go "$build/tests/programs/crowd" 4
done
echo "Breakpoints at 10,000 functions of a running program (medians of $rounds)"
show many-time s 2 'until they are in'
show many-pause ms 100 'the program stands still'
show crowd-time s 2 'half begin with a short instruction'
show crowd-pause ms 100 '  the program stands still'

#!/usr/bin/env bash
# `print source` has the executions that gcov counts in a program that was
# compiled for it.
. "$(dirname "$0")/../lib.sh"

# ours FUNC: the counts by line, of lines that were executed
ours() {
	awk '$1 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/ { print $4, $1 }' "$1"
}
# gcov's: of the lines of a function, which begins and ends at these lines
theirs() { # FILE FIRST LAST
	gcov -t "$1" 2>/dev/null | awk -F: -v first="$2" -v last="$3" '
		$2 + 0 >= first && $2 + 0 <= last {
			gsub(/[ *]/, "", $1)
			if ($1 ~ /^[0-9]+$/) print $2 + 0, $1
		}'
}

# both FILE OTHER: the counts of FILE for lines that OTHER has, too
both() {
	awk 'NR == FNR { known[$1]; next } $1 in known' "$2" "$1"
}

cat >lines.c <<'END'
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) int leaf(int x)
{
	return x & 1 ? x : -x;
}

__attribute__((noinline)) int lines(int x)
{
	int sum = 0, i;

	for (i = 0; i < x % 4; i++)
		sum += leaf(i);
	while (i > 0) { sum ^= i; i--; }
	switch (x % 5) {
	case 0:
		sum += 3;
		break;
	case 1:
	case 2:
		sum -= x;
		break;
	default:
		sum *= 2;
	}
	if (x > 100 && x < 110)
		sum += lines(x - 100);
	return sum > 0
		? sum
		: -sum;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 300; i++)
		sum += lines(i) & 0xff;
	printf("sum %d\n", sum);
	return 0;
}
END
gcc -O0 -g -o lines lines.c
gcc -O0 -g --coverage -o covered lines.c && ./covered >/dev/null
first=$(grep -n '^__attribute.* int lines' lines.c | cut -d: -f1)
last=$(grep -n '^int main' lines.c | cut -d: -f1)
theirs covered-lines.gcda "$first" $((last - 1)) >wanted

for MECHANISM in int3 auto; do
	try perftool -q -n -e "set mechanism $MECHANISM" -e 'profile source lines' \
		-e run -e 'print source > source' ./lines
	is "$status $out" "0 $(./lines)" "$MECHANISM: the program computes the same"
	# gcov also counts lines of labels, which have no code of their own, and
	# does not count the closing brace, which has some.
	ours source >counted
	is "$(both counted wanted)" "$(both wanted counted)" \
		"$MECHANISM: the executions are gcov's"
	is "$(both counted wanted | wc -l)" 13 \
		"$MECHANISM: of all lines of the function that have code"
	like "$(<source)" 'lines.c: 309 calls' "$MECHANISM: recursive calls count"
done
# the time of a call is in the second column only
is "$(awk '/sum \+= leaf/ { print ($2 != $3) }' source)" 1 \
	'a line that calls another function takes longer with it'

try perftool -q -n -e 'print source' ./lines
like "$status $err" '^125 .*profile source FUNC' \
	'without profile source there is nothing to print'
fails_with 125 'no function line in .*near names: lines' 'a name that is wrong' \
	perftool -q -n -e 'profile source line' ./lines
try perftool -q -n -e 'profile source lines' -e 'initialize profile' \
	-e 'print source' ./lines
is "$status" 125 'initialize profile forgets the functions'
done_testing

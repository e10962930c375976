#!/usr/bin/env bash
# `print source` has the executions that gcov counts in a program that was
# compiled for it, also if a compiler has optimized the code.
# tier: core
# covers: session/profiling profile probe/request debuginfo/lines report/listings
. "$(dirname "$0")/../lib.sh"

# ours FUNC: the counts by line, of lines that were executed
ours() {
	awk '{ gsub(/< /, "<") } $1 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/ { print $4, $1 }' "$1"
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
	[ "$MECHANISM" = auto ] ||
		like "$(<source)" 'stopped at an int3 .* less exact' \
			"$MECHANISM: stops make times less exact"
done
# Optimized code: gcc mixes the instructions of lines, and says where statements
# begin.
cat >mixed.c <<'END'
#include <stdio.h>
#include <stdlib.h>

struct list { struct list *next; int value; };

static struct list *buckets[17];

static inline int hash(const char *s)
{
	unsigned h = 5381;

	for (; *s; s++)
		h = h * 33 + (unsigned char)*s;
	return (int)(h % 17);
}

__attribute__((noinline)) int mixed(const char *word, int value)
{
	int h = hash(word);
	struct list *at = buckets[h];
	int depth = 0;

	while (at) {
		if (at->value == value)
			return depth;
		at = at->next;
		depth++;
	}
	if (value % 3 == 0)
		depth += mixed(word, value + 1);
	at = malloc(sizeof(*at));
	at->value = value;
	at->next = buckets[h];
	buckets[h] = at;
	return -depth;
}

int main(void)
{
	int sum = 0;
	char word[16];

	for (int i = 0; i < 300; i++) {
		snprintf(word, sizeof(word), "w%d", i % 90);
		sum += mixed(word, i % 90);
	}
	printf("sum %d\n", sum);
	return 0;
}
END
gcc -O0 -g --coverage -o covered mixed.c && ./covered >sum
first=$(grep -n '^__attribute' mixed.c | cut -d: -f1)
last=$(grep -n '^int main' mixed.c | cut -d: -f1)
theirs covered-mixed.gcda "$first" $((last - 1)) >wanted
for LEVEL in -Og -O1 -O2; do
	gcc "$LEVEL" -g -o optimized mixed.c
	try perftool -q -n -e 'profile source mixed' \
		-e run -e 'print source > listing' ./optimized
	is "$status $out" "0 $(<sum)" "$LEVEL: the program computes the same"
	ours listing >counted
	is "$(both counted wanted)" "$(both wanted counted)" \
		"$LEVEL: the executions are gcov's"
	is "$(($(both counted wanted | wc -l) >= 14))" 1 \
		"$LEVEL: of nearly all lines of the function"
done
# Instructions that lead back to the caller are of the last line, in which no
# statement begins.
like "$(<listing)" '  -  .*  }' 'where no statement begins, nothing is counted'

# the time of a call is in the second column only
is "$(awk '/sum \+= leaf/ { print ($2 != $3) }' source)" 1 \
	'a line that calls another function takes longer with it'

try perftool -q -n -e 'print source' ./lines
like "$status $err" '^125 .*profile source FUNC' \
	'without profile source there is nothing to print'
fails_with 125 'no function line in .*near names: lines' 'a name that is wrong' \
	perftool -q -n -e 'profile source line' ./lines
cat >copies.c <<'END'
static inline __attribute__((always_inline)) int twice(volatile int *x)
{
	*x *= 2;
	return *x;
}
__attribute__((noinline)) int other(volatile int *x)
{
	return twice(x) + 1;
}
int main(void)
{
	volatile int x = 1;

	return other(&x) - twice(&x) + 1;
}
END
gcc -g -O2 -o copies copies.c
fails_with 125 'twice has no code of its own; it is inlined in 2 places of' \
	'a function that is inlined wherever it is called' \
	perftool -q -n -e 'profile source twice' ./copies
like "$err" '(main, other|other, main); .profile source (main|other). counts it' \
	'and what to profile instead'
fails_with 125 'twice has no code of its own; it is inlined in 2 places of' \
	'it has no calls either' \
	perftool -q -n -e 'profile functions twice' ./copies
try perftool -q -n -e 'profile source lines' -e 'initialize profile' \
	-e 'print source' ./lines
is "$status" 125 'initialize profile forgets the functions'
done_testing

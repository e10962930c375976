#!/usr/bin/env bash
# FILE:LINE: the addresses of a line that was copied, unrolled or inlined. They
# are as many as gdb's and are reached as often.
# tier: core full
# covers: debuginfo/lines probe/request
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

cat >loops.c <<'END'
#include <stdio.h>
#include <stdlib.h>

static volatile int sink;

static inline int square(int n) { int r = n * n; sink += r; return r; }

__attribute__((noinline)) int count(const char *text, char c)
{
	int n = 0;

	for (const char *at = text; *at; at++)
		if (*at == c)
			n++;
	while (n > 100)
		n -= square(n);
	return n;
}

__attribute__((noinline)) int nested(int a, int b)
{
	int sum = 0;

	for (int i = 0; i < a; i++) {
		int twice = i * 2;

		for (int j = 0; j < b; j++) {
			int k = twice + j; if (k & 1) { int odd = k * 3; sum += odd + square(k); } else sum -= k;
			sink = sum;
		}
	}
	do {
		sum--;
	} while (sum > 1000);
	return sum;
}

int choose(int n)
{
	switch (n) {
	case 0: return 1;
	case 1: { int z = square(3); return z; }
	case 2: sink++; /* fall through */
	default: return n ? square(n) : square(n + 1);
	}
}

struct node { struct node *next; int value; };

__attribute__((noinline)) struct node *push(struct node *list, int value)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	node->next = list; node->value = value;
	return node;
}

int main(int argc, char **argv)
{
	struct node *list = NULL;
	int total = 0;

	for (int i = 0; i < 10 + argc; i++)
		list = push(list, i);
	for (struct node *at = list; at; at = at->next)
		total += at->value * nested(at->value, 3) + choose(at->value % 4);
	total += count("hello world, all well", 'l');
	while (list) { struct node *next = list->next; free(list); list = next; }
	printf("%d\n", total + (argc > 5 ? count(argv[1], 'x') : 0));
	return 0;
}
END

# The comparison leaves out the first line of a function, because gdb puts that
# breakpoint after the prologue, which may be in a loop. It also leaves out the
# lines that gdb moves to another line: a line without code, and a cold part
# that lies before its function (gdb takes it for a part of the prologue).
cat >gdb_lines.py <<'END'
import re
gdb.execute("set breakpoint pending off")
lines = open("loops.c").read().split("\n")
for number in range(1, len(lines)):
    if re.match(r"\w.*\)$", lines[number - 1]):
        continue
    try:
        gdb.execute("break loops.c:%d" % number, to_string=True)
    except gdb.error:
        pass
places = {}
for at in gdb.breakpoints():
    at.ignore_count = 10 ** 9
    number = at.location.split(":")[1]
    info = gdb.execute("info breakpoints %d" % at.number, to_string=True)
    if re.findall(r":(\d+)$", info, re.M)[-1] == number:
        places[number] = len(set(re.findall("0x[0-9a-f]{16}", info)))
gdb.execute("run >/dev/null", to_string=True)
for at in gdb.breakpoints():
    number = at.location.split(":")[1]
    if number in places:
        print("LINE", number, places[number], at.hit_count)
END
cat >our_lines.py <<'END'
import json
wanted = {line.split()[0] for line in open("theirs")}
for node in json.load(open("t.json"))["nodes"]:
    number = node["location"].split(":")[1]
    if number in wanted and node["line"] == int(number):
        print(number, len(node["addresses"]), node["count"])
END

breaks=()
for ((line = 1; line <= $(wc -l <loops.c); line++)); do
	breaks+=(-e "break loops.c:$line if 1")
done
for compiler in gcc clang; do
	for how in $(sampled 1 -O0 -O1 -O2 -Os); do
		$compiler -g "$how" -no-pie loops.c -o loops
		within 60 gdb -nx -batch -x gdb_lines.py ./loops 2>gdb.log |
			sed -n 's/^LINE //p' >theirs
		rm -f t.json
		try perftool --pending -q -n -b -f json -o t.json "${breaks[@]}" \
			-e 'collect nodes' ./loops
		/usr/bin/python3 our_lines.py >ours
		is "$(diff ours theirs)" '' \
			"$compiler $how: each line has the places and counts of gdb"
		ok "$compiler $how: more than 25 lines were compared" \
			[ "$(wc -l <theirs)" -gt 25 ]
	done
done
done_testing

#!/usr/bin/env bash
# GNU gprof opens gmon.out and gmon.LIBRARY.out, and agrees: ticks of each
# function, counts of calls, and arcs.
# tier: core
# covers: report/files
. "$(dirname "$0")/../lib.sh"
DRIVER=$BUILD/tests/drivers/profile_writer

cat >program.c <<'END'
__attribute__((noinline)) int leaf(int x) { return x * 3 + 1; }
__attribute__((noinline)) static int mid(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noinline)) int rec(int n) { return n <= 0 ? leaf(n) : rec(n - 1) + 1; }
extern int from_library(int);
int main(int c, char **v)
{
	(void)v;
	return (mid(c) + rec(c) + from_library(c)) & 1;
}
END
cat >library.c <<'END'
__attribute__((noinline)) static int inner(int x) { return x ^ 5; }
int from_library(int x) { return inner(x) + inner(x + 1); }
END
# functions at odd addresses, as -Os makes them
cat >odd.s <<'END'
	.text
	.globl first, second
	.type first, @function
	.type second, @function
	.balign 16
first:
	nop
	nop
	nop
	nop
	ret
	.size first, .-first
second:
	nop
	nop
	ret
	.size second, .-second
	.section .note.GNU-stack,"",@progbits
END
gcc -O1 -g -fPIC -shared library.c -o libtest.so || exit 1
gcc -O1 -g program.c odd.s -L. -ltest -o pie || exit 1
gcc -O1 -g -no-pie program.c odd.s -L. -ltest -o fixed || exit 1

# describe PROGRAM PART...: prints a profile of the program. The parts are
# ticks and calls.
describe() {
	/usr/bin/python3 - "$@" <<-'END'
		import subprocess, sys
		def symbols(file):
		    lines = subprocess.check_output(["nm", file], text=True).split("\n")
		    return {w[2]: int(w[0], 16) for w in map(str.split, lines)
		            if len(w) == 3}
		def line(*fields):
		    print(*fields, sep="\t")
		program, parts = sys.argv[1], sys.argv[2:]
		own, library = symbols(program), symbols("libtest.so")
		assert own["second"] % 2 == 1
		where = [(n, program, own[n]) for n in
		         ("main", "mid", "rec", "leaf", "first", "second")]
		where += [(n, "libtest.so", library[n])
		          for n in ("from_library", "inner")]
		number = {w[0]: i for i, w in enumerate(where)}
		line("measurement", "profile", "cpu", 1000 / 1.5, 1000, 0, 0, 0, 0)
		line("module", 1, program, "-", "-", 1, 0, 0, 0, own["_start"])
		line("module", 2, "libtest.so", "-", "-", 0, library["_init"],
		     library["_fini"], 0, 0)
		for name, module, address in where:
		    line("procedure", name, module, "-", 0, address, 0)
		line("procedure", "waiting.read", "", "-", 0, 0, 1)
		line("procedure", "inlined", program, "-", 0, 0, 0)
		line("thread", 1, 1, "main")
		places = [("main", 5), ("mid", 8), ("rec", 9), ("leaf", 2),
		          ("first", 3), ("first", 4), ("second", 0), ("second", 2),
		          ("from_library", 1), ("inner", 2)]
		for name, offset in places:
		    line("place", number[name], "-", 0,
		         where[number[name]][2] + offset, 0)
		line("place", len(where), "-", 0, 0, 0)
		line("place", len(where) + 1, "-", 0, own["mid"] + 2, 1)
		line("place", number["mid"], "-", 0, own["mid"] + 2, 0)
		if "ticks" in parts:
		    for weight, *stack in [
		            (200000, 3, 1, 0), (30400, 1, 0), (77, 2, 2, 0),
		            (30, 4), (31, 5), (32, 6), (33, 7), (8, 8, 0),
		            (50, 9, 8, 0), (999, 10, 0), (2000, 11, 12, 0)]:
		        line("sample", 0, 0, 0, 0, weight, *stack)
		if "calls" in parts:
		    site = lambda name: where[number[name]][2] + 3
		    for caller, callee, at, module, count, self in [
		            ("-", "main", 0x99, 9, 1, 10**9),
		            ("main", "mid", site("main"), 1, 3, 2 * 10**9),
		            ("mid", "leaf", site("mid"), 1, 5 * 10**9, 10**10),
		            ("main", "rec", 0, 0, 2, 5 * 10**8),
		            ("rec", "rec", site("rec"), 1, 16, 5 * 10**8),
		            ("main", "from_library", site("main"), 1, 4, 10**6),
		            ("from_library", "inner", site("from_library"), 2, 8,
		             3 * 10**6)]:
		        line("arc", 0, number.get(caller, "-"), number[callee], at,
		             module, count, 0, self, self, self)
	END
}

# flat PROGRAM FILE: prints "NAME SECONDS CALLS" for each function of the flat
# profile, sorted
flat() {
	gprof -b -p "$1" "$2" | awk '/^ *[0-9.]+ +[0-9.]+ +[0-9.]+ / {
		print $NF, $3, (NF > 4 ? $4 : "-") }' | sort
}

# arcs PROGRAM FILE: prints "CALLER > CALLEE COUNT" for each arc, sorted
arcs() {
	gprof -b -q "$1" "$2" | /usr/bin/python3 -c '
import re, sys
entry = None
for block in sys.stdin.read().split("-" * 47):
    lines = [l for l in block.split("\n") if re.search(r"\[\d+\]", l)]
    own = [l for l in lines if l.startswith("[")]
    if not own:
        continue
    name = lambda l: re.search(r"(\S+)(?: \(\S+\))? \[\d+\]$", l)[1]
    for l in lines[lines.index(own[0]) + 1:]:
        count = re.search(r"(\d+)(?:/\d+)? +\S+(?: \(\S+\))? \[\d+\]$", l)[1]
        print(name(own[0]), ">", name(l), count)
' | sort
}

its_arcs='_start > main 1
main > mid 3
main > rec 2
mid > leaf 5000000000
rec > rec 16'

for program in pie fixed; do
	rm -f gmon*
	describe $program ticks calls >profile
	try "$DRIVER" gmon.out <profile
	is "$status$err" 0 "$program: the files are written"
	is "$(echo gmon*)" "gmon.libtest.so.out gmon.out" \
		"$program: there is a file of the program and one of the library"
	like "$out" 'ticks of waits that are not in the files: 999' \
		"$program: ticks of waits are not in the files, and that is said"
	like "$out" 'calls from _start or _init: 5' \
		"$program: calls from other modules are said to be shown as others"
	is "$(flat $program gmon.out)" "first 0.09 -
leaf 300.00 5000000000
main 0.00 1
mid 48.60 3
rec 0.12 2
second 0.10 -" \
		"$program: gprof has the ticks and calls of each function"
	is "$(arcs $program gmon.out)" "$its_arcs" "$program: gprof has the arcs"
	is "$(flat libtest.so gmon.libtest.so.out)" "from_library 0.01 4
inner 0.07 8" "$program: gprof has the ticks and calls of the library"
	is "$(arcs libtest.so gmon.libtest.so.out)" "_init > from_library 4
from_library > inner 8" "$program: gprof has the arcs of the library"
done

# ---- calls alone: the time is what was measured ----
describe pie calls >profile
try "$DRIVER" gmon.out <profile
is "$(flat pie gmon.out)" "leaf 10.00 5000000000
main 1.00 1
mid 2.00 3
rec 1.00 2" "without ticks, gprof has the measured times"
is "$(arcs pie gmon.out)" "$its_arcs" "without ticks, gprof has the arcs"

# ---- ticks alone ----
describe pie ticks >profile
try "$DRIVER" gmon.out <profile
like "$out" 'gprof will show no calls' "without calls, that is said"
is "$(flat pie gmon.out | head -n 2)" "first 0.09 -
leaf 300.00 -" "without calls, gprof has the ticks"

# ---- gprof adds up the files of two runs ----
# (not leaf's: gprof -s writes counts of 16 and of 32 bits)
describe pie ticks calls >profile
"$DRIVER" gmon.out <profile >said
"$DRIVER" second.out gmon <profile >said
ok "format=gmon names the library's file after the other name" \
	test -e second.libtest.so.out
try gprof -s pie gmon.out second.out
is "$(flat pie gmon.sum | grep rec)" "rec 0.23 4" \
	"gprof -s adds up two files"

# ---- a library of the system, which has only dynamic symbols ----
describe pie ticks >profile
libc=$(ldd pie | awk '/libc.so.6/ { print $3 }')
qsort=$(nm -D "$libc" | awk '$3 ~ /^qsort@/ { print $1 }')
cat >>profile <<END
procedure	qsort	libc.so.6	-	0	0x$qsort	0
place	10	-	0	0x$qsort	0
sample	0	0	0	0	4000	13
END
"$DRIVER" gmon.out <profile >said
like "$(gprof -b -p "$libc" gmon.libc.so.6.out 2>&1)" \
	'6\.00 .*qsort|has no symbols' \
	"gprof reads the file of the C library, or says that it has no symbols"
done_testing

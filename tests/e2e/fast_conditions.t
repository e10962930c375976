#!/usr/bin/env bash
# Conditions, values, keys and by= of fast nodes: the counts, histograms and
# splits are the same as those of int3 nodes. If an expression cannot be
# compiled, the tool says why.
# tier: core full
# covers: expr/compile probe/fast arch/x86_64
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

line_of() { # NAME: prints the number of the line that is called NAME
	grep -n "the line of \`$1\`" "$ROOT/tests/programs/numbers.h" |
		cut -d: -f1
}
work=numbers.h:$(line_of work)
sum=numbers.h:$(line_of sum)

# counted: prints everything in the report t.json that depends neither on time
# nor on addresses
counted() {
	json '[(n["count"], n["errors"]) for n in t["nodes"]],
		[(l["count"], l["ignored_from"], l["ignored_to"], l["open"]) +
			rows_of(l) for l in t["legs"]],
		[rows_of(n) for n in t["nodes"]],
		[([b["count"] for b in h["buckets"]], h["sum"], h["underflow"],
			h["overflow"]) for h in t["histograms"]]' 2>&1 |
		sed 's/0x[0-9a-f]*/0x/g'
}
# same NAME WANTED COMMAND...: the figures are the same with int3s and with
# jumps; WANTED: the mechanisms of the nodes when jumps are asked for. Fails if this
# case is left out.
same() {
	local name=$1 wanted=$2 int3
	shift 2
	one_in 9 || return
	batch 'set mechanism int3' "$@" -- "$program"
	is "$(mechanisms)" "${wanted//fast/int3}" \
		"$name: with mechanism int3, every node is an int3"
	int3=$(counted)
	batch 'set mechanism fast' "$@" -- "$program"
	is "$(mechanisms)" "$wanted" "$name: with mechanism fast, the nodes are $wanted"
	is "$(counted)" "$int3" "$name: jumps count the same as int3s"
}

# slow NAME REASON COMMAND...: the node is an int3, and `list breaks' says why
slow() {
	local name=$1 reason=$2 options=() command
	shift 2
	one_in 3 || return
	for command; do
		options+=(-e "$command")
	done
	try perftool -q -n -b -e 'set mechanism fast' "${options[@]}" \
		-e 'monitor on' -e run -e 'list breaks' -- "$program"
	like "$out" "int3 \\($reason\\)" "$name: the node is an int3 because $reason"
}

for build in plain fast; do
	program=$PROGRAMS/numbers_$build
	for condition in 'n % 10 == 3' 'n > 500 && byte < 100' \
		'n < 3 || n >= 990' 'wide > 5000000000000' 'total > 100000' \
		'wide_total / 1000000000 > 70000' '!is_odd' 'color == BLUE' \
		'box.corners[1].x < 0' 'box.corners[1].weights[2] == 7' \
		'box.corners[0].small == -16' 'box.corners[0].rest > 500000' \
		'local[1] < -900' 'n > 10 ? byte == 5 : total' \
		'handler == second' '(signed char)byte < 0' 'here == boxes' \
		'(unsigned)(n - 500) > 499' '-n * 3 + 1 < -2900'; do
		same "$build: $condition" fast "break $work if $condition"
	done
	same "$build: a histogram of a value" fast "break $work if 1" 'collect nodes' \
		'add histogram node 1 linear buckets=8 base=-600 scale=200 value=local[1]+100'
	same "$build: a histogram of the first variable" fast "break $work if n >= 0" \
		'collect nodes' 'add histogram node 1 linear buckets=10 scale=100'
	same "$build: a leg by a key" 'fast fast' "break $work if 1" \
		"break $sum if n % 2" 'add leg 1 2 key=n:byte'
	same "$build: a leg by its end" 'fast fast' "break $work if 1" \
		"break $sum if 1" 'add leg 1 2 by=:n%7'
	same "$build: a split by a number" fast "break $work if n < 300" \
		'split node 1 by=n/50'
	same "$build: a split by names" fast "break $work if 1" 'split node 1 by=color'
	same "$build: a split by truth" fast "break $work if 1" 'split node 1 by=is_odd'
	same "$build: a split by characters" fast "break $work if 1" \
		'split node 1 by=byte' &&
		is "$(json 'sorted(v["value"] for v in node(1)["by"]["values"])[0]')" \
			"0 '\\000'" "$build: a split by characters shows the characters as in C"
	same "$build: a split by functions" fast "break $work if 1" \
		'split node 1 by=handler' &&
		like "$(json '[v["value"] for v in node(1)["by"]["values"]]')" \
		'^0x[0-9a-f]+ <first> 0x[0-9a-f]+ <second>$' \
		"$build: a split by functions shows their names"
	batch 'set mechanism fast' 'break entry work if 1' -- "$program"
	same "$build: conditions on arguments" "$(mechanisms)" \
		'break entry work if n > 7 && $arg2 < 200 && byte != 3' \
		'split node 1 by=n%3'
	batch 'set mechanism int3' 'break exit work if $ret < 0' -- "$program"
	wanted=$(counted)
	batch 'set mechanism auto' 'break exit work if $ret < 0' -- "$program"
	is "$(counted)" "$wanted" "$build: a condition on the returned value counts the same as with an int3"
	same "$build: a condition that only names a variable" fast 'set conditions name' \
		"break $work if n == 3" &&
		is "$(json 'node(1)["count"]')" 1000 "$build: set conditions name counts hits with a false condition, too"
done

# two breakpoints at one place, each with its own condition
program=$PROGRAMS/numbers_fast
same 'two breakpoints at one place' 'fast fast' "break $work if n < 10" "break $work if n > 900" \
	'split node 1 by=n' 'split node 2 by=total%2'

# keys and by= behind those of legs that are gone, and in their place
same 'a key behind one that is gone' 'fast fast' "break $work if 1" "break $sum if 1" \
	'add leg 1 2 key=byte' 'add leg 1 1 key=n%7' 'delete leg 0'
same 'a key whose successor is gone' 'fast fast' "break $work if 1" "break $sum if 1" \
	'add leg 1 2 key=byte' 'add leg 1 1 key=n%7' 'delete leg 1'
same 'a split behind one that is gone' 'fast fast' "break $work if 1" "break $sum if 1" \
	'add leg 1 2 by=color' 'split node 1 by=n/50' 'delete leg 0'
same 'nothing where a key and a split were' 'fast fast' "break $work if 1" "break $sum if 1" \
	'add leg 1 2 key=n by=color' 'delete leg 0'

same 'a condition with a pointer' fast "break $work if here->corners[1].x > 3"
same 'a histogram with a pointer' fast "break $work if 1" 'collect nodes' \
	'add histogram node 1 linear value=here->corners[0].small'
same 'a split with a pointer' fast "break $work if 1" \
	'split node 1 by=here->corners[0].small'
same 'a key with a pointer' 'fast fast' "break $work if 1" "break $sum if 1" \
	'add leg 1 2 key=here->corners[1].x:n'
slow 'a condition with strings' 'its condition compares strings' \
	'break entry main if (char*)$arg1 == "x"'
slow 'a condition with floating point' 'its condition computes with floating point' \
	"break $work if ratio > 1"
slow 'a condition with a thread-local variable' 'its condition reads a thread-local variable' \
	"break $work if mine == 3"
slow 'a condition with a division' 'its condition divides by a variable' \
	"break $work if n / (byte + 1) == 3"
slow 'a key with $tid' 'its key asks for \$pid or \$tid' "break $work if 1" \
	"break $sum if 1" 'add leg 1 2 key=$tid'
try perftool -q -n -b -e 'set mechanism fast' -e "break $work if 1" \
	-e "break $work if ratio > 1" -e 'monitor on' -e run -e 'list breaks' -- "$program"
is "$(grep -o 'int3 (.*)' <<<"$out")" 'int3 (another breakpoint at its address needs an int3)
int3 (its condition computes with floating point)' "two breakpoints at one place: each int3 has its own reason"
slow 'too many values' 'it needs more values than the record of a hit can hold' "break $sum if 1" \
	"break $work if 1" "break $work if 2" "break $work if 3" \
	"break $work if 4" "break $work if 5" 'add leg 2 1 key=n by=byte' \
	'add leg 3 1 key=n by=byte' 'add leg 4 1 key=n by=byte' \
	'add leg 5 1 key=n by=byte' 'add leg 6 1 key=n by=byte'

# ---- variables of other modules ----

cat >lib.c <<'END'
int inside = 3;
extern int shared;
volatile int library_mark;
__attribute__((noinline)) int work(int n)
{
	library_mark = 1;
	return n + shared + inside;
}
END
cat >main.c <<'END'
extern int inside;
int work(int);
int shared;
volatile int mark;
int main(void)
{
	for (int n = 0; n < 100; n++) {
		shared = n % 10;
		mark = work(n);
		mark = 1;
	}
	return inside - 3;
}
END
gcc -g -O1 -shared -fPIC lib.c -o libwork.so
gcc -g -O1 -fPIC main.c -L. -lwork -Wl,-rpath,"$PWD" -o other
program=./other
slow 'a condition in the program with a variable of a library' \
	'its condition reads a variable of another library' \
	'break main.c:10 if inside == 3'
same 'a condition in a library with its own variable and one of the program' fast \
	'break lib.c:6 if shared == 3 && inside == 3' &&
	is "$(json 'node(1)["count"]')" 10 'a condition in a library counts as many hits as are true'
program=$PROGRAMS/numbers_fast

# the tool does not count how often the condition of a fast node is false
try perftool -q -n -b -e 'set mechanism fast' -e "break $work if n > 5000" \
	-e 'monitor on' -e run -e 'list breaks' -- "$program"
like "$out" 'if n > 5000, fast' 'list breaks says nothing on how often the condition of a jump was false'
try perftool -q -n -b -e 'set mechanism fast' -e "break $work if n > 5000" \
	-- "$program"
like "$err" 'was never reached with n > 5000' 'a jump is reported as never reached with a condition that was false'

done_testing

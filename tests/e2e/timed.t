#!/usr/bin/env bash
# `time` with a condition, and with names that contain blanks. A command that
# fails leaves nothing behind.
# tier: core
# covers: session/requests
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
values=$PROGRAMS/values

cat >names.cc <<'END'
#include <stdio.h>
namespace shop {
struct Item {
	int price;
};
template <class T, int N> struct Store {
	T items[N];
	int __attribute__((noinline)) cost(int n) const
	{
		int sum = 0;

		for (int i = 0; i < n; i++)
			sum += items[i].price;
		return n > 3 ? cost(n - 1) + sum : sum;
	}
};
}
int main()
{
	shop::Store<shop::Item, 64> store = {};
	int sum = 0, deep = 0;

	for (int i = 0; i < 10; i++) {
		sum += store.cost(i);
		deep += i > 5 ? i - 5 : 0;
	}
	printf("sum %d deep %d\n", sum, deep);
	return 0;
}
END
g++ -O1 -g -fno-optimize-sibling-calls -o names names.cc || exit 2

# ---- the condition belongs to the entry ----
try "$values"
over=$(own over)
batch 'time handle if n > limit by=n%10' -- "$values"
is "$(json 'leg(0)["count"], node(1)["count"], node(2)["count"],
	leg(0)["ignored_to"], kept()')" "$over $over 100 $((100 - over)) True" \
	'time if: only calls that satisfy the condition are timed'
is "$(json 'sum(r["count"] for r in leg(0)["by"]["values"])')" "$over" \
	'time if: the rows of by= add up to the timed calls'
try ./names
deep=$(own deep)
batch 'time shop::Store<shop::Item, 64>::cost if n > 5' -- ./names
is "$(json 'leg(0)["count"], leg(0)["unwound"], kept()')" "$deep 0 True" \
	'time if: a recursive function whose name has blanks is timed'
try perftool -n -b -e "time '*a*' if n > limit" -f json -o t.json -- "$values"
is "$(json 'time("handle")["count"], len(t["legs"])')" "$over 1" 'time with a pattern times the functions that have the variable'
like "$err" 'main@values is not timed: ' \
	'time with a pattern names the function that lacks the variable'

# ---- a command that fails leaves nothing behind ----
# nothing_left NAME COMMAND: after the command there is no breakpoint, node or
# leg
nothing_left() {
	new_terminal "perftool -n -q --color never $values"
	enter "$2"
	enter 'list breaks'
	enter 'print nodes'
	enter 'print legs'
	expect 'No breakpoints\..*No nodes\..*No legs\.' "$1"
}
nothing_left 'nothing is left after time with an unknown function' 'time handle main *12x'
nothing_left 'nothing is left after time with an unknown name in the condition' 'time handle if nosuch > 0'
nothing_left 'nothing is left after time if one function lacks the variable' \
	'time handle main if item'
nothing_left "nothing is left after time if one function lacks the split's variable" 'time handle main by=item'
nothing_left 'nothing is left after time with a word after the options' \
	'time handle if n > 1 by=n main'
nothing_left 'nothing is left after break with an unknown name in the condition' 'break handle if nosuch'

cat >commands <<-'END'
	break entry handle
	break main
	add leg 1 2 key=n
END
fails_with 125 'key at main \(node 2\): .*; key=A:B evaluates A where the leg begins and B where it ends' 'add leg: a key that the end node lacks is an error' \
	perftool -n -q -x commands -- "$values"
for line in 'add leg 1 2 key=n' 'add leg 1 2 by=:n' 'add leg 1 2 by=nosuch' \
	'add leg 1 7'; do
	new_terminal "perftool -n -q --color never $values"
	enter 'break entry handle'
	enter 'break main'
	enter "$line"
	enter 'print nodes'
	enter 'list breaks'
	expect 'No nodes\..*entry of handle, values.c:27.*main, values.c:[0-9]*'$'\n' \
		"nothing is left after the failed command: $line"
done

# ---- a leg that exists already ----
try perftool -n -x - -- "$values" <<-'END'
	break entry handle
	break exit handle
	add leg 1 2 key=n
	add leg 1 2 key=n
	add leg 1 2 key=c
	add leg 1 2 match=first
	add leg 1 2 by=n
END
like "$out$err" 'already: leg 0
.*already: leg 0, whose key is not changed .`delete leg 0. first.
.*already: leg 0, whose match is not changed.*
.*already: leg 0 .`split leg. splits it.' 'add leg of a leg that exists tells what is not changed'
# If a pattern names many functions, the tool tells the first ones and the
# number of the others.
{
	for i in {1..30}; do echo "__attribute__((noinline)) void of_$i(void) { __asm__(\"\"); }"; done
	echo 'int main(void) {'
	for i in {1..30}; do echo "of_$i();"; done
	echo 'return 0; }'
} >many.c
gcc -g -O1 many.c -o many
new_terminal "perftool -n -q --color never ./many"
enter 'time of_*'
expect 'Leg 0: nodes 1 -> 2.*Leg 19: nodes 39 -> 40[^L]*and 10 more: .print legs. has all' \
	'time: 20 legs have a line each, and a last line counts the others'
try perftool -n -e 'time of_*' -e run -e 'print legs top=5' ./many </dev/null
like "$out" '25 rows more are left out by .top=' 'print legs top= tells how many rows are left out'
try perftool -n -e 'time of_*' -e run -e 'print legs' ./many </dev/null
is "$(grep -c '^[0-9]*\* *of_[0-9]* .* 1 ' <<<"$out")" 30 'a pattern times all 30 functions'

# ---- name= ----
try perftool -q -n -f json -o t.json -t 'of_7 name=seventh' ./many
is "$status:$(json 'leg(0)["name"], leg(0)["count"]')" "0:seventh 1" 'name= names the leg'
try perftool -q -n -f json -o t.json -e 'time work if n > 1 by=n name="long ones"' -b \
	"$PROGRAMS/pie" 5
is "$status:$(json 'leg(0)["name"], leg(0)["count"], leg(0)["by"]["expression"]')" \
	"0:long ones 3 n" 'behind a condition and by='
one='name=. names one leg; time the functions that get no name in a command of their own'
fails_with 125 "$one" 'name= of two functions' perftool -q -n -e 'time of_7 of_8 name=x' ./many
fails_with 125 "$one" 'name= of a pattern' perftool -q -n -t 'of_* name=x' ./many
fails_with 125 'no name after .name=.' 'name= without a name' perftool -q -n -t 'of_7 name=' ./many
done_testing

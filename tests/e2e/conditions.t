#!/usr/bin/env bash
# Conditions and values, which get their types from the program's debug
# information.
# tier: core
# covers: expr/bind expr/evaluate debuginfo/variables debuginfo/locations
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library
program=$PROGRAMS/values
line=$(grep -n 'the line of `result`' "$ROOT/tests/programs/values.c" | cut -d: -f1)

# counts CONDITION WANTED: the number of hits in the body of the function
counts() {
	batch "break values.c:$line if $1" -- "$program"
	is "$(json 'sum(n["count"] for n in t["nodes"])')" "$2" "if $1: the number of hits is right"
}

try "$program"
counts 'n > limit' "$(own over)"
counts 'n % 10 == 3' 10
counts '(n & 3) == 0 && n >> 2 < 20' 20
counts '(unsigned char)(n * 3) == c' 100
counts 'c == (n * 3) % 256' 100
counts 'n - 50 < 0' 50
counts '!n || n == 99' 2
counts 'n > 10 ? n < 20 : 0' 9
counts 'even > 40' 20
counts 'item != 0' 100
counts 'result > 300 || n == 0' \
	"$(awk 'BEGIN { for (n = 0; n < 100; n++)
		if (n + n + (n * 3) % 256 > 300 || n == 0) k++; print k }')"
counts '$pid == $tid' 100
counts 'seen > 90' 10

# at the entry: parameters by the calling convention, and registers
for condition in 'n < 10' '$arg2 < 10' '$rsi < 10' 'c < 30 && n < 60'; do
	batch "break entry handle if $condition" -- "$program"
	is "$(json 'node(1)["count"]')" 10 "at the entry, if $condition: 10 hits are counted"
done
batch 'break exit handle if $ret > 100' -- "$program"
ok 'at the exit, $ret has the values that are returned' [ "$(json 'node(1)["count"]')" -gt 10 ]
batch 'break exit handle if $ret == $rax' -- "$program"
is "$(json 'node(1)["count"]')" 100 'at the exit: $ret is the result register'

# a histogram's value is the first variable of the condition, or value=
batch 'break entry handle if n >= 0' 'collect nodes' \
	'add histogram node 1 linear buckets=10 scale=10' -- "$program"
is "$(json '[b["count"] for b in t["histograms"][0]["buckets"]]')" \
	'10 10 10 10 10 10 10 10 10 10' "a histogram's value is the first variable of the condition"
is "$(json 't["histograms"][0]["sum"], t["histograms"][0]["average"]')" \
	'4950 49' 'a histogram has the sum and average of its values'
batch 'break entry handle if 1' 'collect nodes' \
	'add histogram node 1 linear buckets=4 base=-50 scale=25 value=n-50' \
	-- "$program"
is "$(json '[b["count"] for b in t["histograms"][0]["buckets"]]')" \
	'25 25 25 25' 'a histogram with value= counts negative values from its base'
is "$(json 't["histograms"][0]["underflow"], t["histograms"][0]["overflow"]')" \
	'0 0' 'no value is below or above the buckets that hold all'
batch 'break entry handle if 1' 'collect nodes' \
	'add histogram node 1 linear buckets=2 base=10 scale=10 value=n' \
	-- "$program"
is "$(json 't["histograms"][0]["underflow"], t["histograms"][0]["overflow"]')" \
	'10 70' 'values below and above the buckets are counted'

# without debug information: values by the calling convention
batch 'break entry work if $arg1 < 25' -- "$PROGRAMS/stripped" 100
is "$(json 'node(1)["count"]')" 25 'a stripped program: a condition can use $arg1'
batch 'break exit half if $ret == 3' -- "$PROGRAMS/stripped" 100
is "$(json 'node(1)["count"]')" 1 'a stripped program: a condition can use $ret'
batch 'break entry sqlite3_step@libsqlite3.so.0 if $arg1 != 0' -- \
	sqlite3 :memory: 'select 1; select 2;'
is "$(json 'node(1)["count"]')" \
	"$(gdb_count sqlite3_step sqlite3 :memory: 'select 1; select 2;')" \
	'a library without debug information: a condition can use $arg1'

# a variable that has no value at the place: the tool says where the variable
# has one
cat >late.c <<'END'
#include <stdlib.h>
volatile int sink;
struct item { struct item *next; int size; } item;
__attribute__((noinline)) int work(struct item *p, int n)
{
	int late;

	sink = n;
	late = rand() & 7;
	sink += late;
	sink += p->size;
	return sink;
}
int main(void)
{
	for (int i = 0; i < 10; i++)
		work(&item, i);
	return 0;
}
END
gcc -O2 -g late.c -o late
fails_with 125 'no value yet.*; it has a value at late.c:10' 'a local without a value yet: the error says where it has a value' \
	perftool -q -n -b -e 'break entry work if late >= 0' -- ./late
batch 'break late.c:10 if late >= 0' -- ./late
is "$(json 'node(1)["count"], node(1)["errors"]')" '10 0' 'a local is read where it has a value'
clang -O2 -g late.c -o late-clang
try perftool -n -b -e 'break late.c:8 if late >= 0' -- ./late-clang
like "$err" 'never counted: .*optimized out here; it has a value at late.c:10' \
	'an optimized-out local: the tool says where it has a value'

# in a library that the program loads and unloads twice
batch 'break plugin_work if n % 2' 'break exit plugin_work if $ret > 100' \
	'collect nodes' 'split node 1 by=n/10 rows=20' 'add leg 1 1 key=n/10' -- \
	"$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$(json 'node(1)["count"], node(1)["errors"], node(2)["count"]')" '75 0 50' \
	'a library loaded and unloaded twice: conditions count'
is "$(json 'leg(0)["count"], len(node(1)["by"]["values"])')" '65 10' \
	'a library loaded and unloaded twice: keys and splits count'

# the tool reports a condition that cannot be evaluated
try perftool -n -b -e 'break entry work if p->next->size > 0' -- ./late
like "$err" 'never counted: .*cannot read memory at 0x8: a member of a null' \
	'a condition on a member of a null pointer is reported'
try perftool -n -e 'break entry work if p->next->size > 0' -e run -- ./late
like "$err" 'an expression of breakpoint 1 \(work\) cannot be evaluated \(if it is the condition, the breakpoint does not stop the program\): .*a null pointer' \
	'monitor off: a condition on a member of a null pointer is reported'
is "$(grep -c 'does not stop' <<<"$err")" 1 'monitor off: a condition that cannot be evaluated is reported once'
unlike "$err" 'never reached' 'monitor off: a breakpoint whose condition fails is not called unreached'

# the count is the same as gdb's count
wanted=$(gdb_count 'handle if n % 3 == 1' "$program")
batch 'break handle if n % 3 == 1' -- "$program"
is "$(json 'node(1)["count"]')" "$wanted" "a condition counts as many hits as gdb"
done_testing

#!/usr/bin/env bash
# Memory that the program itself must provide: the tool does not wait for it. A hit
# whose expression needs it has an error, and the program goes on.
# tier: core
# covers: target/memory expr/evaluate
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/absent_page.sh"
program=$PROGRAMS/lazy_pages
error='column [0-9]*: cannot read memory at 0x[0-9a-f]*'

# If the kernel or the container forbids such pages, nobody can wait for one, and the
# test is skipped.
try "$program"
if [ "$status" != 0 ]; then
	echo "1..0 # SKIP $out"
	exit 0
fi

# ---- each page is missing at the first of two calls ----
for MECHANISM in int3 auto; do
	times 'work if item->number >= 0' handle -- "$program" 50
	is "$status $out" $'0 ready\nwork 100\nhandle 50\nsum 2450' \
		"condition, $MECHANISM: the program ends as without perftool"
	is "$(json 'entry("work")["count"], entry("work")["errors"], entry("handle")["count"]')" \
		'50 50 50' \
		"condition, $MECHANISM: the hits whose page is missing have an error, and the others count"
	times 'work by=item->name' handle -- "$program" 50
	is "$(json 'rows_of(time("work"))')" \
		"100 2 (('None', 'error', 50), ('even', 'value', 25), ('odd', 'value', 25))" \
		"by=, $MECHANISM: the executions whose page is missing are in a row of their own"
done
MECHANISM=

try perftool -q -n -t 'work if item->number >= 0' "$program" 50
is "$(grep -c "$error" <<<"$err")" 1 'the node table says why the expression failed'

# ---- a page that never comes ----
never_comes 0
done_testing

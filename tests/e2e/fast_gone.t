#!/usr/bin/env bash
# Nodes whose places do not exist any more: the tables still say which mechanism
# recorded their hits.
# tier: full
# covers: probe/site session/tables
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library
LEAVES=$PROGRAMS/leaves

# steps COMMAND... -- PROGRAM [ARG...]: runs the commands with the monitor on;
# the tables are in t.json
steps() {
	local options=()

	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	rm -f t.json
	try perftool -q -n -b --pending -e 'monitor on' "${options[@]}" \
		-e 'save tables t.json' "$@"
	[ "$status" != 125 ] || diag <<<"$err"
}

# how COUNT MECHANISM REASON NAME: every node in t.json has these values
how() {
	is "$(json 'sorted({(n["count"], n["mechanism"], n["int3_reason"])
	                    for n in t["nodes"]})')" "($1, '$2', $3)" "$4"
}

# both NAME COUNT COMMAND... -- PROGRAM [ARG...]: the counts are right with
# jumps and with int3s
both() {
	local name=$1 count=$2
	shift 2
	steps 'set mechanism fast' "$@"
	how "$count" fast None "$name: the tables say that jumps recorded every hit"
	steps 'set mechanism int3' "$@"
	how "$count" int3 "'as it was asked for'" "$name: the tables say that int3s recorded every hit"
}

both 'the process executes another program' 1000 'time work' run -- "$LEAVES" 1000
both 'the process executes another program, not followed' 1000 'set follow exec off' 'time work' run \
	-- "$LEAVES" 1000
both 'a library is unloaded' 150 'break entry plugin_work if 1' run \
	-- "$PROGRAMS/loader" "$PROGRAMS/plugin"
# the tool must then count the other places again
both 'a library is unloaded, and nodes are added' 150 'break entry plugin_work if 1' \
	'break exit main' run 'break entry puts' 'delete 3' continue \
	-- "$PROGRAMS/loader" "$PROGRAMS/plugin"

# a program that has both mechanisms, one after the other
for order in 'fast int3' 'int3 fast'; do
	steps "set mechanism ${order% *}" 'time work' 'break entry main' run \
		continue "set mechanism ${order#* }" continue \
		-- "$LEAVES" 10 "$LEAVES" 10
	how 20 'fast, int3' "'as it was asked for'" \
		"nodes that were ${order/ /, then }: the tables have both mechanisms"
done
steps 'set mechanism int3' 'time work' run 'zero tables' 'set mechanism fast' \
	run -- "$LEAVES" 1000
how 1000 fast None 'zero tables forgets the mechanism of the last run'
# a breakpoint that stops the program is an int3, and its hits are not measured
steps 'set mechanism fast' 'monitor off' 'break entry work if 1' run continue \
	'monitor on' continue -- "$LEAVES" 1 "$LEAVES" 10
how 9 fast None 'hits that stopped the program do not count as int3 hits'

# breakpoints that were deleted or disabled, while the places in the program
# stay because of other breakpoints
steps 'set mechanism fast' 'break entry work if 1' 'break exit work if 1' \
	'break exit main' run 'delete 1' 'disable 2' continue \
	-- "$PROGRAMS/segment" nothing 1000
how 2000 fast None 'deleted and disabled breakpoints keep the mechanism of their hits'

# ---- the tables as text -----------------------------------------------------

# tables MECHANISM: sets $out to the tables as text
tables() {
	try perftool -q -n -b -o t.txt -e "set mechanism $1" -e 'time work' \
		-- "$LEAVES" 1000
	out=$(<t.txt)
}

tables fast
like "$out" 'Calibrated Cost per Fast Hit = [0-9.]+ns, spread' \
	'with jumps, the heading has the cost of a fast hit'
unlike "$out" 'Calibrated Cost per Perf Break|int3' 'with jumps, the tables do not mention int3s'
tables int3
like "$out" 'int3 at nodes 1, 2: as it was asked for\.' 'with int3s, the tables give the reason'

done_testing

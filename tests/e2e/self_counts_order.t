#!/usr/bin/env bash
# What the program's threads count of legs that match by order is what the tool
# counts from records: chains of legs, the period of a node, nodes in the middle
# of functions and at their exits, conditions, threads, signals, fork, and
# changes amid the run.
# tier: core full
# covers: arch/x86_64 probe/rings probe/fast measure
# shellcheck disable=SC2016 # $arg1 is perftool's
. "$(dirname "$0")/../lib.sh"

# what does not depend on time
counts='[(x["name"], x["count"], x["ignored_from"],
	x["ignored_to"], x["unwound"], x["discarded"], x["open"], x["interrupted"])
	for x in t["legs"]], [(n["location"], n["count"]) for n in t["nodes"]],
	t["summary"]["breaks"]'
by='" ".join(x["counted"] or "-" for x in t["legs"])'

# both NAME WHO COMMAND... -- PROGRAM...: runs it with each kind of counting. WHO
# is a regular expression of what counts the legs if threads may count. Fails if
# this case is left out.
both() {
	local name=$1 who=$2 kind words=()
	shift 2
	one_in 4 || return
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	for kind in ring program; do
		batch 'set mechanism auto' "set counting $kind" "${words[@]}" "$@"
		is "$status" 0 "$name, $kind: status 0"
		[ "$kind" = program ] || wanted=$(json "$counts")
	done
	is "$(json "$counts")" "$wanted" "$name: threads count the same as the tool"
	like "$wanted" '[1-9]' "$name: something is counted"
	like "$(json "$by")" "^$who\$" "$name: it is known who has counted"
	is "$(json 'kept(), t["summary"]["breaks"] == sum(n["count"] for n in t["nodes"])')" \
		'True True' "$name: each hit of a node is a break, and in its legs"
}

order=$PROGRAMS/order
middle=$(grep -n 'the middle \*/' "$ROOT/tests/programs/order.c" | cut -d: -f1)

both 'a leg' program 'break entry one' 'break entry two' 'add leg 1 2' -- "$order" &&
	is "$(json 'node(1)["count"]')" "$(own ones)" 'each call is counted'
both 'a leg, first' program 'break entry one' 'break entry two' \
	'add leg 1 2 match=first' -- "$order"
chain=('break entry one' 'break entry two' 'break exit three' 'break entry four')
both 'a ring of legs' 'program program program program' "${chain[@]}" \
	'add leg 1 2' 'add leg 2 3 match=first' 'add leg 3 4' \
	'add leg 4 1 match=first' -- "$order"
both 'the period of nodes' 'program program program' 'break entry often' \
	'break entry handled' 'break exit two' 'add leg 1 1' \
	'add leg 2 2 match=first' 'add leg 3 3' -- "$order" &&
	is "$(json 'leg(0)["count"], leg(0)["ignored_to"], leg(0)["discarded"]')" \
	"$(($(own oftens) - 3)) 3 3" 'the first hit of a thread ends no period'
both 'the middle of a function' 'program program' "break order.c:$middle" \
	'break return twice' 'break entry one' 'add leg 1 2' 'add leg 2 3' -- "$order"
both 'a condition' 'program program' 'break entry one if $arg1 % 3 == 0' \
	'break entry two if $arg1 > 5' 'break entry four' 'add leg 1 2' \
	'add leg 2 3' -- "$order"
both 'fork' 'program program' 'break entry one' 'break entry two' \
	'add leg 1 2' 'add leg 2 1' -- "$order" 3000 fork
both 'many short threads' 'program program' 'break entry work' \
	'break exit work' 'break entry brief' 'break exit brief' 'add leg 1 2' \
	'add leg 3 4' -- "$PROGRAMS/threads" 4 3000
both 'recursion' 'program program' 'break entry even' 'break entry odd' \
	'add leg 1 2' 'add leg 2 1' -- "$PROGRAMS/recursion"
crowd=()
for name in saves frames loops entered enters tables begins locks brief follows; do
	crowd+=("break entry $name")
done
for i in {1..9}; do crowd+=("add leg $i $((i + 1))"); done
both 'places with little room' 'program( program){9}' "${crowd[@]}" 'add leg 10 1' \
	-- "$PROGRAMS/cramped" 500
both 'functions beside it' 'program program program' 'time twice' \
	'break entry one' 'break entry two' 'add leg 3 4' 'add leg 4 3' -- "$order"
both 'a tail jump beside it' 'program program' 'time hop' 'break exit often' \
	'add leg 3 3' -- "$order"

# Signals arrive anywhere, in the counting code, too. The handler makes hits.
batch 'set mechanism auto' 'set counting program' 'break entry work' \
	'break exit work' 'add leg 1 2' 'add leg 2 1' -- "$PROGRAMS/signals" 3000 300
is "$(json "$by")" 'program program' 'signals: threads have counted'
is "$(json 'node(1)["count"], node(2)["count"], kept()')" \
	"$(own work) $(own work) True" 'signals: each hit is counted once'
batch 'set mechanism auto' 'set counting program' 'break entry work' \
	'add leg 1 1' -- "$PROGRAMS/signals" 3000 300
is "$(json 'leg(0)["count"], leg(0)["counted"]')" "$(($(own work) - 1)) program" \
	'signals: each hit but the first ends a period'

# Threads end next to their last hit.
batch 'set mechanism auto' 'set counting program' 'break entry brief' \
	'break exit brief' 'break entry work' 'add leg 1 2' 'add leg 2 1' 'add leg 3 3' \
	-- "$PROGRAMS/storm" 1000
is "$(json "$by")" 'program program program' 'threads that come and go: threads have counted'
is "$(json 'leg(0)["count"], leg(1)["count"], leg(1)["discarded"], kept()')" \
	'2000 1000 1000 True' 'threads that come and go: each hit is counted'
is "$(json 'leg(2)["count"] + 2')" "$(own work)" \
	'threads that come and go: each period of the others is counted'

# A library is loaded, and loaded again, while the other node is counted.
line=$(grep -n 'sum += work' "$ROOT/tests/programs/loader.c" | cut -d: -f1)
PENDING=1 both 'a library that is loaded' 'program program' "break loader.c:$line" \
	'break entry plugin_work' 'add leg 1 2' 'add leg 2 1' -- \
	"$PROGRAMS/loader" "$PROGRAMS/plugin" &&
	is "$(json 'leg(0)["count"]')" 150 'each call in the library ends the leg'

# ---- what stays on records ---------------------------------------------------

both 'a node of two legs' 'ring ring ring' 'break entry one' 'break entry two' \
	'break entry three' 'add leg 1 2' 'add leg 1 3' 'add leg 3 1' -- "$order"
both 'the end of a frame elsewhere' 'ring.* ring.* program' 'break return hop' \
	'break entry one' 'break entry two' 'break entry three' 'add leg 1 2' \
	'add leg 2 1' 'add leg 3 4' -- "$order"
both 'frames that the tool waits for' 'ring (program, )?ring' 'break return hop' \
	'break exit often' 'break entry one' 'add leg 1 3' 'add leg 2 2' -- "$order"
both 'an int3' 'ring, tool ring program' 'break entry one mechanism=int3' \
	'break entry two' 'break entry three' 'break entry four' 'add leg 1 2' \
	'add leg 2 3' 'add leg 4 4' -- "$order" 2000
both 'other owners' 'ring program' 'break entry one' 'break entry two' \
	'break entry three' 'break entry four' 'add leg 1 2 match=nested' \
	'add leg 3 4' -- "$order"
both 'a key' 'ring' 'break entry even' 'break entry odd' \
	'add leg 1 2 key=$arg1:$arg1+1' -- "$PROGRAMS/recursion"

# ---- a change amid the run -----------------------------------------------------

# At each stop, a leg of the chain is open. Threads count the legs, then the tool
# does, and then threads again.
stop=$(grep -n 'sum += depth' "$ROOT/tests/programs/recursion.c" | cut -d: -f1)
amid() {
	both "$1" "$2" 'break entry even' 'break entry odd' 'add leg 1 2' \
		'add leg 2 1' "break recursion.c:$stop" 'monitor on' run continue \
		continue \
		"${@:3}" continue 'delete break 3' continue 'save tables t.json' -- "$PROGRAMS/recursion"
}
amid 'a leg is split' 'program, ring program, ring' 'split leg 0 by=$arg1' \
	continue continue
amid 'a leg is split for some time' 'program, ring.* program, ring.*' \
	'split leg 0 by=$arg1' continue 'delete split leg 0' continue
amid 'tables are set to zero' 'program program' 'zero tables' continue
amid 'nothing is monitored for some time' 'program program' 'monitor off' continue \
	'monitor on'
amid 'a leg of the chain is deleted' 'program' 'delete leg 1' continue
amid 'a node is disabled for some time' 'program program' 'disable 2' \
	continue 'enable 2'

done_testing

#!/usr/bin/env bash
# Go programs: legs are owned by goroutines. Go copies the stacks of goroutines
# and moves goroutines between threads, and a function begins again when its
# stack has grown.
# tier: core
# covers: measure/threads probe/arrival expr/evaluate expr/compile
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

export GOCACHE=$SCRATCH/cache GOFLAGS=-mod=mod GO111MODULE=off GOTOOLCHAIN=local
if ! go build -o truth "$ROOT/tests/programs/goroutines.go" 2>build.log; then
	fail 'the Go program compiles' "$(cat build.log)"
	done_testing
fi

# figures LEG: prints the figures of the leg that do not depend on time
figures() {
	json "[time('main.$1')[name] for name in ('owner', 'count', 'ignored_from',
		'ignored_to', 'unwound', 'discarded', 'open')]"
}

for MECHANISM in fast int3; do
	# ---- calls that sleep, in goroutines that wake up in any thread ----
	# the cost of a break varies with the load of the machine, so that the
	# compensation may be more than these breaks cost
	batch 'set compensation off' 'time main.nap' -- ./truth naps
	is "$(own nap)" 20 "$MECHANISM: the program naps 20 times"
	is "$(figures nap)" 'goroutine 20 0 0 0 0 0' "$MECHANISM: each nap is measured"
	ok "$MECHANISM: each nap takes as long as its goroutine sleeps" \
		[ "$(json 'time("main.nap")["min_ns"] >= 5000000')" = True ]
	is "$(json 'time("main.nap")["cpu_ns"]')" None \
		"$MECHANISM: a leg of goroutines has no CPU time"

	# ---- stacks that grow while calls are open in them ----
	times main.deep -- ./truth grow
	is "$(figures deep)" "goroutine $(own deep) 0 0 0 0 0" \
		"$MECHANISM: calls are measured while their stacks are copied"
	is "$(json '[entry("main.deep")["count"], exit("main.deep")["count"]]')" \
		"$(own deep) $(own deep)" \
		"$MECHANISM: a call whose stack grows is counted once"

	# ---- a function that yields at its beginning ----
	GODEBUG=asyncpreemptoff=1 times main.work -- ./truth busy
	is "$(figures work)" "goroutine $(own work) 0 0 0 0 0" \
		"$MECHANISM: a call that yields at its beginning is counted once"

	# ---- panics, which are recovered from ----
	times main.guarded main.fails -- ./truth panics
	is "$(figures guarded)" "goroutine $(own guarded) 0 0 0 0 0" \
		"$MECHANISM: calls that recover from a panic are measured"
	is "$(json '(lambda l: [l["count"], l["unwound"] + l["discarded"],
		l["ignored_to"]])(time("main.fails"))')" \
		"$(own returned) $(($(own fails) - $(own returned))) 0" \
		"$MECHANISM: calls that panic are unwound, the others measured"
	is "$(json 'kept()')" True "$MECHANISM: with panics, the counts of legs and nodes agree"

	# ---- goroutines that end with open activations ----
	batch 'break entry main.begin if 1' 'break entry main.finish if 1' \
		'add leg 1 2' -- ./truth ends
	is "$(json '(lambda l: [l["owner"], l["count"], l["ignored_to"],
		l["discarded"]])(leg(0))')" "goroutine $(own both) 50 50" \
		"$MECHANISM: what one goroutine has left open is not ended by another"
	batch 'break entry main.begin if 1' 'break entry main.finish if 1' \
		'add leg 1 2 key=$g' -- ./truth ends
	is "$(json 'leg(0)["owner"], leg(0)["count"]')" "key=\$g $(own both)" \
		"$MECHANISM: key=\$g counts the executions of each goroutine"

	# ---- channels ----
	batch 'time main.answer by=$g' -- ./truth pingpong
	is "$(figures answer)" "goroutine $(own answer) 0 0 0 0 0" \
		"$MECHANISM: calls of goroutines that wake each other are measured"
	is "$(json 'sorted(v["count"] for v in
		time("main.answer")["by"]["values"])')" '200 200 200' \
		"$MECHANISM: by=\$g has a row for each goroutine"

	# ---- another owner, if the user asks for it ----
	batch 'break entry main.begin if 1' 'break entry main.finish if 1' \
		'add leg 1 2 owner=thread' -- ./truth ends
	is "$(json 'leg(0)["owner"]')" thread \
		"$MECHANISM: owner=thread makes threads the owners of a leg"
	batch 'set owner thread' 'break entry main.begin if 1' \
		'break entry main.finish if 1' 'add leg 1 2' -- ./truth ends
	is "$(json 'leg(0)["owner"]')" thread \
		"$MECHANISM: set owner thread makes threads the owners of a leg"
	batch 'track successor' 'add successor' 'break entry main.begin if 1' \
		'break entry main.finish if 1' -- ./truth ends
	is "$(json '[(l["owner"], l["count"]) for l in t["legs"]
		if (l["from"], l["to"]) == (1, 2)]')" "('goroutine', $(own both))" \
		"$MECHANISM: a goroutine's successor is its own next hit"
done

# ---- functions that end in a jump, and whose goroutine goes on elsewhere ----
(cd "$ROOT/tests/programs/gotails" && go build -o "$SCRATCH/work/gotails") \
	>build.log 2>&1
ok 'the program with jumps compiles' [ -x gotails ]
for MECHANISM in fast int3; do
	times main.leafJump.abi0 main.sleepJump.abi0 main.growJump.abi0 -- ./gotails
	for function in leaf sleep grow; do
		is "$(figures ${function}Jump.abi0)" \
			"goroutine $(own $function) 0 0 0 0 0" \
			"$MECHANISM: ${function}Jump, which ends in another function, is measured"
	done
done

MECHANISM=fast
times main.sleepJump.abi0 -- ./gotails
ok 'a frame that ends in another function takes as long as it sleeps' \
	[ "$(json 'time("main.sleepJump.abi0")["min_ns"] >= 2000000')" = True ]
times main.deep -- ./truth grow
is "$(mechanisms_once)" fast 'nodes whose legs belong to goroutines can be fast nodes'

# The functions of the runtime itself, from the first instruction of the program
# on.
times 'runtime.s*' '*rt0*' -- ./truth naps
is "$(own nap)" 20 'the Go runtime works while its functions are timed'
is "$(json 'sorted(n["mechanism"] for n in t["nodes"] if n["kind"] == "entry"
	and n["function"] in ("runtime.rt0_go.abi0", "runtime.settls.abi0"))')" \
	'int3 int3' 'code that is executed before there are goroutines has int3 nodes'

# ---- a program without debug information ----
go build -ldflags=-w -o bare "$ROOT/tests/programs/goroutines.go"
for MECHANISM in fast int3; do
	batch 'time main.nap by=$g' -- ./bare naps
	is "$(figures nap)" 'goroutine 20 0 0 0 0 0' "$MECHANISM: -w: each nap is measured"
	is "$(json 'sorted(v["count"] for v in
		time("main.nap")["by"]["values"])')" '5 5 5 5' \
		"$MECHANISM: -w: by=\$g has a row for each goroutine"
	ok "$MECHANISM: -w: \$g is a goroutine's number, not an address" [ "$(json \
		'all(int(v["value"]) < 10000
			for v in time("main.nap")["by"]["values"])')" = True ]
done

# ---- what is inside the slowest executions ----
for mechanism in auto int3; do
	try perftool -q -n -b -e "set mechanism $mechanism" -e 'set inside 3' \
		-e 'time main.outer' -e 'time main.inner' -e run \
		-e 'set format json' -e 'print slowest inside 3 leg 0 > i.json' \
		./truth nests
	is "$(json '[[x["place"] for x in e["inside"]] for e in t] ==
		3 * [5 * ["main.inner"]]' i.json)" True \
		"$mechanism: set inside: an execution has what its goroutine recorded"
done
try perftool -b -e 'break sync enter' ./truth nests
like "$err" "not those of Go's runtime" \
	'break sync says that it does not know locks of Go'

# ---- a program without names ----
go build -ldflags=-s -o nameless "$ROOT/tests/programs/goroutines.go"
times main.nap -- ./nameless naps
is "$(own nap)" 20 '-s: the program naps 20 times'
like "$err" "nameless: no names, .*; it was stripped, or linked with \
-ldflags=-s; build it with -ldflags=-w to keep the functions' names" \
	'-s: a message says why there are no names'

# ---- $g at a stop ----
try perftool -q -n -b -e 'break main.nap' -e run -e 'evaluate $g > 0' \
	-e 'delete breaks' -e continue ./truth naps
like "$out" $'(^|\n)1\n' 'evaluate knows $g at a stop'
try perftool -q -n -b -e 'break main' -e run -e 'evaluate $g' "$SAMPLES/recursion"
is "$status" 125 '$g in a program that is not Go is an error'
like "$err" "'\\\$g' is the goroutine of a Go program, and this is not a Go program" \
	'the error about $g says that the program is not a Go program'

done_testing

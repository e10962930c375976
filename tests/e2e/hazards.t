#!/usr/bin/env bash
# What threads count by themselves is right where it is in danger: thousands of
# legs, a thousand threads, jumps out of a hundred frames, signals that interrupt
# the counting itself, processes and threads that end amid open frames, and more
# open frames than a thread can count. Each program knows its own truth, and the
# same is counted from records.
# tier: core full
# covers: arch/x86_64 probe/rings probe/fast measure/threads
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"

# counted KIND COMMAND... -- PROGRAM [ARG...]: runs the program with this kind of
# counting; the report is then in t.json, and a copy of it in KIND.json
counted() {
	local kind=$1 words=()
	shift
	while [ "$1" != -- ]; do
		words+=(-e "$1")
		shift
	done
	shift
	rm -f t.json
	try perftool -q -n -b -f json -o t.json -e 'set mechanism auto' \
		-e "set counting $kind" "${words[@]}" -- "$@"
	cp t.json "$kind.json"
}

# all_kept NAME: nothing disappears, and each hit is a break
all_kept() {
	is "$(json 'kept(), t["summary"]["breaks"] == sum(n["count"]
		for n in t["nodes"])')" 'True True' \
		"$1: the counts of legs, nodes and breaks agree"
}

# figures FUNC WANTED NAME: what became of the executions of the function
figures() {
	is "$(json "[time('$1')[k] for k in ('count', 'ignored_from',
		'ignored_to', 'unwound', 'discarded', 'open')]")" "$2" "$3"
}

# by FUNC WANTED NAME: from what the executions of the function were counted
by() {
	is "$(json "time('$1')['counted']")" "$2" "$3"
}

# sum WORD: prints the sum of the numbers behind this word in $out
sum() {
	awk -v word="$1" '{ for (i = 1; i < NF; i++)
		if ($i == word) sum += $(i + 1) } END { print sum + 0 }' \
		<<<"$out"
}

# In the tier core, only what threads count by themselves is tried.
kinds='ring program'
in_full || kinds=program

# ---- 4,200 legs ----------------------------------------------------------------

if in_full; then
	# 4,095 legs can be counted by threads, and a thread has buckets for 2,048 legs.
	for kind in $kinds; do
		counted "$kind" 'time leg_* most=4200' -- "$PROGRAMS/legion"
		is "$status" 0 "4,200 legs, $kind: status 0"
		cp "$SCRATCH/out" truth
		is "$(json '[(n["function"], n["count"], n["id"])
			for truth in [dict(line.split() for line in open("truth"))]
			for n in t["nodes"] if n["count"] != int(truth[n["function"]])]')" \
			'' "4,200 legs, $kind: each node has the hits that the program has counted"
		is "$(json 'len(t["legs"]), {tuple(x[k] for k in ("ignored_from",
			"ignored_to", "unwound", "discarded", "open"))
			for x in t["legs"]}')" '4200 {(0, 0, 0, 0, 0)}' \
			"4,200 legs, $kind: each execution is measured"
		is "$(json 'all(x["min_ns"] <= x["p50_ns"] <= x["p999_ns"]
			for x in t["legs"])')" True "4,200 legs, $kind: each leg has percentiles"
		all_kept "4,200 legs, $kind"
	done
	is "$(json 'sorted(x["id"] for x in t["legs"] if x["counted"] == "program")
		== list(range(4095))')" True 'threads count legs 0 to 4094'
	is "$(json '{x["counted"] for x in t["legs"] if x["id"] >= 4095}')" "{'ring'}" \
		'the tool counts the other legs from records'
fi

# ---- 1,000 threads -------------------------------------------------------------

# Where the machine does not allow so many, as many as it allows.
wanted=1000
in_full || wanted=200
try "$PROGRAMS/regiment" $wanted
threads=$(own alive) kb=$(own kb)
if [ "$threads" -lt $wanted ]; then
	echo "this machine allows $threads threads: 3/4 of them are measured" | diag
	threads=$((threads * 3 / 4))
	try "$PROGRAMS/regiment" "$threads"
	kb=$(own kb)
fi
for kind in $kinds; do
	counted "$kind" 'time work' -- "$PROGRAMS/regiment" "$threads"
	name="$threads threads, $kind"
	is "$status $(own alive)" "0 $threads" "$name: all of them are alive at once"
	is "$(own work)" $((threads * 300)) "$name: the program has made all calls"
	figures work "$(own work) 0 0 0 0 0" "$name: each call is measured"
	all_kept "$name"
	by work "$kind" "$name: work() is counted so"
	more=$(($(own kb) - kb))
	ok "$name: its memory is at most 64 KiB a thread, and 4 MiB (it is $more KiB)" \
		[ $more -le $((threads * 64 + 4096)) ]
done

# ---- jumps out of a hundred frames ---------------------------------------------

for kind in $kinds; do
	counted "$kind" 'time descend' -- "$PROGRAMS/leaps"
	is "$status" 0 "longjmp, $kind: status 0"
	figures descend "$(own left) 0 0 $(own unwound) 0 0" \
		"longjmp, $kind: exactly the frames that were left are unwound"
	# (Of four rounds, one leaves 100 frames and two leave 50.)
	is "$(own unwound)" $((2 * 500 * (100 + 2 * 50))) \
		"longjmp, $kind: the program has left as many frames as it should"
	all_kept "longjmp, $kind"
	by descend "$kind" "longjmp, $kind: descend() is counted so"
done

# ---- signals that interrupt the counting -----------------------------------------

# A jump out of a handler may leave leaf() between a hit and what the program
# itself counts.
for stack in own alternate; do
	for kind in $kinds; do
		name="signals on the $stack stack, $kind"
		counted "$kind" 'time outer' 'time leaf' 'time handled' -- \
			"$PROGRAMS/alarms" $stack 2000
		is "$status $(own wrong)" '0 0' "$name: the program computes what it should"
		ok "$name: handlers have jumped out ($(own leaps))" [ "$(own leaps)" -gt 0 ]
		figures outer "$(own outer_left) 0 0 $(($(own outer_entered) - \
			$(own outer_left))) 0 0" "$name: each call of outer() is counted"
		near "$(json 'entry("leaf")["count"]')" "$(own leaf_entered)" \
			"$(own leaps)" "$name: each entry of leaf() is counted once"
		near "$(json 'exit("leaf")["count"]')" "$(own leaf_left)" \
			"$(own leaps)" "$name: each return of leaf() is counted once"
		is "$(json 'entry("handled")["count"], exit("handled")["count"]')" \
			"$(own handled_entered) $(own handled_left)" \
			"$name: the function that handlers call is counted"
		is "$(json 'time("leaf")["ignored_to"], time("handled")["ignored_to"],
			time("leaf")["open"], time("handled")["open"]')" '0 0 0 0' \
			"$name: no execution loses its beginning"
		all_kept "$name"
		by outer "$kind" "$name: outer() is counted so"
	done
	if [ $stack = own ]; then
		by handled program 'threads count in a handler on their own stack'
	else
		by handled ring 'the tool counts in a handler on another stack'
	fi
	is "$(json '"program" in time("leaf")["counted"]')" True \
		"signals on the $stack stack: threads count what they interrupt"
done

# The handler of the first fault never returns. The handler of the second one
# does, to a place with almost the same stack pointer.
for kind in $kinds; do
	counted "$kind" 'time look' -- "$PROGRAMS/stumbles" 500
	is "$status $(own calls) $(own returns)" '0 1000 500' \
		"jumps out of first instructions, $kind: status 0"
	figures look '500 0 0 500 0 0' \
		"jumps out of first instructions, $kind: no later entry is taken for an earlier one"
	all_kept "jumps out of first instructions, $kind"
	by look "$kind" "jumps out of first instructions, $kind: look() is counted so"
done

# ---- processes and threads that end amid open frames -----------------------------

# departs HOW IGNORED DISCARDED: dive() has these figures
departs() {
	for kind in $kinds; do
		name="$1 amid open frames, $kind"
		counted "$kind" 'time dive' 'time work' -- "$PROGRAMS/departures" \
			"$1" 20
		is "$status" 0 "$name: status 0"
		is "$(json 'entry("dive")["count"], exit("dive")["count"]')" \
			"$(sum entered) $(sum left)" \
			"$name: each process's entries and returns are counted"
		figures dive "$(($(sum left) - $2)) 0 $2 0 $3 0" \
			"$name: so is what becomes of the frames"
		figures work "$(sum work) 0 0 0 0 0" \
			"$name: calls of another function meanwhile are measured"
		all_kept "$name"
		by dive "$kind" "$name: dive() is counted so"
		by work "$kind" "$name: work() is counted so"
	done
}

# The frames of a child of fork belong to its parent. Those of an image or a
# thread that ends are discarded.
for way in $(sampled 2 fork:200:0 vfork:0:0 vexec:0:0 spawn:0:0 exec:0:200 \
	exit:0:200 cancel:0:200); do
	IFS=: read -r how ignored discarded <<<"$way"
	departs "$how" "$ignored" "$discarded"
done

# ---- deeper than a thread can count ------------------------------------------------

# A thread counts 32,767 open frames by itself, and there are 40,000.
for kind in $kinds; do
	counted "$kind" 'time sink' 'time float_up' -- "$PROGRAMS/abyss"
	is "$status" 0 "40,000 frames, $kind: status 0"
	is "$(json 'entry("sink")["count"], exit("sink")["count"]')" \
		"$(own entered) $(own left)" "40,000 frames, $kind: no hit is lost"
	is "$(json '[time("sink")[k] for k in ("count", "ignored_from",
		"ignored_to", "open")]')" "$(own left) 0 0 0" \
		"40,000 frames, $kind: each frame that returns is measured"
	is "$(json 'time("sink")["unwound"] + time("sink")["discarded"]')" \
		"$(own lost)" "40,000 frames, $kind: the others are unwound or discarded"
	figures float_up "$(own floats) 0 0 0 0 0" \
		"40,000 frames, $kind: another function is measured in the depth"
	all_kept "40,000 frames, $kind"
done
by sink 'program, ring' 'threads count what they have room for, and the tool the rest'

done_testing

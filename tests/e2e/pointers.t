#!/usr/bin/env bash
# Expressions that follow pointers, and texts: the program reads them by itself,
# with the same figures as at int3s. Where memory is not there (any more), the hit
# has an error, and the program notices nothing, also when the tool is killed.
# tier: full
# covers: probe/rings probe/fast expr/compile arch/x86_64 target/memory
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/pointers

# figures: prints what int3s and jumps must have in common
figures() {
	json '[(n["count"], n["errors"]) for n in t["nodes"]],
		[(l["count"], rows_of(l)) for l in t["legs"]]'
}

# same WHAT MODE N: sets $off to how often the program waited, with jumps
same() {
	local int3

	MECHANISM=int3 times "$1" -- "$program" "$2" "$3"
	int3=$(figures)
	ended=$out
	MECHANISM=fast times "$1" -- "$program" "$2" "$3"
	is "$(mechanisms)" 'fast fast' "$1, $2: the nodes are jumps"
	is "$(figures)" "$int3" "$1, $2: the figures are those of int3s"
}

# ---- pointers to what is there ----
for what in 'work by=item->name' 'work by=item->inner->kind' \
	'work by=item->inner->number*2+item->inner->kind' \
	'work by=item->inner->low' 'work by=item->inner->high' \
	'work by=item->code' 'work if item->inner->number>0' \
	'work if item->name&&item->inner->number==7 by=item->name'; do
	same "$what" good 3000
	ok "$what: the thread does not stop for it" \
		[ "$(own off)" -lt 1000 ]
done
same 'spoken by=text' good 1000
is "$(json 'rows_of(time("spoken"))[0]')" 5000 'all texts count'
ok 'spoken by=text: the thread stops only for texts that are nowhere' \
	[ "$(own off)" -lt 1000 ]


# The records of texts fill the ring again and again.
batch 'set mechanism fast' 'set ring-size 64K' 'time spoken by=text' -- \
	"$program" good 20000
is "$(json 'time("spoken")["count"], sum(r[2] for r in rows_of(time("spoken"))[2])')" \
	'100000 100000' 'no record of a text is lost'
unlike "$err" 'written into' 'the ring is found as the thread has left it'

# ---- pointers to what is not there any more ----
for what in 'spoken by=text' 'seen by=inner->number' 'spoken if *text' \
	'seen if inner->number>0'; do
	same "$what" stale 20
	is "$out" $'ready\nfaults 0 child 0 handler right' \
		"$what: the program sees no fault"
	is "$out" "$ended" "$what: and ends as with int3s"
done

# Texts begin anywhere. The program may have made unaligned reads faults (AC).
same 'spoken by=text' unaligned 100
is "$status $out" '0 done' 'unaligned texts: the program sees no fault'

# A call that a profile counts is counted once, wherever its thread faults.
for mechanism in int3 auto; do
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e 'profile functions spoken seen' -e 'time spoken by=text' \
		-e run -e 'print functions' "$program" stale 20
	like "$out" $'\n2,550 [^\n]* spoken(\n|$)' \
		"$mechanism: a profile counts each call once"
done

# ---- the tool is killed ----
kills=5
in_full && kills=40
survived=0
for ((i = 0; i < kills; i++)); do
	rm -f measured stop
	: >said
	start "$program" stale 0 >said
	victim=$started
	wait_for 20 grep -q ready said
	perftool -q -n -p "$victim" -e 'time spoken by=text' \
		-e 'time seen by=inner->number' -e 'monitor on' \
		-e "continue for $((50 + i * 3))ms" -e 'shell touch measured' \
		-e 'continue for 1h' 2>/dev/null &
	tool=$!
	wait_for 60 test -e measured || diag <<<'the tool does not measure'
	kill -KILL "$tool"
	wait "$tool" 2>/dev/null
	touch stop
	wait "$victim" 2>/dev/null
	grep -q '^faults 0 child 0 handler right$' said &&
		survived=$((survived + 1))
done
is "$survived" "$kills" 'a tool that is killed harms no program'
done_testing

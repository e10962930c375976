#!/usr/bin/env bash
# `break blocks FUNC` counts each basic block of a function, whichever mechanism
# counts, and all of them together.
# tier: core
# covers: probe/request arch/x86_64
. "$(dirname "$0")/../lib.sh"

# block LINE: the count of the block at that line
block() {
	sed -n "s/.* blocks\.c:$1 in blocks, \([0-9]*\) times\{0,1\}\$/\1/p" list
}

for MECHANISM in int3 fast; do
	batch 'break blocks classify if 1' 'monitor on' 'collect nodes' run \
		'list breaks > list' 'save tables t.json' -- "$PROGRAMS/blocks"
	is "$status $(own sum)" "0 $("$PROGRAMS/blocks" | sed -n 's/^sum //p')" \
		"$MECHANISM: the program computes the same"
	wrong='' lines=0
	while read -r line; do
		lines=$((lines + 1))
		[ "$(block "$line")" = "$(own "line_$line")" ] ||
			wrong+="line $line: $(block "$line"), not $(own "line_$line"); "
	done < <(sed -n 's/^line_\([0-9]*\) .*/\1/p' <<<"$out")
	is "$lines $wrong" '9 ' "$MECHANISM: each block counts what the program counts"
	is "$(json 'node(1)["kind"], node(1)["count"]')" \
		"block $(sed -n 's/.* in blocks, \([0-9]*\) times*$/\1/p' list |
			awk '{ sum += $1 } END { print sum }')" \
		"$MECHANISM: the count of the node is the sum"
	is "$(json 'node(1)["location"]')" classify 'its location is the function'
	sed 's/0x[0-9a-f]*//; s/, \(fast\|int3\).*//' list >"list.$MECHANISM"
done
is "$(<list.int3)" "$(<list.fast)" 'both mechanisms count the same'

# a node like others: a condition, a leg, a node that is disabled
unset MECHANISM
line=$(grep -n 'HERE, sum += 7' "$ROOT/tests/programs/blocks.c" | cut -d: -f1)
batch 'break blocks classify if x >= 500' 'monitor on' \
	'add leg entry classify blocks classify' \
	'break entry classify if 1' run 'list breaks > list' \
	'save tables t.json' -- "$PROGRAMS/blocks"
is "$(block "$line")" 56 'the condition is evaluated at each block'
is "$(json 'kept()')" True 'a leg may end at blocks'
batch 'break blocks classify if 1' 'disable 1' \
	'list breaks > list' -- "$PROGRAMS/blocks"
is "$(grep -c disabled list) $(block "$line")" '1 0' \
	'blocks that are disabled do not count'

fails_with 125 'a function is missing' 'break blocks needs a function' \
	perftool -b -e 'break blocks' "$PROGRAMS/blocks"
fails_with 125 'no function classif in .*near names: classify' \
	'names that are near are told' \
	perftool -b -e 'break blocks classif' "$PROGRAMS/blocks"
done_testing

#!/usr/bin/env bash
# Programs that use SIGTRAP themselves see what they would see alone.
. "$(dirname "$0")/../lib.sh"

for how in raise int3 step block block-handled ignore; do
	alone=$("$PROGRAMS/traps" "$how")
	times work -- "$PROGRAMS/traps" "$how"
	is "$status" 0 "$how: status"
	is "$out" "$alone" "$how: the program sees what it sees alone"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(sed -n 's/^work //p' <<<"$alone" | sed 's/.*/& &/')" \
		"$how: work"
done

# It steps across the functions that are measured.
alone=$("$PROGRAMS/traps" step)
times stepped flags -- "$PROGRAMS/traps" step
is "$status" 0 'step across nodes: status'
is "$out" "$alone" 'step across nodes: each step once, at the same places'
is "$(json 'entry("stepped")["count"], exit("stepped")["count"]')" '6 6' \
	'step across nodes: stepped'
is "$(json 'entry("flags")["count"], exit("flags")["count"]')" '3 3' \
	'step across nodes: a function that reads the flags'
done_testing

#!/usr/bin/env bash
# `break sync` counts where locks of libc are tried, taken and released.
# tier: core
# covers: probe/request
. "$(dirname "$0")/../lib.sh"

for MECHANISM in int3 fast; do
	batch 'break sync test if 1' 'break sync enter if 1' \
		'break sync exit if 1' 'break sync test in some if 1' \
		'break sync enter in some if 1' 'break sync exit in some if 1' \
		-- "$PROGRAMS/locks"
	is "$status" 0 "$MECHANISM: the program ends as always"
	is "$(json '[node(n)["count"] for n in (4, 5, 6)]')" \
		"$(own some_test) $(own some_enter) $(own some_exit)" \
		"$MECHANISM: the calls of one function are counted"
	is "$(json 'sorted({n["kind"] for n in t["nodes"]})')" sync \
		"$MECHANISM: their kind is sync"
	# libc itself takes some mutexes at the beginning and the end of threads
	# and of the program, and releases all of them.
	others=$(($(json 'node(1)["count"]') - $(own test)))
	ok "$MECHANISM: libc takes a few mutexes" test "$others" -ge 0 -a "$others" -le 20
	is "$(json '[node(n)["count"] for n in (2, 3)]')" \
		"$(($(own enter) + others)) $(($(own exit) + others))" \
		"$MECHANISM: a lock that was not taken is no enter; waits are exit and enter"
done
unset MECHANISM
batch 'add leg sync enter in some sync exit in some' \
	-- "$PROGRAMS/locks"
is "$(json 'leg(0)["count"], kept()')" '100 True' 'how long a lock is held'
fails_with 125 'is none of enter, exit, test' 'another word is refused' \
	perftool -b -e 'break sync leave' "$PROGRAMS/locks"
done_testing

#!/usr/bin/env bash
# If a process is killed while it makes a child, the child is neither lost nor
# left stopped.
# tier: full
# covers: target
. "$(dirname "$0")/../lib.sh"

for how in reaper stranger exec; do
	times work -- "$PROGRAMS/orphans" 200 "$how"
	is "$status $(own harmed)" '0 0' "$how: every child has ended well"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" "$how: each call of work() is counted"
	is "$(json 'kept()')" True "$how: the counts of legs and nodes agree"
done
done_testing

#!/usr/bin/env bash
# Children whose maker is killed while it makes them are neither lost nor left
# standing.
. "$(dirname "$0")/../lib.sh"

for how in reaper stranger exec; do
	times work -- "$PROGRAMS/orphans" 200 "$how"
	is "$status $(own harmed)" '0 0' "$how: every child has ended well"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" "$how: counts"
	is "$(json 'kept()')" True "$how: nothing disappears"
done
done_testing

#!/usr/bin/env bash
# System calls of perftool fail, at some places of many: `make faults` is all.
# tier: full
# covers: target probe tests/torture
. "$(dirname "$0")/../lib.sh"
LIMIT=300

try "$ROOT/tests/torture/faults" --build "$BUILD" --small --jobs 2
is "$status" 0 'the program goes on, and perftool says what has failed'
[ "$status" = 0 ] || printf '%s\n' "$err" "$out" | diag
ok 'at least 10 system calls have failed' [ "$(sed -n 's/^faults  *\([0-9]*\) .*/\1/p' \
	<<<"$out")" -ge 10 ]
done_testing

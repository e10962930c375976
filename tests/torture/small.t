#!/usr/bin/env bash
# The torture suite in small, with fixed seeds: `make torture` is the large one.
# tier: full
# covers: probe/survive probe/site probe/rings target tests/torture
. "$(dirname "$0")/../lib.sh"

# sum NAME: the number after NAME in what the suite said
sum() {
	sed -n "s/^$1  *\\([0-9][0-9]*\\).*/\\1/p" <<<"$out"
}

# (It takes a minute, and more where int3s are dear.)
LIMIT=300 try "$ROOT/tests/torture/torture" --build "$BUILD" --keep "$SCRATCH/kept" \
	--seed 1 --small
is "$status" 0 'the torture suite ends with status 0'
[ "$status" = 0 ] || diag <<<"$err"
is "$(sum wrong)" 0 'no count is wrong'
is "$(sum 'targets harmed')" 0 'no program is harmed'
ok 'at least 60 counts are compared' [ "$(sum 'counts compared')" -ge 60 ]
ok 'at least 20 tools die' [ "$(sum 'tool deaths')" -ge 20 ]
ok 'at least 15 times, what a dead tool left is cleaned up' [ "$(sum 'cleaned up')" -ge 15 ]
ok 'breakpoints come and go at least 20 times' [ "$(sum switches)" -ge 20 ]
done_testing

#!/usr/bin/env bash
# The torture suite in small, with fixed seeds: `make torture` is the large one.
. "$(dirname "$0")/../lib.sh"

# sum NAME: the number after NAME in what the suite said
sum() {
	sed -n "s/^$1  *\\([0-9][0-9]*\\).*/\\1/p" <<<"$out"
}

try "$ROOT/tests/torture/torture" --build "$BUILD" --keep "$SCRATCH/kept" \
	--seed 1 --small
is "$status" 0 'status'
[ "$status" = 0 ] || diag <<<"$err"
is "$(sum wrong)" 0 'no wrong counts'
is "$(sum 'targets harmed')" 0 'no targets harmed'
ok 'counts were compared' [ "$(sum 'counts compared')" -ge 60 ]
ok 'tools died' [ "$(sum 'tool deaths')" -ge 20 ]
ok 'and what they left was cleaned up' [ "$(sum 'cleaned up')" -ge 15 ]
ok 'breakpoints came and went' [ "$(sum switches)" -ge 20 ]
done_testing

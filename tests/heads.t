#!/usr/bin/env bash
# Every test states in its head to which tiers it belongs and which folders it covers,
# and every folder of src/ is covered.
# tier: core
# covers: tests
. "$(dirname "$0")/lib.sh"
cd "$ROOT" || exit 2

mapfile -t tests < <(printf '%s\n' tests/unit/test_*.c tests/e2e/*.t tests/docs/*.t \
	tests/torture/*.t tests/*.t)

# one line a test: its name, and what its head has under each key
heads() {
	awk 'FNR == 1 { if (NR > 1) print file "|" tier "|" covers "|" again
			file = FILENAME; tier = covers = again = "" }
		FNR > 40 { next }
		sub(/^(#| \*) tier: /, "") { tier = tier $0 }
		sub(/^(#| \*) covers: /, "") { covers = covers $0 }
		sub(/^(#| \*) again: /, "") { again = again $0 }
		END { print file "|" tier "|" covers "|" again }' "${tests[@]}"
}

wrong=() covered=()
while IFS='|' read -r test tier folders again; do
	[[ $tier =~ ^(core|full|quiet|core\ full)$ ]] || wrong+=("$test: tier: $tier")
	[ "$folders" ] || wrong+=("$test: covers nothing")
	for folder in $folders; do
		[ -e "src/$folder" ] || [ -e "$folder" ] ||
			wrong+=("$test: covers $folder, which does not exist")
	done
	covered+=("$folders")
	[[ $again =~ ^(int3)?$ ]] || wrong+=("$test: again: $again")
done < <(heads)
is "${wrong[*]}" '' "each of ${#tests[@]} tests states its tier and what it covers"

bare=()
for folder in $(find src -name '*.c' -printf '%h\n' | sort -u); do
	[[ " ${covered[*]} " == *" ${folder#src/} "* ]] || bare+=("$folder")
done
is "${bare[*]}" '' 'each folder of src/ is covered by a test'

for tier in core full quiet; do
	ok "the tier $tier has tests" [ "$(tests/run.sh --list $tier | wc -l)" -gt 0 ]
done
is "$(comm -23 <(printf '%s\n' "${tests[@]}" | sort) \
	<(for tier in core full quiet; do ALSO=no tests/run.sh --list $tier; done | sort -u))" \
	'' 'each test is in the list of its tier'
done_testing

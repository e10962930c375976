#!/usr/bin/env bash
# Tests under prove.
#
# usage: tests/run.sh BUILD TIER          the tests of a tier: core, full or quiet
#        tests/run.sh BUILD TEST...       some, one after the other
#        tests/run.sh --list TIER         their names
#
# A test states in its head to which tiers it belongs and which folders of src/ it
# covers (doc/CONTRIBUTING.md). A test of the tiers core and full tries a sample in
# the first and everything in the second, which $PERFTOOL_TIER tells it. Given by
# its name, a test tries everything.
#
# core     what `make check` runs: quick tests, and those of the tier full that
#          cover what has changed since the main line (ALSO=no leaves these out)
# full     the rest; the tests with `again: int3` in their heads once more with a
#          tool whose nodes are all int3s; the core in other surroundings
# quiet    what compares times: one at a time
#
# Of the other tiers, twice as many tests as there are processors run at a time,
# because most of them wait for much of their time. At the end, the tests that took
# the most CPU time are named.
set -u
cd "$(dirname "$0")/.." || exit 2

# A test that hangs is ended after this many seconds (longer ones on a busy machine,
# see tests/programs/within.c). It then fails, because it has printed no plan.
limit=600

# These take longest. They begin first, so that at the end no processor is idle while
# one of them still runs.
longest=(tests/docs/memo.t tests/docs/blocks.t tests/torture/small.t)

all=(tests/unit/test_*.c tests/e2e/*.t tests/docs/*.t tests/torture/*.t tests/*.t)

# with_head KEY WORD: prints the tests whose heads have the word under the key
with_head() {
	grep -lE "^(#| \*) $1: (.* )?$2( |\$)" "${all[@]}"
}

# layer_of HEADER: prints the layer that offers it: the one that bears its name, or
# that of the first file that includes it
layer_of() {
	local name=${1##*/}

	name=${name%.h}
	[ ! -d "src/$name" ] || {
		echo "$name"
		return
	}
	name=$(find src -name "$name.c" | head -n 1)
	name=${name:-$(grep -rl "perftool/${1##*/}\"" src | head -n 1)}
	name=${name#src/}
	echo "${name%%/*}"
}

# Prints the folders that hold what has changed since the main line, as `covers:`
# names them: src/probe/rings/drain.c is in probe/rings and in probe.
changed_folders() {
	local file folder

	tests/changed.sh | while IFS= read -r file; do
		case $file in
		src/*/*) folder=${file#src/} ;;
		include/perftool/*/*.h) folder=${file#include/perftool/} ;;
		include/perftool/*.h) folder=$(layer_of "$file")/x ;;
		include/perftool.h) folder=library/x ;;
		samples/*/* | doc/*) folder=$file ;;
		tests/* | *) continue ;;
		esac
		folder=${folder%/*}
		while :; do
			echo "$folder"
			[[ $folder == */* ]] || break
			folder=${folder%/*}
		done
	done | sort -u
}

# Prints the tests that cover what has changed.
covering() {
	changed_folders | while IFS= read -r folder; do
		with_head covers "$folder"
	done | sort -u
}

# tests_of TIER: prints the names of the tests of the tier, as one.sh takes them
tests_of() {
	local also

	case $1 in
	core)
		also=()
		[ "${ALSO:-}" = no ] || mapfile -t also < <(comm -12 <(covering) \
			<(with_head tier full | sort))
		with_head tier core | grep -vxF -f <(printf '%s\n' "${also[@]}" .)
		[ ${#also[@]} = 0 ] || printf '%s@full\n' "${also[@]}"
		;;
	full)
		with_head tier full
		with_head again int3 | sed 's/$/@int3/'
		tests/surroundings/enter --list | sed 's,^,surroundings/,'
		;;
	quiet) with_head tier quiet ;;
	esac
}

if [ "${1:-}" = --list ]; then
	tests_of "${2:?is a tier: core, full or quiet}" | sort -u
	exit
fi
build=${1:?usage: tests/run.sh BUILD TIER | BUILD TEST... | --list TIER}
shift
PERFTOOL_BUILD=$(cd "$build" && pwd) || exit 2
export PERFTOOL_BUILD CMOCKA_MESSAGE_OUTPUT=TAP
export UBSAN_OPTIONS=print_stacktrace=1

case ${1:-} in
core | full | quiet) tier=$1 ;;
*) exec prove --exec "tests/one.sh $limit" "$@" ;;
esac
for command in prove gdb tmux python3 sqlite3 strace valgrind; do
	command -v $command >/dev/null || {
		echo "tests/run.sh: there is no $command; tests/setup.sh check installs what tests need" >&2
		exit 1
	}
done
export PERFTOOL_TIER=$tier
export PERFTOOL_TIMES=$build/times-$tier
jobs=$(($(nproc) * 2))
[ "$tier" != quiet ] || jobs=1

# A unit test is the program that was made of its source.
mapfile -t tests < <({
	printf '%s\n' "${longest[@]}"
	tests_of "$tier"
} | sort | uniq -d)
mapfile -t -O ${#tests[@]} tests < <(tests_of "$tier" | sort -u |
	grep -vxF -f <(printf '%s\n' "${longest[@]}"))
mapfile -t tests < <(printf '%s\n' "${tests[@]}" |
	sed "s,^tests/unit/\(.*\)\.c\(@full\)\{0\,1\}\$,$build/tests/unit/\1\2,")
[ ${#tests[@]} -gt 0 ] || {
	echo "tests/run.sh: no test has the tier $tier in its head" >&2
	exit 2
}

# prove runs the tests that no rule names one by one, after all others.
rules=()
for test in "${tests[@]}"; do
	rules+=(--rules "par=$test")
done
: >"$PERFTOOL_TIMES"
prove "-j$jobs" "${rules[@]}" --exec "tests/one.sh $limit" "${tests[@]}"
status=$?
skipped=$(grep -c '^skip ' "$PERFTOOL_TIMES")
[ "$skipped" = 0 ] || {
	echo "$skipped parts of tests were left out:"
	sed -n 's/^skip //p' "$PERFTOOL_TIMES" | sort | uniq -c | sort -rn
}
sed -i '/^skip /d' "$PERFTOOL_TIMES"
echo "The dearest tests of the tier $tier (seconds, CPU seconds):"
sort -k 2,2 -rn "$PERFTOOL_TIMES" | head -n 10 |
	while read -r took cpu test; do
		printf '%8.1f %8.1f  %s\n' "$took" "$cpu" "${test#"$build/"}"
	done
exit $status

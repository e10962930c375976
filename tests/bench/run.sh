#!/usr/bin/env bash
# The figures: perftool beside other ways of doing the same, in one run.
#
# usage: tests/bench/run.sh BUILD [ROUNDS [SUBJECT...]]     (5 rounds)
#
# In each round everything is measured once, one after the other, so that what
# disturbs the machine disturbs all of it; the medians are shown, with the
# smallest and the largest. Figures depend on the machine; what is compared with
# a goal are ratios of one run. Tools that are not installed, or that do not work
# here (who is not root has no uprobes), are left out, and named. With all
# subjects, the figures are in BUILD/bench/figures, too, and what is printed in
# BUILD/bench/report.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "${1:?usage: tests/bench/run.sh BUILD [ROUNDS [SUBJECT...]]}" &&
	pwd) || exit 2
rounds=${2:-5}
subjects=("${@:3}")
[ $# -gt 2 ] || subjects=(pairs calls threads memory fast lost legs sqlite million
	profile redis servers front_ends detail conditions counting rates pauses many server
	starts large sampling unwind compare)
# shellcheck disable=SC2034 # for what is sourced
bench=$build/tests/bench tool=$build/perftool
export LC_ALL=C
unset DEBUGINFOD_URLS
# wait_for SECONDS COMMAND...
# shellcheck source=../wait.sh
. tests/wait.sh

scratch=$(mktemp -d)
export XDG_CACHE_HOME=$scratch/cache # where perftool keeps indexes
trap 'rm -rf "$scratch"' EXIT
figures=$scratch/figures
mkdir -p "$figures" "$build/bench"

# shellcheck source=figures.sh
. tests/bench/figures.sh
# shellcheck source=pairs.sh
. tests/bench/pairs.sh
# shellcheck source=program.sh
. tests/bench/program.sh
# shellcheck source=fast.sh
. tests/bench/fast.sh
# shellcheck source=legs.sh
. tests/bench/legs.sh
# shellcheck source=sqlite.sh
. tests/bench/sqlite.sh
# shellcheck source=profile.sh
. tests/bench/profile.sh
# shellcheck source=conditions.sh
. tests/bench/conditions.sh
# shellcheck source=counting.sh
. tests/bench/counting.sh
# shellcheck source=running.sh
. tests/bench/running.sh
# shellcheck source=redis.sh
. tests/bench/redis.sh
# shellcheck source=servers.sh
. tests/bench/servers.sh
# shellcheck source=start.sh
. tests/bench/start.sh
# shellcheck source=large.sh
. tests/bench/large.sh
# shellcheck source=front_ends.sh
. tests/bench/front_ends.sh
# shellcheck source=detail.sh
. tests/bench/detail.sh
# shellcheck source=compare.sh
. tests/bench/compare.sh
# shellcheck source=sampling.sh
. tests/bench/sampling.sh

show_machine() {
	echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
		"$(nproc) CPUs, Linux $(uname -r | cut -d - -f 1);" \
		"$rounds rounds of $(date +%F)"
	awk -v cpus="$(nproc)" '$1 > cpus / 4 {
		print "Others were at work when it began: load", $1 }' \
		"$scratch/load"
}

show_goals() { # all of them, in one place
	echo "Goals: $(grep -c ': met$' "$figures/goals") met," \
		"$(grep -c ': MISSED$' "$figures/goals") missed"
	cat "$figures/goals"
}

cat /proc/loadavg >"$scratch/load"
touch "$figures/goals"
for ((round = 1; round <= rounds; round++)); do
	for subject in "${subjects[@]}"; do
		[ ! -t 2 ] || printf '\rbench: round %d of %d: %-12s' \
			"$round" "$rounds" "$subject" >&2
		"measure_$subject" "$round"
	done
done
[ ! -t 2 ] || printf '\r%40s\r' '' >&2
show_all() {
	local subject

	show_machine
	for subject in "${subjects[@]}"; do
		echo
		"show_$subject"
	done
	echo
	show_goals
}

if [ $# -gt 2 ]; then
	show_all
	exit
fi
show_all | tee "$build/bench/report"
{
	sed 's/^/# /;q' "$build/bench/report"
	write_figures
} >"$build/bench/figures"

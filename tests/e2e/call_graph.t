#!/usr/bin/env bash
# `print graph` has the calls that the program knows of, as gprof has them, by
# jumps and by int3s. `print flat` and `print graph` explain themselves once.
# tier: core
# covers: report/listings profile session/profiling
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2317 # `ok` calls it
compare() { # TOLD LISTING...
	"$ROOT/tests/e2e/call_graph.py" "$@" >differences.txt
	result=$?
	[ "$result" = 0 ] || head -n 20 differences.txt | diag
	return "$result"
}

# graph_of SEED NAME [COMMAND...]: leaves what the program says in told.txt, and
# the listing in NAME.txt
graph_of() {
	local seed=$1 name=$2 arguments=()
	shift 2
	for command in "$@" 'profile calls' run "print graph > $name.txt"; do
		arguments+=(-e "$command")
	done
	perftool -q -b "${arguments[@]}" "$PROGRAMS/callers" "$seed" \
		>told.txt 2>messages.txt || diag <messages.txt
}

for seed in 3 5 8; do
	graph_of "$seed" listing
	ok "seed $seed: the listing has the program's calls" \
		compare told.txt listing.txt
	graph_of "$seed" int3 'set mechanism int3'
	ok "seed $seed: and so with int3s" compare told.txt int3.txt
	"$PROGRAMS/callers" "$seed" >/dev/null
	gprof -b -q "$PROGRAMS/callers" gmon.out >gprof.txt
	ok "seed $seed: gprof lists the same" compare told.txt gprof.txt
done

# a listing that lacks a call is found
grep -v '^f1 ' told.txt >less.txt
ok 'the comparison finds what differs' eval '! compare less.txt listing.txt >/dev/null'

try perftool -q -b -e 'profile calls' -e run -e 'print graph > first.txt' \
	-e 'print graph > second.txt' "$PROGRAMS/callers" 3
ok 'the first listing says what its columns mean' \
	grep -q '^called  *how often' first.txt
ok 'the second one does not' eval '! grep -q "^called  *how often" second.txt'
is "$(tail -n 20 first.txt)" "$(tail -n 20 second.txt)" 'and is the same'

# Ticks alone have no counts. With both, what was counted has counts.
try perftool -q -b -e 'profile on' -e run -e 'print flat > flat.txt' \
	-e 'print graph > ticks.txt' "$PROGRAMS/cpu" compute 100
like "$(cat ticks.txt)" 'granularity: each tick stands for [^/]*No calls were counted' \
	'a graph from ticks says that no calls were counted'
like "$(cat ticks.txt)" $'\n\\[[0-9]+\\] +[0-9.]+ +[0-9.]+ +[0-9.]+ +work \\[' \
	'it has an entry without a count'
like "$(grep -A 3 '^All ticks' flat.txt)" \
	$'Count +Percent +Procedure\n-+ +-+ +-+\n[0-9]+ +[0-9.]+ +[a-z]' \
	'a flat profile has the form of SPIN'
try perftool -q -b -e 'profile on' -e 'profile calls work' -e run \
	-e 'print graph > both.txt' "$PROGRAMS/cpu" compute 100
# "%cpu" is there only where the kernel tells of context switches.
like "$(cat both.txt)" \
	$'\n\\[[0-9]+\\] +[0-9.]+( +[<0-9.-]+)? +[0-9.]+ +[0-9.]+ +100 +work \\[' \
	'with counted calls the entry has a count'

done_testing

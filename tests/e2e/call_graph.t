#!/usr/bin/env bash
# `print graph` has the calls that the program knows of, as gprof has them, by
# jumps and by int3s. `print flat` and `print graph` explain themselves once.
. "$(dirname "$0")/../lib.sh"

compare() { # TOLD LISTING...
	"$ROOT/tests/e2e/call_graph.py" "$@" >differences.txt
	result=$?
	head -n 20 differences.txt | diag
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

done_testing

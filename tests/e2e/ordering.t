#!/usr/bin/env bash
# The time of a hit is the time at which everything before it has been done. A
# jump takes the time while the processor still executes earlier instructions,
# so that the jump has to wait for them.
# tier: quiet
# covers: arch/x86_64 probe/fast probe/calibrate
. "$(dirname "$0")/../lib.sh"

measure() { # COMMAND...: commands before the program runs
	local words=()

	for command; do
		words+=(-e "$command")
	done
	try perftool -q -n -b -f json -o t.json -e 'set mechanism fast' \
		"${words[@]}" "$PROGRAMS/latency" 2000
}

# percent FUNCTION: prints the median as a percentage of the program's own time
percent() {
	json "int(100 * time('$1')['p50_ns'] / $(own own))"
}

measure 'time chain' 'time quick'
is "$status $(json 'time("chain")["count"], time("quick")["count"]')" \
	'0 2000 2000' 'each call of chain() and quick() is timed'
is "$(json 'node(1)["mechanism"]')" fast 'the nodes of chain() are jumps'
told=$(percent chain)
if [ "$told" -ge 80 ] && [ "$told" -le 125 ]; then
	pass 'chain(), whose result is waited for, is timed to its end'
else
	fail 'chain(), whose result is waited for, is timed to its end' \
		"$told % of $(own own) ns"
fi
ok 'the time of quick() does not contain that of chain()' [ "$(percent quick)" -le 20 ]

# cost ON_OR_OFF: prints the cost of a jump's hit in ns, as calibration has
# measured it
cost() {
	perftool -q -n -b -e 'set mechanism fast' -e "set ordering $1" \
		-e 'time chain' "$PROGRAMS/latency" 2000 2>&1 |
		sed -n 's/^Calibrated Cost per Fast Hit = \([0-9.]*\)ns,.*/\1/p'
}

measure 'set ordering off' 'time chain'
# How far a processor executes ahead of its instructions depends on its size.
ok 'set ordering off: the end of chain() is not waited for' [ "$(percent chain)" -le 75 ]
ok 'set ordering off: a hit costs less' awk -v on="$(cost on)" \
	-v off="$(cost off)" 'BEGIN { exit !(0 < off && off < on) }'

# ---- profiles of calls ----
functions() { # ON_OR_OFF
	try perftool -q -n -b -e "set ordering $1" -e 'profile functions chain quick' \
		-e run -e 'print functions > functions.txt' "$PROGRAMS/latency" 200
}
functions on
like "$(cat functions.txt)" ' chain' 'calls of chain() are profiled'
is "$(grep -c 'set ordering off' functions.txt)" 0 \
	'a profile of calls whose jumps wait says nothing of it'
functions off
is "$(grep -c 'set ordering off' functions.txt)" 1 \
	'a profile of calls whose jumps do not wait says so'

# ---- the setting changes during a run ----
try perftool -q -n -e 'set mechanism fast' -e 'time chain' -e 'break half' -e run \
	-e 'set ordering off' -e continue -e 'save tables t.json' \
	"$PROGRAMS/latency" 2000
is "$status $(json 'time("chain")["count"]')" '0 2000' \
	'set ordering off during a run: no call is lost'
try perftool -q -n -e 'show ordering' -e 'set ordering off' -e 'show ordering'
is "$out" $'ordering      on\nordering      off' 'show ordering shows the setting'
done_testing

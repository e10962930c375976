# shellcheck shell=bash disable=SC2154,SC2016
# Sourced by run.sh: how true the time of a leg is, beside what the program knows
# of itself in the same run (see legs.c).
#
# A disturbance of some milliseconds, in calls that are measured and not in those
# they are compared with or the other way round, is more than the goals allow. So:
#
#   undisturbed	what the same code takes without nodes, in blocks between those
#		with nodes, on average; a block that took 20 us more than that in
#		the middle was disturbed: it is left out if it has no nodes, and
#		what it took more is added if it has. Nothing is assumed of what
#		nodes cost. The goals of fast legs up to 1 us.
#   same	the very calls that were measured, timed around them, less what
#		the nodes of an empty function cost. That is known to some ns;
#		the goals of fast legs from 10 us on.
#   plain	what the same code takes without nodes, on average. The goals of
#		int3 legs: an int3 costs a microsecond more or less, by what is
#		in the caches, which the others would take for a disturbance.

measure_legs_by() { # KEY ROUNDS MECHANISM [CONDITION [COMMAND]]
	local name value

	timeout 120 "$tool" -q -n -f json -o "$scratch/legs.json" -b \
		-e "set mechanism $3" -e "${5-set mechanism $3}" \
		-e "time leg_*${4:+ if $4}" \
		"$bench/legs" "$2" >"$scratch/own" 2>"$scratch/messages" ||
		die "perftool failed on legs: $(complaint)"
	while read -r name value; do
		record "leg-$1-$name" "$value"
	done < <(/usr/bin/python3 - "$scratch/legs.json" "$scratch/own" <<-'END'
		import json, sys
		table = json.load(open(sys.argv[1]))
		function = {n["id"]: n["function"] for n in table["nodes"]}
		own = {}
		for line in open(sys.argv[2]):
		    name, what, value = line.split()
		    own[name, what] = float(value)
		for leg in table["legs"]:
		    name = function[leg["from"]].removeprefix("leg_")
		    if name == "empty" or leg["mean_ns"] is None:
		        continue
		    for what in "undisturbed", "plain", "same":
		        print(name + "-" + what, leg["mean_ns"] - own[name, what])
		    print(name + "-p50", leg["p50_ns"] - own[name, "middle"])
		    print(name + "-own", own[name, "plain"])
		    print(name + "-mean", leg["mean_ns"])
	END
	)
}

measure_legs() {
	measure_legs_by fast 1000 fast
	measure_legs_by if 300 fast '$arg1 != 0'
	measure_legs_by off 300 fast '' 'set ordering off'
	measure_legs_by int3 400 int3
}

legs_row() { # MECHANISM LENGTH FIGURE BOUND [PERCENT]
	local name=leg-$1-$2

	show "$name-mean" ns "$1, $2" "own: $(calc "$(median "$name-own")")"
	if [ -n "${5-}" ]; then
		derive "$name-percent" "100 * a / b" "$name-$3" "$name-own"
		goal "$name-percent" % '<=' "$4" "  mean, error of $1 at $2"
	else
		goal "$name-$3" ns '<=' "$4" "  mean, error of $1 at $2"
	fi
	[ "$1" != fast ] ||
		show "$name-undisturbed" ns "    less plain calls, undisturbed"
	show "$name-plain" ns "    less plain calls"
	[ "$1" != fast ] || show "$name-same" ns "    less the same calls"
	show "$name-p50" ns "    p50 less the middle plain block"
}

show_legs() {
	echo "The time of a leg, less the program's own (medians of $rounds rounds)"
	legs_row fast 100ns undisturbed 5
	legs_row fast 1us undisturbed 10
	legs_row fast 10us same 0.5 percent
	legs_row fast 100us same 0.5 percent
	legs_row fast 1ms same 0.5 percent
	legs_row fast waited undisturbed 5
	show leg-off-waited-undisturbed ns "fast, waited, ordering off: error"
	show leg-if-100ns-undisturbed ns "fast, 100ns, with a condition: error"
	show leg-int3-100ns-plain ns "int3, 100ns: error"
	legs_row int3 1us plain 200
	legs_row int3 10us plain 2 percent
	legs_row int3 100us plain 2 percent
	legs_row int3 1ms plain 2 percent
}

#!/usr/bin/env bash
# Thousands of places at once: every hit of ten thousand functions counts, under
# each mechanism, in a launched program and in one that the tool attaches to
# while two threads execute the functions.
# tier: full
# covers: probe/site probe/fast probe/request target/memory
. "$(dirname "$0")/../lib.sh"

crowd=$PROGRAMS/crowd
threads=2
# times(N): how often one round executes the first instruction of crowd_N()
py='times = lambda n: (1 + (n + n // 10) % 7) * (3 if n % 10 == 5 else 1)'
everything=$(/usr/bin/python3 -c "$py; print(sum(map(times, range(10000))))")
# single STEP: sets $some to breakpoints at every STEP-th function
single() {
	some=()
	for ((i = 0; i < 10000; i += $1)); do
		some+=("break entry crowd_$i if 1")
	done
}
# exact STEP ROUNDS: prints an expression which is true if the count of each of
# these functions is right
exact() {
	echo "all(times(n) * $2 == one(x['count'] for x in t['nodes']
		if x['function'] == 'crowd_%d' % n and x['location'] != 'crowd_*')
		for n in range(0, 10000, $1))"
}

# counts EXPRESSION [FILE]: evaluates the expression on the tables in FILE
counts() {
	json "[exec('$py', globals()), $1][1]" "${2:-t.json}"
}

# ---- launched ---------------------------------------------------------------

single 51
for mechanism in int3 fast auto; do
	MECHANISM=$mechanism batch 'break entry crowd_* if 1' -- "$crowd"
	is "$status $out" '0 1 rounds, right' \
		"$mechanism: the program with ten thousand nodes computes right"
	is "$(json 'node(1)["count"], len(node(1)["addresses"])')" \
		"$everything 10000" "$mechanism: all hits of ten thousand functions are counted"
	MECHANISM=$mechanism batch "${some[@]}" -- "$crowd"
	is "$(counts "$(exact 51 1)")" True "$mechanism: each of many breakpoints has the right count"
done

# ---- attached to ------------------------------------------------------------

single 997
for mechanism in int3 fast auto; do
	serve "$crowd" $threads
	is "$reply" ready "$mechanism: the program starts"
	attach_told -n >said 2>&1
	says go going "$mechanism: the program runs before nodes are set"
	tell "set mechanism $mechanism" 'monitor on' 'break entry crowd_* if 1'
	tell 'delete 1' 'break entry crowd_* if 1'
	like "$(<said)" 'Breakpoint #1: entry of crowd_\*, 10000 places' \
		"$mechanism, attached: 10000 places are set while the program runs"
	ask stop
	like "$reply" '^[1-9][0-9]* rounds, right$' \
		"$mechanism, attached: the program computes right"
	tell "${some[@]}" 'save tables before.json'
	says 1 "$threads rounds, right" "$mechanism, attached: one round computes right"
	tell 'save tables after.json'
	was=$(json 'node(2)["count"]' before.json)
	is "$(json 'node(2)["count"]' after.json)" \
		$((was + threads * everything)) \
		"$mechanism, attached: all hits of one round are counted"
	is "$(counts "$(exact 997 $threads)" after.json)" True \
		"$mechanism, attached: each of many breakpoints has the right count"
	says go going "$mechanism: the program runs before detaching"
	tell detach
	is "$(foreign "$server")" 0 "$mechanism, detached: the code is restored"
	ask stop
	like "$reply" '^[1-9][0-9]* rounds, right$' "$mechanism, detached: the program computes right"
	says 1 "$threads rounds, right" "$mechanism, detached: one round computes right"
	exec 5>&-
	end_server
done

done_testing

#!/usr/bin/env bash
# Coroutines: functions on stacks that the program has made itself, and
# coroutines of C++20, which have no stack. Several take turns in one thread,
# and they continue in other threads. The programs count their calls, and
# measure the time around the functions and the time of their sleeps inside.
# tier: core
# covers: measure probe/arrival
. "$(dirname "$0")/../lib.sh"
stacks=$PROGRAMS/stacks await=$PROGRAMS/await

# right NAME: each entry has its return, and the times are right. The total of
# the leg is not more than the time that the program's clock gives. The tool
# subtracts the cost of a break, which it knows to some tenths on a busy
# machine.
right() {
	local name=$1
	is "$(json 'entry("step")["count"], exit("step")["count"],
		time("step")["count"], time("inner")["count"], kept()')" \
		"$(own steps) $(own steps) $(own steps) $(own steps) True" \
		"$name: entries, returns and times are as many as the program's calls"
	is "$(json 'time("step")["total_ns"] >= 0.9 * '"$(own asked)"',
		time("step")["total_ns"] <= 1.001 * '"$(own took)"',
		time("step")["min_ns"] >= 900000')" 'True True True' \
		"$name: times are as long as by the program's clock"
	is "$(json 'time("step")["ignored_to"], time("step")["unwound"],
		time("step")["discarded"], time("step")["open"]')" '0 0 0 0' \
		"$name: no hit is ignored, unwound, discarded or open"
}

try "$stacks"
plain=${out%% asked *}
for MECHANISM in int3 fast; do
	for threads in 0 3; do
		name="$MECHANISM, $threads threads"
		times step inner switch_to -- "$stacks" $threads
		is "$status ${out%% asked *}" "0 $plain" \
			"$name: the program has its own status and output"
		right "$name"
		# switch_to() is left on one stack and returns on it when
		# another stack switches back. There is no return for the last
		# call on each stack, and the first return on each stack has no
		# call.
		is "$(json 'entry("switch_to")["count"],
			exit("switch_to")["count"],
			time("switch_to")["count"],
			time("switch_to")["ignored_to"],
			time("switch_to")["discarded"]')" \
			"$(own switches) $(own switches) $(($(own switches) - 6)) 6 6" \
			"$name: switch_to() is timed, except the last call on each stack"
	done
done

# ---- the order of hits does not tell which frame they belong to ----
# from a begin() to its end(): all the sleeps in a step(), except those before
# begin() and after end()
apart=(begin end)
told='^thread [0-9]+ begins leg 0 .begin to end. on one stack while the leg is open on another stack: .*delete leg 0., then .add leg 1 2 key=EXPR.$'
for MECHANISM in int3 fast; do
	for match in last outermost; do
		batch "${apart[@]/#/break entry }" "add leg 1 2 match=$match" \
			'add leg 2 1' -- "$stacks"
		like "$err" "$told" "$MECHANISM, match=$match: one message says that the leg is open on two stacks"
	done
	for threads in 0 3; do
		batch "${apart[@]/#/break entry }" 'add leg 1 2' 'delete leg 0' \
			'add leg 1 2 key=request' -- "$stacks" $threads
		is "$err" '' "$MECHANISM, $threads threads: with key=EXPR there is no message"
		is "$(json 'leg(1)["count"], kept(), leg(1)["total_ns"] >= 0.9 *
			'$(($(own asked) - $(own steps) * 1000000))',
			leg(1)["total_ns"] <= 1.001 * '"$(own took)")" \
			"$(own begins) True True True" \
			"$MECHANISM, $threads threads: with key=EXPR the legs are right"
	done
done

# ---- coroutines of C++20 ----
# The function itself only creates the coroutine. The code of the coroutine is
# in two other functions, one of which is for its end. Each of the two is a call
# of the coroutine, or resumes it.
line() {
	grep -n "^	*$1(request);" "$ROOT/tests/programs/await.cc" | cut -d: -f1
}
try "$await"
plain=${out%% asked *}
for MECHANISM in int3 fast; do
	for threads in 1 3; do
		name="$MECHANISM, $threads threads: co_await"
		times serve begin -- "$await" $threads
		is "$status ${out%% asked *}" "0 $plain" \
			"$name: the program has its own status and output"
		is "$(json 'sorted(n["count"] for n in t["nodes"]
			if "serve" in n["function"])')" \
			"5 5 5 5 $(($(own resumes) + 10)) $(($(own resumes) + 10))" \
			"$name: the functions of a coroutine are counted"
		is "$(json 'time("begin(int)")["count"], kept()')" \
			"$(own begins) True" "$name: a function that the coroutine calls is counted"
		# from one line of the coroutine to another, whichever thread
		# resumes it in between
		key=request
		[ "$threads" = 1 ] || key=frame_ptr
		batch "break await.cc:$(line begin)" \
			"break await.cc:$(line end)" \
			"add leg 1 2 key=$key" -- "$await" $threads
		is "$(json 'leg(0)["count"], kept(),
			leg(0)["total_ns"] >= 0.9 * '"$(own asked)"',
			leg(0)["total_ns"] <= 1.001 * '"$(own took)")" \
			"$(own begins) True True True" \
			"$name: a leg from line to line is counted and timed, key=$key"
	done
done

done_testing

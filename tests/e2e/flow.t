#!/usr/bin/env bash
# Functions that are left in every way that exists.
# tier: core
# covers: probe/arrival probe/request
. "$(dirname "$0")/../lib.sh"

# ---- returns and tail jumps ----
times many tail choose hop stay target -- "$PROGRAMS/returns"
is "$status" 0 'returns: status 0'
for function in many tail choose hop stay target; do
	is "$(json "entry('$function')['count'], exit('$function')['count']")" \
		"$(own $function) $(own $function)" "returns: every entry and exit of $function is counted"
done
is "$(own sum)" "$("$PROGRAMS/returns" | sed -n 's/^sum //p')" \
	'returns: the program computed what it should'

# ---- recursion ----
times depth even odd -- "$PROGRAMS/recursion"
for function in depth even odd; do
	is "$(json "time('$function')['count']")" "$(own $function)" \
		"recursion: every call of $function is timed"
done
is "$(json 'kept()')" True 'recursion: the legs account for every hit of their nodes'
batch 'break entry depth if 1' 'break exit depth if 1' \
	'add leg 1 2 match=outermost' -- "$PROGRAMS/recursion"
is "$(json 'leg(0)["count"]')" "$(own outermost)" \
	'recursion: outermost calls count once'
batch 'break entry depth if 1' 'break exit depth if 1' \
	'add leg 1 2' -- "$PROGRAMS/recursion"
is "$(json 'leg(0)["count"], leg(0)["ignored_from"], leg(0)["ignored_to"]')" \
	'20 600 600' "recursion: the memo's rule keeps the last start"

# ---- longjmp ----
times descend -- "$PROGRAMS/longjmp"
is "$(json 'entry("descend")["count"], exit("descend")["count"]')" \
	"$(own entered) $(own left)" 'longjmp: every entry and exit is counted'
is "$(json 'time("descend")["count"]')" "$(own left)" 'longjmp: every execution that returned is timed'
is "$(json 'time("descend")["unwound"] + time("descend")["discarded"] +
	time("descend")["open"]')" "$(own unwound)" \
	'longjmp: executions that were jumped over are counted apart'
is "$(json 'kept()')" True 'longjmp: the leg accounts for every hit of its nodes'

# ---- legs that the tool adds by itself ----
batch 'break entry fib if 1' 'set match first' 'add successor' \
	-- "$SAMPLES/recursion"
is "$(json 'leg(0)["from"], leg(0)["to"], leg(0)["match"]')" '1 1 first' \
	'a successor leg matches as legs do by default'

# ---- exceptions ----
times handle shop::Order::price parse -- "$PROGRAMS/exceptions"
is "$status" 0 'exceptions: status 0'
is "$(own caught)" 100 'exceptions: the program caught them all'
is "$(json 'time("handle(int)")["count"]')" 300 'exceptions: every return of handle is timed'
is "$(json 'time("handle(int)")["unwound"] + time("handle(int)")["discarded"]
	+ time("handle(int)")["open"]')" \
	100 'exceptions: calls of handle that a throw ended are counted apart'
is "$(json 'sum(n["count"] for n in t["nodes"]
	if "price" in n["function"] and n["kind"] == "entry")')" \
	800 'exceptions: both overloads of price are counted'
is "$(json 'sum(n["count"] for n in t["nodes"]
	if "parse" in n["function"] and n["kind"] == "entry")')" \
	"$(own parsed)" 'exceptions: both instances of parse are counted'
is "$(json 'kept()')" True 'exceptions: the legs account for every hit of their nodes'
batch 'break entry shop::Order::price(int) const if 1' \
	'break entry price(char const*) const if 1' \
	'break entry Order::price if 1' -- "$PROGRAMS/exceptions"
is "$(json '[node(n)["count"] for n in (1, 2, 3)]')" '400 400 800' \
	'exceptions: names may have or lack scope and parameters'

# ---- signals ----
times work interrupted -- "$PROGRAMS/signals" 3000 10
is "$status" 0 'signals: status 0'
is "$(own wrong)" 0 'signals: no handler spoiled the program'
is "$(json 'entry("work")["count"], exit("work")["count"]')" \
	"$(own work) $(own work)" 'signals: every call of work is counted, in handlers and outside'
is "$(json 'time("interrupted")["count"]')" "$(own interrupted)" \
	'signals: every call of a function that handlers interrupt is timed'
ok 'signals: handlers did run' [ "$(own handler)" -gt 3 ]
# ---- breakpoints that are disabled ------------------------------------------

# The program executes work() when the breakpoints are disabled, and another
# call when they are enabled again: the tool has not seen the end of the first
# call.
for mechanism in int3 fast; do
	rm -f t.json
	try perftool -q -n -b -e "set mechanism $mechanism" -e 'time work' \
		-e 'break compute' -e run -e 'disable 1' -e 'disable 2' \
		-e continue -e continue -e 'enable 1' -e 'enable 2' \
		-e 'delete break 3' -e continue -e 'save tables t.json' \
		-- "$PROGRAMS/cpu" rest 5
	is "$(json 'time("work")["discarded"], kept()')" '1 True' \
		"disabled amid an execution, $mechanism: the execution is given up"
done

done_testing

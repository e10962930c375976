#!/usr/bin/env bash
# How threads came to the slowest executions: `set stacks slowest`.
# tier: core
# covers: session/run session/call_frames sample report
# again: int3
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/reasons

# slow MS: prints of the execution in s.json that slept for so long its arguments,
# and its callers up to the function that the thread began with. (How much longer
# than that an execution takes depends on what else the machine does.)
slow() {
	json "(lambda x: ', '.join(a['name'] + '=' + a['value'] for a in x['arguments']) +
		' | ' + ' '.join(f['function'] + ('*' if f['inlined'] else '')
		for f in x['stack']))(one(x for x in t for a in x['arguments'] or ()
			if (a['name'], a['value']) == ('ms', '$1')))" s.json |
		sed -E 's/0x[0-9a-f]+/ADDRESS/g; s/ (start_thread|__libc_start).*//'
}

for mechanism in auto int3; do
	rm -f s.json t.json
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e 'set stacks slowest' -e 'time handle' -e run \
		-e 'set format json' -e 'print slowest 200 > s.json' \
		-e 'print tables > t.json' -- "$program"
	is "$(slow 30)" \
		'path="/slow", ms=30, kind=FANCY, point={...}, there=ADDRESS | handle dispatch* serve make_round main' \
		"$mechanism: a slow call has its arguments, as they were, and its callers"
	descends=$(printf 'descend %.0s' $(seq 300))
	is "$(slow 20)" \
		"path=\"/deep\", ms=20, kind=PLAIN, point={...}, there=ADDRESS | handle ${descends}make_round main" \
		"$mechanism: there is no limit for the number of callers"
	is "$(slow 10)" \
		'path="/thread\n", ms=10, kind=FANCY, point={...}, there=ADDRESS | handle second' \
		"$mechanism: a thread has a stack of its own"
	is "$(json '[x["duration_ns"] for x in t] ==
		sorted((x["duration_ns"] for x in t), reverse=True)' s.json)" True \
		"$mechanism: the slowest execution is the first"
	is "$(json 'len(t), all(x["stack"] and not x["stack_broken"] for x in t)' \
		s.json)" '100 True' "$mechanism: a hundred executions are kept with their stacks"
	is "$(json '[n["count"] for n in t["nodes"]], leg(0)["count"], kept()')" \
		'[132, 132] 132 True' "$mechanism: all calls count"
	is "$(json 'entry("handle")["mechanism"]')" int3 \
		"$mechanism: the node at which the leg begins is an int3"
	is "$(json 'str(entry("handle")["int3_reason"])[:10]')" \
		'the stacks' \
		"$mechanism: the node says why"
done

# ---- text, changes ------------------------------------------------------------

try perftool -q -n -b -e 'set stacks slowest' -e 'time handle' -e run \
	-e 'print slowest 3' "$program"
like "$out" $'\nLeg 0 \\(handle\\): [0-9.]+ms, thread [0-9]+\n#0   handle \\(path="/slow", ms=30, kind=FANCY, point=\\{...\\}, there=0x[0-9a-f]+\\) at reasons.c:[0-9]+\n#1   \\(inlined\\) dispatch at reasons.c:[0-9]+\n#2   serve at reasons.c:[0-9]+\n#3   make_round at reasons.c:[0-9]+\n#4   main at' \
	'the text has the form of the command where'
try perftool -q -n -b -e 'set stacks slowest' -e 'time handle' -e run \
	-e 'set stacks off' -e 'zero tables' -e run -e 'set format json' \
	-e 'print slowest > s.json' -e 'print tables > t.json' -- "$program"
is "$(json '{x["stack"] for x in t}' s.json)" '{None}' 'after the setting is off nothing is kept'
try perftool -q -n -b -e 'set stacks slowest' -e 'time handle' -e run \
	-e 'initialize tables' -e 'print slowest' -- "$program"
like "$out" 'No executions' 'an initialization forgets the stacks'

# ---- behind the prologue, by two legs, with a condition -------------------------

try perftool -q -n -b -e 'set stacks slowest' -e 'break handle if ms > 0' \
	-e 'break exit handle if 1' -e 'add leg 1 2' -e 'add leg 2 2' -e 'monitor on' -e run \
	-e 'set format json' -e 'print slowest leg 0 > s.json' \
	-e 'print slowest 1 leg 1 > e.json' -- "$program"
is "$(json 'len(t)' s.json)" 3 'a condition chooses which executions there are'
is "$(slow 30 | sed 's/ there=.*|/ |/')" \
	'path="/slow", ms=30, kind=FANCY, point={...}, | handle dispatch* serve make_round main' \
	'arguments are read behind the prologue, too'
is "$(json 't[0]["stack"][0]["function"]' e.json)" handle \
	'a leg may begin at an exit'

# ---- attached -----------------------------------------------------------------

serve "$program" ready
is "$reply" ready 'the program is ready'
attach_told -q -n >said 2>&1
tell 'set stacks slowest' 'set inside 1' 'set format json' 'time handle' 'time serve'
says go 'calls 132' 'a program that was attached to goes on'
tell 'print slowest 3 leg 0 > s.json' 'print slowest inside 1 leg 1 > i.json'
is "$(slow 30 | sed 's/ there=.*|/ |/')" \
	'path="/slow", ms=30, kind=FANCY, point={...}, | handle dispatch* serve make_round main' \
	'a program that was attached to has stacks'
is "$(json 'len(t[0]["inside"]), t[0]["dropped"], t[0]["inside"][-1]["place"]' \
	i.json)" '121 0 handle' 'a program that was attached to has what is inside'
tell 'set stacks off' 'set inside 0' 'zero tables'
says go 'calls 132' 'the program goes on without stacks'
tell 'print slowest 1 leg 0 > s.json'
is "$(json 't[0]["stack"]' s.json)" None 'the setting can be taken back while it runs'
tell detach
is "$(foreign "$server")" 0 'detach restores the code'
exec 5>&-
end_server

# ---- executions that end in another thread -----------------------------------

try perftool -q -n -b -e 'set stacks slowest' -e 'break entry submit' \
	-e 'break entry finish' -e 'add leg 1 2 key=request' -e 'monitor on' \
	-e run -e 'set format json' -e 'print slowest leg 0 > q.json' \
	"$SAMPLES/queue"
is "$(json 'sorted({x["stack"][1]["function"] for x in t})' q.json)" \
	main 'the stack is that of the thread that began the execution'
is "$(json 'any(x["tid"] == x["pid"] for x in t)' q.json)" False \
	'the thread is that in which it ended'

done_testing

#!/usr/bin/env bash
# What other legs and nodes recorded during the slowest executions of a leg:
# `set inside N`, `print slowest inside`, and in a trace.
# tier: core
# covers: measure report
# again: int3
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/inside

# lines FILE [LEG]: prints for each execution in the file "NAME:" and what was
# inside: a dot for each level of nesting, and the name
lines() {
	json "'\n'.join(' '.join([x['name'] + ':'] + ['.' * y['depth'] + y['place']
		for y in x['inside']]) for x in t if x['leg'] == ${2:-0})" "$1"
}

# inside MECHANISM N COMMAND... -- PROGRAM...: times the functions, and leaves
# what is inside in i.json
inside() {
	local mechanism=$1 most=$2 options=()

	shift 2
	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	rm -f i.json
	try perftool -q -n -b -e "set mechanism $mechanism" \
		-e "set inside $most" -e 'time work' -e 'time step' \
		-e 'time detour' -e 'time descend' -e 'time other' \
		-e 'break mark if 1' -e 'collect nodes' "${options[@]}" \
		-e run -e 'set format json' -e 'print slowest inside 200 > i.json' \
		-e 'print tables > t.json' -- "$@"
	[ "$status" != 125 ] || diag <<<"$err"
}

for mechanism in auto int3; do
	inside $mechanism 8 -- "$program"
	is "$(lines i.json | grep -v ': step step step$' | sort)" \
		"work: descend .step .descend ..step ..descend ...step ...descend ....step step step step
work: detour .step .mark .step step step step" \
		"$mechanism: slow calls have what made them slow"
	is "$(lines i.json 3)" \
		"descend: step descend .step .descend ..step ..descend ...step
descend: step descend .step .descend ..step
descend: step descend .step
descend: step" \
		"$mechanism: a leg that calls itself has its own calls inside"
	is "$(json '[len([x for x in t if x["leg"] == n]) for n in range(5)]' \
		i.json)" '8 8 1 4 8' "$mechanism: each leg keeps as many as it has, up to eight"
	ok "$mechanism: times of inner calls are within the outer ones" \
		[ "$(json 'all(y["offset_ns"] >= 0 and y["offset_ns"] <=
			x["duration_ns"] + 1000000 and (y["inside_ns"] is None
			or y["inside_ns"] <= x["duration_ns"] + 1000000)
			for x in t for y in x["inside"] if x["leg"] == 0)' \
			i.json)" = True ]
	ok "$mechanism: the time line shows where the time went" \
		[ "$(json '[y["inside_ns"] for x in t if x["leg"] == 0 for y in
			x["inside"] if y["place"] == "detour"][0]' i.json)" -ge \
		39000000 ]
	is "$(json '{x["dropped"] for x in t if x["leg"] == 0}' i.json)" '{0}' \
		"$mechanism: all is kept of executions with little inside"
	is "$(json '[leg(n)["count"] for n in range(4)], kept()')" \
		'[100, 306, 1, 4] True' "$mechanism: all hits count"
	is "$(json '"program" in [l["counted"] for l in t["legs"]]')" False \
		"$mechanism: perftool counts each hit"

	# (What is subtracted for thousands of stops is off by milliseconds, so
	# the call need not be the first.)
	inside $mechanism 8 -- "$program" 3000
	is "$(json 'max((x["dropped"], len(x["inside"])) for x in t
		if x["leg"] == 0)' i.json)" '2807 200' \
		"$mechanism: of 3,007 the longest 200 are kept, and the others are counted"
	is "$(json 'any(y["place"] == "detour" for x in t for y in
		x["inside"] if x["leg"] == 0 and x["dropped"])' i.json)" True \
		"$mechanism: the call that took long is among them"
done

# ---- text, JSON, CSV ----------------------------------------------------------

base=(perftool -q -n -b -e 'set inside 8' -e 'time work' -e 'time step' -e 'time detour')
try "${base[@]}" -e run -e 'print slowest inside leg 0' -e 'print slowest inside 1' \
	-e 'pr sl inside 3 leg 1' -e 'print slowest' "$program"
is "$status" 0 'the forms of the command are understood'
like "$out" $'Leg 0 \\(work\\): [0-9.]+ms, began at [^\n]*, thread [0-9]+\nOffset +Time +What\n-+  -+  -+\n[^\n]* +detour\n[^\n]*    step\n' \
	'the text is an indented time line'
try "${base[@]}" -e run -e 'set format csv' -e 'print slowest inside leg 0' "$program"
like "$out" $'\nleg,name,pid,tid,start_ns,duration_ns,key,value,by,cpu_ns,interrupted,dropped,what,id,place,offset_ns,inside_ns,depth,inside_value\n0,work,' \
	'CSV has a line for each entry'

try perftool -q -n -b -e 'time work' -e run -e 'print slowest inside' "$program"
is "$status" 125 'without the setting nothing was kept, which is an error'
like "$err" '`set inside 3. keeps it' 'the error names the setting'
try perftool -q -n -b -e 'set inside 1' -e 'time work' -e run \
	-e 'print slowest inside leg 9' "$program"
like "$status $err" '^125 .*there is no leg 9' 'a leg that is not there is an error'
fails_with 125 'set inside' 'the setting has a range' \
	perftool -q -n -b -e 'set inside 101' "$program"

# ---- trace --------------------------------------------------------------------

try "${base[@]}" -e 'trace t.json' -e run -e 'trace off' "$program"
cat >nested.py <<'END'
import json, sys
events = json.load(open("t.json"))["traceEvents"]
trees, open_ = {}, {}
for e in events:
    if e.get("cat") != "slowest":
        continue
    stack = open_.setdefault(e["id"], [])
    if e["ph"] == "e":
        begun = stack.pop()
        assert begun["name"] == e["name"] and begun["ts"] <= e["ts"], e
    else:
        trees.setdefault(e["id"], []).append("." * len(stack) + e["name"])
        if e["ph"] == "b":
            stack.append(e)
assert not any(open_.values())
executions = {e["id"] for e in events if e.get("cat") == "leg"}
assert not executions & set(trees)
print(*sorted(" ".join(t) for t in trees.values() if t[0] == "work"), sep="\n")
END
like "$(/usr/bin/python3 nested.py)" 'work .detour ..step ..step .step .step .step' \
	'a trace has the time lines as nested events'
is "$(/usr/bin/python3 -c 'import json
print([at["args"] for at in json.load(open("t.json"))["traceEvents"] if at["name"] == "process_name"])')" \
	"[{'name': '$(basename "$program" | cut -c1-15)'}]" 'a trace names the process once'
try "${base[@]}" -e 'trace t.json 1' -e run -e 'trace off' "$program"
is "$(/usr/bin/python3 nested.py)" '' \
	'a trace of one leg has the time lines of that leg alone'

# ---- initialize, zero, changes ------------------------------------------------

try perftool -q -n -b -e 'set inside 8' -e 'time work' -e 'time step' -e run \
	-e 'initialize tables' -e 'time step' -e 'time detour' -e run \
	-e 'set format json' -e 'print slowest inside > i.json' -- "$program"
is "$(json '" ".join(y["place"] for x in t if x["name"] == "detour" for y in x["inside"]
	if y["what"] == "leg")' i.json)" 'step step' \
	'after an initialization the new legs have what is inside them'
try perftool -q -n -b -e 'set inside 2' -e 'time work' -e 'time step' -e run \
	-e 'set inside 1' -e 'set format json' -e 'print slowest inside > i.json' \
	-e 'set inside 0' -e 'zero tables' -e run -e 'print tables > t.json' -- "$program"
is "$(json 'len(t)' i.json)" 2 'a smaller number keeps fewer'
if [ "$(mechanisms_once)" = fast ]; then
	is "$(json 'leg(0)["counted"]')" program \
		'with 0 threads count by themselves again'
fi

done_testing

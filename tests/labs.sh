# labs.sh - what the tests of the labs share: included after lib.sh
#
# The test says `lab NN PROGRAM` first. `solve` has the lab's solution write
# right.json. `edited` makes t.json of that by statements of Python. `wrong` gives
# t.json to the checker.
#
# shellcheck shell=bash disable=SC2154 # `try` sets $status, $out and $err

CHECK=$ROOT/samples/labs/check
export LABS=$BUILD/labs

# lab NN PROGRAM: the lab that is tested from here on
lab() {
	LAB=$1
	PROGRAM=$LABS/$2
	FOLDER=$(echo "$ROOT/samples/labs/$1"-*)
}

# solve: has the solution write right.json, and passes if the checker accepts it
solve() {
	rm -f right.json
	try "$FOLDER/solution" right.json
	is "$status" 0 "lab $LAB: the solution ends with status 0"
	[ -s right.json ] || diag <<<"$out$err"
	right right.json "lab $LAB: the checker accepts the solution"
}

# gdb_agrees LEG PLACE: passes if the leg of this name has as many executions in
# right.json as gdb counts hits of the place
gdb_agrees() {
	is "$(json "next(l['count'] for l in t['legs'] if l['name'] == '$1')" right.json)" \
		"$(gdb_count "$2" "$PROGRAM")" "lab $LAB: gdb counts as many executions of $1"
}

# right FILE NAME: passes if the checker accepts the report
right() {
	try "$CHECK" "$LAB" "$1"
	if [ "$status" = 0 ] && [ -z "$err" ] && [[ $out == *': right.' ]]; then
		pass "$2"
	else
		fail "$2" "status $status" "$out" "$err"
	fi
}

# wrong REGEX NAME [FILE]: passes if the checker refuses the report (t.json if no
# FILE is given) and says something that REGEX matches, in one line
wrong() {
	try "$CHECK" "$LAB" "${3:-t.json}"
	local said
	said=$(tr -s '\n ' '  ' <<<"$out")
	if [ "$status" = 1 ] && [ -z "$err" ] && [[ $said =~ $1 ]]; then
		pass "lab $LAB: $2"
	else
		fail "lab $LAB: $2" "status $status, wanted 1 and: $1" "$out" "$err"
	fi
}

# measured COMMAND...: measures the lab's program after these commands; the
# report is then in t.json
measured() {
	batch "$@" -- "$PROGRAM"
}

# edited STATEMENT...: t.json becomes what these statements of Python make of
# right.json, which is `t`
edited() {
	/usr/bin/python3 - "$(printf '%s\n' "$@")" <<-'END'
		import json, sys
		t = json.load(open("right.json"))
		def leg(name):
		    return next(l for l in t["legs"] if l["name"] == name)
		def node(n):
		    return next(x for x in t["nodes"] if x["id"] == n)
		exec(sys.argv[1])
		json.dump(t, open("t.json", "w"))
	END
}

# no_tables: what is wrong for every lab that takes tables
no_tables() {
	batch 'time main' -- "$SAMPLES/recursion"
	wrong "about the program .recursion.\. Lab $LAB measures" 'another program'
	: >t.json
	wrong 'file is empty' 'an empty file'
	head -c 2000 right.json >t.json
	wrong 'breaks off' 'a report that breaks off'
	echo '{"schema": 1}' >t.json
	wrong 'no report of perftool' 'another JSON'
	perftool -q -n -b -o t.json -f text -t main "$PROGRAM" >/dev/null
	wrong 'The file is no JSON' 'a report as text'
	perftool -q -n -e 'profile run' -e 'save profile t.json' "$PROGRAM" >/dev/null 2>&1
	wrong "This is a profile\. Lab $LAB takes the tables" 'a profile instead of tables'
	perftool -q -n -b -f json -o t.json "$PROGRAM" >/dev/null
	wrong 'The tables are empty|The legs of the report are: none' 'empty tables'
	{
		tr -d '\n' <right.json
		echo
		tr -d '\n' <right.json
	} >t.json
	wrong 'several reports' 'several reports in one file'
	edited 't["program"].update(state="running", exit_status=None)'
	wrong 'before the program had ended' 'a report from the middle of the run'
	edited 't["legs"][0]["count"] += 1'
	wrong 'contradict each other' 'a leg with an edited count'
	edited 'for n in t["nodes"]: n["count"] //= 2'
	wrong 'contradict each other' 'edited counts of nodes'
	edited 't["legs"] = t["nodes"]'
	wrong 'not what perftool has written' 'rows of another table'
	sed 's/"count": *[0-9]*/"count":NaN/' right.json >t.json
	wrong 'breaks off, or was changed' 'a number that is none'
}

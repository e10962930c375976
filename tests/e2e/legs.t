#!/usr/bin/env bash
# Leg tables: the names of legs, which legs are shown, and the order and columns
# of the table.
# tier: core
# covers: session/requests report/text command/families
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

kin=$PROGRAMS/kin

# rows: sets $rows to the names of the first leg table in $out, in the table's
# order
rows() {
	rows=$(awk '/L E G   T A B L E/ { on = 1; next }
		on && $4 == "->" { printf "%s ", $2 }
		on && /^$/ { exit }' <<<"$out")
}

# ---- names ----
batch 'break entry outer_01 if 1' 'break exit inner_01 if 1' \
	'add leg 1 2' 'time outer_02' -- "$kin" race 2
is "$(json '[l["name"] for l in t["legs"]]')" 'outer_01 -> exit inner_01 outer_02' \
	'a leg has the name of what it times, or of its places'
is "$(json '[(l["from_place"], l["to_place"]) for l in t["legs"]]')" \
	"('outer_01', 'exit inner_01') ('outer_02', 'return outer_02')" \
	'JSON has the places of the two nodes of a leg'
batch 'break entry outer_01 if 1' 'break exit inner_01 if 1' \
	'add leg 1 2 name="round trip"' -- "$kin" later 2
is "$(json 't["legs"][0]["name"]')" 'round trip' 'name= gives a leg its name'
try perftool -n -e 'time outer_01' -e 'add leg 1 2 name=trip' -- "$kin" later 2
like "$out$err" 'Leg from 1 to 2 is there already: leg 0, and is named trip now' \
	'name= gives a leg that is there already another name'
try perftool -q -n -b -f csv -o t -e 'time outer_01 by=x' -- "$kin" later 2
like "$(<t-legs.csv)" $'^id,name,from,to,from_place,to_place,[^\n]*\n0,outer_01,1,2,' \
	'CSV has the name and the places of a leg'
like "$(<t-by.csv)" $'^of,id,name,[^\n]*\nleg,0,outer_01,outer_01,return outer_01,x,' \
	'CSV has the name and the places of a leg that is split'
try perftool -q -n -b -e 'break entry outer_01 if 1' -e 'collect nodes' \
	-e 'add leg * * name=all' -- "$kin" later 2
like "$err" ".name=' names one leg, and .\*' makes several legs" \
	'name= is refused for several legs'
try perftool -q -n -b -e 'break entry outer_01 if 1' \
	-e 'add leg 1 1 name=' -- "$kin" later 2
like "$err" "no name after .name='" 'an empty name= is refused'

try perftool -q -n -e 'break entry outer_01 if 1' -e 'break exit inner_01 if 1' \
	-e 'add leg 1 2 name=trip' -e 'monitor on' -e 'trace t.csv' -e run \
	-e 'trace off' -- "$kin" later 2
is "$(cut -d, -f2 t.csv | sort -u | xargs)" 'name trip' 'a trace has the name of the leg'

# ---- which legs are shown, and in which order ----
# show COMMAND...: measures 16 functions, of which outer_01 is called four
# times, and gives the commands
show() {
	local command words=()

	for command; do
		words+=(-e "$command")
	done
	try perftool -q -n -e "time outer_*" -e run "${words[@]}" -- "$kin" later 2
	rows
}
try perftool -q -n -o report -t 'outer_*' -- "$kin" later 2
out=$(<report)
rows
is "$rows" 'outer_01 ' 'batch mode shows the legs of a pattern that were executed'
like "$out" $'\n15 legs that were never executed are left out; ' \
	'batch mode says how many legs of a pattern it leaves out'
try perftool -q -n -f json -o t.json -t 'outer_*' -- "$kin" later 2
is "$(json 'len(t["legs"])')" 16 'JSON has all legs of a pattern'
show 'print legs'
is "$(wc -w <<<"$rows") ${rows%% *}" '16 outer_00' 'print legs shows all legs, by number'
show 'print legs outer_0*'
is "$rows" 'outer_01 ' 'print legs PATTERN shows the legs that were executed'
like "$out" '7 legs that were never executed' \
	'print legs PATTERN says how many legs were not executed'
show 'print legs outer_0[12] all sort=count'
is "$rows" 'outer_01 outer_02 ' 'print legs PATTERN all shows all legs of the pattern'
show 'print legs all sort=name top=3'
is "$rows" 'outer_00 outer_01 outer_02 ' \
	'print legs all sort=name top=3 shows the first three legs'
for order in total mean max p99 count; do
	show "print legs all sort=$order top=1"
	is "$rows" 'outer_01 ' "print legs sort=$order shows the largest first"
done
show 'print legs nothing'
is "$rows" '' 'print legs with a name that no leg has shows no leg'
like "$err" 'no leg is called `nothing' 'a message says that no leg has the name'
try perftool -q -n -e 'time outer_*' -e 'set format json' -e run \
	-e 'print legs outer_0* top=1 > t.json' -- "$kin" later 2
is "$(json 'len(t["legs"])')" 16 'print legs PATTERN as JSON has all legs'

# ---- wrong arguments ----
for words in 'sort=size' 'top=0' 'top=x' 'columns=all' 'size=1' '-x' 'a b'; do
	show "print legs $words"
	is "$rows" '' "print legs $words prints no table"
	like "$err" "print legs|\`${words#*=}'|top" \
		"print legs $words: a message says what is wrong"
done

# ---- columns ----
show 'print legs outer_01'
like "$out" 'Name +Nodes +Referenced +Time +Time +Time +Min +p50 +p90 +p99 +Max' \
	'the leg table has its columns'
like "$out" $'\n3\\* +outer_01 +[0-9]+ -> [0-9]+ +4 |\n1\\* +outer_01 +3 -> 4 +4 ' \
	'a row of the leg table has name, nodes and count'
show 'print legs outer_01 columns=memo'
like "$out" $'From +To +# of Times +Total Time +Average Time +% of\n' \
	"columns=memo shows the memo's columns, and nothing behind them"
show 'set columns memo' 'print legs outer_01' 'print legs outer_01 columns=auto'
like "$out" "Total Time +Average Time[^@]*Name +Nodes" \
	'set columns memo is for all tables, columns=auto for one'
show 'print legs columns=name,count,p99'
like "$out" $'\nName +Referenced +p99\n[- ]+\nouter_00 +0 +-\n' \
	'columns= shows columns by name, in the order that was given'
show 'set columns p99,NAME' 'print legs outer_01'
like "$out" $'\n +p99 +Name\n[- ]+\n *[0-9.]+[mun]?s +outer_01\n' \
	'set columns takes names of columns'
show 'print legs -v columns=memo'
like "$out" $'% of\n[^\n]* Time\n.*\nId +Name +.*p99.9 .*Discarded' \
	'print legs -v columns=memo shows the other columns below'
# ---- which legs come first ----
sample=$SAMPLES/sort
# largest COUNT PATTERN: the names of so many legs, by the totals of the run. (What
# int3s add to short calls may put a callee before its caller.)
largest() {
	json '" ".join(l["name"] for l in sorted((l for l in t["legs"]
		if l["name"].startswith("'"$2"'")), key=lambda l: -l["total_ns"])[:'"$1"'])'
}
run_sample() { # OPTION...
	try perftool -q -n -b -e 'time m*' -e 'time insertion_sort' -e run \
		-e 'save tables t.json' "$@" "$sample"
	rows
}
run_sample -e 'print legs m*'
is "$rows" "$(largest 3 m) " 'print legs PATTERN shows the largest total first'
run_sample -e 'print legs m* all'
is "$rows" 'merge merge_sort main ' 'print legs PATTERN all shows the legs by number'
run_sample -e 'print legs top=2'
is "$rows" "$(largest 2 '') " 'top=2 shows the two legs with the largest total'
try perftool -q -n -b -o report -f text -e 'time m*' "$sample"
out=$(<report)
rows
# A total that is less than the tool knows its own cost has no figure (`<').
totals=$(awk 'BEGIN { unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9 }
	/L E G   T A B L E/ { on = 1; next }
	on && $4 == "->" && $7 != "<" { end = $7; gsub(/[0-9.]/, "", end); printf "%.0f\n", $7 * unit[end] }
	on && /^$/ { exit }' report)
is "$(tr ' ' '\n' <<<"$rows" | grep . | sort | xargs):$totals" \
	"main merge merge_sort:$(sort -rn <<<"$totals")" \
	"the report of a pattern given with -e shows the largest total first"
try perftool -q -n -b -o report -e 'time outer_*' -- "$kin" later 2
like "$(<report)" $'\n15 legs that were never executed are left out; ' \
	'the report of a pattern given with -e says how many legs are left out'
# ---- a leg from a node to itself ----
try perftool -q -n -b -o report -e 'break entry outer_01 if 1' -e 'add leg 1 1' \
	-- "$kin" race 2
like "$(<report)" $'\n0 +outer_01 -> outer_01 +1 -> 1 +[0-9]+ ' \
	'a leg from a node to itself has no mark for its last start'
unlike "$(<report)" 'Left out' 'a leg from a node to itself has no remark below the table'
# ---- a histogram that has values ----
try perftool -q -n -e 'time outer_01' -e run -e 'add histogram leg 0 log' \
	-- "$kin" later 2
like "$err" "leg 0 has a histogram of 4 values already; .replace' as the last word" \
	'a histogram that has values is not replaced in a script'
try perftool -q -n -e 'time outer_01' -e 'add histogram leg 0 log' -e run \
	-e 'add histogram leg 0 linear replace' -e 'print histogram leg 0' \
	-- "$kin" later 2
like "$out" $'Number of References +0\n' \
	'add histogram with replace replaces a histogram that has values'

# ---- legs between places ----
queue=$SAMPLES/queue
batch 'add leg submit finish key=request' -- "$queue"
is "$(json '[(l["name"], l["count"]) for l in t["legs"]]')" "('submit -> finish', 400)" \
	'add leg makes a leg between two places'
is "$(json '[(n["kind"], n["location"], n["count"]) for n in t["nodes"]]')" \
	"('entry', 'submit', 400) ('entry', 'finish', 400)" \
	'add leg makes nodes at the entries of two functions'
try perftool -n -q -b -o t.txt -e 'add leg submit finish' "$queue"
like "$(<t.txt)" 'Leg 0: in no thread did an end follow a start\..*`key=EXPR'"'" \
	'a leg that starts and ends in different threads: key= is advised'
try perftool -n -q -b -o t.txt -e 'add leg submit finish key=request' "$queue"
unlike "$(<t.txt)" 'key=EXPR' 'a leg with a key: key= is not advised'
try perftool -n -q -b -o t.txt -e 'add leg submit submit' "$queue"
unlike "$(<t.txt)" 'key=EXPR' 'a leg from a place to itself: key= is not advised'
batch 'break entry outer_01 if 1' 'add leg outer_01 return outer_01' \
	'add leg 1 exit inner_01' 'add leg *outer_02 outer_03' -- "$kin" later 2
is "$(json '[(l["from"], l["to"]) for l in t["legs"]]')" '(1, 2) (1, 3) (4, 5)' \
	'add leg uses the breakpoint that a place has'
is "$(json '[n["kind"] for n in t["nodes"]]')" 'entry return exit address entry' \
	'add leg takes places with exit, return and *'
# several breakpoints at a place
batch 'break submit if 0' 'break entry submit if $arg1 == 1' 'break entry submit if 1' \
	'add leg entry submit return submit' -- "$queue"
is "$(json '[(l["from"], l["to"], l["count"]) for l in t["legs"]]')" '(3, 4, 400)' \
	'of several breakpoints at a place, a leg gets the one that counts always'
try perftool -n -e 'break entry submit if $arg1 == 1' -e 'add leg submit return submit' "$queue"
like "$err" 'Node 1 at submit counts only if \$arg1 == 1' \
	'a leg that gets the only one says that it has a condition'
try perftool -n -e 'break entry submit if 1' -e 'disable 1' -e 'add leg submit return submit' \
	"$queue"
like "$err" 'Node 1 is disabled and counts nothing; .enable 1' \
	'a leg that gets a disabled node says so'
numbers='1 \(\$rdi == 1\) and 2 \(\$rdi == 2\); name one by its number'
for place in 'entry submit' 'exit submit' 'return submit' '*submit' 'submit+4' \
	'calls busy_until in consume' 'sync enter in submit'; do
	fails_with 125 "has several breakpoints, none of which counts always: $numbers" \
		"add leg $place: of several with conditions, none is guessed" \
		perftool -q -n -e "break $place if \$rdi == 1" -e "break $place if \$rdi == 2" \
		-e "add leg finish $place" "$queue"
done
try perftool -n "$queue" <<<$'break *submit if $rdi == 1\nbreak *submit if $rdi == 2
add leg finish *submit'
unlike "$err" '#3|Node' 'and no node is made for the other end'
line=$(grep -n 'request->finished = now_ns' "$ROOT/samples/queue.c" | cut -d: -f1)
batch "add leg submit queue.c:$line key=request:request" -- "$queue"
is "$(json '[(l["name"], l["count"]) for l in t["legs"]]')" "('submit -> queue.c:$line', 400)" \
	'add leg takes a line as a place'
for words in 'submit *12x' 'submit finish key=missing' 'submit finish key=request:missing'; do
	try perftool -n -e "add leg $words" -e 'list breaks' -- "$queue"
	is "$status" 125 "add leg $words is an error"
	try perftool -n "$queue" <<<"add leg $words"
	unlike "$err" 'Breakpoint|Node' "add leg $words makes no node"
done
try perftool -n -q "$queue" <<'END'
add leg submit finish
list breaks
END
like "$out" $'^   1  entry of submit' \
	'add leg FUNC FUNC makes nodes that are numbered from 1' # from 1 on
# A leg between places is measured at once. A leg between nodes is measured only
# after `monitor on'.
try perftool -n -q -e 'add leg submit finish key=request' -e run \
	-e 'print legs' -b "$queue"
like "$out" 'submit -> finish +1 -> 2 +400' 'a leg between places turns the monitor on'
try perftool -n -q -b -e 'monitor off' -e 'add leg submit finish key=request' \
	-e run -e kill -e 'print legs' "$queue"
like "$out" 'submit -> finish +1 -> 2 +0 ' \
	'a leg between places leaves the monitor off after monitor off'
done_testing

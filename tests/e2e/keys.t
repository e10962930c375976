#!/usr/bin/env bash
# Keys, which follow a request from thread to thread, and splits, which
# distinguish the executions of a leg. The programs know how many executions of
# each kind there were.
# tier: core
# covers: measure expr/label session/requests
# again: int3
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
values=$PROGRAMS/values
commands=$SAMPLES/commands

# rows OWNER: prints "value:count" of each row of the split, the most frequent
# value first
rows() {
	json "[f\"{v['value'] if v['kind'] == 'value' else v['kind']}:{v['count']}\"
		for v in sorted($1['by']['values'],
			key=lambda v: (v['kind'] != 'value', -v['count']))]"
}

# by_total OWNER: are the values in the order of their totals?
by_total() {
	json "(lambda t: t == sorted(t, reverse=True))([v['total_ns']
		for v in $1['by']['values'] if v['kind'] == 'value'])"
}

# summed OWNER: do the counts of the rows add up to the count of the split?
summed() {
	json "sum(v['count'] for v in $1['by']['values']) == $1['by']['counted']"
}

# ---- time FUNC by=: strings ----
batch 'time execute by=name' 'time submit by=name' -- "$commands"
is "$(rows 'time("execute")')" 'get:300 set:180 incr:90 keys:30' \
	'time execute by=name counts the executions of each string'
is "$(by_total 'time("execute")')" True 'in JSON the row with the largest total is first'
is "$(rows 'time("submit")')" 'get:300 set:180 incr:90 keys:30' \
	'time submit by=name counts the executions of each string'
for name in get set incr keys; do
	is "$(sed -n "s/^$name: \\([0-9]*\\) calls.*/\\1/p" <<<"$out")" \
		"$(json "sum(v['count'] for v in time('execute')['by']['values']
			if v['value'] == '$name')")" \
				"by=name: $name has as many calls as the program counts"
done
is "$(json 'max(time("execute")["by"]["values"], key=lambda v: v["p50_ns"])["value"]')" \
	keys 'by=name: the slow command has the largest median'
ok 'by=name: the slow command takes as long as it should' [ "$(json '[v["p50_ns"] >= 600000
	for v in time("execute")["by"]["values"] if v["value"] == "keys"][0]')" = True ]
is "$(json 'sum(v["total_ns"] for v in time("execute")["by"]["values"])
	== time("execute")["total_ns"]')" True \
		'by=name: the times of the rows add up to that of the leg'
is "$(json 'time("execute")["by"]["expression"], time("execute")["by"]["at"],
	time("execute")["by"]["distinct"], time("execute")["by"]["overflow"]')" \
	'name from 4 0' 'JSON has the expression, the place and the number of values of a split'
is "$(json 'node(1)["by"]')" None 'in JSON a node that is not split has no split'

# ---- with a key, through the queue ----
batch 'break entry submit' 'break entry finish' \
	'add leg 1 2 key=command by=name rows=2' -- "$commands"
is "$(json 'leg(0)["count"], leg(0)["owner"]')" '600 key=command' \
	'key=command follows each command from thread to thread'
is "$(rows 'leg(0)')" 'get:300 set:180 incr:90 keys:30' \
	'JSON has all rows of a split that has rows=2'
is "$(summed 'leg(0)')" True 'with a key, the rows of a split add up to its count'
is "$(json 'kept()')" True 'with a key, the counts of legs and nodes agree'
batch 'break entry submit' 'break entry finish' \
	'add leg 1 2 key=request:$arg1 by=*(int *)$arg1%10' -- "$SAMPLES/queue"
is "$(json 'leg(0)["count"], leg(0)["by"]["counted"]')" '400 400' \
	'with a key, each request of a queue is measured and split'
is "$(json 'leg(0)["by"]["distinct"]')" 10 'a split by a number has each number'
is "$(json '{v["count"] for v in leg(0)["by"]["values"]} == {40}')" True \
	'a split by a number counts the executions of each number'

# ---- the order and the number of rows ----
try perftool -q -n -e 'time execute by=name rows=2' -e 'split leg 0 sort=count' \
	-e 'split node 1 by=name' -e run -e 'print split leg 0' \
	-e 'print split leg 0 sort=mean rows=1' -e 'print split node 1 rows=1' \
	-e 'print split' -- "$commands"
# only the rows, by name and count
shown=$(sed -n 's/^\(get\|set\|incr\|keys\|(other[^)]*)\|Leg 0\|Node 1\) *\([0-9]*\).*/\1 \2/p' \
	<<<"$out" | sed 's/ *$//' | paste -sd,)
is "${shown#*Leg}" ' 0,get 300,set 180,(other: 2 values) 120,Leg 0,keys 30,(other: 3 values) 570,Node 1,get 300,(other: 3 values) 300,Node 1,get 300,set 180,incr 90,keys 30,Leg 0,get 300,set 180,(other: 2 values) 120' \
	'print split shows the order and the number of rows that was asked for'
fails_with 125 'a node has no times' 'sort=mean is refused for the split of a node' \
	perftool -q -n -b -e 'break entry execute if 1' \
	-e 'split node 1 by=name sort=mean' -- "$commands"

# ---- expressions that are evaluated at the end of the leg ----
batch 'break entry execute' 'break exit execute' 'add leg 1 2 by=:$ret>0' \
	-- "$commands"
is "$(json 'leg(0)["by"]["at"], leg(0)["by"]["expression"]')" \
	'to $ret>0' 'by=: evaluates the expression at the end of the leg'
is "$(rows 'leg(0)' | tr ' ' '\n' | sort | paste -sd' ')" '1:600' \
	'by=: splits by the values at the end of the leg'
for line in 'time execute by=$ret' 'split leg 0 by=$ret'; do
	batch 'break entry execute' 'break exit execute' 'add leg 1 2' \
		"$line" -- "$commands"
	like "$err" 'by=:\$ret. evaluates it where the leg ends' \
		"$line: the user is told how to ask for it"
done

# ---- a node ----
batch 'break entry handle if n >= 10' 'split node 1 by=n/10 rows=3' -- "$values"
is "$(rows 'node(1)')" '1:10 2:10 3:10 4:10 5:10 6:10 7:10 8:10 9:10' \
	'a node is split by a number'
is "$(summed 'node(1)') $(json 'node(1)["by"]["counted"] == node(1)["count"]')" \
	'True True' 'the split of a node has all hits of the node'
batch 'break entry handle' 'split node 1 by=*(char**)item' -- "$values"
is "$(rows 'node(1)')" 'foo:25 bar:25 foobar:25 :25' 'a node is split by a string'
is "$(json 'node(1)["condition"]')" 1 'splitting a node makes it a conditional one'
batch 'break entry handle' 'split node 1 by=(signed char)(n-50)/25.0' -- "$values"
is "$(json 'node(1)["by"]["distinct"], node(1)["by"]["values"][0]["value"]')" \
	'100 -2' 'a node is split by a floating value'

# ---- what cannot be evaluated ----
batch 'time handle by=100/(n%10)' -- "$values"
is "$(json '[v["count"] for v in leg(0)["by"]["values"] if v["kind"] == "error"]')" \
	10 'a split has a row for values that cannot be evaluated'
is "$(json 'leg(0)["count"], node(1)["count"], node(1)["errors"], node(2)["errors"]')" \
	'100 100 10 0' 'executions without a value count in the leg and as errors of the node'
is "$(summed 'leg(0)')" True 'with the row for errors, the rows of a split add up to its count'
batch 'break entry handle' 'split node 1 by=(char*)(n<40?0:8)' -- "$values"
is "$(rows 'node(1)')" 'NULL:40 error:60' \
	'a split by strings has rows for NULL and for unreadable strings'
try perftool -q -n -e 'break entry handle if n>=0' \
	-e 'split node 1 by=*(long*)(n<40?0:8)' -e 'monitor on' -e run \
	-e 'print nodes' -- "$values"
like "$out" '100: column 1: cannot read memory at 0x0' \
	'print nodes has the reason of the first error'
batch 'break entry handle' 'break exit handle' 'add leg 1 2 key=n/(n%4)' -- "$values"
is "$(json 'leg(0)["count"], leg(0)["ignored_from"], node(1)["errors"]')" \
	'75 25 25' 'a start whose key cannot be evaluated is ignored and an error'
batch 'break entry handle' 'break exit handle' 'add leg 1 2 key=n:n+0/(n%4)' \
	-- "$values"
is "$(json 'leg(0)["count"], leg(0)["ignored_to"], node(2)["count"],
	node(2)["errors"]')" '75 25 100 25' \
		'an end whose key cannot be evaluated is ignored and an error'
batch 'break entry handle if 10/(n%2)' 'break exit handle' 'add leg 1 2' -- "$values"
is "$(json 'node(1)["count"], node(1)["errors"], leg(0)["count"]')" '50 50 50' \
	'a hit whose condition cannot be evaluated is an error'

# ---- mistakes are errors of the command itself ----
mistake() { # REGEX NAME COMMAND...
	local regex=$1 name=$2 options=()
	shift 2
	for command; do options+=(-e "$command"); done
	fails_with 125 "$regex" "$name" perftool -q -n -b "${options[@]}" -- "$values"
}
mistake 'by: .*nosuch' 'by= with an unknown name is refused' 'time handle by=nosuch'
mistake 'by: .*column' 'by= with an incomplete expression is refused' 'time handle by=1+'
mistake 'by: .*\$ret' 'by=$ret is refused at the entry of a function' 'time handle by=$ret'
mistake 'key at exit handle \(node 2\): .*nosuch' \
	'key= with a name that is unknown at the end is refused' \
	'break entry handle' 'break exit handle' 'add leg 1 2 key=n:nosuch'
mistake 'key: ' 'key= without an expression for the end is refused' 'break entry handle' \
	'break exit handle' \
	'add leg 1 2 key=n:'
mistake 'a node has no end' 'a split of a node by an expression for the end is refused' \
	'break entry handle' \
	'split node 1 by=:n'
mistake 'no leg 3' 'a split of a leg that does not exist is refused' 'split leg 3 by=n'
mistake 'leg 0 is not split' 'rows= is refused for a leg that is not split' 'time handle' \
	'split leg 0 rows=3'
mistake 'there is no leg 9' 'print split is refused for a leg that does not exist' \
	'print split leg 9'
mistake 'node 1 is not split' 'print split is refused for a node that is not split' \
	'time handle' 'print split node 1'

# ---- splits that are replaced and deleted ----
try perftool -q -n -x - -- "$values" <<-'END'
	break entry handle
	break exit handle
	add leg 1 2
	split leg 0 by=n
	split leg 0 by=n%4 rows=2
	delete split leg 0
	split leg 0 by=n%2
	monitor on
	run
	print split
	zero tables
	print split leg 0
	run
	split leg 0 rows=1
	print split
	delete leg 0
	print split
	initialize tables
	print split
END
is "$status" 0 'a script that replaces and deletes splits ends with status 0'
[ "$status" = 0 ] || diag <<<"$err"
is "$(grep -c '^Leg 0 (.*) by n%2$' <<<"$out")" 3 \
	'print split shows the split that replaced the others'
is "$(grep -cE '^[01] +50 +50.00' <<<"$out")" 3 \
	'print split shows two rows, or one row after rows=1'
like "$out" 'No executions' 'zero tables empties a split'
like "$out" '\(other: 1 value\) +50 ' 'rows=1 puts the other values into one row'
is "$(grep -c '^Nothing is split' <<<"$out")" 2 'deleting a leg deletes the split of the leg'

# the tool does not evaluate the expressions of a leg that was deleted
batch 'break entry handle' 'break exit handle' 'add leg 1 2 key=1/(n-n) by=1/(n-n)' \
	'delete leg 0' 'add leg 1 2' -- "$values"
is "$(json 'node(1)["errors"], leg(1)["count"]')" '0 100' \
	'the expressions of a deleted leg are not evaluated'
# two expressions with the same text are evaluated once
batch 'break entry handle' 'break exit handle' 'add leg 1 2 by=1/(n%2)' \
	'add leg 1 1 by=1/(n%2)' 'split node 1 by=1/(n%2)' 'delete leg 0' -- "$values"
is "$(json 'node(1)["errors"], leg(1)["by"]["counted"], node(1)["by"]["counted"]')" \
	'50 99 100' 'two expressions with the same text are evaluated once'

# ---- more values than there can be rows ----
batch 'break entry work' 'split node 1 by=$arg1' -- "$PROGRAMS/stripped" 5000
is "$(json 'node(1)["count"], node(1)["by"]["counted"], node(1)["by"]["distinct"],
	node(1)["by"]["overflow"]')" '5000 5000 4096 904' \
		'a split has up to 4096 values and counts further ones as overflow'
is "$(summed 'node(1)')" True 'with an overflow, the rows of a split add up to its count'

# ---- several functions: those without the name are not split ----
try perftool -n -b -e "time '*a*' by=item" -f json -o t.json -- "$values"
like "$err" 'main@values is not split: by: ' \
	'time says which function of a pattern cannot be split'
is "$(json 'time("handle")["by"]["counted"], time("main")["by"]')" '100 None' \
	'a function of a pattern that cannot be split is timed without a split'
# in a library that is loaded later
batch 'time sqlite3_step@libsqlite3.so.0 by=$arg1!=0' -- \
	sqlite3 :memory: 'select 1; select 2;'
is "$(json 't["legs"][0]["by"]["counted"] == t["legs"][0]["count"] > 0')" True \
	'a function of a library that is loaded later is split'

# ---- files ----
try perftool -q -n -b -e 'time execute by=name' -e 'trace t.csv' -e run \
	-e 'trace off' -e 'save tables s.csv' -e 'save tables s.txt' \
	-e 'print slowest 3' -e 'set format csv' -e 'print slowest 3' \
	-e 'print histogram leg 0' -e 'set format json' -e 'print split leg 0 > t.json' \
	-- "$commands"
is "$(head -n 1 t.csv)" leg,name,pid,tid,start_ns,duration_ns,key,value,by,cpu_ns,interrupted \
	'a trace of a split leg has the column by'
is "$(cut -d, -f9 t.csv | sort | uniq -c | awk '{ print $2 ":" $1 }' | paste -sd' ')" \
	'by:1 get:300 incr:90 keys:30 set:180' \
	'a trace of a split leg has the value of each execution'
is "$(awk -F, '$1 == "leg" { print $12 ":" $13 }' s-by.csv | sort | paste -sd' ')" \
	'get:300 incr:90 keys:30 set:180' 'save tables s.csv writes a table of the splits'
like "$(<s.txt)" $'\nLeg 0 \\(execute\\) by name\n' \
	'save tables s.txt writes the split with the name of the leg'
is "$(awk '$NF ~ /^(get|set|incr|keys)$/' <<<"$out" | wc -l)" 3 \
	'print slowest has the value of each execution of a split leg'
like "$out" $'\nId +Name +Time +.*Start.*\n[- ]+\n0 +execute +[0-9.]+[mun]?s ' \
	'print slowest has the name of the leg, and times in one form'
is "$(grep -c '^0,execute,[0-9]*,' <<<"$out")" 3 'print slowest as CSV has the name of the leg'
like "$out" $'\nof,id,name,class,.*\nleg,0,execute,hdr,' \
	'print histogram as CSV has the name of the leg'
is "$(json 't["name"]')" execute 'print split as JSON has the name of the leg'
done_testing

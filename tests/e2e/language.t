#!/usr/bin/env bash
# The commands as scripts use them.
# tier: core
# covers: command
# again: int3
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/unoptimized

# script [PROGRAM]: runs the commands on standard input on the program
script() {
	cat >script.pt
	try perftool -q -n -x script.pt "${1:-$program}"
}

# ---- stops ----
script <<END
break work if n == 7
run 20
print n
where
list source
evaluate n * 2 + work_calls
list threads
delete break 1
continue
END
is "$status" 0 'a stop: the script ends with status 0'
like "$out" $'(^|\n)7\n' 'a stop: print shows a parameter'
like "$out" $'\n#?0 .*work.*\n.*#?1 .*main' 'a stop: where shows the frames'
like "$out" 'work_calls\+\+' 'a stop: list source shows the source around the stop'
like "$out" $'\n21\n|\n22\n' 'a stop: evaluate computes with a static variable'
like "$out" 'work 20' 'a stop: continue lets the program run to its end'

script <<END
b half
r 4
c
d 1
c
END
is "$status" 0 'aliases: a script that uses them ends with status 0'
like "$out" 'half 2' 'aliases: the program runs to its end'

script <<END
break work
run 3
kill
delete break 1
run 2
END
is "$status" 0 'run starts the program again after kill'

# ---- the monitor ----
script <<END
break entry work if 1
monitor on
run 10
monitor off
run 10
delete breaks
continue
END
like "$out" 'work 10.*work 10' 'monitor off: conditional breakpoints stop'

# ---- counts over runs, zero, initialize, delete ----
script <<END
break entry work if n != 3
break exit work if 1
collect nodes
add leg 1 2
monitor on
run 10
run 10
save tables two.json
zero tables
run 5
save tables zeroed.json
delete break 1
run 5
save tables deleted.json
initialize tables
save tables none.json
save tables t.csv
save tables t.txt
END
is "$status" 0 'a script of zero, delete, initialize and save ends with status 0'
is "$(json 'node(1)["count"], node(2)["count"], leg(0)["count"]' two.json)" \
	'18 20 18' 'counts are kept over runs'
is "$(json 'leg(0)["ignored_to"]' two.json)" 2 'ends without a start are ignored'
is "$(json 'node(1)["count"], leg(0)["count"]' zeroed.json)" '4 4' \
	'after zero tables, only new hits are counted'
is "$(json 'node(1)["deleted"], node(1)["count"], leg(0)["count"], node(2)["count"]' deleted.json)" \
	'True 4 4 10' 'a deleted node keeps its row'
is "$(json 't["nodes"], t["legs"], t["histograms"]' none.json)" '[] [] []' \
	'initialize tables removes nodes, legs and histograms'
ok 'save tables t.csv writes CSV' [ -s t-nodes.csv ]
try perftool -q -n -f csv -o y.csv -t work -- "$PROGRAMS/pie" 3
is "$(echo y*)" 'y-by.csv y-histograms.csv y-legs.csv y-nodes.csv' \
	'-o y.csv -f csv names its files as save tables does'
ok 'save tables t.txt writes text' [ -s t.txt ]

# ---- modes ----
script <<END
break entry work if 1
break entry half if 1
add successor
track successor
monitor on
run 10
save tables t.json
END
is "$(json 'sorted([l["from"], l["to"], l["count"]] for l in t["legs"])')" \
	'[1, 1, 5] [1, 2, 5] [2, 1, 4]' \
	'add successor and track successor measure from each hit to the next'
script <<END
break entry work if 1
break entry half if 1
collect nodes
add leg * *
track none
monitor on
run 10
save tables t.json
END
is "$(json 'len(t["legs"]), sum(l["count"] for l in t["legs"])')" '4 0' \
	'add leg * * makes four legs, and track none counts no execution'
is "$(json 'node(1)["count"]')" 10 'track none: hits of nodes are counted'
script <<END
break entry work if 1
collect nodes
add leg 1 1
monitor on
run 10
save tables t.json
END
is "$(json 'leg(0)["count"]')" 9 'a leg from node 1 to node 1 measures the time between hits'

# ---- the memo's condition ----
script <<END
set conditions name
break entry work if n == 1
collect nodes
add histogram node 1 linear
monitor on
run 8
save tables t.json
END
is "$(json 'node(1)["count"]')" 8 "set conditions name: conditions do not filter"
is "$(json '[b["count"] for b in t["histograms"][0]["buckets"]]')" \
	'1 1 1 1 1 1 1 1' 'set conditions name: a condition names the variable of a histogram'

# The same is true for the memo's own command, unless the setting says
# otherwise.
for mechanism in int3 fast; do
	script <<END
set mechanism $mechanism
break entry work
attach condition 1, n = 1
break exit work if n == 1
collect nodes
add histogram node 1 linear
monitor on
run 8
print nodes > nodes.txt
save tables t.json
set conditions filter
zero tables
run 8
save tables filter.json
END
	is "$(json 'node(1)["count"], node(2)["count"]')" '8 1' \
		"$mechanism: attach condition filters no hits, a condition with if does"
	is "$(json '[b["count"] for b in t["histograms"][0]["buckets"]]')" \
		'1 1 1 1 1 1 1 1' \
		"$mechanism: attach condition names the variable of a histogram"
	like "$(<nodes.txt)" 'entry work +names n == 1 ' \
		"$mechanism: the node table marks a condition that only names"
	is "$(json 'node(1)["count"]' filter.json)" 1 \
		"$mechanism: after set conditions filter, attach condition filters hits"
done
script <<END
break entry work
attach condition 1, n = 1
condition 1 n == 1
collect nodes
monitor on
run 8
save tables t.json
END
is "$(json 'node(1)["count"]')" 1 'the command condition after attach condition filters hits'

# ---- time, slowest, trace ----
script "$SAMPLES/recursion" <<END
time fib
trace rows.csv
run
trace off
trace rows.json 0
run
trace off
print slowest 3
set format json
print slowest 3 > slowest.json
END
is "$status" 0 'trace: the script ends with status 0'
is "$(($(wc -l <rows.csv) - 1))" 3540 'trace: CSV has a row for every execution'
is "$(/usr/bin/python3 -c 'import json
t = json.load(open("rows.json"))
e = t["traceEvents"] if isinstance(t, dict) else t
print(sum(x.get("ph") == "b" for x in e), sum(x.get("ph") == "e" for x in e))')" \
	'3540 3540' 'trace: the Chrome form has a beginning and an end for every execution'
is "$(/usr/bin/python3 -c 'import json
t = json.load(open("slowest.json"))
t = t if isinstance(t, list) else list(t.values())[-1]
print(len(t))')" 3 'print slowest 3 prints three executions as JSON'

# ---- duration ----
try perftool -q -n -e 'break entry work if 1' -e 'monitor on' -e 'args loop' \
	-e 'break puts@libc.so.6' -e run -e 'continue for 200ms' \
	-e 'save tables t.json' "$PROGRAMS/ends"
is "$status" 0 'continue for: perftool ends with status 0'
ok 'continue for: hits are counted' [ "$(json 'node(1)["count"] > 10')" = True ]

# ---- help, show, log, history ----
script <<END
help
help add leg
help break
show
show clock
list breaks
END
is "$status" 0 'help and show: the script ends with status 0'
like "$out" 'Nodes and legs' 'help lists families'
like "$out" 'add leg FROM TO' 'help add leg shows the arguments of the command'
like "$out" 'conditions' 'show lists the settings'
for words in 'Add Leg!=add leg FROM' 'Collect Nodes!=collect nodes' \
	'SEt Root configuration=set root' 'Print!=print histogram' \
	'From Node:=fields: '; do
	script <<<"help ${words%%=*}"
	like "$status $out" "^0 ${words#*=}" \
		"help explains the memo's ${words%%=*}"
done
script <<END
log session.log
break entry work if 1
monitor on
run 5 >/dev/null
print nodes
log off
print nodes
END
like "$(cat session.log)" '> *print nodes' 'log: the file has the commands'
like "$(cat session.log)" 'N O D E   T A B L E' 'log: the file has what the commands printed'
is "$(grep -c 'T A B L E' session.log)" 1 'log off ends the log'
script <<END
# a comment
-- the memo's comment

BREAK ENTRY work IF 1
Collect Nodes! # and one behind a command
PR NO -- another
END
is "$status" 0 'comments, capitals, prefixes and an empty line are accepted'

# ---- redirection, environment ----
script "$PROGRAMS/echo" <<END
env ECHO_TEST=a b
args 'one word' two
run <$ROOT/tests/programs/plugin.c >out.txt
END
is "$(head -n 3 out.txt)" $'argument one word\nargument two\nenvironment a b' \
	'args and env reach the program, and run >FILE writes the output'
is "$(tail -n 1 out.txt)" "copy $(wc -l <"$ROOT/tests/programs/plugin.c")" \
	'run <FILE gives the program the file as input'
done_testing

#!/usr/bin/env bash
# Profiles as JSON and CSV, in the report of batch mode and by their commands;
# and what the user is told of a profile that no command has shown.
# tier: core
# covers: report/listings session/profiling command/families
. "$(dirname "$0")/../lib.sh"

called=$PROGRAMS/called

# of FILE EXPRESSION: evaluates an expression of Python about the JSON in FILE
of() {
	/usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))
print(eval("(" + sys.argv[2] + ")"))' "$1" "$2"
}

# ---- the report of batch mode ------------------------------------------------

try perftool -q -n -f json -o r.json --profile -- "$called" waits
is "$status" 0 '--profile as JSON: the tool ends with status 0'
is "$err" '' 'nothing is said'
is "$(of r.json '[x for x in t if x in ("flat", "graph", "functions", "spy")]')" \
	"['flat', 'graph', 'functions']" 'the report has the profiles'
is "$(of r.json 't["schema"], t["nodes"], t["legs"]')" '(1, [], [])' \
	'and what a report has besides'
is "$(of r.json 'sum(x["ticks"] for x in t["flat"]["functions"]) ==
	sum(x["not_delayed"] + x["delayed"] for x in t["flat"]["functions"])')" \
	True 'the ticks of a function are those of both kinds'
is "$(of r.json '[x["calls"] for x in t["graph"]["entries"]
	if x["function"] == "both"]')" '[1]' 'the graph has counted calls'
is "$(of r.json 'sorted(t["graph"]["entries"][c["entry"] - 1]["function"]
	for x in t["graph"]["entries"] if x["function"] == "both"
	for c in x["children"])')" "['wait_a_while', 'work_a_while']" \
	'children are named by the index of their entries'
is "$(of r.json '[x["calls"] for x in t["functions"]["functions"]
	if x["function"] == "both"]')" '[1]' 'functions have their calls'

try perftool -q -n -f json -o l.json --every 30ms --profile -- "$called" waits
is "$(tail -n 1 l.json | /usr/bin/python3 -c 'import json, sys
t = json.loads(sys.stdin.read())
print("flat" in t, "graph" in t, len(t["functions"]["functions"]) > 3)')" \
	'True True True' 'with --every the last line has the profiles'

try perftool -q -n -f csv -o r.csv --profile -- "$called" waits
is "$(printf '%s ' r-*.csv)" \
	'r-by.csv r-flat.csv r-functions.csv r-graph.csv r-histograms.csv r-legs.csv r-nodes.csv ' \
	'as CSV each profile is a file'
is "$(/usr/bin/python3 -c 'import csv
print([x["calls"] for x in csv.DictReader(open("r-functions.csv"))
       if x["function"] == "both"],
      [x["calls"] for x in csv.DictReader(open("r-graph.csv"))
       if x["function"] == "both"])')" "['1'] ['1']" 'the files have the calls'

try perftool -q -n -b -f json -o s.json -e 'spy on' \
	-e "profile source both" -- "$called" waits
is "$(of s.json 't["spy"]["measurement"]["kind"],
	t["source"]["functions"][0]["calls"]')" "('spy', 1)" \
	'the Spy has its samples, source its lines'

# ---- commands ----------------------------------------------------------------

try perftool -q -n -b -e 'set mechanism auto' -e 'set format json' -e 'profile on' \
	-e 'profile calls both' -e 'profile source both' -e 'spy on' \
	-e run -e 'print flat > flat' -e 'print graph > graph' \
	-e 'print functions > functions' -e 'print source > source' \
	-e 'spy display > spy' -- "$called" waits
for name in flat graph functions source spy; do
	is "$(of $name 't["schema"]')" 1 "$name: one JSON object"
done
try perftool -q -n -b -e 'set format csv' -e 'spy on' -e run \
	-e 'spy display' -- "$called" waits
like "$err" 'has no form as CSV; .set format text' \
	'the display is no table'
try perftool top -q -n -f json -o top -- "$called" waits
is "$(of top 't["schema"], len(t["functions"]) > 0')" '(1, True)' \
	'top: one JSON object'
try perftool top -q -n -f csv -o top -- "$called" waits
like "$(head -n 1 top)" '^function,module,own_percent' 'top: a table as CSV'

# ---- each listing explains its columns, once -----------------------------------

try perftool -q -n -b -e 'profile on' -e 'profile calls both' -e run \
	-e 'print flat > flat' -e 'print graph > graph' -e 'print graph > again' \
	-- "$called" waits
like "$(<graph)" 'Each entry is about the procedure' \
	'print graph explains its columns also after print flat'
unlike "$(<again)" 'Each entry is about' 'and only once'

# ---- a profile that nobody has seen ------------------------------------------

try perftool -q -n -b -e 'profile run' -- "$called" waits
like "$err" "no command has shown it: .-e 'print flat''" \
	'the user is told how to see the ticks'
try perftool -q -n -b -e "profile functions '*'" -e run -- "$called" waits
like "$err" "'print functions'" 'and the calls'
try perftool -q -n -b -e "spy on" -e run -- "$called" waits
like "$err" "'spy display'" 'and what the Spy has recorded'
try perftool -q -n -b -e 'profile run' -e 'print flat > flat' -- "$called" waits
is "$err" '' 'nothing is said if it was shown'
try perftool -q -n -b -e 'profile run' -e 'save profile x.json' -- "$called" waits
is "$err" '' 'or saved'

# ---- errors say what to do ---------------------------------------------------

fails_with 125 "did you mean .print graph'" 'a word that is too short' \
	perftool -b -e 'print g' "$called" waits
fails_with 125 'neither a period .1ms. nor a rate' 'a rate that is none' \
	perftool -b -e 'profile rate often' "$called" waits
fails_with 125 'list threads. shows' 'a thread that is none' \
	perftool -b -e 'spy process main' "$called" waits

done_testing

#!/usr/bin/env bash
# `perftool -r N` measures N runs of a program and writes one report about them.
# Runs that fail are left out, and it is said; Ctrl-C ends with a report about
# the runs so far.
# tier: core
# covers: ui saved report/comparisons
. "$(dirname "$0")/../lib.sh"
nth=$PROGRAMS/nth

# value FILE EXPRESSION: prints a Python expression over the JSON in the file
value() {
	/usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$@"
}

# ---- the report ---------------------------------------------------------------

echo some input >input
try perftool -q -n -r 4 -t work -o r.json "$nth" runs 7 <input
is "$status" 0 'four runs: the status is 0'
is "$out" "run 1 calls 7 bytes 11
run 2 calls 7 bytes 11
run 3 calls 7 bytes 11
run 4 calls 7 bytes 11" 'the program runs four times, and each run reads standard input from its beginning'
is "$(value r.json '[run["legs"][0]["count"] for run in t["runs"]]')" '[7, 7, 7, 7]' \
	'JSON: each run has its tables'
is "$(value r.json 't["legs"][0]["count"], t["failed_runs"], len(t["nodes"])')" \
	'(28, 0, 2)' 'JSON: the counts of all runs are added up'
is "$(value r.json 't["legs"][0]["total_ns"] == sum(r["legs"][0]["total_ns"] for r in t["runs"])')" \
	True 'JSON: so are the times'
is "$(value r.json 'sum(b[2] for b in t["legs"][0]["buckets"])')" 28 \
	'JSON: so are the histograms'
is "$(value r.json '[s["figure"] for s in t["spread"]], t["spread"][0]["median"], t["spread"][0]["deviation"]')" \
	"(['count', 'total', 'mean', 'p50', 'p99'], 7, 0)" 'JSON: there is the spread of each figure'
is "$(value r.json 'len({run["program"]["pid"] for run in t["runs"]}), t["program"]["pid"]')" \
	'(4, None)' 'JSON: each run is a process of its own'
is "$(value r.json 'sorted(set(t) ^ set(t["runs"][0]))')" "['failed_runs', 'runs', 'spread']" \
	'JSON: the object has what the object of a run has, and three members more'

rm runs
try perftool -q -n -r 3 --warmup 2 -t work "$nth" runs 5
is "$(grep -c '^run' <<<"$out")" 5 'two runs to warm up come before three that count'
like "$err" 'work .* 15 ' 'text: the tables are about all runs'
like "$err" 'Spread of 3 runs' 'text: there is a table of the spread'
like "$err" 'work *count *5 *5 *5 *0 *0.00' 'text: it has a row for each figure'
is "$(awk 'length > 80' "$SCRATCH/err" | grep -A99 Spread)" '' 'the spread fits 80 columns'

try perftool -n -r 3 -t work "$nth" runs 5
is "$(grep -c 'nodes 1 -> 2' <<<"$err")" 1 'a remark that all runs have in common is made once'

try perftool -q -n -r 2 -t work -o y.csv "$nth" runs 5
is "$status $(ls y-*)" "0 y-by.csv
y-histograms.csv
y-legs.csv
y-nodes.csv
y-spread.csv" 'CSV: a file for each table, and one for the spread'
is "$(head -n 2 y-spread.csv | cut -d , -f 1-6)" "name,figure,runs,median,low,high
work,count,2,5,5,5" 'CSV: the spread has a row for each figure'

try perftool -q -n -r 1 -t work -f json -o - "$nth" runs 5
is "$(sed 1d "$SCRATCH/out" | /usr/bin/python3 -c 'import json, sys
t = json.load(sys.stdin); print(len(t["runs"]), t["spread"][0]["deviation"])')" '1 None' \
	'one run is a report of one run, on standard output with -o -'

# ---- runs that fail -------------------------------------------------------------

rm runs
try perftool -q -n -r 4 -t work -o r.json "$nth" runs 7 2 3
is "$status" 3 'a run that fails: the status is its own'
is "$err" 'perftool: run 2 of 4 has failed with status 3, and is left out' 'it is said'
is "$(value r.json 'len(t["runs"]), t["failed_runs"], t["legs"][0]["count"]')" '(3, 1, 21)' \
	'it is left out, and counted'
rm runs
try perftool -q -n -r 2 --warmup 1 -t work "$nth" runs 7 1 3
is "$(value r.json 'len(t["runs"])') $status" '3 3' 'a warm-up that fails: the status is its own'
like "$err" 'warm-up 1 of 1 has failed with status 3' 'it is said, too'
like "$err" 'Spread of 2 runs' 'the runs behind it count'
rm -f runs r.json
try perftool -q -n -r 1 -t work -o r.json "$nth" runs 7 1 3
is "$status" 3 'no run succeeds: the status is that of the first'
like "$err" 'no run has succeeded' 'it is said'
ok 'nothing is written' test ! -e r.json
echo old >r.json
rm -f runs
try perftool -q -n -r 1 -t work -o r.json "$nth" runs 7 1 3
is "$(cat r.json)" old 'a file of that name stays as it was'
rm -f runs
try perftool -q -n -r 2 -t work -e 'expect leg(0).count > 100' "$nth" runs 7
is "$status" 124 'an expectation that is not met: the status is 124'
like "$err" 'Spread of 2 runs' 'the runs count all the same'

# ---- Ctrl-C -------------------------------------------------------------------

# interrupted SIGNAL: sends the signal in the middle of the third run
interrupted() {
	rm -f runs r.json said
	start perftool -q -n -r 5 -t work -o r.json "$nth" runs 7 3 wait \
		>said 2>err </dev/null
	tool=$started
	wait_for "$LIMIT" grep -q 'run 3' said
	end_tool "$1"
}

interrupted INT
is "$(value r.json 'len(t["runs"]), t["legs"][0]["count"]')" '(2, 14)' \
	'Ctrl-C in the third run: there is a report about the two before'
is "$(cat err)" 'perftool: ended early: the report is about the 2 runs before' 'it is said'
is "$status" 130 'the status is that of an interrupted program'
interrupted TERM
is "$(value r.json 'len(t["runs"])')" 2 'SIGTERM: there is a report, too'
is "$(grep -c . runs) $(cat runs)" '1 3' 'no other run was started'

# ---- what makes no sense ----------------------------------------------------------

fails_with 125 "--repeat: \`0' is not a number of runs" '-r 0' perftool -r 0 -t work "$nth"
fails_with 125 "--repeat: \`x' is not a number" '-r x' perftool -r x -t work "$nth"
fails_with 125 "--repeat: \`99999999999999999999' is not" '-r with a number that is too large' \
	perftool -r 99999999999999999999 -t work "$nth"
fails_with 125 'nobody can start it again' '-r with -p' perftool -r 2 -t work -p $$
fails_with 125 'warmup is for --repeat' '--warmup without -r' perftool --warmup 2 -t work "$nth"
fails_with 125 'without a subcommand' '-r with top' perftool top -r 2 "$nth"
fails_with 125 'every writes tables during a run' '-r with --every' \
	perftool -r 2 --every 1s -t work "$nth"
fails_with 125 'say what is to be measured' '-r with nothing to measure' perftool -r 2 "$nth"
fails_with 125 'can be read once only' '-r with commands of standard input' \
	perftool -r 2 -x - "$nth"
fails_with 125 'there is no program to run' '-r without a program' perftool -r 2 -t work
fails_with 125 'leave it out' '%p in the name' perftool -q -n -r 2 -t work -o x-%p.json "$nth"
fails_with 125 'cannot write /nonexistent/x.json' 'a file that cannot be written: nothing runs' \
	perftool -q -n -r 2 -t work -o /nonexistent/x.json "$nth"
fails_with 127 'not found' 'a program that is not there: it is not tried again' \
	perftool -q -n -r 3 -t work ./no-program
ln -s /dev/full full.json
try perftool -q -n -r 2 -t work -o full.json "$nth" runs 5
is "$status" 125 'disk full: the status is 125'
like "$err" 'No space left on device' 'disk full: the message says so'

done_testing

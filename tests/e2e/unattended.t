#!/usr/bin/env bash
# Tables that are written while the program is measured: --every, --delta, and
# SIGUSR1. The program works only when the test tells it to, so that the test
# knows what was counted at which time.
# tier: core
# covers: ui measure
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"
program=$PROGRAMS/many

# lines EXPRESSION [FILE]: evaluates a Python expression on the JSON objects in
# t.jsonl, one in each line. `parts` are the objects before the last, `whole` is
# the last, and work(t) is the count of the leg in an object.
lines() {
	/usr/bin/python3 - "$1" "${2:-t.jsonl}" <<-'END'
		import json, sys
		with open(sys.argv[2]) as file:
		    every = [json.loads(line) for line in file]
		parts = [t for t in every if t["interval"]]
		whole = every[-1] if every and not every[-1]["interval"] else None
		def work(t):
		    return t["legs"][0]["count"]
		def kept():
		    """Nothing is lost: with what was open before, in each part."""
		    before = [0] * len(whole["legs"])
		    for t in parts:
		        for i, l in enumerate(t["legs"]):
		            first, last = (next(n["count"] for n in t["nodes"]
		                                if n["id"] == l[end])
		                           for end in ("from", "to"))
		            if first + before[i] != l["count"] + l["ignored_from"] \
		                    + l["unwound"] + l["discarded"] + l["open"] \
		                    or last != l["count"] + l["ignored_to"]:
		                return False
		            before[i] = l["open"]
		    return True
		def adds_up():
		    def total(get):
		        return sum(get(t) for t in parts) == get(whole)
		    return all(total(lambda t: t["nodes"][i]["count"])
		               for i in range(len(whole["nodes"]))) \
		        and all(total(lambda t: t["legs"][i][name])
		                for i in range(len(whole["legs"]))
		                for name in ("count", "total_ns", "ignored_from",
		                             "ignored_to", "unwound", "discarded",
		                             "interrupted")) \
		        and all(total(lambda t: t["summary"][name])
		                for name in ("breaks", "elapsed_ns")) \
		        and all(t["summary"]["overhead_ns"]
		                <= t["summary"]["elapsed_ns"] for t in parts) \
		        and all(total(lambda t: t["histograms"][i]["references"])
		                for i in range(len(whole["histograms"])))
		def shares_add_up():
		    """Also to the leg, in each part; null: the first has all."""
		    def share(leg, place, name):
		        rows = leg["processes"] or [leg]
		        return rows[place][name] if place < len(rows) else 0
		    names = ("count", "total_ns", "interrupted", "cpu_count")
		    return all(sum(share(t["legs"][i], j, name) for t in parts)
		               == p[name] for i, l in enumerate(whole["legs"])
		               for j, p in enumerate(l["processes"])
		               for name in names) \
		        and all(sum(p[name] for p in l["processes"]) == l[name]
		                for t in parts for l in t["legs"]
		                if l["processes"] for name in names)
		def follow():
		    """Each begins where the one before has ended."""
		    ends = [0] + [t["interval"]["to_ns"] for t in parts]
		    return [t["interval"]["from_ns"] for t in parts] == ends[:-1]
		value = eval("(" + sys.argv[1] + ")")
		print(*value if isinstance(value, (list, tuple)) else [value])
	END
}
# has_counted COUNT: do the counts of all parts add up to this count?
has_counted() { # COUNT
	[ "$(lines 'sum(map(work, parts))' 2>/dev/null)" = "$1" ]
}
# says_so_far COUNT: does the last line have this count?
says_so_far() { # COUNT
	tail -n 1 t.jsonl >last.jsonl 2>/dev/null
	[ "$(lines 'work(every[-1])' last.jsonl 2>/dev/null)" = "$1" ]
}
# has_lines COUNT FILE: does the file have so many lines?
has_lines() {
	[ -e "$2" ] && [ "$(wc -l <"$2")" -ge "$1" ]
}
# headings FILE: prints the lines above tables, without their figures
headings() {
	sed -n 's/^- - - \([^,]*\), /\1 /; T; s/ - - -$//; s/[0-9][0-9.]* s/T/g; p' "$1" |
		sed 's/^[0-9]\{4\}-[0-9][0-9]-[0-9][0-9]T[0-9:]\{8\}\.[0-9]\{3\}[+-][0-9][0-9]:[0-9][0-9] /TIME /'
}
has_headings() { # COUNT FILE
	[ "$(headings "$2" 2>/dev/null | wc -l)" -ge "$1" ]
}
# catches PID: does the tool, which has just been started, catch SIGUSR1? (The
# shell catches it.)
catches() {
	[ "$(status_of "$1" Name)" = perftool ] && (((16#$(status_of "$1" SigCgt) >> 9) & 1))
}
# serve_tool OPTION...: starts perftool with the program, whose input and output
# are fd 3 and 4; sets $tool
serve_tool() {
	rm -f t.jsonl t.txt
	serve perftool -n -q "$@" "$program" 2>err
	tool=$server
	is "$reply" ready "${*: -4}: the program starts"
}
# let_end: closes the program's input, and sets $status when the tool has ended
let_end() {
	exec 3>&-
	wait "$tool"
	status=$?
	exec 4>&-
}

# ---- counted since the last time ----
serve_tool -t work --every 20ms --delta -f json -o t.jsonl
says 100 'done 100' '--delta: the program works'
ok '--delta: the parts have the 100 calls so far' wait_for 20 has_counted 100
says 50 'done 50' '--delta: the program works again'
ok '--delta: later parts have the 50 calls since' wait_for 20 has_counted 150
let_end
is "$status" 0 '--delta: perftool ends with status 0'
is "$(lines 'work(whole)')" 150 '--delta: the last line has all 150 calls'
is "$(lines 'adds_up()')" True '--delta: the parts add up to the last line'
is "$(lines 'follow()')" True '--delta: each part begins where the part before it has ended'
is "$(lines 'kept()')" True '--delta: the counts of legs and nodes agree in each part'
is "$(lines 'len([t for t in parts if work(t)]) >= 2')" True '--delta: at least two parts have calls'
is "$(lines 'all(t["legs"][0]["min_ns"] is None for t in parts if not work(t))')" \
	True '--delta: a part without calls has no times'
is "$(lines 'all(t["legs"][0]["interrupted"] == 0 for t in parts)')" True \
	'--delta: no call was interrupted by a stop'
is "$(lines 'whole["legs"][0]["min_ns"] == min(t["legs"][0]["min_ns"]
	for t in parts if work(t))')" True '--delta: the least time of the whole is that of a part'
is "$(lines 'len({t["program"]["pid"] for t in every})')" 1 '--delta: all lines have the same process'

# ---- the same, by process ----
rm -f t.jsonl
serve perftool -n -q -t serve --every 1h --delta -f json -o t.jsonl \
	"$PROGRAMS/prefork" 2 2>err
tool=$server
# asks_part REQUEST COUNT: the server does the request, and then a part with
# this count follows
asks_part() {
	ask "$1"
	kill -USR1 "$tool"
	ok "by process, $1: a part has the calls of the request" wait_for 20 has_counted "$2"
}
asks_part 'serve 1' 1
asks_part 'serve 2' 3
asks_part 'serve 1' 4
asks_part fork 4
asks_part 'serve 3' 7
let_end
is "$status" 0 'by process: perftool ends with status 0'
is "$(lines '[[sorted(p["count"] for p in t["legs"][0]["processes"] or [])
	for t in every if work(t)]]')" \
	'[[], [1, 1], [0, 1], [1, 1, 1], [1, 2, 4]]' 'by process: each part has the calls of each process'
is "$(lines 'shares_add_up() and adds_up() and follow()')" True \
	'by process: the parts add up to the whole'
is "$(lines 'all((p["min_ns"] is None) == (p["count"] == 0) and
	(not p["count"] or p["min_ns"] <= p["p50_ns"] <= p["max_ns"])
	for t in parts for p in t["legs"][0]["processes"] or [])')" True \
	'by process: processes with calls have times, others have none'

# ---- counted from the start, of an attached process, until Ctrl-C ----
rm -f t.jsonl
serve "$program"
start perftool -n -q -t work --every 20ms -f json -o t.jsonl -p "$server" 2>err
tool=$started
ok 'attached: a first part has no calls' wait_for 20 says_so_far 0
says 30 'done 30' 'attached: the program works'
ok 'attached: a part has the 30 calls' wait_for 20 says_so_far 30
says 12 'done 12' 'attached: the program works again'
ok 'attached: later parts have all 42 calls' wait_for 20 says_so_far 42
end_tool INT
is "$status" 0 'attached: perftool ends with status 0'
is "$(cat err)" '' 'attached: there is no message'
is "$(lines 'work(whole)')" 42 'attached: the last line has all 42 calls'
is "$(lines '{0, 30, 42} <= {work(t) for t in parts}')" True 'attached: the parts have 0, 30 and 42 calls'
is "$(lines 'all(work(a) <= work(b) for a, b in zip(every, every[1:]))')" True \
	'attached: the counts of the parts never decrease'
is "$(lines 'all(t["interval"]["from_ns"] == 0 for t in parts)')" True \
	'attached: every part begins at the start'
is "$(lines 'all(t["interval"]["to_ns"] == t["summary"]["elapsed_ns"]
	for t in parts)')" True 'attached: every part ends at its elapsed time'
is "$(lines 'all(t["interval"]["to_ns"] >= (i + 1) * 20000000
	for i, t in enumerate(parts))')" True 'attached: no part comes before its time'
is "$(lines 'all(a["at"] <= b["at"] for a, b in zip(every, every[1:]))')" True \
	'attached: the times of day of the lines are in order'
says 3 'done 3' 'attached: the program goes on'
is "$(foreign "$server")" 0 'attached: no patch is left in the code'

# ---- as text ----
rm -f t.txt
start perftool -n -q -t work --every 20ms -o t.txt -p "$server" 2>err
tool=$started
ok 'text: tables are written while the program is measured' wait_for 20 has_headings 2 t.txt
end_tool TERM
is "$(headings t.txt | sort -u)" $'TIME T measured in all\nTIME T measured so far' \
	'text: headings have the time'
is "$(headings t.txt | tail -n 1)" 'TIME T measured in all' 'text: the last heading is that of the whole'
is "$(grep -c '^Total Elapsed Time' t.txt)" "$(headings t.txt | wc -l)" \
	'text: each heading is above tables'
is "$(grep -c '^- - - ' <(sed -n '1p' t.txt))" 1 'text: the first line is a heading'
rm -f t.txt
start perftool -n -q -t work --every 20ms --delta -o t.txt -p "$server" 2>err
tool=$started
ok 'text, --delta: tables are written while the program is measured' wait_for 20 has_headings 3 t.txt
end_tool INT
is "$(headings t.txt | uniq)" "TIME T measured so far
TIME the last T of T measured so far
TIME T measured in all" 'text, --delta: headings have the time and the interval'
end_server

# ---- SIGUSR1 ----
serve_tool -t work -f json -o t.jsonl
says 5 'done 5' 'SIGUSR1: the program works'
is "$(wc -l <t.jsonl)" 0 'SIGUSR1: no tables are written before the signal'
kill -USR1 "$tool"
ok 'SIGUSR1: tables are written' wait_for 20 says_so_far 5
says 6 'done 6' 'SIGUSR1: the program works after the signal'
kill -USR1 "$tool"
kill -USR1 "$tool"
ok 'SIGUSR1 twice: tables are written' wait_for 20 says_so_far 11
for ((i = 0; i < 300; i++)); do
	kill -USR1 "$tool"
done
says 7 'done 7' 'SIGUSR1 300 times: the program works afterwards'
let_end
is "$status" 0 'SIGUSR1: perftool ends with status 0'
is "$(lines 'work(whole)')" 18 'SIGUSR1: the last line has all 18 calls'
is "$(lines 'all(t["interval"]["from_ns"] == 0 for t in parts)')" True \
	'SIGUSR1: every part is counted from the start'

serve_tool -t work -o t.txt
kill -USR1 "$tool"
ok 'SIGUSR1, text: tables are written' wait_for 20 has_headings 1 t.txt
let_end
is "$(headings t.txt)" $'TIME T measured so far\nTIME T measured in all' \
	'SIGUSR1, text: headings have the time'

# without --every, the report is the same as always
times work -- "$program" <<<3
is "$(json '[time("work")["count"], t["interval"], len(open("t.json").readlines()) > 9]')" \
	'3 None True' 'without --every, the JSON report has many lines and no interval'

# the tables have the form of the report, which a setting may choose
serve_tool -e 'set format json' -t work -o t.jsonl
says 2 'done 2' 'set format json: the program works'
kill -USR1 "$tool"
ok 'set format json: SIGUSR1 writes JSON tables' wait_for 20 says_so_far 2
let_end
is "$(lines 'work(whole)')" 2 'set format json: the whole is in one line'
try perftool -n -q -e 'set format csv' -t work --every 1h --delta -o t.txt \
	"$program" <<<6
is "$(headings t.txt)" "TIME T measured so far
TIME T measured in all" 'set format csv: headings have the time'
is "$(grep -c '^0,work,.*,nested,6,' t.txt) $(grep -c '^$' t.txt)" '2 7' \
	'set format csv: tables follow each heading'

# between two parts of --delta, the tables of SIGUSR1 are a part too
serve_tool -t work --every 1h --delta -f json -o t.jsonl
says 8 'done 8' 'SIGUSR1, --delta: the program works'
kill -USR1 "$tool"
ok 'SIGUSR1, --delta: a part is written' wait_for 20 has_counted 8
says 9 'done 9' 'SIGUSR1, --delta: the program works after the signal'
let_end
is "$(lines '[work(t) for t in every]')" '8 9 17' 'SIGUSR1, --delta: the lines are two parts and the whole'
is "$(lines 'adds_up() and follow() and kept()')" True 'SIGUSR1, --delta: the parts add up to the whole'

# as CSV, the files are written again
serve_tool -t work -f csv -o t.csv
says 4 'done 4' 'SIGUSR1, CSV: the program works'
kill -USR1 "$tool"
ok 'SIGUSR1, CSV: the files are written' wait_for 20 grep -qs '^0,work,.*,nested,4,' t-legs.csv
let_end
is "$status" 0 'SIGUSR1, CSV: perftool ends with status 0'

# ---- SIGUSR1 still belongs to the program ----
serve_tool -t work -o t.txt
child=$(cat "/proc/$tool/task/$tool/children")
child=${child%% *}
ok 'perftool catches SIGUSR1' catches "$tool"
is "$((16#$(status_of "$child" SigIgn) >> 9 & 1))" 0 'the program does not ignore SIGUSR1'
kill -USR1 "$child"
let_end
is "$status" 138 'SIGUSR1 to the program ends the program'

# ---- SIGUSR1 during a search for names, and before the program runs ----
start perftool -n -q -e 'time "many_*" most=100000' -e kill -b "$program" \
	2>err </dev/null
tool=$started
ok 'before the run: perftool catches SIGUSR1' wait_for 20 catches "$tool"
for ((i = 0; i < 50; i++)); do
	kill -USR1 "$tool"
done
ok 'before the run: perftool survives SIGUSR1' kill -0 "$tool"
end_tool TERM
is "$status" 143 'before the run: SIGTERM ends perftool'

# ---- a script that runs the program itself ----
rm -f commands t.jsonl
mkfifo commands
serve "$program"
exec 5<>commands
start perftool -n -q -b -x - --every 20ms --delta -f json -o t.jsonl \
	-p "$server" <commands 3>&- 4>&- 5>&-
tool=$started
printf '%s\n' 'time work' >&5
ok 'between commands: parts are written' wait_for 20 has_lines 1 t.jsonl
says 10 'done 10' 'between commands: the program works'
ok 'between commands: the parts have the 10 calls' wait_for 20 has_counted 10
echo continue >&5
says 5 'done 5' 'during continue: the program works'
ok 'during continue: the parts have all 15 calls' wait_for 20 has_counted 15
end_tool INT
is "$status" 0 'a script: perftool ends with status 0'
is "$(lines '[work(whole), adds_up(), follow()]')" '15 True True' 'a script: the last line has all 15 calls, and the parts add up'
exec 5>&-
end_server

try perftool -n -q -b -e 'time work' -e run --every 1h --delta -f json \
	-o t.jsonl "$program" <<<9
is "$status $err" '0 ' 'a script with run: perftool ends with status 0'
is "$(lines '[work(t) for t in every]')" 9 \
	'a script with run: the last part is written, and no report follows'

# ---- a limited time ----
serve "$program"
for option in '' --delta; do
	# (the last part is due at the end of the time)
	try perftool -n -q -t work --every 20ms $option --for 200ms -f json \
		-o t.jsonl -p "$server"
	is "$status" 0 "--for $option: perftool ends with status 0"
	is "$(lines '[len(parts) > 0, work(whole)]')" 'True 0' \
		"--for $option: parts and the whole are written"
	is "$(lines 'all(a["interval"]["to_ns"] <= b["interval"]["to_ns"]
		for a, b in zip(parts, parts[1:]))')" True "--for $option: the parts are in order"
done
is "$(lines 'adds_up() and follow()')" True '--for --delta: the parts add up'
end_server

# ---- to standard output, and to standard error ----
try perftool -n -q -t work --every 1h --delta -f json -o - "$program" <<<6
grep '^{' "$SCRATCH/out" >t.jsonl
is "$(lines '[work(t) for t in every]')" '6 6' '-o -: a part and the whole are written'
is "$(grep -v '^{' "$SCRATCH/out")" $'ready\ndone 6' "-o -: the program's own output is complete"
try perftool -n -q -t work --every 1h --delta -f json "$program" <<<6
cp "$SCRATCH/err" t.jsonl
is "$(lines '[work(t) for t in every]')" '6 6' 'standard error: a part and the whole are written'

# ---- a pipe without a reader ----
rm -f full
mkfifo full
exec 9<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
rm -f t.jsonl
serve perftool -n -q -t work --every 10ms --delta -f json -o full "$program" 9>&-
tool=$server
for count in 1000 200 30; do
	says "$count" "done $count" "a pipe that nobody reads: the program works ($count)"
done
exec 3>&-
cat full >taken 9>&- &
reader=$!
STARTED+=("$reader")
ok 'a pipe that is read late: the reader gets data' wait_for 20 test -s taken
exec 9>&-
wait "$tool"
is "$?" 0 'a pipe that is read late: perftool ends with status 0'
wait "$reader"
tr -d '\0' <taken >t.jsonl
is "$(lines '[work(whole), adds_up(), follow()]')" '1230 True True' \
	'a pipe that is read late: the reader gets all parts and the whole'
exec 4>&-

# ---- files that cannot be written ----
serve perftool -n -q -t work --every 10ms -f json -o /dev/full "$program" 2>err
tool=$server
ok 'a full disk: a message says so' wait_for 20 grep -q \
	'cannot write /dev/full: No space left on device' err
says 5 'done 5' 'a full disk: the program works'
let_end
is "$status" 125 'a full disk: perftool ends with status 125'
is "$(grep -c 'perftool writes no more tables' err)" 1 'a full disk: the message comes once'

# ---- options ----
fails_with 125 '--every is for batch mode: give -b or -t' '--every without batch mode is an error' \
	perftool -n --every 1s "$program"
fails_with 125 '--delta is for the tables that --every writes' '--delta without --every is an error' \
	perftool -n -t work --delta "$program"
fails_with 125 '--every: .9ms. is too short' '--every 9ms is an error' \
	perftool -n -t work --every 9ms "$program"
fails_with 125 'duration' '--every with a word that is no duration is an error' perftool -n -t work --every soon "$program"
fails_with 125 'option --every needs an argument' '--every without an argument is an error' perftool --every
fails_with 125 '--every appends to one file, and -f csv makes a file for each' '--every with -f csv is an error' \
	perftool -n -t work --every 1s -f csv -o t.csv "$program"

# ---- at a prompt ----
at_prompt() {
	[[ $(screen | sed -e '/./,$!d' | tac | sed -e '/./,$!d' | head -n 1) == "$1" ]]
}
tool_of() { # prints the pid of the newest perftool in the terminal
	pgrep -n -P "$("${terminal[@]}" display-message -p '#{pane_pid}')" perftool
}
serve "$program"
new_terminal "perftool -n -q -p $server; echo over; exec cat"
wait_for 20 at_prompt 'perftool>'
enter 'time work'
expect 'Leg 0' 'the prompt: time adds a leg'
says 77 'done 77' 'the prompt: the program works'
keys -l 'print no'
ok 'the prompt: a part of a line is typed' wait_for 20 at_prompt 'perftool> print no'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 77 ' 'the prompt: SIGUSR1 prints the tables'
ok 'the prompt: the typed line is below the tables' wait_for 20 at_prompt 'perftool> print no'
keys -l des
keys Enter
expect 'print nodes.*N O D E   T A B L E.*77' 'the prompt: the typed line can be completed and is carried out'
wait_for 20 at_prompt 'perftool>'
keys -l 'xyz'
wait_for 20 at_prompt 'perftool> xyz'
keys C-u
enter 'continue'
says 11 'done 11' 'the prompt, continue: the program works'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 88 ' 'the prompt, continue: SIGUSR1 prints the tables'
keys C-c
ok 'the prompt, continue: Ctrl-C returns the prompt' wait_for 20 at_prompt 'perftool>'
enter 'detach'
wait_for 20 at_prompt 'perftool>'
"${terminal[@]}" clear-history
keys C-l
keys -l 'a line'
wait_for 20 at_prompt 'perftool> a line'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 88 ' 'the prompt, nothing runs: SIGUSR1 prints the tables'
ok 'the prompt, nothing runs: the typed line is below the tables' \
	wait_for 20 at_prompt 'perftool> a line'
end_server
done_testing

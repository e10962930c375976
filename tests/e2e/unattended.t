#!/usr/bin/env bash
# Tables that are written while the program is measured: --every, --delta, and
# SIGUSR1. The program works only when the test tells it to, so that the test
# knows what was counted at which time.
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
	is "$reply" ready "${*: -4}: the program is there"
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
says 100 'done 100' 'it works'
ok 'a part has what was done' wait_for 20 has_counted 100
says 50 'done 50' 'it works again'
ok 'and a later one what was done then' wait_for 20 has_counted 150
let_end
is "$status" 0 '--delta: status'
is "$(lines 'work(whole)')" 150 '--delta: the last line is the whole'
is "$(lines 'adds_up()')" True '--delta: the parts add up to it'
is "$(lines 'follow()')" True '--delta: each begins where the last has ended'
is "$(lines 'kept()')" True '--delta: nothing is lost'
is "$(lines 'len([t for t in parts if work(t)]) >= 2')" True '--delta: in two of them'
is "$(lines 'all(t["legs"][0]["min_ns"] is None for t in parts if not work(t))')" \
	True '--delta: where nothing was executed, there are no times'
is "$(lines 'all(t["legs"][0]["interrupted"] == 0 for t in parts)')" True \
	'--delta: the program was not stopped'
is "$(lines 'whole["legs"][0]["min_ns"] == min(t["legs"][0]["min_ns"]
	for t in parts if work(t))')" True '--delta: the least is in one of them'
is "$(lines 'len({t["program"]["pid"] for t in every})')" 1 'one program'

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
	ok "by process, $1: a part has that" wait_for 20 has_counted "$2"
}
asks_part 'serve 1' 1
asks_part 'serve 2' 3
asks_part 'serve 1' 4
asks_part fork 4
asks_part 'serve 3' 7
let_end
is "$status" 0 'by process: status'
is "$(lines '[[sorted(p["count"] for p in t["legs"][0]["processes"] or [])
	for t in every if work(t)]]')" \
	'[[], [1, 1], [0, 1], [1, 1, 1], [1, 2, 4]]' 'by process: what each has served'
is "$(lines 'shares_add_up() and adds_up() and follow()')" True \
	'by process: the parts add up'
is "$(lines 'all((p["min_ns"] is None) == (p["count"] == 0) and
	(not p["count"] or p["min_ns"] <= p["p50_ns"] <= p["max_ns"])
	for t in parts for p in t["legs"][0]["processes"] or [])')" True \
	'by process: times of those that have served'

# ---- counted from the start, of an attached process, until Ctrl-C ----
rm -f t.jsonl
serve "$program"
start perftool -n -q -t work --every 20ms -f json -o t.jsonl -p "$server" 2>err
tool=$started
ok 'attached: a first part' wait_for 20 says_so_far 0
says 30 'done 30' 'attached: it works'
ok 'attached: a part has that' wait_for 20 says_so_far 30
says 12 'done 12' 'attached: and again'
ok 'attached: the next ones have both' wait_for 20 says_so_far 42
end_tool INT
is "$status" 0 'attached: status'
is "$(cat err)" '' 'attached: nothing is said'
is "$(lines 'work(whole)')" 42 'attached: the whole'
is "$(lines '{0, 30, 42} <= {work(t) for t in parts}')" True 'attached: the parts'
is "$(lines 'all(work(a) <= work(b) for a, b in zip(every, every[1:]))')" True \
	'attached: they grow'
is "$(lines 'all(t["interval"]["from_ns"] == 0 for t in parts)')" True \
	'attached: from the start'
is "$(lines 'all(t["interval"]["to_ns"] == t["summary"]["elapsed_ns"]
	for t in parts)')" True 'attached: to now'
is "$(lines 'all(t["interval"]["to_ns"] >= (i + 1) * 20000000
	for i, t in enumerate(parts))')" True 'attached: none comes early'
is "$(lines 'all(a["at"] <= b["at"] for a, b in zip(every, every[1:]))')" True \
	'attached: the times of day'
says 3 'done 3' 'attached: the program goes on'
is "$(foreign "$server")" 0 'attached: its code is its own'

# ---- as text ----
rm -f t.txt
start perftool -n -q -t work --every 20ms -o t.txt -p "$server" 2>err
tool=$started
ok 'text: some parts' wait_for 20 has_headings 2 t.txt
end_tool TERM
is "$(headings t.txt | sort -u)" $'TIME T measured in all\nTIME T measured so far' \
	'text: lines with the time'
is "$(headings t.txt | tail -n 1)" 'TIME T measured in all' 'text: the whole is the last'
is "$(grep -c '^Total Elapsed Time' t.txt)" "$(headings t.txt | wc -l)" \
	'text: each is above tables'
is "$(grep -c '^- - - ' <(sed -n '1p' t.txt))" 1 'text: from the first line on'
rm -f t.txt
start perftool -n -q -t work --every 20ms --delta -o t.txt -p "$server" 2>err
tool=$started
ok 'text, --delta: some parts' wait_for 20 has_headings 3 t.txt
end_tool INT
is "$(headings t.txt | uniq)" "TIME T measured so far
TIME the last T of T measured so far
TIME T measured in all" 'text, --delta: lines with the time'
end_server

# ---- SIGUSR1 ----
serve_tool -t work -f json -o t.jsonl
says 5 'done 5' 'SIGUSR1: it works'
is "$(wc -l <t.jsonl)" 0 'SIGUSR1: no tables yet'
kill -USR1 "$tool"
ok 'SIGUSR1: tables' wait_for 20 says_so_far 5
says 6 'done 6' 'SIGUSR1: it works on'
kill -USR1 "$tool"
kill -USR1 "$tool"
ok 'SIGUSR1 twice: tables' wait_for 20 says_so_far 11
for ((i = 0; i < 300; i++)); do
	kill -USR1 "$tool"
done
says 7 'done 7' 'SIGUSR1 300 times: it works on'
let_end
is "$status" 0 'SIGUSR1: status'
is "$(lines 'work(whole)')" 18 'SIGUSR1: the whole, in one line'
is "$(lines 'all(t["interval"]["from_ns"] == 0 for t in parts)')" True \
	'SIGUSR1: counted from the start'

serve_tool -t work -o t.txt
kill -USR1 "$tool"
ok 'SIGUSR1, text: tables' wait_for 20 has_headings 1 t.txt
let_end
is "$(headings t.txt)" $'TIME T measured so far\nTIME T measured in all' \
	'SIGUSR1, text: lines with the time'

# without --every, the report is the same as always
times work -- "$program" <<<3
is "$(json '[time("work")["count"], t["interval"], len(open("t.json").readlines()) > 9]')" \
	'3 None True' 'without it, the report is one of many lines'

# the tables have the form of the report, which a setting may choose
serve_tool -e 'set format json' -t work -o t.jsonl
says 2 'done 2' 'set format: it works'
kill -USR1 "$tool"
ok 'set format json: tables' wait_for 20 says_so_far 2
let_end
is "$(lines 'work(whole)')" 2 'set format json: the whole, in one line'
try perftool -n -q -e 'set format csv' -t work --every 1h --delta -o t.txt \
	"$program" <<<6
is "$(headings t.txt)" "TIME T measured so far
TIME T measured in all" 'set format csv: lines with the time'
is "$(grep -c '^0,work,.*,nested,6,' t.txt) $(grep -c '^$' t.txt)" '2 7' \
	'set format csv: tables below each'

# between two parts of --delta, the tables of SIGUSR1 are a part too
serve_tool -t work --every 1h --delta -f json -o t.jsonl
says 8 'done 8' 'SIGUSR1, --delta: it works'
kill -USR1 "$tool"
ok 'SIGUSR1, --delta: tables' wait_for 20 has_counted 8
says 9 'done 9' 'SIGUSR1, --delta: it works on'
let_end
is "$(lines '[work(t) for t in every]')" '8 9 17' 'SIGUSR1, --delta: the rest is a part, and the whole'
is "$(lines 'adds_up() and follow() and kept()')" True 'SIGUSR1, --delta: they add up'

# as CSV, the files are written again
serve_tool -t work -f csv -o t.csv
says 4 'done 4' 'SIGUSR1, CSV: it works'
kill -USR1 "$tool"
ok 'SIGUSR1, CSV: tables' wait_for 20 grep -qs '^0,work,.*,nested,4,' t-legs.csv
let_end
is "$status" 0 'SIGUSR1, CSV: status'

# ---- SIGUSR1 still belongs to the program ----
serve_tool -t work -o t.txt
child=$(cat "/proc/$tool/task/$tool/children")
child=${child%% *}
ok 'the tool catches SIGUSR1' catches "$tool"
is "$((16#$(status_of "$child" SigIgn) >> 9 & 1))" 0 'the program does not ignore it'
kill -USR1 "$child"
let_end
is "$status" 138 'the program is ended by it'

# ---- SIGUSR1 during a search for names, and before the program runs ----
start perftool -n -q -e 'time "many_*" most=100000' -e kill -b "$program" \
	2>err </dev/null
tool=$started
ok 'before the run: the tool catches it' wait_for 20 catches "$tool"
for ((i = 0; i < 50; i++)); do
	kill -USR1 "$tool"
done
ok 'before the run: it goes on' kill -0 "$tool"
end_tool TERM
is "$status" 143 'before the run: until it is ended'

# ---- a script that runs the program itself ----
rm -f commands t.jsonl
mkfifo commands
serve "$program"
exec 5<>commands
start perftool -n -q -b -x - --every 20ms --delta -f json -o t.jsonl \
	-p "$server" <commands 3>&- 4>&- 5>&-
tool=$started
printf '%s\n' 'time work' >&5
ok 'between commands: parts' wait_for 20 has_lines 1 t.jsonl
says 10 'done 10' 'between commands: it works'
ok 'between commands: a part has that' wait_for 20 has_counted 10
echo continue >&5
says 5 'done 5' 'a command waits for the program: it works'
ok 'a command waits for the program: a part has that' wait_for 20 has_counted 15
end_tool INT
is "$status" 0 'a script: status'
is "$(lines '[work(whole), adds_up(), follow()]')" '15 True True' 'a script: the whole'
exec 5>&-
end_server

try perftool -n -q -b -e 'time work' -e run --every 1h --delta -f json \
	-o t.jsonl "$program" <<<9
is "$status $err" '0 ' 'a script that does it all: status'
is "$(lines '[work(t) for t in every]')" 9 \
	'a script that does it all: no report follows, but the last part is there'

# ---- a limited time ----
serve "$program"
for option in '' --delta; do
	# (the last part is due at the end of the time)
	try perftool -n -q -t work --every 20ms $option --for 200ms -f json \
		-o t.jsonl -p "$server"
	is "$status" 0 "--for $option: status"
	is "$(lines '[len(parts) > 0, work(whole)]')" 'True 0' \
		"--for $option: parts, and the whole"
	is "$(lines 'all(a["interval"]["to_ns"] <= b["interval"]["to_ns"]
		for a, b in zip(parts, parts[1:]))')" True "--for $option: in order"
done
is "$(lines 'adds_up() and follow()')" True '--for --delta: the parts add up'
end_server

# ---- to standard output, and to standard error ----
try perftool -n -q -t work --every 1h --delta -f json -o - "$program" <<<6
grep '^{' "$SCRATCH/out" >t.jsonl
is "$(lines '[work(t) for t in every]')" '6 6' '-o -: a part and the whole'
is "$(grep -v '^{' "$SCRATCH/out")" $'ready\ndone 6' '-o -: what the program says'
try perftool -n -q -t work --every 1h --delta -f json "$program" <<<6
cp "$SCRATCH/err" t.jsonl
is "$(lines '[work(t) for t in every]')" '6 6' 'standard error: a part and the whole'

# ---- a pipe without a reader ----
rm -f full
mkfifo full
exec 9<>full
dd if=/dev/zero of=full bs=4096 oflag=nonblock 2>/dev/null
rm -f t.jsonl
serve perftool -n -q -t work --every 10ms --delta -f json -o full "$program" 9>&-
tool=$server
for count in 1000 200 30; do
	says "$count" "done $count" 'nobody reads: the program goes on'
done
exec 3>&-
cat full >taken 9>&- &
reader=$!
STARTED+=("$reader")
ok 'somebody begins to read' wait_for 20 test -s taken
exec 9>&-
wait "$tool"
is "$?" 0 'read in the end: status'
wait "$reader"
tr -d '\0' <taken >t.jsonl
is "$(lines '[work(whole), adds_up(), follow()]')" '1230 True True' \
	'read in the end: all of it is there'
exec 4>&-

# ---- files that cannot be written ----
serve perftool -n -q -t work --every 10ms -f json -o /dev/full "$program" 2>err
tool=$server
ok 'a full disk: it is said' wait_for 20 grep -q \
	'cannot write /dev/full: No space left on device' err
says 5 'done 5' 'a full disk: the program goes on'
let_end
is "$status" 125 'a full disk: status'
is "$(grep -c 'perftool writes no more tables' err)" 1 'a full disk: said once'

# ---- options ----
fails_with 125 '--every is for batch mode: give -b or -t' '--every, no batch mode' \
	perftool -n --every 1s "$program"
fails_with 125 '--delta is for the tables that --every writes' '--delta alone' \
	perftool -n -t work --delta "$program"
fails_with 125 '--every: .9ms. is too short' 'too short' \
	perftool -n -t work --every 9ms "$program"
fails_with 125 'duration' 'no duration' perftool -n -t work --every soon "$program"
fails_with 125 'option --every needs an argument' 'no argument' perftool --every
fails_with 125 '--every appends to one file, and -f csv makes a file for each' 'CSV' \
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
expect 'Leg 0' 'the prompt: a leg'
says 77 'done 77' 'the prompt: it works'
keys -l 'print no'
ok 'the prompt: something is typed' wait_for 20 at_prompt 'perftool> print no'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 77 ' 'the prompt: SIGUSR1 prints the tables'
ok 'the prompt: the line is below them' wait_for 20 at_prompt 'perftool> print no'
keys -l des
keys Enter
expect 'print nodes.*N O D E   T A B L E.*77' 'the prompt: and is what was typed'
wait_for 20 at_prompt 'perftool>'
keys -l 'xyz'
wait_for 20 at_prompt 'perftool> xyz'
keys C-u
enter 'continue'
says 11 'done 11' 'the prompt, a run: it works'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 88 ' 'the prompt, a run: SIGUSR1 prints the tables'
keys C-c
ok 'the prompt, a run: until Ctrl-C' wait_for 20 at_prompt 'perftool>'
enter 'detach'
wait_for 20 at_prompt 'perftool>'
"${terminal[@]}" clear-history
keys C-l
keys -l 'a line'
wait_for 20 at_prompt 'perftool> a line'
kill -USR1 "$(tool_of)"
expect 'L E G   T A B L E.* 88 ' 'the prompt, nothing runs: SIGUSR1 prints the tables'
ok 'the prompt, nothing runs: the line is below them' \
	wait_for 20 at_prompt 'perftool> a line'
end_server
done_testing

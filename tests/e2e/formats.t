#!/usr/bin/env bash
# -f, -o, `set format' and what is printed where, in every combination; and what
# JSON tells of where, when and how it was measured.
# tier: core full
# covers: report/records session/tables ui
# shellcheck disable=SC2016,SC2317 # dollars are the language's; ok calls by name
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/pie
its=$("$program" 5)
LIMIT=20

# form FILE: prints the form of a file: text, json, csv (several tables one
# after another), nothing, or broken
form() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		text = open(sys.argv[1]).read()
		try:
		    if not text: print("nothing")
		    elif text.startswith("Total Elapsed Time"): print("text")
		    elif text.startswith("id,kind,") and "\n\nid,name," in text: print("csv")
		    else: print("json" if json.loads(text)["schema"] == 1 else "broken")
		except ValueError: print("broken")
	END
}

# csv_files NAME: do the CSV files exist, with rows?
csv_files() {
	[ "$(head -c 8 "$1-nodes.csv")" = 'id,kind,' ] &&
		[ "$(wc -l <"$1-legs.csv")" = 2 ] &&
		[ -s "$1-histograms.csv" ] && [ -s "$1-by.csv" ]
}

# ---- where the report goes, and its form ----
for format in '' text json csv; do
	[ -n "$format" ] && option="-f $format" || option=
	for setting in '' text json csv; do
		one_in 5 || continue
		options=(-q -n)
		[ -z "$format" ] || options+=(-f "$format")
		[ -z "$setting" ] || options+=(-e "set format $setting")
		options+=(-t work)
		name="$option, format ${setting:-not set}"
		wanted=${format:-${setting:-text}}
		if [ "$format" = csv ]; then
			fails_with 125 '-f csv makes several files: name them with -o' \
				"$name, no -o: refused" perftool "${options[@]}" "$program" 5
			fails_with 125 '-f csv makes several files: name them with -o' \
				"$name, -o -: refused" perftool "${options[@]}" -o - "$program" 5
			rm -f r r-*.csv
			try perftool "${options[@]}" -o r.csv "$program" 5
			is "$status $out$err" "0 $its" "$name, -o r.csv: only the program's output is printed"
			ok "$name, -o r.csv: the four CSV files exist" csv_files r
			ok "$name, -o r.csv: no file r.csv exists" test ! -e r.csv
			continue
		fi
		try perftool "${options[@]}" "$program" 5
		is "$status $out" "0 $its" "$name, no -o: standard output has only the program's output"
		is "$(form "$SCRATCH/err")" "$wanted" "$name, no -o: standard error has the report as $wanted"
		try perftool "${options[@]}" -o - "$program" 5
		is "$status $err" '0 ' "$name, -o -: nothing on standard error"
		head -n "$(wc -l <<<"$its")" "$SCRATCH/out" >own
		tail -n "+$(($(wc -l <<<"$its") + 1))" "$SCRATCH/out" >rest
		is "$(<own) $(form rest)" "$its $wanted" "$name, -o -: the report as $wanted follows the program's output"
		try perftool "${options[@]}" -o r "$program" 5
		is "$status $out$err" "0 $its" "$name, -o r: only the program's output is printed"
		is "$(form r)" "$wanted" "$name, -o r: the file has the report as $wanted"
	done
done

# ---- what commands print has the form of `set format' and goes to -o ----
for setting in text json csv; do
	one_in 3 || continue
	commands=(-e 'time work' -e 'run 5' -e "set format $setting" -e 'print tables')
	try perftool -q -n "${commands[@]}" "$program"
	is "$status $err" '0 ' "print tables, $setting: nothing on standard error"
	tail -n "+$(($(wc -l <<<"$its") + 1))" "$SCRATCH/out" >rest
	is "$(form rest)" "$setting" "print tables, $setting: standard output has the tables in this form"
	try perftool -q -n -o r "${commands[@]}" "$program"
	is "$status $out$err $(form r)" "0 $its $setting" "print tables, $setting, -o r: the file has the tables in this form"
	try perftool -q -n "${commands[@]:0:6}" -e 'print tables > p' "$program"
	is "$status $out$err $(form p)" "0 $its $setting" "print tables > p, $setting: the file has the tables in this form"
done
# if each table has a file of its own, there is no file for the output of
# commands
try perftool -q -n -f csv -o c -e 'print 42' -t work "$program" 5
is "$status $out" "0 42"$'\n'"$its" '-f csv: the output of a command is on standard output'
ok '-f csv: the report is in its files' csv_files c

# ---- -f where there is no report ----
for format in text json csv; do
	one_in 3 || continue
	no_report="perftool: -f $format has no effect: commands have run the program, so that perftool prints no report by itself (use \`set format $format' and \`print tables')"
	try perftool -q -n -b -f $format -o r -e 'time work' -e 'run 5' "$program"
	is "$status $err" "0 $no_report" "-f $format -b, and a command runs the program: -f has no effect"
	try perftool -q -n -f $format -o r -t work -e 'run 5' "$program"
	is "$status $err" "0 $no_report" "-f $format -t, and a command runs the program: -f has no effect"
	fails_with 125 '-f is for batch mode: give -b or -t' \
		"-f $format without -b is refused" \
		perftool -q -n -f $format -o r -e 'print 1' "$program"
done
try perftool -q -n -b -e 'time work' -e 'run 5' "$program"
is "$status $err" '0 ' 'without -f, nothing is said on -f'
fails_with 125 "\`JSON' is not text, json or csv" '-f with a form in capitals is refused' \
	perftool -n -f JSON -t work "$program"
try perftool -q -n -f csv -f json -t work "$program" 5
is "$status $(form "$SCRATCH/err")" '0 json' 'of two options -f, the last one has effect'
for format in text json csv; do
	one_in 3 || continue
	fails_with 125 "-o: the file's name is empty" "-f $format -o '' is refused" \
		perftool -n -f $format -o '' -t work "$program"
	fails_with 125 'cannot write nosuch/r' "-f $format -o in a directory that does not exist is refused" \
		perftool -n -f $format -o nosuch/r -t work "$program"
done

# ---- --for and -p ----
for format in text json csv; do
	try perftool -q -n --for 1s -f $format -o f -t work "$PROGRAMS/ends" loop
	is "$status" 3 "--for, -f $format: the tool ends with the program's status"
	if [ $format = csv ]; then
		ok "--for, -f csv: the CSV files exist" csv_files f
	else
		is "$(form f)" $format "--for, -f $format: the file has the report in this form"
	fi
	start "$PROGRAMS/ends" loop >ready
	server=$started
	ok 'the program to attach to starts' wait_for 20 grep -q ready ready
	try perftool -q -n --for 100ms -f $format -o f -t work -p "$server"
	is "$status $out" '0 ' "-p, -f $format: status 0 and nothing on standard output"
	if [ $format = csv ]; then
		ok "-p, -f csv: the CSV files exist" csv_files f
		fails_with 125 'name them with -o' '-p, -f csv without -o is refused' \
			perftool -n --for 100ms -f csv -t work -p "$server"
	else
		is "$(form f)" $format "-p, -f $format: the file has the report in this form"
		try perftool -q -n --for 100ms -f $format -t work -p "$server"
		# the server may have had no processor meanwhile
		sed -i '/^work was never reached$/d' "$SCRATCH/err"
		is "$status $out $(form "$SCRATCH/err")" "0  $format" \
			"-p, -f $format, no -o: standard error has the report in this form"
		try perftool -q -n --for 100ms -f $format -o - -t work -p "$server"
		err=$(sed '/^work was never reached$/d' "$SCRATCH/err")
		is "$status $err $(form "$SCRATCH/out")" "0  $format" \
			"-p, -f $format, -o -: standard output has the report in this form"
	fi
	kill -KILL "$server"
	wait "$server" 2>/dev/null
	fails_with 125 '--for is for batch mode' "--for, -f $format, no -b is refused" \
		perftool -n --for 1s -f $format -o f "$program"
done

# ---- where and when the program was measured ----
export TZ=IST-5:30
before=$(date +%s)
times work half -- "$program" 5
after=$(date +%s)
is "$(json 't["host"], t["kernel"]')" "$(uname -n) $(uname -r)" 'JSON names the host and the kernel'
is "$(json 'repr(t["cpu"])')" "$(/usr/bin/python3 - <<-'END'
	import re
	found = re.search(r"^model name\s*: (.*\S)", open("/proc/cpuinfo").read(), re.M)
	print(repr(found and found[1]))
	END
)" 'JSON names the model of the CPU'
cat >when.py <<'END'
import datetime, json, sys
t = json.load(open("t.json"))
at, started, ended = (x and datetime.datetime.fromisoformat(x)
                      for x in (t["at"], t["started"], t["ended"]))
low, high = (float(x) for x in sys.argv[1:3])
assert at.utcoffset() == datetime.timedelta(hours=5, minutes=30), at
assert started <= at, (started, at)
# the kernel gives the time of a start in hundredths of a second, rounded down
assert low - 0.02 <= started.timestamp() and at.timestamp() <= high + 1
print("ended" if ended and started <= ended <= at else ended)
END
is "$(/usr/bin/python3 when.py "$before" "$after")" ended 'JSON has the moments of report, start and end'
is "$(json 't["program"]["build_id"]')" \
	"$(readelf -n "$program" | sed -n 's/.*Build ID: //p')" 'JSON has the build ID of the program'
cp "$program" without
objcopy --remove-section .note.gnu.build-id without
times work -- ./without 5
is "$(json 't["program"]["build_id"]')" None 'the build ID of a program without a build ID is null'
try perftool -q -n -b -e 'break work' -e 'run 5' -e 'save tables t.json' "$program"
is "$(/usr/bin/python3 when.py "$before" "$(date +%s)") $(json 't["program"]["state"]')" \
	'None stopped' 'a program that is stopped has no end'
try perftool -q -n -e 'break work if 1' -e 'collect nodes' -e 'args 7 8' \
	-e 'save tables t.json' "$program"
is "$(json 't["started"], t["ended"], t["program"]["pid"], t["program"]["args"], t["program"]["build_id"] != None')" \
	"None None None ['7', '8'] True" 'a program that was not run has arguments but no start, end and pid'
try perftool -q -n -e 'save tables t.json'
is "$(json 'set(t["program"].values()), t["started"], t["at"] != None')" \
	'{None} None True' 'without a program, all that JSON says of it is null'
try perftool -q -n -e 'time work' -e 'run 5' -e 'break half' -e 'run 5' \
	-e 'save tables t.json' "$program"
is "$(json 't["ended"]')" None 'a program that was run again and is stopped has no end'
serve "$PROGRAMS/server" 1
try perftool -q -n -p "$server" -e 'save tables t.json'
is "$(/usr/bin/python3 when.py "$before" "$(date +%s)") $(json 't["program"]["state"]')" \
	'None running' 'an attached process that still runs has no end'
end_server
unset TZ

# ---- settings: as `show' gives them, all ----
set_all='set mechanism int3
set format json
set follow fork off
set columns memo
track successor
monitor on
save tables t.json
show'
try perftool -q -n <<<"$set_all"
is "$(json '"\n".join("%-13s %s" % x for x in t["settings"].items())')" \
	"$(grep -v '^clock ' <<<"$out")" 'the settings in JSON are those that show prints'
is "$(json '[t["settings"][x] for x in ("mechanism", "follow fork", "follow exec", "columns", "track", "monitor", "process", "thread")]')" \
	'int3 off on memo successor on all all' 'the settings in JSON have the values that were set'
for name in follow process thread track monitor mechanism; do
	try perftool -q -n -e "show $name"
	is "$status $out" "0 $(perftool -q -n -e show | grep "^$name ")" "show $name prints the line that show has for $name"
done
fails_with 125 "no setting 'nosuch'" 'show with an unknown setting is refused' perftool -n -e 'show nosuch'

# ---- where legs are counted ----
MECHANISM=int3 times work -- "$program" 5
is "$(json 't["legs"][0]["counted"]')" tool 'legs between int3s are counted by the tool'
for set in auto int3; do
	batch 'time work' 'time half' -- "$program" 6
	is "$(json '[x["counted"] == {"fast": "program", "int3": "tool"}[node(x["from"])["mechanism"]] for x in t["legs"]]')" \
		'True True' "legs are counted where their nodes are, mechanism $set"
	MECHANISM=int3
done
MECHANISM=
batch 'break entry work mechanism=int3 if 1' 'break return work if 1' \
	'add leg 1 2' -- "$program" 5
is "$(json 'leg(0)["counted"] == ("ring, tool" if node(2)["mechanism"] == "fast" else "tool")')" \
	True 'a leg from an int3 to a jump is counted in ring and tool'
try perftool -q -n -e 'time work' -e 'run 5' -e 'zero tables' -e 'save tables t.json' \
	-e 'save tables z.csv' "$program"
is "$(json 'leg(0)["count"], leg(0)["counted"]')" '0 None' 'a leg with count 0 is counted nowhere'
is "$(head -n 1 z-legs.csv | grep -c ',counted$')" 1 'CSV has the column counted'

# ---- doc/FORMATS.md lists every field, and no other ----
printf 'serve 7\nquit\n' | perftool -q -n -b -f json -o processes.json \
	-t serve "$PROGRAMS/prefork" 2 >/dev/null 2>&1
try perftool -q -n -b -f json -o t.json -e 'time work by=$tid' "$program" 5
try perftool -q -n -t work -f json -o every.jsonl --every 1h --delta "$program" 5
/usr/bin/python3 - "$ROOT/doc/FORMATS.md" >listed <<-'END'
	import json, re, sys
	t = json.load(open("t.json"))
	leg = t["legs"][0]
	shares = json.load(open("processes.json"))["legs"][0]["processes"]
	there = {"The whole": set(t), "program": set(t["program"]),
	         "interval": set(json.loads(open("every.jsonl").readline())["interval"]),
	         "clock": set(t["clock"]), "summary": set(t["summary"]),
	         "nodes": set(t["nodes"][0]), "legs": set(leg),
	         "by": set(leg["by"]) | set(leg["by"]["values"][0]),
	         "histograms": set(t["histograms"][0]),
	         "processes": set(shares[0])}
	for section in open(sys.argv[1]).read().split("\n## ")[1:]:
	    name = section.split("\n")[0]
	    cells = re.findall(r"^\| (`.*?) \|", section, re.M)
	    names = {x for cell in cells for x in re.findall("`(.*?)`", cell)}
	    if name in there:
	        print(name, sorted(names ^ there.pop(name)))
	if there: print('missing:', *there)
END
is "$(sort listed)" "$(printf '%s []\n' 'The whole' interval program clock summary nodes \
	legs by processes histograms | sort)" 'doc/FORMATS.md lists every field and no other'
done_testing

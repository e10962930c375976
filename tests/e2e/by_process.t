#!/usr/bin/env bash
# Legs by process: the share that each of several processes has of a leg. The
# server of prefork.c counts the calls of each of its workers.
# tier: core
# covers: measure session/tables report/text report/records
# again: int3
. "$(dirname "$0")/../lib.sh"

# shares: prints what the report has for each process, as "PID:COUNT", in the
# order of the pids
shares() {
	json '" ".join("%d:%d" % (p["pid"], p["count"]) for p in
		sorted(t["legs"][0]["processes"], key=lambda p: p["pid"]))'
}

# wanted PIDS COUNTS: prints what the server has counted, in the same form
wanted() {
	paste -d: <(tr ' ' '\n' <<<"$1") <(tr ' ' '\n' <<<"$2") | sort -n |
		paste -sd' '
}

# adds_up NAME: the figures of the processes add up to the figures of the leg
adds_up() {
	is "$(json 'all(sum(p[k] for p in l["processes"]) == l[k]
			for l in t["legs"] for k in ("count", "total_ns",
			"cpu_count", "interrupted")),
		all(min(p["min_ns"] for p in l["processes"]) == l["min_ns"] and
			max(p["max_ns"] for p in l["processes"]) == l["max_ns"]
			for l in t["legs"] if l["count"]),
		all(p["min_ns"] <= p["p50_ns"] <= p["p90_ns"] <= p["p99_ns"]
			<= p["p999_ns"] <= p["max_ns"]
			for l in t["legs"] for p in l["processes"])')" \
		'True True True' "$1: the figures of the processes add up to those of the leg"
}

# rows FILE: prints the rows of the table by process, as "PID:COUNT", in the
# order of the table
rows() {
	sed -n 's/^0  *serve  *\([0-9#]*\)  *[0-9]* -> [0-9]*  *\([0-9,]*\)~\{0,1\} .*/\1:\2/p' \
		"$1" | paste -sd' '
}

# ---- forked children of a program that is launched, and their end ----
printf 'serve 7\nfork\nserve 1000\n' >requests
for mechanism in int3 auto; do
	try perftool -q -n -b -e "set mechanism $mechanism" -e 'time serve' \
		-e run -e 'save tables t.json' -e 'save tables t.csv' \
		-e 'print legs by=process > rows.txt' \
		-e 'print legs by=process sort=count top=3 > top.txt' \
		-e 'print legs > legs.txt' -- "$PROGRAMS/prefork" 3 <requests
	{
		read -r _ pids
		read -r
		read -r late
		read -r counts
	} <<<"$out"
	truth=$(wanted "$pids $late" "$counts")
	is "$status $(shares)" "0 $truth" "$mechanism: each process has its own count"
	adds_up "$mechanism"
	is "$(json 'len(set(p["process"] for p in leg(0)["processes"])),
		set(p["comm"] for p in leg(0)["processes"]),
		set(p["command"] for p in leg(0)["processes"])')" \
		"4 {'prefork'} {'$PROGRAMS/prefork 3'}" \
		"$mechanism: each process has a number, and all have name and command"
	is "$(awk -F, 'NR > 1 { print $6 ":" $9 }' t-processes.csv | sort -n |
		paste -sd' ')" "$truth" "$mechanism: the CSV file has the count of each process"
	is "$(rows rows.txt | tr ' ' '\n' | sort -n | paste -sd' ')" "$truth" \
		"$mechanism: the table has the count of each process"
	unlike "$(<rows.txt)" 'Process +|[0-9]#|~' "$mechanism: the table leaves out a name that all processes have"
	is "$(rows top.txt)" \
		"$(tr ' ' '\n' <<<"$truth" | sort -t: -k2nr | head -3 |
			while IFS=: read -r pid count; do
				rows rows.txt | tr ' ' '\n' |
					grep -x "$pid:$count"
			done | sort -t: -k2nr -s | paste -sd' ')" \
		"$mechanism: sort=count top=3 gives the rows with the largest counts"
	like "$(<legs.txt)" 'Several processes .*by=process' \
		"$mechanism: the table of legs mentions by=process"
done

# ---- one process that executes several programs, one after another ----
times work -- "$PROGRAMS/execs" 3
is "$(json '[p["count"] for p in leg(0)["processes"]],
	len(set(p["pid"] for p in leg(0)["processes"])),
	[p["command"].split()[-1] for p in leg(0)["processes"]]')" \
	"[10, 10, 10, 10] 1 ['3', '2', '1', '0']" 'exec: each program has a row'
adds_up exec
try perftool -q -n -b -e 'time work' -e run -e 'print legs by=process' -- \
	"$PROGRAMS/execs" 1
like "$out" $'\n0 +work +[0-9]+#1  execs 1 .*\n0 +work +[0-9]+#[2-9]  execs 0 .*\n# ' \
	'exec: rows of one pid are told apart and have their commands'

# each run of a program is a process of its own
try perftool -q -n -b -e 'time work' -e 'run 3' -e 'run 7' -e 'save tables t.json' \
	-- "$PROGRAMS/pie"
is "$(json 'len(leg(0)["processes"]), [p["command"].split()[1:]
	for p in leg(0)["processes"]]')" "2 [['3'], ['7']]" 'each run of a program has a row'
adds_up run

# ---- attached processes, one of which ends ----
serve "$PROGRAMS/prefork" 3
read -r _ one two three <<<"$reply"
master=$server
server=$one,$three # the second worker is not measured
attach_told -q -n >said 2>said.err
tell 'time serve'
says 'serve 8' '3 3 2' 'attached: the server serves'
tell 'save tables t.json'
is "$(shares)" "$(wanted "$one $three" '3 2')" \
	'attached: each process has its count, unmeasured ones have no row'
adds_up attached
says kill "$three" 'attached: one measured process ends'
says 'serve 5' '6 5' 'attached: the other processes go on'
tell 'save tables t.json' 'print legs by=process > rows.txt'
is "$(shares)" "$(wanted "$one $three" '6 2')" 'a process that has ended keeps its row'
is "$(rows rows.txt | tr ' ' '\n' | sort -n | paste -sd' ')" \
	"$(wanted "$one $three" '6 2')" 'the table keeps the row of a process that has ended'
adds_up 'a process has ended'

tell "attach $two"
says 'serve 4' '8 7' 'attached: the server serves after another worker was attached to'
tell 'save tables t.json'
is "$(shares)" "$(wanted "$one $two $three" '8 2 2')" 'a process that is added has a row'
adds_up 'a process was added'

tell 'zero tables' 'save tables t.json'
is "$(json 'leg(0)["count"], leg(0)["processes"]')" '0 None' 'zero tables removes the rows of processes'
says 'serve 6' '11 10' 'attached: the server serves after zero tables'
tell 'save tables t.json'
is "$(shares)" "$(wanted "$one $two" '3 3')" 'after zero tables, each process is counted anew'
adds_up zero

tell 'delete leg 0' 'add leg 1 2 match=nested'
says 'serve 2' '12 11' 'attached: the server serves after the leg was deleted'
tell 'save tables t.json'
is "$(shares)" "$(wanted "$one $two" '1 1')" 'a leg that is deleted and added again has the count of each process'
tell 'delete leg 1' 'initialize tables' 'save tables none.json' 'time serve'
says 'serve 2' '13 12' 'attached: the server serves after initialize tables'
tell 'save tables t.json' detach
is "$(json 'len(t["legs"])' none.json)" 0 'initialize tables removes all legs'
is "$(shares)" "$(wanted "$one $two" '1 1')" 'after initialize tables, each process is counted anew'
exec 5>&-
wait "$tool"
for pid in "$one" "$two"; do
	is "$(foreign "$pid") $(status_of "$pid" TracerPid)" '0 0' "process $pid is untraced, and its code is restored"
done
server=$master
end_server

# ---- one process ----
try perftool -q -n -f csv -o y.csv -t work -- "$PROGRAMS/pie" 3
is "$(echo y*)" 'y-by.csv y-histograms.csv y-legs.csv y-nodes.csv' \
	'one process: there is no CSV file of processes'
echo before >y-processes.csv
try perftool -q -n -f csv -o y.csv -t work -- "$PROGRAMS/pie" 3
like "$(<y-processes.csv)" $'^id,name,[^\n]*\n0,work,[^\n]*$' \
	'one process: a CSV file of processes from another run is overwritten'
try perftool -q -n -b -e 'time work' -e run -e 'save tables t.json' \
	-e 'print legs by=process' -e 'print legs' -- "$PROGRAMS/pie" 3
is "$(json 'leg(0)["processes"]')" None 'one process: the processes of a leg are null in JSON'
is "$(grep -c '^0.* work .* 3 ' <<<"$out")" 2 'one process: both tables of legs have the leg in one row'
unlike "$out" 'everal' 'one process: the output does not mention several processes'

# ---- which rows ----
show() {
	try perftool -q -n -b -e 'time outer_*' -e run -e "$1" -- \
		"$PROGRAMS/kin" later 2
}
show 'print legs by=process'
is "$(grep -cE '^[0-9]+ +outer_01 +[0-9]+ ' <<<"$out")" 2 'print legs by=process has executed legs, with a row for each process'
like "$out" '15 legs that were never executed are left out; .all. shows them' 'print legs by=process says how many legs are left out'
show 'print legs all by=process outer_0[12]'
is "$(grep -cE '^[0-9]+ +outer_01 +[0-9]+ ' <<<"$out") $(grep -cE \
	'^[0-9]+ +outer_02 +- .* 0  ' <<<"$out")" '2 1' 'print legs all by=process PATTERN has legs that were never executed'
show 'print legs by=process columns=memo top=1'
like "$out" $'Leg +From +To .*\nId +PID +Node +Node .*\n[0-9]+ +[0-9]+ +[0-9]+ -> [0-9]+ +2 ' \
	'print legs by=process columns=memo has the columns of the memo'

# ---- wrong arguments ----
for words in by= by=pid by=processes 'by=process by=process'; do
	show "print legs $words"
	is "$status" 125 "print legs $words: status 125"
	like "$err" 'print legs .*(only by=process is possible here; .split leg|twice)' "print legs $words: the message says what is possible"
done
show 'print legs by=process -v'
like "$status $err" '125 .*-v .* cannot be used with by=process' 'print legs by=process -v is refused'
try perftool -q -n -e 'help print legs'
like "$out" 'by=process has a row for each leg and process' 'help print legs explains by=process'
done_testing

#!/usr/bin/env bash
# Several processes at once: a server that forked its workers before the tool
# attaches, and processes that the user names. The server counts its own calls.
# tier: core
# covers: target/attach session/run probe/process
# again: int3
. "$(dirname "$0")/../lib.sh"

site=$(address_of serve "$PROGRAMS/prefork")

# begin WORKERS: starts the server; sets $master and the array $workers
begin() {
	serve "$PROGRAMS/prefork" "$1"
	read -r master workers <<<"$reply"
	read -ra workers <<<"$workers"
}

# measure PATCHED... -- OPTION...: starts perftool in the background, which
# times serve() with $split; returns when all processes of PATCHED have the
# nodes
split="by=\$pid"
measure() {
	local patched=()

	while [ "$1" != -- ]; do
		patched+=("$1")
		shift
	done
	shift
	rm -f t.json
	start perftool -q -n -b -f json -o t.json "$@" \
		-e "time serve $split" 2>tool.err
	tool=$started
	for pid in "${patched[@]}"; do
		wait_for 20 has_patch "$pid" "$site" ||
			fail "no node in process $pid" "$(<tool.err)"
	done
}

# by_process: prints what the report has for each process, as "PID:COUNT", in
# the order of the pids
by_process() {
	json '" ".join("%d:%d" % (r["value"], r["count"]) for r in
		sorted(time("serve")["by"]["values"], key=lambda r: r["value"]))'
}

# clean NAME PID...: nothing of the tool is left in these processes
clean() {
	local name=$1 pid
	shift
	for pid in "$@"; do
		is "$(foreign "$pid") $(status_of "$pid" TracerPid)" '0 0' \
			"$name: process $pid has no patches and no tracer"
	done
}

# wanted COUNT PID... [-- COUNT PID...]...: prints the counts that each process
# shall have, in the form of by_process
wanted() {
	local count=$1
	shift
	while [ $# -gt 0 ]; do
		if [ "$1" = -- ]; then
			count=$2
			shift
		else
			echo "$1:$count"
		fi
		shift
	done | sort -n | paste -sd' '
}

# ---- all processes that exist ----
begin 3
says 'serve 6' '2 2 2' 'the three workers serve 6 requests'
measure "$master" "${workers[@]}" -- -p "$master" --children
says 'serve 300' '102 102 102' 'the workers serve 300 requests while they are measured'
ask fork # a worker that is born later
workers+=("$reply")
says 'serve 40' '112 112 112 10' 'a worker that is forked during the measuring serves requests'
end_tool INT
is "$status" 0 '--children: perftool ends with status 0 at SIGINT'
is "$(json 'time("serve")["count"], kept(), t["summary"]["breaks"]')" \
	'340 True 680' '--children: every call of serve() in every process is counted'
is "$(by_process)" "$(wanted 110 "${workers[@]:0:3}" -- 10 "${workers[3]}")" \
	'--children: each worker has a row with its own count'
is "$(json 't["program"]["pid"], t["program"]["state"]')" "$master detached" \
	'--children: the report names the process of -p, and says detached'
unlike "$(<tool.err)" 'not measured' '--children: no warning says that a process is not measured'
clean all "$master" "${workers[@]}"

# ---- without the children: a remark says how to measure them ----
try perftool -q -n -p "$master" -e 'time serve' -e detach
like "$err" "process $master has 4 children already \(${workers[0]}, .*\), \
not measured: -p $master --children, or \`attach children', measures" '-p without --children warns that the children are not measured'
try perftool -q -n -p "${workers[0]}" -e 'time serve' -e detach
unlike "$err" 'not measured' '-p of a process without children does not warn'

# ---- some processes, given by number ----
measure "${workers[@]:1:3}" -- -p "${workers[1]},${workers[2]}" -p "${workers[3]}"
says 'serve 8' '114 114 114 12' '-p with three workers: the workers serve requests'
end_tool INT
is "$(by_process)" "$(wanted 2 "${workers[@]:1}")" '-p with three workers: each has a row with its own count'
clean some "$master" "${workers[@]}"

# attached one after another by commands, and then the remaining children, in
# both ways
split=
for mechanism in int3 auto; do
	measure "$master" "${workers[@]}" -- -e "set mechanism $mechanism" \
		-e "attach $master" -e 'break entry serve if 1' \
		-e "attach ${workers[2]}" -e 'attach children'
	ask 'serve 400'
	end_tool INT
	is "$(json 'leg(0)["count"], node(1)["count"], t["summary"]["breaks"],
		kept(), t["legs"][0]["min_ns"] < 10**9')" '400 400 1200 True True' \
		"attach commands, $mechanism: an older breakpoint counts all processes, too"
	is "$(json 'node(2)["mechanism"]')" \
		"$([ $mechanism = auto ] && echo fast || echo int3)" \
		"attach commands, $mechanism: the breakpoint has the mechanism"
	clean "attach commands, $mechanism" "$master" "${workers[@]}"
done

split="by=\$pid"

# ---- children of children ----
ask grand
grand=$reply
measure "$grand" "${workers[@]}" -- -e "attach $master children"
ask 'serve 8'
end_tool INT
is "$(by_process)" "$(wanted 2 "$grand" "${workers[@]:1}")" \
	'attach PID children measures a child of a child'

# ---- a process that ends, and one that cannot be measured ----
measure "${workers[3]}" "${workers[2]}" -- -p "$master" --children
ask 'serve 4'
says kill "${workers[3]}" 'the server kills a worker that is measured'
ask 'serve 3'
end_tool INT
is "$(by_process)" \
	"$(wanted 2 "${workers[@]:1:2}" "$grand" | sed "s/$/ ${workers[3]}:1/" |
		tr ' ' '\n' | sort -n | paste -sd' ')" 'the calls of a killed worker are counted until its end'
unset 'workers[3]'
start perftool -q -n -b -p "${workers[1]}" -t serve -o other.txt 2>other.err
other=$started
wait_for 20 has_patch "${workers[1]}" "$site"
measure "${workers[2]}" "$grand" -- -p "$master" --children
like "$(<tool.err)" "process ${workers[1]} is not measured: .*traced" \
	'--children warns of a child that another process traces'
ask 'serve 3'
end_tool INT
is "$(by_process)" "$(wanted 1 "${workers[2]}" "$grand")" '--children counts the other children of a server with a traced child'
kill -INT "$other"
wait "$other"
clean '--children and a traced child' "$master" "${workers[@]}" "$grand"

# if a process that cannot be measured was named, this is an error, and the tool
# detaches from the others
fails_with 125 'process 2147483647 does not exist' '-p fails if one of the processes does not exist' \
	perftool -q -n -p "${workers[1]},2147483647" -t serve
clean '-p with a process that does not exist' "${workers[1]}"
fails_with 125 "process ${workers[1]} is being measured already; .detach' first" \
	'-p fails if a process is given twice' perftool -q -n -p "${workers[1]},${workers[1]}" -t serve
fails_with 125 -- '--children without -p is an error' \
	perftool --children true
end_server
done_testing

#!/usr/bin/env bash
# The output of the tool goes to a pipe that is full and that no process reads.
# SIGINT and SIGTERM still end the tool, and the program goes on.
# tier: full
# covers: ui/terminal
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/many

has_ended() {
	! kill -0 "$tool" 2>/dev/null
}
# waits_at COMMAND: has the tool begun this command, and does it wait?
waits_at() {
	grep -qxF ">$1" log 2>/dev/null && [ "$(status_of "$tool" State)" = S ]
}
# traces: does the tool trace the program, and does it wait?
traces() {
	[ "$(status_of "$server" TracerPid)" = "$tool" ] &&
		[ "$(status_of "$tool" State)" = S ]
}
# soon SIGNAL NAME: the tool ends soon after this signal; sets $status
soon() {
	kill "-$1" "$tool"
	ok "$2: perftool ends within 20 seconds" wait_for 20 has_ended
	has_ended || kill -KILL "$tool"
	wait "$tool" 2>/dev/null
	status=$?
}
# goes_on NAME: the program goes on
goes_on() {
	says 7 'done 7' "$1: the program goes on"
	is "$(foreign "$server")" 0 "$1: no patch is left in the code"
	is "$(status_of "$server" TracerPid)" 0 "$1: the program is not traced"
	end_server
}
# fill FIFO: makes a full FIFO, so that a process that writes to it waits; fd 9
# keeps it open
fill() {
	rm -f "$1"
	mkfifo "$1"
	exec 9<>"$1"
	dd if=/dev/zero of="$1" bs=4096 oflag=nonblock 2>/dev/null
}
address() { # prints the address of work() in the server
	echo $((16#$(grep -m1 /many "/proc/$server/maps" | cut -d- -f1) +
		16#$(nm "$program" | sed -n 's/ T work$//p')))
}

for signal in INT TERM; do
	# ---- the output of a command ----
	rm -f log
	fill full
	serve "$program"
	start perftool -n -q -e 'log log' -e 'time work' -e 'print nodes' \
		-e continue -p "$server" >full 2>err 9>&-
	tool=$started
	ok "SIG$signal: a command waits at the full pipe" wait_for 20 waits_at 'print nodes'
	soon "$signal" "print, SIG$signal"
	goes_on "print, SIG$signal"

	# ---- the messages of a command, and then the report ----
	fill full
	serve "$program"
	start perftool -n -t work -p "$server" 2>full 9>&-
	tool=$started
	ok "SIG$signal: the attached tool waits at the full pipe" wait_for 20 traces
	soon "$signal" "messages, SIG$signal"
	goes_on "messages, SIG$signal"

	# ---- the report, to standard output and to a file of its own ----
	for output in - full; do
		fill full
		serve "$program"
		start perftool -n -q -t work -o "$output" -p "$server" \
			>full 2>err 9>&-
		tool=$started
		ok "-o $output, SIG$signal: the function is patched" \
			wait_for 20 has_patch "$server" "$(address)"
		says 100 'done 100' "-o $output, SIG$signal: the program works while it is measured"
		soon "$signal" "-o $output, SIG$signal"
		is "$status" 125 "-o $output, SIG$signal: perftool ends with status 125"
		like "$(<err)" '^perftool: cannot write .*: nobody reads it$' \
			"-o $output, SIG$signal: the message says that nobody reads"
		goes_on "-o $output, SIG$signal"
	done

	# ---- the trace ----
	rm -f log
	fill full
	serve "$program"
	start perftool -n -q -e 'log log' -e 'time work' -e 'trace full' \
		-e continue -b -o t.json -f json -p "$server" 2>err 9>&-
	tool=$started
	ok "trace, SIG$signal: perftool has begun to wait for the program" wait_for 20 waits_at continue
	# The program does all its work before the signal, so that there is
	# something to write.
	says 3000 'done 3000' "trace, SIG$signal: the program works before the signal"
	soon "$signal" "trace, SIG$signal"
	is "$status" 125 "trace, SIG$signal: perftool ends with status 125"
	goes_on "trace, SIG$signal"

	# ---- a FIFO that nobody opens ----
	for command in 'trace nobody' 'print nodes > nobody' 'log nobody'; do
		rm -f nobody log
		mkfifo nobody
		start perftool -n -q -e 'log log' -e 'time work' \
			-e "$command" -b "$program" \
			2>err </dev/null
		tool=$started
		ok "$command, SIG$signal: perftool waits for a reader of the FIFO" wait_for 20 waits_at "$command"
		soon "$signal" "$command, SIG$signal"
	done
done

# ---- a FIFO that is read ----
mkfifo read
start cat read >trace
reader=$started
try perftool -n -q -e 'trace read' -t work -f json -o t.json "$program" <<<20000
is "$status" 0 'a trace that is read: perftool ends with status 0'
wait "$reader"
is "$(wc -l <trace)" 20001 'a trace that is read has every execution'

# ---- a trace without a reader does not stop the program for ever ----
fill full
try perftool -n -q -e 'trace full' -t work -f json -o t.json \
	"$program" <<<20000
is "$status" 125 'a trace that nobody reads: perftool ends with status 125'
like "$err" 'cannot write the trace full: nobody reads it' \
	'a trace that nobody reads: a message says so'
is "$(json 'time("work")["count"]')" 20000 'a trace that nobody reads: the table has all 20000 calls'
done_testing

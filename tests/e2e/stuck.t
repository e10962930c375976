#!/usr/bin/env bash
# A thread that waits in the kernel and cannot be stopped: the tool names the
# thread, finishes in limited time, and the other threads go on.
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/stuck
where='thread [0-9]+ of process [0-9]+ does not stop: it does not leave the kernel'

# If the kernel or the container forbids such pages, there can be no such
# thread, and the test is skipped.
serve "$program"
if [ "$reply" != ready ]; then
	echo "1..0 # SKIP $reply"
	exit 0
fi
address() { # prints the address of work() in the server
	echo $((16#$(grep -m1 /stuck "/proc/$server/maps" | cut -d- -f1) +
		16#$(nm "$program" | sed -n 's/ T work$//p')))
}
unpatched() { # NAME
	is "$(foreign "$server")" 0 "$1: the program's code is its own"
	is "$(status_of "$server" TracerPid)" 0 "$1: nobody traces it"
}

# ---- a thread that was stuck before the tool came ----
says stuck stuck 'a thread is stuck'
fails_with 125 "$where" 'attaching ends, and says why' \
	perftool -q -n -t work -p "$server"
says 'work 5' 'worked 5' 'the others go on'
unpatched 'after that'
says free 'written 4096' 'the thread goes on when its page is there'
end_server

# ---- while the program is measured ----
# measure OPTION...: returns when the function is patched and a thread of the
# server is stuck
measure() {
	serve "$program"
	start perftool -n -t work -f json -o t.json \
		-p "$server" "$@" 2>err
	tool=$started
	ok "$*: the function is patched" \
		wait_for 20 has_patch "$server" "$(address)"
	says 'work 100' 'worked 100' "$*: it works"
	says stuck stuck "$*: a thread is stuck"
}
# measured NAME: the table is right, and the program goes on
measured() {
	is "$(json 'time("work")["count"]')" 100 "$1: the table"
	is "$(grep -cE "$where.*; the other threads go on without it" err)" 1 \
		"$1: the thread is named, once"
	says 'work 5' 'worked 5' "$1: the others go on"
	unpatched "$1"
	says free 'written 4096' "$1: the thread goes on when its page is there"
	says 'work 5' 'worked 5' "$1: so does all of the program"
	end_server
}
# ends NAME: the tool ends with status 0
ends() {
	ok "$1: the measuring ends" wait_for 20 has_ended
	wait "$tool"
	is "$?" 0 "$1: status"
}
has_ended() {
	# shellcheck disable=SC2317 # wait_for calls it
	! kill -0 "$tool" 2>/dev/null
}
for signal in TERM HUP INT; do
	measure
	kill "-$signal" "$tool"
	ends "SIG$signal"
	measured "SIG$signal"
done
measure --for 1s
ends '--for'
measured '--for'

# the tool stops all threads several times, but waits for the stuck thread only
# once
measure -e 'break work if 0' -e 'print nodes > nodes1' -e 'delete break 3'
says 'work 100' 'worked 100' 'commands: the others go on'
kill -TERM "$tool"
ends commands
end_server
done_testing

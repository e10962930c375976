#!/usr/bin/env bash
# A thread that waits in the kernel and cannot be stopped: the tool names the
# thread, finishes in limited time, and the other threads go on.
# tier: full
# covers: target
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
	is "$(foreign "$server")" 0 "$1: the program's code has no patches"
	is "$(status_of "$server" TracerPid)" 0 "$1: the program is not traced"
}

# ---- a thread that was stuck before the tool came ----
says stuck stuck 'a thread of the server gets stuck'
fails_with 125 "$where" 'attaching fails, and the message names the stuck thread' \
	perftool -q -n -t work -p "$server"
says 'work 5' 'worked 5' 'the other threads work after the attach has failed'
unpatched 'after the attach has failed'
says free 'written 4096' 'the stuck thread goes on when its page is there'
end_server

# The tool looks whether the call is one of vfork(2), and does not wait for the page.
serve "$program"
says clone clone 'a thread of the server gets stuck in clone3'
fails_with 125 "$where" 'attaching fails, and the message names the thread in clone3' \
	perftool -q -n -t work -p "$server"
unpatched 'after the attach to a thread in clone3 has failed'
says free 'written 0' 'the thread in clone3 goes on when its page is there'
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
	says 'work 100' 'worked 100' "$*: the program works while it is measured"
	says stuck stuck "$*: a thread of the server gets stuck"
}
# measured NAME: the table is right, and the program goes on
measured() {
	is "$(json 'time("work")["count"]')" 100 "$1: the table has all 100 calls"
	is "$(grep -cE "$where.*; the other threads go on without it" err)" 1 \
		"$1: one message names the stuck thread"
	says 'work 5' 'worked 5' "$1: the other threads work after perftool has ended"
	unpatched "$1"
	says free 'written 4096' "$1: the stuck thread goes on when its page is there"
	says 'work 5' 'worked 5' "$1: the whole program works after the stuck thread goes on"
	end_server
}
# ends NAME: the tool ends with status 0
ends() {
	ok "$1: perftool ends" wait_for 20 has_ended
	wait "$tool"
	is "$?" 0 "$1: perftool ends with status 0"
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
says 'work 100' 'worked 100' 'commands: the other threads work while perftool carries out commands'
kill -TERM "$tool"
ends commands
end_server

# ---- a child whose only thread is stuck ----
# No thread of the child can map memory for the tool. The commands are carried out
# in the parent all the same.
serve "$program"
attach_told -n >said 2>&1
tell 'time work' 'monitor on'
says child child 'the only thread of a child is stuck'
tell 'profile functions *' 'break work if 1' 'list breaks' \
	'set mechanism int3' 'set mechanism fast'
unlike "$(<said)" 'no thread of process' 'a stuck child: commands do not fail because of it'
like "$(<said)" "$where" 'a stuck child: a message names its thread'
says 'work 50' 'worked 50' 'a stuck child: the parent works'
tell 'save tables t.json'
is "$(json 'time("work")["count"]')" 50 'a stuck child: the calls of the parent are counted'
says kill kill 'the child is killed'
tell detach
exec 5>&-
says 'work 5' 'worked 5' 'the parent works after perftool has detached'
unpatched 'after the child was killed'
end_server
done_testing

#!/usr/bin/env bash
# `perftool serve`: the command `monitor off` stops no program, and a program
# that is killed while it is stopped at a breakpoint has ended. A name that is
# not there stops no program either.
# tier: full
# covers: serve operations session/run
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
export XDG_RUNTIME_DIR=$SCRATCH/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

has_child() {
	pgrep -P "$started" >/dev/null
}
# serve_tails OPTION...: serves a program that calls functions for ever
serve_tails() {
	start perftool serve -q -n "$@" "$PROGRAMS/tails" 100000000
	wait_for 20 has_child || fail 'no program was started'
	pid=$(pgrep -P "$started")
	socket=$XDG_RUNTIME_DIR/perftool/$pid.sock
	wait_for 20 test -S "$socket" || fail 'there is no socket'
}
count() {
	perftool ctl "$pid" print legs columns=id,count |
		awk '$1 ~ /^0[*]?$/ { gsub("[^0-9]", "", $2); print $2 }'
}
grows() {
	[ "$(count)" -gt "$1" ]
}
# how much CPU time the program has used, in ticks of the kernel
used() {
	awk '{ print $14 + $15 }' "/proc/$pid/stat"
}
works() {
	[ "$(used)" -gt $(($1 + 20)) ]
}
stands() {
	perftool ctl "$pid" run 2>&1 | grep -q 'stands still'
}

serve_tails
ok 'a function is timed' perftool ctl "$pid" time even
ok 'and counts' wait_for 20 grows 0
perftool ctl "$pid" monitor off >/dev/null
before=$(count)
ok 'when the monitor is turned off by a command, the program goes on' \
	wait_for 20 works "$(used)"
is "$(count)" "$before" 'and nothing is counted'
perftool ctl "$pid" monitor on >/dev/null
ok 'when it is turned on again, calls count' wait_for 20 grows "$before"
kill "$pid"
wait "$started"
is "$?" 143 'the server has the status of the program'

serve_tails -e 'monitor off' -e 'time even'
ok 'a monitor that was off from the beginning stops it as little' \
	wait_for 20 works "$(used)"
kill "$pid"
wait "$started"

# not_stopped TEXT COMMAND: the command fails with TEXT, and the program has not
# stood still for it
not_stopped() {
	perftool ctl "$pid" "$2" >"$SCRATCH/out" 2>&1 &&
		fail "$2 succeeds"
	like "$(cat "$SCRATCH/out")" "$1" "'$2' fails"
	unlike "$(cat "$SCRATCH/out")" 'stood still' \
		"and the program has not stood still for it"
}
serve_tails
not_stopped 'no function nosuch' 'time nosuch'
not_stopped 'no function nosuch' 'time even nosuch'
not_stopped 'no function nosuch' 'break nosuch'
not_stopped 'no function nosuch' 'break exit nosuch'
not_stopped 'no function nosuch' 'break blocks nosuch'
not_stopped 'no code for tails.c:99999' 'break tails.c:99999'
not_stopped 'no function nosuch' 'add leg nosuch even'
is "$(perftool ctl "$pid" list breaks)" 'No breakpoints.' \
	'nothing is left of these'
# a node whose by= or key= is refused stays what it was, a jump where it can be
perftool ctl "$pid" break entry even if 1 >/dev/null
# mechanism: of the node
mechanism() {
	perftool ctl "$pid" list breaks | sed -n '1s/.*, //p'
}
before=$(mechanism)
for command in 'split node 1 by=nosuch' 'add leg 1 1 key=nosuch' 'add leg 1 1 by=nosuch' \
	'add histogram node 1 hdr value=nosuch'; do
	try perftool ctl "$pid" "$command"
	like "$status $err" "^125 .*that is called 'nosuch'" "'$command' fails"
	is "$(mechanism)" "$before" 'and leaves the node as it was'
done
perftool ctl "$pid" delete breaks >/dev/null
perftool ctl "$pid" time even odd@nolib >"$SCRATCH/out" 2>&1
like "$(cat "$SCRATCH/out")" 'entry of even' 'a name that is there is timed'
like "$(cat "$SCRATCH/out")" 'no module nolib is loaded' \
	'and one of a library that comes later waits'
like "$(cat "$SCRATCH/out")" 'stood still' 'the program stands still for this'
ok 'and counts' wait_for 20 grows 0
kill "$pid"
wait "$started"

# a program that waits in the kernel is at a place that is known
start perftool serve -q -n sleep 1000
wait_for 20 has_child || fail 'no program was started'
pid=$(pgrep -P "$started")
wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock" ||
	fail 'there is no socket'
sleeps() {
	[ "$(cut -d' ' -f1 "/proc/$pid/syscall")" = 230 ]
}
if wait_for 20 sleeps; then
	not_stopped "called 'processes'" 'print processes'
	like "$(perftool ctl "$pid" print 6\*7 2>/dev/null)" 42 \
		'an expression is evaluated'
fi
kill "$pid"
wait "$started"

serve_tails
fails_with 125 "the program is being run already; .kill' ends it\$" \
	'run while the program runs' perftool ctl "$pid" run
perftool ctl "$pid" break even >/dev/null
ok 'a breakpoint stops the program' wait_for 20 stands
fails_with 125 "already, and stands still; .continue' lets it go on, .kill' ends it\$" \
	'run while it stands at a breakpoint names both' perftool ctl "$pid" run
kill -KILL "$pid"
wait "$started"
is "$?" 137 'a program that is killed then has ended, and so does the server'
is "$(perftool who)" '' 'which is listed no longer'
ok 'its socket is gone' test ! -e "$socket"

# ---- the threads of all processes ----
# shellcheck disable=SC2016 # the shell that is served expands it
start perftool serve -q -n sh -c 'sleep 1000 & sleep 1000 & wait'
wait_for 20 has_child || fail 'no program was started'
pid=$(pgrep -P "$started")
wait_for 20 test -S "$XDG_RUNTIME_DIR/perftool/$pid.sock" ||
	fail 'there is no socket'
two_children() {
	[ "$(pgrep -c -P "$pid" sleep)" = 2 ]
}
ok 'a program has two children' wait_for 20 two_children
# figures OPERATION: the threads in its reply, in order
figures() {
	PYTHONPATH=$ROOT/tests /usr/bin/python3 -c '
import sys
from front_end import *
js = Json(sys.argv[1])
js.call("agent", **{"class": "threads"})
js.call("agent", **{"class": "heap"})
result = js.call("report")["result"]
agent = [a for a in result["agents"] if a["name"] == "threads"]
for threads in [result["threads"]] + [a["thread"] for a in agent]:
    print(*sorted(thread["id"] for thread in threads))
print(*(f["module"].split(".")[0] for a in result["agents"]
    for f in a["function"] if f["name"] == "malloc"))
' "$XDG_RUNTIME_DIR/perftool/$pid.sock"
}
all=$( (echo "$pid" && pgrep -P "$pid") | sort -n | tr '\n' ' ')
is "$(figures)" "${all% }
${all% }
libc" 'REPORT and the agent have the threads of all of them, and heap has modules'
pkill -P "$pid"
wait "$started"
# ---- a line that waits keeps no other waiting ----
serve_tails -e 'time even'
# Each of these waits until the test ends it, or for an hour.
rm -f gate
mkfifo gate
events_open() { # prints how many events of the kernel the tool has open
	find "/proc/$started/fd" -lname '*perf_event*' | wc -l
}
has_more() {
	[ "$(events_open)" -gt "$1" ]
}
before=$(events_open)
for line in 'continue for 1h' 'top for 1h' "shell cat $PWD/gate"; do
	perftool ctl "$pid" "$line" >"${line%% *}.out" 2>&1 &
done
is_waiting() { # until somebody reads
	pgrep -f "^cat $PWD/gate\$" >/dev/null
}
ok 'a front end has the program events_open' wait_for 20 has_more "$before"
like "$(perftool ctl "$pid" 'top for 10ms' 2>&1)" "another .top. is under way" \
	'another one cannot do the same meanwhile, and is told so at once'
ok 'while a shell command goes on, others are answered' wait_for 20 is_waiting
is "$(perftool ctl "$pid" 'evaluate 6 * 7' | tail -n 1)" 42 'they are answered what they ask'
like "$(perftool ctl "$pid" 'continue for 50ms')" 'Time is over; process [0-9]+ goes on' \
	'shorter waits that begin later end earlier'
before=$(count)
ok 'and the program is measured' wait_for 20 grows "$before"
echo opened >gate
wait "$!"
is "$? $(cat shell.out)" '0 ' 'the shell command ends, and its front end goes on'
kill "$pid"
wait "$started"
is "$?" 143 'a program that ends does not wait for the lines'
wait
like "$(cat continue.out)" 'killed by signal 15|ended by signal 15|SIGTERM' \
	'the front end that waited for the program learns of its end'
like "$(cat top.out)" 'ticks in .*function' 'top has what there was until then'

serve_tails
perftool ctl "$pid" "shell cat $PWD/gate" >shell.out 2>&1 &
waiting=$!
ok 'a shell command goes on' wait_for 20 is_waiting
kill "$started"
wait "$started"
wait "$waiting"
like "$? $(cat shell.out)" '125 perftool: interrupted: perftool serves the program no longer' \
	'a server that is to end does not wait for the shell command'
echo opened >gate
done_testing

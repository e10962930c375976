#!/usr/bin/env bash
# The tool attaches to a program that runs, and leaves the program as it was.
# tier: core full
# covers: probe target/attach session/run
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

# ---- a server, and what can be known of it from outside ----

# begin THREADS: starts the server
begin() {
	serve "$PROGRAMS/server" "$1"
	[ "$reply" = ready ] || fail 'the server does not start' "$reply"
}

work=$(address_of work "$PROGRAMS/server")

# attach: attaches to the server, sets $tool, and returns when the
# nodes are in place
attach() {
	rm -f t.json
	start perftool -q -n -b -f json -o t.json -t work -p "$server" \
		2>tool.err
	tool=$started
	wait_for 20 has_patch "$server" "$work" ||
		fail 'the nodes are not in place' "$(cat tool.err)"
}

# as_before NAME: the server is as it was before the tool came
as_before() {
	is "$(foreign "$server")" 0 "$1: the server's code is as in its file"
	is "$(status_of "$server" TracerPid)" 0 "$1: nobody traces the server"
	is "$(status_of "$server" SigCgt)" "$caught" "$1: the server catches the same signals as before"
	ask look
	is "$reply" "traced 0 foreign 0 caught $(printf %x $((16#$caught))) pending 0" \
		"$1: the server itself finds nothing changed"
}

# works TIMES NAME: the server calls its function TIMES times per thread, and
# its totals are right
works() {
	total=$((total + threads * $1))
	ask "$1"
	is "$reply" "done $1 total $total" "$2"
}

# ---- many threads, exact counts ----
for threads in $(sampled 1 1 8 64); do
	begin "$threads"
	total=0
	caught=$(status_of "$server" SigCgt)
	works 10 "$threads threads: the server works before attaching"
	attach
	works 100 "$threads threads: the server works while it is measured"
	works 50 "$threads threads: the server works a second time while it is measured"
	end_tool INT
	is "$status" 0 "$threads threads: Ctrl-C detaches with status 0"
	n=$((threads * 150))
	is "$(json 'entry("work")["count"], exit("work")["count"],
		time("work")["count"]')" "$n $n $n" "$threads threads: every call is counted"
	is "$(json 'kept()')" True "$threads threads: the leg accounts for every hit of its nodes"
	is "$(json 't["program"]["state"], t["program"]["pid"]')" \
		"detached $server" "$threads threads: the report says that the server was detached"
	as_before "$threads threads, detached"
	works 20 "$threads threads: the server works after detaching"
	# the tool attaches once more to a process that it was attached to
	# before
	attach
	works 30 "$threads threads, attached again: the server works"
	end_tool INT
	is "$(json 'time("work")["count"]')" $((threads * 30)) \
		"$threads threads, attached again: every call is counted"
	as_before "$threads threads, detached again"
	end_server
done

# ---- every way to end the tool ----
threads=4 total=0
begin $threads
caught=$(status_of "$server" SigCgt)
for signal in $(sampled 1 TERM HUP INT); do
	attach
	works 10 "SIG$signal to the tool: the server works before the signal"
	end_tool "$signal"
	as_before "SIG$signal to the tool"
	works 10 "SIG$signal to the tool: the server works after the signal"
done
# Job control makes bash start background processes with the default actions of
# these signals.
for signal in $(sampled 1 QUIT USR2 PROF XCPU); do
	attach
	works 10 "SIG$signal to the tool: the server works before the signal"
	end_tool "$signal"
	is "$status" $((128 + $(kill -l "$signal"))) \
		"SIG$signal to the tool: the tool dies by the signal"
	like "$(json 'time("work")["count"]')" "^$((threads * 10))\$" \
		"SIG$signal to the tool: the tables are written first"
	as_before "SIG$signal to the tool"
done
# timeout(1) sends SIGTERM twice; here it comes many times
attach
works 10 'SIGTERM again and again: the server works before the signals'
while kill -TERM "$tool" 2>>tool.err; do :; done
wait "$tool"
like "$(json 'time("work")["count"]')" "^$((threads * 10))\$" \
	'SIGTERM again and again: the tables are written'
as_before 'SIGTERM again and again'
try perftool -q -n -b -f json -o t.json -t work --for 300ms -p "$server"
is "$status" 0 '--for: the tool ends with status 0'
as_before '--for'
try perftool -q -n -e "attach $server" -e 'time work' -e detach \
	-e 'save tables t.json'
is "$status" 0 'attach and detach as commands: the tool ends with status 0'
as_before 'attach and detach as commands'
try perftool -q -n -e "attach $server" -e 'time work' -e nonsense
is "$status" 125 'a command that fails: the tool ends with status 125'
as_before 'a command that fails'
try perftool -q -n -e "attach $server" -e 'break work' -e quit
as_before 'quit'
works 10 'the server works after every way to end the tool'

# ---- a process that is stopped ----
is_stopped() {
	[ "$(status_of "$server" State)" = T ]
}
kill -STOP "$server"
ok 'a stopped process: SIGSTOP stops the server' wait_for 10 is_stopped
attach
end_tool INT
is "$status" 0 'a stopped process: the tool detaches with status 0'
like "$(cat tool.err)" "^process $server is stopped, by SIGSTOP: .*SIGCONT" \
	'a stopped process: the tool says which signal stopped the server'
ok 'a stopped process: the server is still stopped after detaching' wait_for 10 is_stopped
attach
kill -CONT "$server"
works 25 'a stopped process: after SIGCONT, the server works while it is measured'
end_tool INT
is "$(json 'time("work")["count"]')" $((threads * 25)) \
	'a stopped process: every call after SIGCONT is counted'
as_before 'a stopped process'

# ---- a script that begins while the program works ----
# Some threads are at the node when `monitor on' stops them. These are no stops
# of the program, and `continue for' must not end at once.
start "$PROGRAMS/busy" 8 >busy.out
busy=$started
ok 'the program with busy threads starts' wait_for 20 grep -q ready busy.out
for i in 1 2 3 4 5 6; do
	try perftool -n -p "$busy" -e 'break entry work if 1' \
		-e 'collect nodes' -e 'monitor on' -e 'continue for 200ms' \
		-e 'save tables t.json'
	is "$status" 0 "monitor on while threads work, $i: the tool ends with status 0"
	ok "monitor on while threads work, $i: hits are counted" \
		[ "$(json 'node(1)["count"] > 0')" = True ]
done
# a breakpoint without a condition still stops the program
try perftool -n -p "$busy" -e 'break work' -e 'monitor on' \
	-e 'continue for 10s' -e 'continue for 10s'
ok 'monitor on: a breakpoint without a condition stops each time' \
	[ "$(grep -c '^Breakpoint 1, ' <<<"$err")" -ge 2 ]
kill -KILL "$busy"

# ---- special processes, and what the tool says about them ----
start unshare --fork --pid sh -c 'sleep 1000 & wait'
is_inside() {
	inside=$(pgrep -P "$(pgrep -P "$started")")
}
wait_for 10 is_inside
try perftool -n -p "$inside" -e 'list processes'
like "$err" "^Attached to process $inside \\(.*; 2 in its pid namespace\\), 1 thr" \
	'a pid namespace: attach names both numbers of the process'
like "$out" "^  *$inside  sleep .* \\(2 in its pid namespace\\)\$" \
	'a pid namespace: list processes names both numbers of the process'
fails_with 125 "2 is the number of process $inside in its pid namespace" \
	'a pid namespace: an error says that a number is one in the namespace' \
	perftool -q -n -p "$inside" -e 'set process 2'
kill -KILL "$inside"
try perftool -n -p "$server"
unlike "$err" 'namespace' 'a process in the namespace of the tool: no namespace is mentioned'
fails_with 125 "process $server is being measured already; .detach' first\$" \
	'attach fails while the process is measured' perftool -q -n -p "$server" -e "attach $server"
fails_with 125 "process $server is being measured; .detach' first\$" \
	'run fails while an attached process is measured' perftool -q -n -p "$server" -e run
try perftool -n -p "$server" -e detach -e 'list processes' -e 'list threads'
is "$status $out" $'0 No processes.\nNo threads.' \
	'list processes and list threads say that there are none'
for command in where continue kill detach; do
	fails_with 125 'the program is not being run' \
		"$command fails after detach" \
		perftool -q -n -p "$server" -e detach -e "$command"
done
start sleep 1000
try perftool -q -n -p "$started" -e kill -e 'list processes'
is "$status $out" '137 No processes.' 'the command kill in a script asks for no confirmation'
as_before 'after failed commands'

# Nothing is measured here: the user only wants the answer of a command.
start sleep 1000
try perftool -q -n -b -p "$started" -e 'list functions nanosleep@libc.so.6'
like "$status $out" '^0 .*nanosleep' 'a script that only lists functions ends at once'
ok 'a script that only lists functions leaves the process running' kill -0 "$started"

# ---- refused, with the reason ----
refused() { # REGEX NAME PID
	fails_with 125 "$1" "refused: $2" perftool -q -n -t work -p "$3"
}
attach
refused "$tool.*perftool|perftool.*$tool" 'a process that another perftool traces, which is named' \
	"$server"
end_tool INT
as_before 'after a second perftool was refused'
thread=$(basename "$(find "/proc/$server/task" -mindepth 1 -maxdepth 1 |
	grep -v "/$server\$" | head -n 1)")
refused "thread.*$server|$server.*thread" 'a thread; its process is named' "$thread"
start sleep 1000
gone=$started
kill -KILL "$gone"
wait "$gone" 2>/dev/null
refused 'process [0-9]+ does not exist' 'a process that does not exist' "$gone"
# A parent that does not wait for its child. bash would wait for the child, so
# that the child ends only when bash has become sleep, which does not wait.
mkfifo end
start bash -c 'read -r _ <end & echo $! >zombie; exec sleep 1000'
parent=$started
is_sleep() {
	[ "$(cat "/proc/$parent/comm")" = sleep ]
}
ok 'a parent that does not wait for its child starts' wait_for 10 is_sleep
echo >end
is_zombie() {
	[ -s zombie ] && [ "$(status_of "$(cat zombie)" State)" = Z ]
}
ok 'the child becomes a zombie' wait_for 10 is_zombie
refused '[Zz]ombie|has ended' 'a zombie' "$(cat zombie)"
is "$(cat /proc/2/comm)" kthreadd 'process 2 is a kernel thread'
refused 'kernel' 'a kernel thread' 2
# shellcheck disable=SC2016 # it is the shell's
fails_with 125 'itself' 'refused: the tool itself' \
	sh -c 'exec perftool -q -n -t work -p $$'
fails_with 125 'x' 'refused: a word instead of a process number' perftool -q -n -t work -p x
fails_with 125 '0' 'refused: process number 0' perftool -q -n -t work -p 0
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$SCRATCH" "$SCRATCH/work"
	cp "$BUILD/perftool" .
	fails_with 125 'user|permi' 'refused: a process of another user' setpriv \
		--reuid=65534 --regid=65534 --clear-groups ./perftool -q -n \
		-t work -p "$server"
fi

# frozen_in FOLDER FILE FROZEN THAWED: the server is in a cgroup below FOLDER and frozen; FILE
# freezes with the text FROZEN.
frozen_in() {
	local group=$1/perftool-test.$$ all=$1/cgroup.procs

	mkdir "$group" 2>/dev/null && mkdir "$group/inner" || return
	echo "$server" >"$group/inner/cgroup.procs"
	echo "$3" >"$group/$2"
	refused "process $server .*frozen.*/perftool-test.$$:" "a process that ${2%.*} froze" "$server"
	echo "$4" >"$group/$2"
	echo "$server" >"$all"
	rmdir "$group/inner" "$group"
}
while read -r kind folder options; do
	case $kind,$options, in
	cgroup2,*) frozen_in "$folder" cgroup.freeze 1 0 ;;
	cgroup,*,freezer,*) frozen_in "$folder" freezer.state FROZEN THAWED ;;
	esac
done < <(awk '{ print $3, $2, $4 }' /proc/mounts)
as_before 'after refused attaches'
works 10 'the server works after refused attaches'
end_server

# (the tier core ends here)
in_full || done_testing

# ---- a tool that was killed, and a program that has changed since ----
remap() { # starts the program; $at is the address of plugin_work()
	serve "$PROGRAMS/remap" "$PROGRAMS/plugin"
	at=${reply#ready }
	[ "$at" != "$reply" ] || fail 'the program does not start' "$reply"
}

both_are_patched() {
	has_patch "$server" "$at" && has_patch "$server" $((0x20000008))
}

# die: a tool puts breakpoints into both functions and is killed
die() {
	start perftool -q -n -b -p "$server" -e 'time plugin_work' \
		-e 'break *0x20000008 if 1' -e continue >dead.out 2>dead.err
	tool=$started
	ok "$1: the tool that is killed has set breakpoints" wait_for 20 both_are_patched
	end_tool KILL
}

next_tool() { # NAME
	try perftool -q -n -p "$server" -e detach
	is "$status" 0 "$1: the next perftool ends with status 0"
}

remap
die 'unchanged code'
says call 7 'unchanged code: the program goes on after the death of the tool'
next_tool 'unchanged code'
# the breakpoints are one in the run-time linker, the entry, the exit, and the
# one in memory that belongs to no file
like "$err" 'removed 4 breakpoints that a perftool left when it died' 'unchanged code: the next perftool says that it removed 4 breakpoints'
is "$(foreign "$server") $(byte_at "$server" $((0x20000008)))" '0 b8' \
	'unchanged code: every breakpoint is removed'
says call 7 'unchanged code: the program goes on without breakpoints'

ask fork
before=$reply
die 'children'
ask fork
child=$reply
next_tool 'children'
like "$err"$'\n' "children have such breakpoints, too;[^:]*: $child"$'\n' \
	'children with copies of the breakpoints are named, others are not'
try perftool -q -n -p "$child" -e detach
like "$err" 'removed 4 breakpoints that a perftool left when it died' \
	'a child with copies of the breakpoints: perftool removes them'
is "$(foreign "$child") $(foreign "$before")" '0 0' \
	'no child has breakpoints any more'
die 'children without breakpoints'
next_tool 'children without breakpoints'
unlike "$err" 'of its children have such' 'children without breakpoints: the message names no children'
kill -KILL "$child" "$before"

for memory in code data; do
	die "other $memory"
	says "$memory" 0 "other $memory: the program replaces the library"
	next_tool "other $memory"
	like "$err" 'removed 2 breakpoints that a perftool left when it died' \
		"other $memory: the breakpoints outside the library are removed"
	like "$err" 'did not touch 2 breakpoints .*: the program has other memory there now' \
		"other $memory: the tool says that it left the library's memory alone"
	says look 0 "other $memory: no byte of the new memory was changed"
	is "$(byte_at "$server" $((0x20000008)))" b8 \
		"other $memory: the code outside the library is restored"
	end_server
	remap
done

die 'the same code in other memory'
says move 0 'the same code in other memory: the program replaces the memory'
next_tool 'the same code in other memory'
like "$err" 'removed 4 breakpoints that a perftool left when it died' \
	'the same code in other memory: perftool says that it removed 4 breakpoints'
says first $((0xb8)) 'the same code in other memory: the first byte is restored'
says call 7 'the same code in other memory: the program goes on'
end_server
remap

# A breakpoint that the next tool cannot tell from the program's own code stays,
# and the signal handler stays too.
for how in fill patch; do
	die "$how"
	says "$how" 0 "$how: the program changes its code around a breakpoint"
	next_tool "$how"
	like "$err" 'removed 3 breakpoints that a perftool left when it died' \
		"$how: the other 3 breakpoints are removed"
	like "$err" 'left in 1 breakpoint .*changed its code around' "$how: the tool says that it left 1 breakpoint"
	says first $((0xcc)) "$how: the breakpoint in changed code is not touched"
	[ "$how" = fill ] || break
	end_server
	remap
done
says call 7 'patch: the program executes the breakpoint that was left'
start perftool -q -n -b -p "$server" -e 'time plugin_work' -e continue \
	>/dev/null 2>&1
tool=$started
ok 'patch: another perftool sets its breakpoints' wait_for 20 has_patch "$server" "$at"
says call 7 'patch: the program executes that breakpoint under another perftool'
end_tool INT
says call 7 'patch: the program executes that breakpoint after the other perftool'
# the displaced instruction is now the program's new instruction
try perftool -q -n -p "$server" -e 'break *0x20000008 if 1' -e detach
says first $((0xb8)) 'patch: deleting a new breakpoint at the place removes the old one, too'
says call 8 'patch: the program has its own code again'
next_tool 'patch, own code again'
is "$err" '' 'patch, own code again: perftool finds nothing to remove'
end_server
# ---- a breakpoint that stops a program for which others may wait ----
start sleep 100
try perftool -n -e 'break nanosleep' -e 'break clock_nanosleep if 1' -p "$started"
like "$err" "The breakpoint will stop process $started, which perftool did not start; with .condition 1 1' it only counts" \
	'a breakpoint that will stop an attached process gets a warning'
is "$(grep -c 'did not start' <<<"$err")" 1 'a breakpoint that only counts gets no warning'
kill "$started"

# ---- a thread that executes another program while its process is attached to ----
# The exec ends the other threads and then waits until the tool, which traces them, has
# reaped them.
start "$PROGRAMS/execs" 1000000 threads
failures=
for ((i = 0; i < 30; i++)); do
	try perftool -q -n -b -p "$started" -e detach
	[ "$status" = 0 ] || failures+="$status $err "
done
is "$failures" '' 'execs of a thread: perftool attaches each time'
ok 'execs of a thread: the program goes on' kill "$started"

done_testing

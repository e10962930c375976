#!/usr/bin/env bash
# The limit of open files: the tool raises its own limit as far as it may, the
# program gets the limit that it would have without the tool, and if a child
# cannot be measured, only that child is lost.
# tier: core
# covers: target session/run base
. "$(dirname "$0")/../lib.sh"

# brood SOFT:HARD NUMBER: measures a program with so many children, under these
# limits
brood() {
	rm -f t.json
	try prlimit --nofile="$1" perftool -q -n -f json -o t.json -t work -- \
		"$PROGRAMS/brood" "$2"
}

brood 64:4000 100
is "$status $out" '0 ended 100 files 64' 'a low soft limit: the program gets the limit of the user'
is "$(json 'time("work")["count"]')" 100 'a low soft limit: the tool raises its own limit and measures all children'
is "$err" '' 'a low soft limit: no message is printed'

brood 64:64 100
is "$status $out" '0 ended 100 files 64' 'a low hard limit: the program goes on'
ok 'a low hard limit: some children are measured' \
	[ "$(json '5 < time("work")["count"] < 60')" = True ]
is "$(json 'kept()')" True 'a low hard limit: the leg accounts for every hit of its nodes'
is "$(grep -c 'some child processes are not measured.*ulimit -Hn' <<<"$err")" 1 \
	'a low hard limit: one message says that children are not measured'

brood 24:24 30
is "$status $out" '0 ended 30 files 24' 'hardly any files: the program goes on'

try prlimit --nofile=16:16 perftool -q -n -f json -o t.json -t work "$PROGRAMS/ends"
is "$status $(json 'time("work")["count"]')" '0 10' 'a limit of 16 files: the program is measured'
try prlimit --nofile=15:15 perftool -q -n -t work "$PROGRAMS/brood"
is "$status $out" '125 ' 'a limit of 15 files: the program is not started'
like "$err" '^perftool: .*no more than 15 files may be open .*needs 16' \
	'a limit of 15 files: the reason is given'

# a server that runs before the tool starts
start "$PROGRAMS/busy" 2 >/dev/null
try prlimit --nofile=24:24 perftool -q -n -p "$started" --for 200ms -t work \
	-f json -o t.json
is "$status" 0 'attaching with hardly any files: status 0'
ok 'attaching with hardly any files: executions are counted' [ "$(json 'time("work")["count"] > 10')" = True ]
is "$(foreign "$started")" 0 'attaching with hardly any files: the code is restored'

done_testing

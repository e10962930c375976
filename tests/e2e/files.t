#!/usr/bin/env bash
# The limit of open files: the tool raises its own limit as far as it may, the
# program gets the limit that it would have without the tool, and if a child
# cannot be measured, only that child is lost.
. "$(dirname "$0")/../lib.sh"

# brood SOFT:HARD NUMBER: measures a program with so many children, under these
# limits
brood() {
	rm -f t.json
	try prlimit --nofile="$1" perftool -q -n -f json -o t.json -t work -- \
		"$PROGRAMS/brood" "$2"
}

brood 64:4000 100
is "$status $out" '0 ended 100 files 64' 'a low soft limit: the program has it'
is "$(json 'time("work")["count"]')" 100 'the tool raises its own'
is "$err" '' 'nothing has to be said'

brood 64:64 100
is "$status $out" '0 ended 100 files 64' 'a low hard limit: the program goes on'
ok 'some children are measured' \
	[ "$(json '5 < time("work")["count"] < 60')" = True ]
is "$(json 'kept()')" True 'nothing of them is lost'
is "$(grep -c 'some child processes are not measured.*ulimit -Hn' <<<"$err")" 1 \
	'it is said once'

brood 24:24 30
is "$status $out" '0 ended 30 files 24' 'hardly any files: the program goes on'

try prlimit --nofile=16:16 perftool -q -n -f json -o t.json -t work "$PROGRAMS/ends"
is "$status $(json 'time("work")["count"]')" '0 10' 'as few files as may be'
try prlimit --nofile=15:15 perftool -q -n -t work "$PROGRAMS/brood"
is "$status $out" '125 ' 'fewer: it is not started'
like "$err" '^perftool: .*no more than 15 files may be open .*needs 16' \
	'and the reason is told'

# a server that runs before the tool starts
start "$PROGRAMS/busy" 2 >/dev/null
try prlimit --nofile=24:24 perftool -q -n -p "$started" --for 200ms -t work \
	-f json -o t.json
is "$status" 0 'attach with hardly any files'
ok 'it counts' [ "$(json 'time("work")["count"] > 10')" = True ]
is "$(foreign "$started")" 0 'and leaves nothing behind'

done_testing

#!/usr/bin/env bash
# Pages of a file that another process provides, which may be one that the tool holds:
# the tool waits for them for a limited time, and a signal ends the tool.
# tier: full
# covers: target/memory
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/absent_page.sh"
program=$PROGRAMS/served_file
mkdir served

# Only root may mount a file system of its own, and only where the kernel has FUSE.
try "$program" 0 served
if [ "$status" != 0 ]; then
	echo "1..0 # SKIP $out"
	exit 0
fi
facts=$'ready\nwork 20\nhandle 10\nsum 90'

# The process that provides a page waits at its int3 while the tool waits for the
# page.
MECHANISM=int3
times 'work if item->number >= 0' handle -- "$program" 10 served
is "$status $out" "0 $facts" 'a server that is measured: the program ends as without perftool'
is "$(json 'entry("work")["count"], entry("work")["errors"], entry("handle")["count"]')" \
	'10 10 10' \
	'a server that is measured: the hits whose page is missing have an error, and the others count'

# How long the process takes to provide a page depends on the machine.
times 'work if item->number >= 0' -- "$program" 10 served
is "$status $out" "0 $facts" 'another server: the program ends as without perftool'
is "$(json '[n["count"] + n["errors"] for n in t["nodes"]], entry("work")["count"] >= 10')" \
	'[20, 20] True' \
	'another server: each hit counts or has an error, and counts if its page is in memory'

# ---- a page that never comes ----
never_comes 0 served
done_testing

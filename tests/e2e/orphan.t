#!/usr/bin/env bash
# perftool in the background of a terminal, in a process group that no shell
# controls any more (an orphaned group). The kernel does not stop such a process
# when it uses the terminal; perftool then works without the terminal.
# tier: core
# covers: ui/terminal
. "$(dirname "$0")/../lib.sh"

orphan=$ROOT/tests/e2e/orphan.py

LIMIT=30
try /usr/bin/python3 "$orphan" perftool -n -b -t fib -- "$SAMPLES/recursion"
is "$status" 0 "batch mode ends with status 0 in an orphaned process group"
like "$out" "fib +1 -> 2 +3,540" "batch mode prints its leg table in an orphaned process group"
done_testing

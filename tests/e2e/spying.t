#!/usr/bin/env bash
# spy_start() and spy_stop(): a program measures stretches of itself
# (tests/library/inside.c).
# tier: core
# covers: library
. "$(dirname "$0")/../lib.sh"

inside=$BUILD/tests/library/inside
export XDG_RUNTIME_DIR=$SCRATCH/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

# sockets: how many servers listen
sockets() {
	find "$XDG_RUNTIME_DIR" -type s | wc -l
}
# shellcheck disable=SC2317 # wait_for calls it
none_listens() { [ "$(sockets)" = 0 ]; }

# has NAME: the value that the last program has printed after this name
has() {
	sed -n "s/^$1 //p" <<<"$out"
}

# ---- a server is started ----
try "$inside" 'spy display min=0' 'no such command'
is "$status $err" '3 ' 'a program that measures itself ends as ever'
is "$(has first)" '-1 EALREADY' 'there is nothing to stop at first'
is "$(has start | xargs)" '0 - 0 -' 'two stretches begin'
is "$(has twice)" '-1 EALREADY' 'a stretch cannot begin twice'
is "$(has stop | xargs)" '0 - 0 -' 'and two stretches end'
like "$out" 'watched_work = [0-9]+ \((100\.0|9[0-9]\.[0-9])%\)' \
	'the samples are of the stretches'
unlike "$out" 'other_work' 'and of nothing else'
# in milliseconds: the program's own clock, and what the Spy has found
watched=$(has watched)
found=$(/usr/bin/python3 -c '
import re, sys
number, unit = re.search(r"CPU time: *([0-9.]+)(m?s)", sys.stdin.read()).groups()
print(round(float(number) * (1 if unit == "ms" else 1000)))' <<<"$out")
near "$found" "$watched" $((watched / 4)) 'the CPU time is that of the two stretches'
is "$(has command | tail -1)" '-1 EIO' 'a command that fails'
like "$out" 'unknown command' 'has its message'
ok 'the server ends with the program' wait_for 20 none_listens

# ---- a server is there ----
try perftool serve -n -q "$inside" 'spy display min=0'
is "$status" 3 'a program that is served already'
is "$(has start | xargs)" '0 - 0 -' 'uses the server that it has'
like "$out" 'watched_work = [0-9]+ \(' 'which takes the samples'
is "$(sockets)" 0 'no server is left'

# ---- there is no perftool ----
PERFTOOL=$SCRATCH/none try "$inside"
is "$(has start | head -1)" '-1 ENOENT' 'without perftool a stretch cannot begin'
is "$status" 3 'and the program goes on'
# a program that is no server, and ends at once
PERFTOOL=/bin/true try "$inside"
is "$(has start | head -1)" '-1 EPERM' 'a server that cannot serve'
done_testing

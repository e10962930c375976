#!/usr/bin/env bash
# A program may write anything into the memory in which its hits are recorded.
# The tool says so and neither hangs nor fails, and the program ends as it does
# alone.
# tier: core
# covers: probe/rings
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/scribbler
# If the tool crashes, show where.
ulimit -S -c unlimited
show_crash() {
	local core

	for core in core*; do
		[ ! -f "$core" ] || gdb -batch -ex 'thread apply all bt' \
			-ex 'info registers' -ex "x/4i \$pc" \
			"$BUILD/perftool" "$core" 2>&1 | diag
		rm -f "$core"
	done
}

scribbled() { # HOW COUNT [COUNTING]
	batch "set counting ${3:-ring}" 'time work' -- "$program" "$1" "$2"
	show_crash
	is "$status" 3 "$1, $2 calls: the program ends with its own status"
	is "$(own calls)" $(($2 + $2 / 2)) "$1, $2 calls: the program has its own result"
	is "$(own block)" 1 "$1, $2 calls: the program finds the memory of the hits"
}

scribbled none 1000
is "$(json 'time("work")["count"]')" 1500 'records left alone: all calls are counted'
unlike "$err" 'has written' 'records left alone: there is no message'
scribbled none 200000
is "$(json 'time("work")["count"]')" 300000 'records left alone, memory full: all calls are counted'
unlike "$err" 'has written' 'records left alone, memory full: there is no message'

for how in ahead odd; do
	scribbled "$how" 1000
	like "$err" "process [0-9]+ has written into perftool's records of its thread [0-9]+" \
		"$how: a message names the process and the thread"
	is "$(grep -c 'has written' <<<"$err")" 1 "$how: the message comes once"
done
for how in ahead odd late noise; do
	scribbled "$how" 200000
done
for how in back little; do
	scribbled "$how" 200000
	like "$err" "has written into perftool's records" \
		"$how, memory full: a message says that the program has written"
done
for counting in ring program; do
	scribbled short 200000 $counting
	is "$(json 'time("work")["count"]')" 300000 "a file that is to be cut off, $counting: all calls are counted"
	unlike "$out" 'was cut' "a file that is to be cut off, $counting: it keeps its size"
done

# what threads count by themselves
scribbled none 200000 program
is "$(json 'time("work")["count"]')" 300000 'counts left alone: all calls are counted'
for how in late noise counts zeros; do
	scribbled "$how" 200000 program
done
done_testing

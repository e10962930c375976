#!/usr/bin/env bash
# A program may write anything into the memory in which its hits are recorded.
# The tool says so and neither hangs nor fails, and the program ends as it does
# alone.
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/scribbler

scribbled() { # HOW COUNT
	times work -- "$program" "$1" "$2"
	is "$status" 3 "$1, $2 calls: the program's own status"
	is "$(own calls)" $(($2 + $2 / 2)) "$1, $2 calls: the program's own result"
	is "$(own block)" 1 "$1, $2 calls: the memory was there"
}

scribbled none 1000
is "$(json 'time("work")["count"]')" 1500 'left alone: all are counted'
unlike "$err" 'has written' 'left alone: nothing is said'
scribbled none 200000
is "$(json 'time("work")["count"]')" 300000 'left alone, the memory is full: all are counted'
unlike "$err" 'has written' 'left alone, the memory is full: nothing is said'

for how in ahead odd; do
	scribbled "$how" 1000
	like "$err" "process [0-9]+ has written into perftool's records of its thread [0-9]+" \
		"$how: it is said"
	is "$(grep -c 'has written' <<<"$err")" 1 "$how: once"
done
for how in ahead odd late noise; do
	scribbled "$how" 200000
done
for how in back little; do
	scribbled "$how" 200000
	like "$err" "has written into perftool's records" \
		"$how, the memory was full: it is said"
done
done_testing

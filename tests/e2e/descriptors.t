#!/usr/bin/env bash
# The program's table of files is its own: while the tool maps its memory in the
# program, no thread of the program can close the tool's file or get its number.
# tier: core full
# covers: target/remote probe/rings
. "$(dirname "$0")/../lib.sh"

rounds=1000 attaches=3
! in_full || rounds=20000 attaches=15

# Two hundred threads at a time need more memory than the first ones, so the tool
# maps more while they are born.
try perftool -q -n -t work -f json -o t.json "$PROGRAMS/descriptors" $rounds 200
is "$status $out" "0 ready
$rounds rounds, 0 wrong" 'threads are born: the program has its files for itself'
ok 'threads are born: their calls are counted' \
	[ "$(json 'time("work")["count"] >= 100 * '$rounds)" = True ]

# descriptors FOLLOWER...: starts the program, and lets the function do what it
# does to it; sets `out` to the program's last words
besides() {
	"$PROGRAMS/descriptors" 0 8 >words &
	program=$!
	wait_for "$LIMIT" grep -q ready words
	"$@"
	kill -TERM "$program"
	wait "$program"
	out=$(tail -n 1 words)
}

# The file is open for milliseconds instead of microseconds.
slowly() {
	strace -f -o calls -e trace=ftruncate -e inject=ftruncate:delay_enter=3000 \
		perftool -q -n -p "$program" -t work --for 1ms >attached 2>&1
}

attach_often() {
	for ((i = 0; i < attaches; i++)); do
		slowly || return
		calls=$((calls + $(grep -c 'ftruncate(' calls)))
	done
}

calls=0
besides attach_often
like "$out" '^[0-9]* rounds, 0 wrong$' 'the tool attaches: the program has its files for itself'
ok 'the tool attaches: it has given each file its size' [ "$calls" -ge "$attaches" ]

done_testing

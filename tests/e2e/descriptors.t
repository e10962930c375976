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

# The tool attaches again and again. Its file is open for milliseconds instead of
# microseconds.
"$PROGRAMS/descriptors" 0 8 >words &
program=$!
wait_for "$LIMIT" grep -q ready words
files=0
for ((i = 0; i < attaches; i++)); do
	strace -f -o calls -e trace=ftruncate -e inject=ftruncate:delay_enter=3000 \
		perftool -q -n -p "$program" -t work --for 1ms >attached 2>&1 || break
	files=$((files + $(grep -c 'ftruncate(' calls)))
done
ok 'the tool attaches: it has given its files their sizes' [ "$files" -ge "$attaches" ]

# It is killed while such a file is open.
for ((i = 0; i < attaches; i++)); do
	strace -f -o calls -e trace=ftruncate -e inject=ftruncate:signal=KILL \
		perftool -q -n -p "$program" -t work --for 1ms >attached 2>&1
	[ $? = 137 ] || break
done
is "$i" "$attaches" 'the tool is killed: each time'
kill -TERM "$program"
wait "$program"
like "$(tail -n 1 words)" '^[0-9]* rounds, 0 wrong$' \
	'the tool attaches and is killed: the program has its files for itself'

# A program that has no number left for a file
start "$PROGRAMS/busy" 2 >ready
wait_for "$LIMIT" grep -q ready ready
prlimit --pid "$started" --nofile=3:3
try perftool -q -n -p "$started" -t work --for 1ms -f json -o t.json
# (on a busy machine the program may get no processor in this millisecond)
is "$status ${err#work was never reached}" '0 ' 'no number is left: attaching succeeds without a message'
is "$(mechanisms_once)" fast 'no number is left: the nodes are jumps'

done_testing

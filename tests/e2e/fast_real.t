#!/usr/bin/env bash
# Programs that were not written for these tests: how many of their functions
# can be timed by fast nodes, and that fast nodes count the same as int3 nodes.
# tier: full
# covers: probe/fast arch/x86_64
. "$(dirname "$0")/../lib.sh"

# fast GLOB PERCENT NAME COMMAND...: at least so many percent of the entries are
# fast
fast() {
	local glob=$1 percent=$2 name=$3 count int3 row
	shift 3
	try perftool -q -n -b -e 'set mechanism fast' \
		-e "break entry $glob if 1" -e 'monitor on' -e run \
		-e 'list breaks' -- "$@"
	row=$(grep -m 1 'entry of' <<<"$out")
	count=$(sed -n 's/.* \([0-9]*\) places.*/\1/p' <<<"$row")
	int3=$(sed -n 's/.* \([0-9]*\) int3.*/\1/p' <<<"$row")
	ok "$name: more than 500 functions are found" [ "${count:-0}" -gt 500 ]
	like "$row" fast "$name: the node is fast"
	ok "$name: $percent % of entries are fast (${int3:-none} of $count are int3s)" \
		[ $((${int3:-0} * 100)) -le $((count * (100 - percent))) ]
}

# same NAME GLOB COMMAND...: the entries and exits of all these functions have
# the same counts
same() {
	local name=$1 glob=$2 mechanism rows=() printed=()
	shift 2
	for mechanism in int3 fast; do
		MECHANISM=$mechanism times "$glob" -- "$@"
		printed+=("$status $(sha256sum <"$SCRATCH/out")")
		rows+=("$(json 'counted()')")
	done
	ok "$name: the functions are called more than 1000 times" [ "$(json 'sum(n["count"]
		for n in t["nodes"])')" -gt 1000 ]
	is "${rows[1]}" "${rows[0]}" "$name: jumps count the same as int3s"
	is "${printed[1]}" "${printed[0]}" "$name: the program's output is the same with jumps and int3s"
}

fast '*@libc.so.6' 99 libc true
script=$ROOT/tests/sqlite.sql
fast '*@libsqlite3.so.0' 99 libsqlite3 sqlite3 :memory: 'select 1'
same sqlite3 'sqlite3[A-D]*@libsqlite3.so.0' sqlite3 :memory: ".read $script"
same 'string functions of sqlite3' 'str*@libc.so.6' sqlite3 :memory: ".read $script"
cat >script.py <<'END'
numbers = {str(i): [i] * 3 for i in range(200)}
print(sum(len(v) for v in numbers.values()), sorted(numbers)[:2])
try:
    int("x")
except ValueError as error:
    print(error)
END
# perl is position-independent, and Debian's python3 is not. Most jumps of
# python3 could only lead to the memory above its heap, which the tool keeps
# free, and the kernel decides where the heap begins.
fast '*@perl' 99 perl perl -e 'print 1'
fast '*@python3*' 90 python3 /usr/bin/python3 -S -c 'print(1)'
fast '*@python3*' 93 'python3, its heap next to it' \
	setarch -R /usr/bin/python3 -S -c 'print(1)'
same python3 'PyUnicode_*' env PYTHONHASHSEED=0 /usr/bin/python3 -S script.py

done_testing

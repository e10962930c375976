#!/usr/bin/env bash
# What the program's threads count by themselves is what the tool counts from
# records: recursion, tail calls, longjmp, exceptions and conditions, in programs
# that know their own truth and in real ones. (fast_callgrind.t compares what
# threads count with callgrind.)
# tier: core full
# covers: arch/x86_64 probe/rings probe/fast measure/threads
# shellcheck disable=SC2016 # $arg1 is perftool's
. "$(dirname "$0")/../lib.sh"

# the counts of each leg
counts='[(x["name"], x["count"], x["ignored_from"], x["ignored_to"],
	x["unwound"], x["discarded"], x["open"]) for x in t["legs"]]'

# both NAME COMMAND... -- PROGRAM...: runs it with each kind of counting
both() {
	local name=$1 kind words=()
	shift
	while [ "$1" != -- ]; do
		words+=(-e "$1")
		shift
	done
	shift
	for kind in ring program; do
		rm -f t.json
		try perftool -q -n -b -f json -o t.json -e 'set mechanism auto' \
			-e "set counting $kind" \
			"${words[@]}" -- "$@"
		is "$status" 0 "$name, $kind: status 0"
		mv t.json "$kind.json"
	done
	cp ring.json t.json
	wanted=$(json "$counts")
	cp program.json t.json
	is "$(json "$counts")" "$wanted" "$name: threads count the same as the tool"
	ok "$name: threads have counted" [ "$(json \
		'any("program" in (x["counted"] or "") for x in t["legs"])')" = True ]
	is "$(json 't["summary"]["breaks"] == sum(n["count"] for n in t["nodes"])')" \
		True "$name: each hit of a node is a break"
}

both 'recursion' 'time depth' 'time even' 'time odd' -- "$PROGRAMS/recursion"
both 'tail calls' 'time *' -- "$PROGRAMS/tails"
both 'returns' 'time many' 'time tail' 'time choose' 'time hop' 'time stay' \
	'time target' -- "$PROGRAMS/returns"
both 'longjmp' 'time descend' -- "$PROGRAMS/longjmp"
both 'a condition' 'time depth if $arg1 > 3' -- "$PROGRAMS/recursion"

both 'exceptions' 'time *' -- "$PROGRAMS/exceptions"

# real programs
if in_full; then
	both 'sqlite3' 'time sqlite3[B-V]*@libsqlite3.so.0 most=2000' -- \
		sqlite3 :memory: ".read $ROOT/tests/sqlite.sql"
	cat >rows.sql <<-'END'
	create table t(a integer primary key, b integer, c text);
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
		insert into t select i, i * 7 % 1000, 'x' || i from n;
	select b % 10, count(*), sum(a), max(c) from t group by b % 10;
	END
	both 'all of sqlite3' 'time *@libsqlite3.so.0 most=9000' -- \
		sqlite3 :memory: '.read rows.sql'
	# Some of these places have no room for a jump, so that instructions are evicted
	# and breakpoints move.
	export PYTHONHASHSEED=0
	both 'python3' 'time Py[L-U]*' -- /usr/bin/python3 -I -c pass
	both 'sort' 'time *@libc.so.6 most=9000' -- sort /etc/services

	# Where leap() jumps to is seen when it does, and land() is being counted by then.
	# It must be counted otherwise before leap() gets there; with so many sites, an
	# update takes long enough to be put off.
	both 'a jump that is seen late' 'time leap' 'time land' \
		'time *@libc.so.6 most=9000' -- "$PROGRAMS/late"
fi

# ---- tail jumps past the entry of a function ---------------------------------

# copy_end() jumps into copy(), whose returns are recorded: two legs end there. So
# the tool itself has to find the ends of copy_end(). That forward() leads to
# copy(), too, does not say so: the tool finds its ends in any case.
both 'jumps past an entry' 'time copy' 'time move' 'time copy_end' \
	'time forward' 'time around' 'time pass' -- "$PROGRAMS/midway"
for name in copy_end forward around pass; do
	is "$(json "time('$name')['count'], time('$name')['unwound']")" \
		"$(own $name) 0" "each call of $name, or jump to it, has an end"
done
# Where all can be counted, threads find the ends by themselves.
both 'jumps past entries that threads count' 'time *' -- "$PROGRAMS/midway"
is "$(json 'time("copy_end")["counted"], time("copy_end")["count"]')" \
	"program $(own copy_end)" 'threads see the end behind such a jump'

# The C library has such a jump: mempcpy() ends with the code of memmove().
! in_full || both 'sort, mempcpy among others' \
	'time [m-s]*@libc.so.6 most=9000' -- sort /etc/services

# ---- a tail jump to more functions than a trampoline can know ------------------

{
	echo '#define APART __attribute__((noinline, noclone, noipa))'
	for i in {0..13}; do
		echo "APART long leaf_$i(long x) { return x + $i; }"
	done
	echo 'static long (*volatile leaves[])(long) = {'
	printf 'leaf_%d, ' {0..13}
	cat <<'END'
};
APART long fan(long x) { return leaves[x % 14](x); }
APART long go(long x) { return x < 0 ? x : fan(x); }
int main(void)
{
	long sum = 0;

	for (long i = 0; i < 1000; i++)
		sum += go(i % 37);
	return sum & 1;
}
END
} >fan.c
gcc -g -O2 fan.c -o fan
both 'a jump to many functions' 'time go' -- ./fan
is "$(json 'time("go")["count"]')" 1000 \
	'threads see the end of the frame in each function'

# ---- functions that come back to their own frames ----------------------------

both 'rings of tail jumps' 'time *' -- "$PROGRAMS/rings" 3000
is "$(json 'sorted(x["name"] for x in t["legs"]
	if "ring" in (x["counted"] or ""))')" 'hop skip' \
	'the tool counts only the ring that has a jump to several functions'
for name in north east south west flip more less same; do
	is "$(json "entry('$name')['count']")" "$(own $name)" \
		"each call of $name, and each jump to it, is counted"
done
is "$(json "entry('relay')['count']")" $(($(own more) - 50)) \
	'each jump through a function that is only a jump is counted'
is "$(json 'any(time(n)["ignored_from"] for n in ("flip", "flop"))')" True \
	'threads, too, have at most 10,000 executions open in one frame'

# Only one of these functions has a leg. Frames of it are left by longjmp(), and
# others are made at the same place by the same call before it is hit again.
for name in $(sampled 1 north east south west); do
	both "one function of a ring: $name" "time $name" -- "$PROGRAMS/rings" 3000
done

# Threads count these functions, then the tool does, and then threads again, while
# threads are in such frames.
kept=()
for kind in ring program; do
	batch 'set mechanism auto' "set counting $kind" 'time north' 'time east' \
		'time south' 'time west' 'break out' run continue continue \
		'split leg 0 by=$arg1' continue continue 'delete split leg 0' \
		continue 'delete break 9' continue 'save tables t.json' -- \
		"$PROGRAMS/rings"
	kept+=("$(json "$counts")")
done
is "${kept[1]}" "${kept[0]}" \
	'a ring that is handed over to the tool amid its executions loses none'

# ---- a change amid the run ---------------------------------------------------

# At each stop, even() is being executed. Until the first stop a thread counts it
# by itself, then the tool does (the rows of a split need more than counts), and
# then a thread again.
batch 'set mechanism auto' 'set counting program' 'time even' 'break odd' run continue continue 'split leg 0 by=$arg1' \
	continue continue 'delete split leg 0' continue 'delete break 3' continue 'save tables t.json' -- \
	"$PROGRAMS/recursion"
even=$(own even)
is "$(json "entry('even')['count'], exit('even')['count'],
	time('even')['count'], time('even')['open']")" "$even $even $even 0" \
	'a leg that is split amid its executions loses none of them'

# ---- what is said ------------------------------------------------------------

try perftool -q -n -b -e 'set mechanism auto' -e 'set counting program' \
	-e 'time even' -e run -e 'print slowest 1' \
	-e 'set counting ring' -e 'show counting' -- "$PROGRAMS/recursion"
like "$out$err" 'added up in the program' \
	'print slowest says that short executions are not among its rows'
like "$out$err" 'counting += ring|counting.*ring' 'the setting is shown'
try perftool -q -n -b -e 'set counting ring' -e 'time even' -e run \
	-e 'print slowest 1' -- "$PROGRAMS/recursion"
unlike "$out$err" 'added up in the program' \
	'if perftool counts, all executions are among them'

done_testing

#!/usr/bin/env bash
# $caller: the function that has called the function of a node, as the row of a
# split, in conditions, as a key, under both mechanisms.
# tier: core
# covers: expr/evaluate expr/compile probe/process
# shellcheck disable=SC2016 # $caller is perftool's
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/call_kinds

# rows OF: prints the rows of the split of the node or leg in t.json, as NAME and
# COUNT
rows() {
	json "sorted('%s %d' % (r['value'], r['count']) for r in $1['by']['values'])" |
		sed -E 's/ ([0-9]+) ?/ \1\n/g' | grep .
}

# true_rows: prints what the program says
true_rows() {
	LC_ALL=C sort <<<"$out" | grep .
}

for mechanism in auto int3; do
	MECHANISM=$mechanism
	batch 'time work by=$caller' -- "$program"
	is "$(rows 'leg(0)')" "$(true_rows)" \
		"$mechanism: a leg is split by the callers of a function"
	batch 'time work by=:$caller' -- "$program"
	is "$(rows 'leg(0)')" "$(true_rows)" \
		"$mechanism: the caller is known where the function returns"
	batch 'break work if 1' 'collect nodes' 'split node 1 by=$caller' \
		-- "$program"
	is "$(rows 'node(1)')" "$(true_rows)" \
		"$mechanism: the caller is known behind the prologue"
	batch 'break call_kinds.c:26 if 1' 'collect nodes' \
		'split node 1 by=$caller' -- "$program"
	is "$(rows 'node(1)')" "$(true_rows)" \
		"$mechanism: the caller is known at a line"
	batch 'break small if 1' 'collect nodes' 'split node 1 by=$caller' \
		-- "$program"
	is "$(rows 'node(1)')" $'compare 1\ndirect 20' \
		"$mechanism: the caller of an inlined call is the function around it"
	batch 'break entry handler if 1' 'collect nodes' \
		'split node 1 by=$caller' -- "$program"
	is "$(rows 'node(1)')" '<signal handler called> 4' \
		"$mechanism: a signal calls the handler"

	batch 'break entry work if $caller == "direct"' \
		'break entry work if "hidden" != $caller && $caller != "direct"' \
		'break exit work if $caller == "inlined"' \
		'break entry work if $caller == work' \
		'break entry work if 1' 'collect nodes' -- "$program"
	is "$(json '[node(n)["count"] for n in range(1, 6)]')" '20 40 15 3 72' \
		"$mechanism: conditions compare the caller"

	batch 'break entry work if 1' 'break exit work if 1' 'collect nodes' \
		'add leg 1 2 key=$caller' -- "$program"
	is "$(json 'leg(0)["count"]')" 70 \
		"$mechanism: the caller is a key (of the calls by work() itself only the last one counts)"
done
MECHANISM=

fails_with 125 "there is no register or value called .*caler.*\\\$caller" \
	'a similar name is proposed' \
	perftool -q -n -b -e 'time work by=$caler' "$program"
fails_with 125 'the program is not being run' \
	'there is no caller before the program runs' \
	perftool -q -n -b -e 'evaluate $caller' "$program"

try perftool -q -n -b -e 'break entry compare' -e run -e 'evaluate $caller' \
	-e 'kill' "$program"
like "$out$err" 'msort_with_tmp|qsort' 'evaluate names the caller at a stop'

# $retaddr is the return address itself: one for each place that calls
for mechanism in auto int3; do
	MECHANISM=$mechanism
	batch 'break entry work if 1' 'collect nodes' 'split node 1 by=$retaddr' \
		'break entry work if $retaddr == *(long *)$rsp' 'collect nodes' \
		-- "$program"
	is "$(json 'len({r["value"] for r in node(1)["by"]["values"]}) > 2,
		sum(r["count"] for r in node(1)["by"]["values"]) == node(1)["count"],
		node(2)["count"] == node(1)["count"]')" 'True True True' \
		"$mechanism: the return address of a function that is entered"
done
unset MECHANISM
fails_with 125 'retaddr.: the program is not being run' \
	'before the program runs there is no return address' \
	perftool -q -n -b -e 'evaluate $retaddr' "$program"

# ---- what has no names --------------------------------------------------------

cp "$program" bare
strip bare
entry=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')
direct=$(nm "$program" | sed -n 's/^0*\([0-9a-f]*\) T direct$/\1/p')
batch "break *0x$entry if 1" 'collect nodes' 'split node 1 by=$caller' \
	-- "$PWD/bare"
like "$(rows 'node(1)')" "bare\\+0x$direct 20" \
	'a caller without a name is named by its module and its address'

# ---- as callgrind counts ------------------------------------------------------

# agree NAME FUNCTIONS CALLERS MODULE PATTERN PROGRAM...
agree() {
	local name=$1 functions=$2 callers=$3
	shift 3
	try /usr/bin/python3 "$ROOT/tests/e2e/callers_callgrind.py" "$SCRATCH" "$@"
	unlike "$out$err" 'wrong|Traceback' "$name: the callers are those of callgrind"
	ok "$name: there were $(own functions) functions, $(own callers) callers" \
		[ "$(own functions)" -ge "$functions" -a \
		"$(own callers)" -ge "$callers" ]
}

export PERL_HASH_SEED=0
perl=$(readlink -f "$(command -v perl)")
agree sqlite3 40 100 libsqlite3.so.0.8.6 '^sqlite3_' sqlite3 :memory: \
	<"$ROOT/tests/sqlite.sql"
# (the newer the perl, the fewer of its functions are called)
agree perl 30 80 "$(basename "$perl")" '^Perl_(sv|hv|av|pp)_' "$perl" <<'END'
my %h;
$h{$_}++ for split / /, join " ", map { "word$_ and more" } 1 .. 30;
print join(",", map { "$_=$h{$_}" } (sort keys %h)[0 .. 5]), "\n";
END

done_testing

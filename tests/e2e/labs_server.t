#!/usr/bin/env bash
# The lab on a slow server: the solutions are right, and the checker says of wrong
# reports what is missing.
# tier: full
# covers: samples/labs/08-slow-server samples/labs/checking
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 08: a slow server --------------------------------------------------

lab 08 shop
# shop_opens: starts the server
shop_opens() {
	rm -f socket
	start "$PROGRAM" serve "$PWD/socket" >says
	shop=$started
	wait_for "$LIMIT" test -s says
}
# at_shop COMMAND...: measures the server, for a while, after these commands
at_shop() {
	local options=()

	while [ $# -gt 0 ]; do
		options+=(-e "$1")
		shift
	done
	rm -f t.json
	try perftool -q -n -b -p "$shop" --for "${TIME:-1s}" -f json -o t.json "${options[@]}"
	[ "$status" = 0 ] || diag <<<"$err"
}
solve
batch 'time main' -- "$SAMPLES/recursion"
wrong 'about the program .recursion' 'another program'
head -c 3000 right.json >t.json
wrong 'breaks off' 'a report that breaks off'
edited 't["legs"][0]["by"]["values"][0]["count"] += 1'
wrong 'rows do not add up' 'an edited row'
edited 't["program"].update(state="exited", exit_status=0)'
wrong 'was not running when perftool came' 'the server was not attached to'
edited 't["legs"][0]["by"]["values"] = [dict(v, count=v["count"] // 100) for v in t["legs"][0]["by"]["values"]]' \
	't["legs"][0].update(count=sum(v["count"] for v in t["legs"][0]["by"]["values"]))' \
	't["legs"][0]["total_ns"] = t["legs"][0]["mean_ns"] * t["legs"][0]["count"]'
wrong 'requests of a kind are too few' 'measured for too short a time'
edited 'l = leg("worst"); l["p99_ns"] = l["p90_ns"] = l["p50_ns"]'
wrong 'has no tail' 'a leg without the slow ones'

shop_opens
worst='add leg entry find return find name=worst'
TIME=100ms at_shop 'time handle by=kind' "$worst"
wrong 'does not tell the four kinds.*Were there visitors' 'nobody visits'
start "$PROGRAM" visit "$PWD/socket" >visited
visitors=$started
at_shop 'time handle' "$worst"
wrong 'does not tell the four kinds of requests apart.*by=EXPR' 'not split'
at_shop 'time handle by=item%4' "$worst"
wrong 'does not tell the four kinds of requests apart' 'split by something else'
at_shop 'time handle by=kind'
wrong 'No leg is named .worst' 'the answer is missing'
at_shop 'time handle by=kind' 'add leg entry buy return buy name=worst'
wrong '.worst. times buy\(\).*not the kind with the longest tail' 'the kind with the largest mean'
at_shop 'time handle by=kind' 'add leg entry look return look name=worst'
wrong '.worst. times look\(\)' 'the most frequent kind'
at_shop 'time handle by=kind' 'add leg entry count_stock return count_stock name=worst'
wrong '.worst. times count_stock\(\)' 'the rarest kind'
at_shop 'time talk by=$caller' 'add leg handle find name=worst'
wrong 'No leg times the calls of handle\(\).*.worst. leads from the entry of handle\(\) to the entry of find\(\)' \
	'other places'
at_shop 'time handle by=kind' 'break entry find if item%25 == 7' 'break return find if 1' \
	'add leg 3 4 name=worst'
wrong '.worst. has [0-9,]+ executions; that is not all' 'the slow ones alone'
try perftool -q -n -b -p "$visitors" --for 300ms -f json -o t.json -e 'time visit'
wrong 'about the visitors' 'the visitors'
kill -TERM "$shop"
wait "$shop" "$visitors" 2>/dev/null
rm -f socket
start perftool -q -n -b -f json -o t.json -e 'time handle by=kind' -e "$worst" \
	"$PROGRAM" serve "$PWD/socket" >says2
served=$started
wait_for "$LIMIT" test -s says2
try "$PROGRAM" visit "$PWD/socket" 400
is "$out" '400 requests' 'as many requests as asked for'
kill -INT "$served"
wait "$served"
wrong 'was not running when perftool came' 'the server was started by perftool'
try "$PROGRAM" serve
is "$status" 2 'shop: without a socket'
try "$PROGRAM" visit none
is "$status" 1 'shop: there is no server'
like "$err" 'none: No such file' 'and it says so'

done_testing

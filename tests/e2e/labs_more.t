#!/usr/bin/env bash
# The later labs: each solution is right, and the checker says of wrong reports
# what is missing.
# shellcheck disable=SC2016 # backquotes and dollars are the checker's words
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 06: a lock convoy --------------------------------------------------

lab 06 bank
solve
no_tables
waits='add leg entry post return post name=waits'
computes='add leg entry accrue return accrue name=computes'
holder='add leg entry archive return archive name=holder'
measured "$waits" "$computes" "$holder"
wrong 'not say who waits for which lock.*set contention on' 'waits are not recorded'
measured 'set contention on' "$computes" "$holder"
wrong 'No leg is named .waits' 'a leg is missing'
measured 'set contention on' "$waits" "$computes"
wrong 'No leg is named .holder' 'the other end of the question is missing'
measured 'set contention on' 'add leg entry accrue return accrue name=waits' \
	'add leg entry post return post name=computes' "$holder"
wrong '.waits. times accrue\(\).*not the one that waits.*.computes. times post\(\)' \
	'waiting and computing are exchanged'
measured 'set contention on' 'add leg entry serve return serve name=waits' "$computes" "$holder"
wrong '.waits. leads from the entry of serve\(\).*two functions that serve\(\) calls' \
	'the caller of both'
measured 'set contention on' 'add leg accrue post name=computes' "$waits" "$holder"
wrong '.computes. leads from the entry of accrue\(\) to the entry of post\(\)' \
	'a leg to another function'
measured 'set contention on' "$waits" "$computes" \
	'add leg entry print_receipt return print_receipt name=holder'
wrong '.holder. times print_receipt\(\).*Others waited' 'who holds another lock'
measured 'set contention on' "$waits" "$computes" \
	'add leg entry look_up return look_up name=holder'
wrong '.holder. times look_up\(\).*Others waited' 'who holds the lock often, and not for long'
measured 'set contention on' "$waits" "$computes" 'add leg archive post name=holder'
wrong '.holder. leads from the entry of archive\(\) to the entry of post\(\)' \
	'from who holds the lock to who waits'
measured 'set contention on' "$computes" "$holder" 'break entry post if account > 90' \
	'break return post if 1' 'add leg 5 6 name=waits'
wrong 'not the number of customers.*A condition' 'a condition leaves out customers'
measured 'set contention on' "$waits" "$computes" "$holder" run run 'save tables t.json'
wrong 'Did the program run 2 times' 'two runs in one report'
measured 'set contention on' 'set contention off' "$waits" "$computes" "$holder"
wrong 'Nobody has waited.*do not turn it off' 'waits were not recorded in the end'
edited 't["contention"]["locks"] = [l for l in t["contention"]["locks"] if l["lock"] != "ledger"]'
wrong 'Nobody has waited for the lock of the clerks' 'waits for other locks alone'
edited 'for l in t["contention"]["locks"]: l["total_ns"] = 1'
wrong 'Only a small part of the time' 'hardly any wait was recorded'
edited 'for l in t["contention"]["locks"]: l["holders"] = []'
wrong 'do not show who held the lock' 'nobody held the lock'
edited 't["contention"] = []'
wrong 'not what perftool has written' 'contention of another form'

# ---- 07: a queue between threads ----------------------------------------

lab 07 photos
solve
no_tables
whole='add leg order_comes pack key=order name=whole'
queue='add leg hang_up dry key=print name=bottleneck'
measured 'add leg order_comes pack name=whole' "$queue"
wrong '.whole. does not follow the orders.*key=' 'no key'
measured 'add leg order_comes pack owner=leg name=whole' "$queue"
wrong '.whole. does not follow the orders.*key=' 'the last start counts'
measured "$whole" 'add leg hang_up dry name=bottleneck'
wrong '.bottleneck. does not follow the orders' 'no key at the second leg'
measured 'add leg order_comes pack key=1 name=whole' "$queue"
wrong '.whole. has [0-9]+ executions.*there are 200 orders.*its key, .1.' 'a key that is always the same'
measured 'add leg order_comes pack key=order:order->next name=whole' "$queue"
wrong '.whole. has [01] executions.*its key' 'a key with another value at the end'
measured "$whole"
wrong 'No leg is named .bottleneck' 'a leg is missing'
measured "$queue"
wrong 'No leg is named .whole' 'the whole way is missing'
measured "$whole" 'add leg develop hang_up key=film:print name=bottleneck'
wrong 'not where the orders spend most' 'the step whose work takes longest'
measured "$whole" 'add leg order_comes develop key=order:film name=bottleneck'
wrong 'not where the orders spend most' 'the other queue'
measured "$whole" 'add leg entry dry return dry name=bottleneck'
wrong '.bottleneck. leads from the entry of dry\(\) to the return of dry\(\)' 'the step behind the queue'
measured "$whole" 'add leg hang_up pack key=print:order name=bottleneck'
wrong '.bottleneck. leads from the entry of hang_up\(\) to the entry of pack\(\).*the next one' \
	'two parts of the way'
measured 'add leg order_comes dry key=order:print name=whole' "$queue"
wrong '.whole. leads .*to the entry of dry\(\)' 'a part of the way as the whole'
measured 'break entry order_comes if order->number < 100' 'break entry pack if 1' \
	'add leg 1 2 key=order name=whole' "$queue"
wrong '.whole. has 100 executions.*A condition' 'a condition leaves out orders'
measured 'add leg pack order_comes key=order name=whole' "$queue"
wrong '.whole. leads from the entry of pack\(\)' 'the other direction'
edited 'l = leg("bottleneck")' 'for f in ("total_ns", "mean_ns"): l[f] /= 10' \
	'for f in ("min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"): l[f] = int(l[f] / 10)'
wrong 'less than half of the time of .whole' 'times of another run'

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

# ---- 09: lost mappings --------------------------------------------------

lab 09 album
solve
no_tables
lost='break entry square if picture->width == picture->height'
measured "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'nothing of the Spy' 'the Spy was off'
measured 'spy watch cpu' 'spy on' "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'The Spy has watched .cpu.*spy watch spaces' 'the Spy has watched something else'
measured 'spy watch spaces' 'spy on' 'time square'
wrong 'No leg is named .leak' 'the answer is missing'
measured 'spy watch spaces' 'spy on' 'add leg entry square return square name=leak'
wrong '.leak. has 400 executions, and 48 mappings are lost' 'all calls'
measured 'spy watch spaces' 'spy on' 'break entry square if picture->width != picture->height' \
	'break return square if 1' 'add leg 1 2 name=leak'
wrong '.leak. has 352 executions, and 48' 'the calls that lose nothing'
measured 'spy watch spaces' 'spy on' 'add leg entry keep return keep name=leak'
wrong '.leak. is in keep\(\).*keeps for a purpose' 'what keeps a few for a while'
measured 'spy watch spaces' 'spy on' 'add leg entry rotate return rotate name=leak'
wrong '.leak. is in rotate\(\).*column left' 'what makes the most mappings'
measured 'spy watch spaces' 'spy on' 'add leg entry make_pixels return make_pixels name=leak'
wrong '.leak. leads from the entry of make_pixels\(\).*that main\(\) calls' 'what all mappings have in common'
measured 'spy watch spaces' 'spy on' 'add leg entry crop entry square name=leak'
wrong '.leak. leads from the entry of crop\(\) to the entry of square' 'from one function to the next'
measured 'spy watch spaces' 'spy on' 'spy off' "$lost" 'break return square if 1' 'add leg 1 2 name=leak'
wrong 'not seen the mappings of the whole run' 'the Spy was turned off'
measured 'spy watch spaces' 'spy start keep' 'spy starts on' "$lost" \
	'break return square if 1' 'add leg 1 2 name=leak'
wrong 'not seen the mappings of the whole run|executions, and' 'the Spy was turned on late'
edited 't["spy"]["samples"] = [s for s in t["spy"]["samples"] if s["reason"] == "created"]'
wrong '.leak. has 48 executions, and 400 mappings' 'an edited profile'
edited 't["spy"]["samples"][0]["stack"] = 5'
wrong 'not what perftool has written' 'a profile of another form'
measured 'spy watch spaces' 'spy on' 'time square if picture->width == picture->height' \
	'add leg 1 2 name=leak'
right t.json 'lab 09: the condition of `time` is right, too'

# ---- 10: did it help ----------------------------------------------------

lab 10 tally
solve
# compared BEFORE AFTER...: makes t.json of these reports
compared() {
	try perftool compare "$@" -f json -o t.json
	[ "$status" = 0 ] || diag <<<"$err"
}
# runs N PROGRAM FILE [OPTION...]: measures tally() in N runs of the program
runs() {
	local number=$1 program=$2 file=$3
	shift 3
	try perftool -q -n -b -r "$number" -f json -o "$file" "$@" -e 'time tally' "$LABS/$program"
	[ "$status" = 0 ] || diag <<<"$err"
}
runs 10 tally before.json
runs 10 tally_skip helps.json
runs 10 tally_mask helps_not.json
runs 2 tally_skip short.json
mkdir exchanged
cp helps.json exchanged/helps_not.json
cp helps_not.json exchanged/helps.json
cp helps.json skip.json
cp before.json again.json

cp before.json t.json
wrong 'This is the tables of a report\. Lab 10 takes a comparison' 'tables instead of a comparison'
perftool -q -n -e 'profile run' -e 'save profile t.json' "$PROGRAM" >/dev/null 2>&1
wrong 'This is a profile\. Lab 10 takes a comparison' 'a profile'
perftool compare before.json helps.json helps_not.json -f text -o t.json
wrong 'The file is no JSON' 'a comparison as text'
head -c 1500 right.json >t.json
wrong 'breaks off' 'a comparison that breaks off'
compared before.json exchanged/helps.json exchanged/helps_not.json
wrong 'the wrong way round' 'the answers are exchanged'
compared before.json skip.json helps_not.json
wrong 'report of .tally_skip. is called .skip.json.*helps.json' 'no answer in the names'
compared before.json helps.json
wrong 'Nothing is said about .tally_mask' 'one change alone'
compared helps.json before.json helps_not.json
wrong 'about the program .tally_skip.*name its report first' 'another order'
compared before.json helps.json again.json
wrong 'again.json. is about .tally., and that is neither' 'a program compared with itself'
compared before.json short.json helps_not.json
wrong 'short.json. is about 2 runs.*-r 10' 'too few runs'
edited 'for p in t["comparisons"]:' ' for l in p["legs"]: l["name"] = "main"'
wrong 'no leg .tally. in common' 'another function'
edited 't["comparisons"][0]["after"]["failed_runs"] = 1'
wrong '1 of the runs in .helps.json. have failed' 'a run has failed'
edited 't["comparisons"][0]["legs"][0]["figures"]["p50"]["difference"] *= 3'
wrong 'p50 of the leg .tally. contradicts itself' 'an edited difference'
edited 'f = t["comparisons"][0]["legs"][0]["figures"]["p50"]' \
	'f.update(after=f["before"], difference=0, difference_percent=0, verdict="none")'
wrong 'the machine has changed its speed.*-r 20' 'runs that do not show it'
edited 't["comparisons"][0]["legs"][0]["figures"]["count"].update(after=1, difference=None, verdict="none")'
wrong 'The function was called' 'another number of calls'
edited 't["comparisons"] = []'
wrong 'not what perftool has written: nothing is compared' 'nothing is compared'
edited 'del t["comparisons"][0]["legs"][0]["figures"]["p50"]'
wrong 'not what perftool has written: the field p50 is missing' 'a figure is missing'

done_testing

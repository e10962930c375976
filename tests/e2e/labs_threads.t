#!/usr/bin/env bash
# The labs on locks and on queues: the solutions are right, and the checker says of wrong
# reports what is missing.
# tier: full
# covers: samples/labs/06-lock-convoy samples/labs/07-queue-by-key samples/labs/checking
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
wrong '.whole. has [0-9]+ executions.*its key' 'a key with another value at the end'
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

done_testing

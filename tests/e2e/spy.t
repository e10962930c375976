#!/usr/bin/env bash
# The Spy: what it watches, when it records, what stays of it, and what is said
# where something is not possible.
# tier: core full
# covers: session/profiling sample report/listings
. "$(dirname "$0")/../lib.sh"

program=$PROGRAMS/spied
gcc -std=gnu17 -O1 -D_GNU_SOURCE "$ROOT/tests/surroundings/confine.c" \
	-o confine || exit 1

# spy COMMAND... -- [ARG...]: gives the commands, one after the other, for the
# program with the arguments. The display is then in d.txt, if a command has
# written it there.
spy() {
	local options=()

	rm -f d.txt
	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	try "${wrap[@]}" perftool -q -n -b "${options[@]}" "$program" "$@"
	[ "$status" -lt 125 ] || [ -n "${may_fail:-}" ] || diag <<<"$err"
}
wrap=()
show='spy display min=0 minson=0 > d.txt'

# in_stacks NAME: in how many stacks the display has the procedure
in_stacks() {
	awk -v name="$1" 'sub(/.*Procedure ~?/, "") && $1 == name {
		gsub(/,/, ""); sum += $5 + $6 } END { print sum + 0 }' d.txt
}

# percent NAME: in how many percent of the stacks
percent() {
	local all

	all=$(in_stacks "${2:-main}")
	echo $(((100 * $(in_stacks "$1") + all / 2) / (all ? all : 1)))
}

# own_share NAME: the percentage that the program has found
own_share() {
	sed -n "s/.*\\b$1 \\([0-9]*\\).*/\\1/p" <<<"$out"
}

# more GOT LEAST NAME: passes if the number is greater
more() {
	if [ "$1" -gt "$2" ]; then
		pass "$3"
	else
		fail "$3" "got $1, wanted more than $2" "$(cat d.txt)"
	fi
}

# heading REGEX NAME: the display has a match
heading() {
	like "$(cat d.txt)" "$1" "$2"
}

# ---- ticks ------------------------------------------------------------------

# headed NAME: the number behind this word of the heading
headed() {
	sed -n "s/^$1: *\\([0-9,.]*\\).*/\\1/p" d.txt | tr -d ,
}

# slack BIAS: how far a share may be from the program's own, in percent: four
# standard deviations of so many ticks, the bias, and what the ticks that were
# missed could have changed
slack() {
	awk -v n="$(in_stacks shares)" -v bias="$1" \
		-v missed="$(headed 'Ticks missed')" 'BEGIN {
			lost = missed ? 100 * missed / (n + missed) : 0
			printf "%d", bias + 200 / sqrt(n ? n : 1) + 1 + lost }'
}

# Ticks that the tool takes come when it gets a CPU, on a machine that has other
# work to do a little late, or not at all.
for wrapped in '' './confine perf'; do
	read -ra wrap <<<"$wrapped"
	spy 'spy rate 497' 'spy on' run "$show" -- shares 800
	for name in sixty thirty ten; do
		near "$(percent $name shares)" "$(own_share $name)" \
			"$(slack "${wrapped:+8}")" \
			"${wrapped:-the kernel}: $name has its share"
	done
	heading 'Watching: +cpu, 497 ticks a second' 'the heading has the rate'
done
heading 'The tool took the ticks itself' 'without the kernel, the tool says so'
may_fail=1
spy 'spy watch pagefaults' 'spy on' run "$show" -- shares 1
is "$status" 125 'page faults need the kernel'
like "$err" "page faults cannot be sampled: .*perf_event_open.*spy watch cpu" \
	'the message has the cause and a remedy'
may_fail=
wrap=()

began=$SECONDS
spy 'spy rate 1000' 'spy on' run "$show" -- shares 2000
# The kernel tells the first stacks as they come.
if grep -q 'The kernel took the ticks' d.txt; then
	ok 'the tool is woken up for many ticks at once' \
		[ "$(headed Wake-ups)" -lt $((60 + 100 * (SECONDS - began + 1))) ]
	near "$(($(headed Counts) + $(headed 'Ticks missed') +
		$(headed 'Samples lost')))" "$(own_share task_clock)" 100 \
		'each period of the clock for ticks has its tick'
else
	pass 'the tool is woken up for many ticks at once # SKIP no kernel ticks'
	pass 'each period of the clock for ticks has its tick # SKIP no kernel ticks'
fi

for wrapped in '' './confine perf'; do
	one_in 2 || continue
	read -ra wrap <<<"$wrapped"
	spy 'spy process break' 'spy rate 497' 'spy start worker' \
		'spy starts on' run 'spy display min=0 minson=0 > d.txt' \
		-- waits 30
	for wait in ML CV read; do
		near "$((100 * $(awk -v wait="waiting.$wait" \
			'$0 ~ wait " = " { sub(/.* = /, ""); sum += $1 }
			END { print sum + 0 }' d.txt) / $(in_stacks worker)))" \
			"$(own_share $wait)" 12 \
			"${wrapped:-the kernel}: the thread waits for $wait"
	done
	heading 'waiting.clock_nanosleep = ' \
		'a wait in a system call has its name'
	heading 'Threads: +only [0-9]+, which reached the first start break' \
		'the heading has the thread'
	unlike "$(cat d.txt)" 'partner' 'no other thread was sampled'
done
wrap=()

if in_full; then
	spy 'spy rate 2000' 'spy on' run "$show" -- deep 10000
	like "$(grep -c deep d.txt)" '^[1-9]' 'a stack of 10,000 frames is unwound'
	more "$(sed -n 's/.* stacks, \([0-9,]*\) frames.*/\1/p' d.txt | tr -d ,)" \
		10000 'to its end'

	spy 'spy rate 2000' 'spy on' run "$show" -- threads 1000
	more "$(in_stacks use_cpu)" 500 '1,000 threads are sampled'
fi

spy 'spy on' run "$show" -- forks
is "$(grep -c '^Process ' d.txt)" 2 'a forked process has its entry'
more "$(in_stacks shares)" 0 'and what it executes is sampled, too'

spy 'spy on' run "$show" -- dies
near "$(percent sixty shares)" "$(own_share sixty)" "$(slack 8)" \
	'a program that dies by a signal leaves its samples'

# ---- page faults --------------------------------------------------------------

spy 'spy watch pagefaults' 'spy on' run "$show" -- faults 3000
lost=$(sed -n 's/^Samples lost: *//p' d.txt | tr -d ,)
# (The number of lost ones is a bound: a fault whose record comes late counts
# there, too.)
ok 'each page fault is told once, or counted as lost' \
	[ "$(in_stacks touch)" -le "$(own_share touch)" ]
ok 'as many as getrusage(2) has' \
	[ $(($(in_stacks touch) + lost)) -ge "$(own_share touch)" ]
ok 'the kernel has counted them for the whole program' \
	[ "$(sed -n 's/^Page faults: *\([0-9,]*\),.*/\1/p' d.txt | tr -d ,)" \
	-ge "$(own_share touch)" ]

spy 'spy on' run "$show" -- threads 50
is "$(sed -n 's/^Page faults: *\(at least \)\{0,1\}\([0-9,]*\),.*/\2/p' d.txt)" \
	"$(sed -n 's/^Process .* (\(at least \)\{0,1\}\([0-9,]*\) page faults.*/\2/p' d.txt)" \
	'the page faults of a process are those of all its threads'

# ---- breaks -------------------------------------------------------------------

end=$(grep -n 'the end' "$ROOT/tests/programs/spied.c" | cut -d: -f1)
for mechanism in $(sampled 1 int3 auto); do
	spy "set mechanism $mechanism" 'spy watch breaks' 'spy break mark' \
		'spy on' run "$show" -- starts
	is "$(in_stacks mark)" "$(own_share all)" \
		"$mechanism: each hit is a sample"
	spy "set mechanism $mechanism" 'spy watch breaks' 'spy break mark' \
		'spy start recursive' 'spy stop recursive' 'spy starts on' \
		run "$show" -- starts
	is "$(in_stacks mark)" "$(own_share recursive)" \
		"$mechanism: it records inside of a recursive function"
	spy "set mechanism $mechanism" 'spy watch breaks' 'spy break mark' \
		'spy start leaper' 'spy stop leaper' 'spy breaks on' \
		run "$show" -- starts
	is "$(in_stacks mark)" "$(own_share leaper)" \
		"$mechanism: a frame that longjmp leaves has stopped"
	spy "set mechanism $mechanism" 'spy watch breaks' 'spy break mark' \
		'spy start begin' "spy stop spied.c:$end" 'spy starts on' \
		run "$show" -- starts
	is "$(in_stacks mark)" "$(own_share begun)" \
		"$mechanism: a stop at a line acts there"
	spy "set mechanism $mechanism" 'spy watch breaks' \
		'spy break recursive if depth == 1' 'spy on' run \
		"$show" -- starts
	is "$(in_stacks recursive)" 2 "$mechanism: a break has a condition"
done
heading $'The Spy itself took .*;\n  threads stood still for ' \
	'the heading has the time of the stops at breaks'
heading 'Breaks: +recursive if depth == 1 \(2 hits\)' \
	'the heading has the breaks'

try perftool -n -b -e 'spy start begin' -e 'spy on' -e run -e "$show" \
	"$program" shares 100
like "$out$err" 'records from now on, and does not use the start breaks and stop breaks' \
	'spy on says that the start breaks are not used'
more "$(in_stacks shares)" 0 'and records'
may_fail=1
spy 'spy watch breaks' 'spy break mark' 'spy clear breaks' 'spy on' run \
	"$show" -- starts
is "$status" 125 'a cleared break makes no sample'
like "$err" 'there is none that makes samples; .spy break LOC. makes one' \
	'and the message says that there is none'
spy 'spy process 99' 'spy on' run "$show" -- starts
is "$status" 125 'a thread of a program that does not run is refused'
like "$err" 'no process yet, and so no thread 99; .spy process break.' \
	'the message says what else there is'
may_fail=
try perftool -n -b -e 'spy break mark' -e 'spy rate 10' \
	-e 'spy watch allocations' -e 'spy start begin' -e 'spy starts on' \
	-e run -e "$show" "$program" starts
like "$out$err" 'watches allocations, and does not use the breaks that make samples' \
	'starts on says which breaks are not used'
like "$out$err" 'does not use the rate; .spy watch cpu. would' \
	'and that the rate is not used'

# the numbers and the list of the user's breakpoints are not those of the Spy
spy 'break main' 'spy watch breaks' 'spy break mark' 'spy on' 'break begin' \
	'disable 1' 'delete break 2' 'list breaks > b.txt' run "$show" -- starts
is "$(grep -cE '^ *[0-9]+ ' b.txt)" 1 'list breaks has the user'"'"'s only'
unlike "$(cat b.txt)" mark 'the breaks of the Spy are not listed'
is "$(in_stacks mark)" "$(own_share all)" 'delete break leaves them alone'

for question in 'look' 'where should i look' 'where to look?'; do
	try perftool -q -n -e "help $question"
	like "$out" '^look: .*spy display' "help $question names top and the Spy"
done

# ---- what stays -----------------------------------------------------------------

spy 'spy rate 997' 'spy on' run run "$show" 'spy display min=20 > e.txt' -- shares 200
is "$(grep -c '^Process ' d.txt)" 2 'running twice accumulates'
like "$(cat e.txt)" 'Procedure sixty' 'it can be displayed again'
unlike "$(cat e.txt)" 'Procedure ten' 'with another threshold'
like "$(cat d.txt)" 'Procedure ten' 'which was lower the first time'

may_fail=1
spy 'spy on' run 'spy off' 'spy on' -- shares 100
is "$status" 125 'a measurement that nobody has seen is in the way'
like "$err" 'not displayed; .spy display. or .spy flush. first' \
	'the message says what to do'
spy 'spy display' -- shares 1
like "$err" 'the Spy has recorded nothing; .spy on.' 'nothing was recorded'
spy 'spy on' 'spy on' -- shares 1
like "$err" 'the Spy is on already; .spy off. first' 'it is on already'
spy 'spy on' 'spy rate 10' -- shares 1
like "$err" 'the Spy is on; .spy off. first' 'the rate is fixed while it is on'
spy 'spy starts on' -- shares 1
like "$err" 'there is no start break; .spy start LOC. makes one' \
	'there is nothing to start at'
spy 'spy break no_such_function' -- shares 1
is "$status" 125 'a wrong name fails at once'
like "$err" 'no_such_function' 'and is named'
spy 'spy rate 0' -- shares 1
like "$err" 'from 0.1 to 10000' 'a rate of 0 is refused'
may_fail=

spy 'spy on' run 'spy flush' 'spy off' 'spy on' "$show" -- shares 100
is "$status:$(in_stacks shares)" 0:0 'flush forgets'
spy 'spy on' -- shares 100
like "$err" 'Breakdown of interesting procedures' \
	'in batch mode the display is the report'

# (the tier core ends here)
in_full || done_testing

# ---- programs that run, and programs without symbols ------------------------------

serve "$program" serves
try perftool -q -n -b -e 'spy rate 497' -e 'spy on' -e 'continue for 700ms' \
	-e "$show" -p "$server"
near "$(percent sixty serve)" 60 "$(slack 8)" 'a running program is sampled'
try perftool -q -n -b -e "spy process $server" -e 'spy on' \
	-e 'continue for 500ms' -e "$show" -p "$server"
is "$(grep -c 'waiting.read = ' d.txt)" 1 \
	'one thread is sampled with what it waits for'
is "$(in_stacks sixty)" 0 'and no other thread'
unlike "$(grep '^Counts:' d.txt)" 'CPU time' \
	'its ticks, with waits, are not counted by its CPU time'
rm d.txt
try perftool -n -b --for 700ms -e 'spy on' -e 'continue for 60s' -e "$show" \
	-p "$server"
like "$(<d.txt)" '^Spy of: .*Watching: +cpu' 'the display comes after the end of --for'
fails_with 125 'there is no thread 1;' 'a thread that is not of the program' \
	perftool -q -n -b -e 'spy process 1' -p "$server"
# A program that stands at a breakpoint takes no time.
try perftool -n -b -e 'break entry main' -e run -e 'spy on' \
	-e 'spy display > empty.txt' "$program" shares 1
like "$err" "The Spy records 97 ticks a second of each thread's CPU time" \
	'spy on says what is recorded'
like "$err" 'there are no samples: the program has run for 0ns since .spy on.; .run. or .continue for 10s. before' \
	'a display that comes too soon says so'
try perftool -q -n -b -e 'spy rate 997' -e 'spy on' -e 'continue for 500ms' \
	-e 'spy display > some.txt' -p "$server"
is "$err" '' '-q is quiet'
is "$(foreign "$server")" 0 'nothing of the tool stays in the program'
end_server

strip -o stripped "$program"
program=./stripped
spy 'spy on' run "$show" -- shares 300
heading 'Procedure stripped\+0x[0-9a-f]+ ' \
	'a function without a symbol has its module and address'
objcopy --remove-section .eh_frame --remove-section .eh_frame_hdr \
	"$PROGRAMS/spied" uninformed
strip uninformed -o nameless
program=./nameless
spy 'spy rate 497' 'spy on' run "$show" -- shares 300
is "$(grep -o 'Procedure ~*nameless[^ ]*' d.txt | tr -d '~' | sort -u)" \
	'Procedure nameless[unknown]' \
	'code of which nothing tells the functions is one procedure'
program=./uninformed
spy 'spy rate 497' 'spy on' run "$show" -- shares 300
heading '[0-9.]+% broken' 'stacks without unwind information are counted'
more "$(in_stacks sixty)" "$(in_stacks thirty)" \
	'and their innermost frames are known'

# ---- going on after `spy off' ----
try perftool -q -n -b -e 'spy watch breaks' -e 'spy break compare' -e 'spy on' -e run -e 'spy off' \
	-e 'spy resume' -e run -e 'spy off' -e 'spy display > both.txt' \
	-e 'spy watch cpu' -e 'spy resume' "$SAMPLES/sort"
is "$status" 125 'spy resume does not add ticks to breaks'
like "$err" 'samples of another kind.*spy on. begins a new' 'and says what does'
is "$(sed -n 's/^Counts: *\([0-9,]*\) breaks.*/\1/p' both.txt | tr -d ,)" \
	$((2 * $(sed -n 's/^\([0-9]*\) compare.*/\1/p' <<<"$out" | head -1))) \
	'spy resume adds the second run to the first'

# ---- is it on? ----
try perftool -q -n -e spy -e 'spy watch breaks' -e 'spy break compare' \
	-e 'spy on' -e 'show spy' -e run -e 'spy off' -e spy \
	-e 'spy display > shown.txt' -- "$SAMPLES/sort"
like "$out" "^The Spy is off; .spy on. has it record 97 ticks a second" \
	'spy says that it is off, and what it would record'
like "$out" 'The Spy is on, and records each hit of the breaks' \
	'show spy says that it is on'
like "$out" 'It has recorded [0-9]+ samples; .spy display. shows them' \
	'and spy how many samples there are'
done_testing

#!/usr/bin/env bash
# Places without room for a jump: their hits are recorded at a neighbouring
# instruction, or the next instruction is moved to make room. The counts and
# values are the same as with int3s at these places.
# tier: core full
# covers: probe/fast arch/x86_64
# shellcheck disable=SC2016 # dollars are the language's
. "$(dirname "$0")/../lib.sh"

cramped=$PROGRAMS/cramped

# listed COMMAND... -- ARG...: sets $out to what `list breaks` says at the end,
# and to the output of the program
listed() {
	local options=()

	while [ "$1" != -- ]; do
		options+=(-e "$1")
		shift
	done
	shift
	try perftool -q -n -b -e 'set mechanism fast' "${options[@]}" \
		-e 'monitor on' -e run -e 'list breaks' -- "$cramped" "$@"
}

# ---- which places become fast -----------------------------------------------

for function in $(sampled 1 saves frames enters begun); do
	listed "break entry $function if 1" -- 300
	like "$out" 'reached 300 times, fast' "$function: the entry becomes a jump"
done
# Another jump leads to the second instruction of these functions, so that the
# tool evicts this instruction.
for function in $(sampled 1 loops entered tables begins); do
	listed "break entry $function if 1" -- 300
	like "$out" 'reached 300 times, fast' "$function: the entry becomes a jump"
	listed "break entry $function if 1" "break $function+1 if \$fs_base != 1" \
		-- 300
	like "$out" 'reached 300 times, int3 \(the memory that its jump could reach' \
		"$function: the entry is an int3 if the second instruction has an int3"
done
# The entry and the return make room for each other.
listed 'time brief' -- 300
is "$(grep -c 'of brief.*reached 300 times, fast' <<<"$out")" 2 \
	'brief: entry and return become jumps, four bytes before a function'
# Behind a return of one byte there is an instruction to which the function
# jumps, or data, to which only a jump that is never executed leads.
listed 'time aborts' -- 400
is "$(grep -c 'of aborts.*, fast' <<<"$out")" 2 \
	'aborts: an instruction to which a branch leads makes room for the return before it'
listed 'time aborts' 'break aborts+15 if $fs_base != 1' -- 400
like "$out" 'of aborts.*int3 \(the memory that its jump could reach' \
	'aborts: the return is an int3 if that instruction has an int3'
listed 'time constant' -- 400
like "$out" 'of constant.*reached 400 times, int3 \(the memory that its jump could reach' \
	'constant: data is left alone'
# There may be other ways to the instruction: behind a call, through a table of
# jumps. It may be a call itself.
for function in $(sampled 1 resumes switches fails); do
	listed "time $function" -- 400
	is "$(grep -c "of $function.*, fast" <<<"$out")" 2 \
		"$function: the instruction behind the return makes room for it"
done
# A function that calls a place within itself has data where the call returns.
listed 'time embeds' -- 400
like "$out" 'of embeds.*reached 400 times, int3 \(the memory that its jump could reach' \
	'embeds: data behind a call within the function is left alone'

# ---- the next instruction is a node -----------------------------------------

# All entries are jumps, and all returns before them need other landings of
# these. When the entries are no nodes any more, they are evicted.
abreast=$PROGRAMS/abreast
try perftool -q -n -b -e 'set mechanism fast' -e 'break entry abreast_* if 1' \
	-e 'break step' -e 'monitor on' -e run -e 'break exit abreast_* if 1' \
	-e continue -e 'list breaks' -e 'delete break 1' -e continue \
	-e 'list breaks' -- "$abreast" 100
is "$status" 0 'abreast: the program ends as it should'
is "$(grep -o 'of abreast_.*reached.*' <<<"$out" | sed 's/.*reached/reached/')" \
	"$(printf 'reached 6400 times, fast\nreached 6400 times, fast\nreached 12800 times, fast')" \
	'abreast: returns are jumps beside entries that are jumps, and without them'

# The tool dies while they are jumps. (The program aborts if a function returns
# what it should not.)
start "$abreast" 1000000000
server=$started
start perftool -q -n -b -e 'break entry abreast_* if 1' \
	-e 'break exit abreast_* if 1' -e 'set mechanism fast' -p "$server"
tool=$started
# shellcheck disable=SC2317 # wait_for calls it
are_jumps() { [ "$(foreign "$server")" -gt 200 ]; }
ok 'abreast: the tool attaches' wait_for 20 are_jumps
kill -KILL "$tool"
wait "$tool" 2>/dev/null
try perftool -q -n -b -p "$server" -e detach
is "$(foreign "$server")" 0 'abreast: the next tool restores the code'
ok 'abreast: the program goes on' kill -0 "$server"
kill "$server"

# Two returns that need the same instruction. The second one becomes a node while
# the first one is a jump already. If they took each other's jumps out, one of
# them would be an int3 without a reason, and updates would never end.
try perftool -q -n -b -e 'set mechanism fast' -e 'break returns+20 if 1' \
	-e 'break step' -e 'monitor on' -e run -e 'break returns+21 if 1' \
	-e continue -e 'list breaks' -- "$PROGRAMS/adjoined" 400
is "$(grep -c 'returns+2[01] .*reached [0-9]* times, \(fast\|int3 (\)' <<<"$out")" \
	2 'adjoined: two returns do not take each other out'
listed 'break locks+13 if 1' -- 300
like "$out" 'reached 150 times, int3 \(the program may jump past its lock prefix' \
	'a place after a lock prefix that may be jumped past is an int3'
listed 'break locks+18 if 1' -- 300
like "$out" 'reached 300 times, fast' 'a lock prefix that is always executed becomes a jump'
listed 'break exit saves if 1' -- 300
like "$out" 'reached 300 times, fast' 'a return becomes a jump'

# ---- the counts are the same ------------------------------------------------

# counted: prints everything that does not depend on time
counted() {
	json 'counted(), [([b["count"] for b in h["buckets"]], h["sum"],
			h["underflow"], h["overflow"]) for h in t["histograms"]
			if h["unit"] != "ns"]' 2>&1
}

# same NAME WANTED COMMAND... -- ARG...: the figures are the same with int3s and
# with fast nodes; WANTED: the mechanisms
same() {
	local name=$1 wanted=$2
	shift 2
	one_in 5 || return
	counts_the_same "$name" "$@"
	is "$(mechanisms_once)" "$wanted" "$name: the mechanisms are $wanted"
}
# counts_the_same NAME COMMAND... -- ARG...: the figures are the same, whichever
# nodes become jumps
counts_the_same() {
	local name=$1 int3
	shift
	batch 'set mechanism int3' "$@"
	int3=$(counted)
	batch 'set mechanism fast' "$@"
	is "$(counted)" "$int3" "$name: jumps count the same as int3s"
}

same 'all functions at once' 'fast int3' 'time saves' 'time frames' 'time loops' \
	'time entered' 'time enters' 'time tables' 'time begins' 'time begun' \
	-- "$cramped" 500
same 'a function of four bytes' fast 'time brief' -- "$cramped" 500
counts_the_same 'a function of four bytes and the function after it' 'time brief' \
	'time follows' -- "$cramped" 500
same 'a return before a branch target' fast 'time aborts' -- "$cramped" 500
for function in resumes switches fails; do
	same "the return of $function" fast "time $function" -- "$cramped" 500
done
same 'returns before entries' fast 'time abreast_*' -- "$abreast" 100
same 'an indirect jump alone' fast 'break entry leaves if 1' \
	'break exit leaves if $rdi % 3' 'break leaves if $rdi % 2' 'add leg 1 2' \
	-- "$cramped" 500
for condition in '$rdi % 10 == 3' '($rsp & 15) == 8' '!($rsp & 15) || $rdi > 9' \
	'$pc == (unsigned long)&saves' '(unsigned char)$rdi < 100' \
	'$rsp - ($rsp & 15) + 8 == $rsp' '$sp > $rdi'; do
	same "entry, $condition" fast "break entry saves if $condition" \
		-- "$cramped" 500
done
same 'entry, a value' fast 'break entry saves if 1' 'collect nodes' \
	'add histogram node 1 linear buckets=8 scale=100 value=$rdi+($rsp&15)' \
	-- "$cramped" 500
for condition in '$rax % 4 == 3' '($rsp & 15) == 8' \
	'$pc > (unsigned long)&saves'; do
	same "exit, $condition" fast "break exit saves if $condition" \
		-- "$cramped" 500
done
same 'legs by a key' fast 'break entry saves if 1' 'break exit frames if 1' \
	'add leg 1 2 key=$rdi:$rax-1' -- "$cramped" 500

# a register that has another value at the neighbouring instruction
listed 'break exit saves if $rbx != 1' -- 300
like "$out" 'reached 299 times, int3 \(the memory that its jump could reach' \
	'a condition on a register that is restored in between needs an int3'

# ---- other breakpoints at neighbouring instructions -------------------------

batch 'set mechanism fast' 'break entry saves if 1' 'break saves+1 if 1' \
	'add leg 1 2' -- "$cramped" 500
is "$(json 'node(1)["count"], node(2)["count"], leg(0)["count"],
	leg(0)["ignored_to"]')" '500 500 500 0' \
	'a breakpoint at the neighbouring instruction is reached second'
# and a breakpoint that is set later, at the target of another breakpoint's jump
try perftool -q -n -b -e 'set mechanism fast' -e 'break entry saves if 1' \
	-e 'break exit saves if 1' -e 'break first' -e 'monitor on' -e run \
	-e continue -e 'break saves+1 if 1' -e 'break saves+14 if 1' \
	-e 'add leg 1 2' -e 'delete break 3' -e continue -e 'list breaks' \
	-e 'print legs' -- "$cramped" 500
is "$(grep -o 'reached [0-9]* times' <<<"$out" | tr '\n' ,)" \
	'reached 500 times,reached 500 times,reached 499 times,reached 499 times,' \
	'breakpoints set later at neighbouring instructions count every hit'
like "$out" '1 -> 2 +499 ' 'breakpoints set later do not disturb the leg of the first two'
same 'two at one place' fast 'break entry saves if 1' \
	'break saves if $rdi % 2' -- "$cramped" 500

# ---- a breakpoint that stops the program ------------------------------------

try perftool -q -n -b -e 'set mechanism fast' -e 'break entry saves if 1' \
	-e 'break tables' -e 'monitor on' -e run -e 'list breaks' \
	-e 'monitor off' -e continue -e 'print $pc == (unsigned long)&saves' \
	-e 'print ($rsp & 15)' -e 'print $rdi' -e 'list breaks' -e 'monitor on' \
	-e 'delete break 2' -e continue -e 'list breaks' -- "$cramped" 300
like "$out" 'reached 1 time, fast' 'monitor on: the breakpoint is a jump'
like "$(grep -x '[0-9]*' <<<"$out" | tr '\n' ' ')" '^1 8 2 $' \
	'monitor off: the program stops at the place of the breakpoint'
like "$out" 'reached 2 times, int3 .it stops the program' 'monitor off: the breakpoint is an int3'
like "$out" 'reached 300 times, fast' 'monitor on again: the breakpoint is a jump'

# (the tier core ends here)
in_full || done_testing

# ---- signals, threads -------------------------------------------------------------

MECHANISM=fast
times saves -- "$cramped" 100000 alarms
ok 'handlers of signals call the function, too' [ "$(own saves)" -gt 100000 ]
is "$(json 'entry("saves")["count"], exit("saves")["count"]') $(mechanisms_once)" \
	"$(own saves) $(own saves) fast" 'jumps count every call amid signals'
times saves frames loops tables -- "$cramped" 20000 threads
is "$(json 'entry("saves")["count"], exit("frames")["count"],
	entry("loops")["count"], exit("tables")["count"]')" \
	"80000 80000 80000 80000" 'jumps count every call in four threads'
is "$(json 'kept()')" True 'four threads: the legs account for every hit of their nodes'

# while threads are between the two places, the breakpoints move there and back:
# an expression that cannot be compiled moves them back to their own places
commands=()
for ((i = 0; i < 40; i++)); do
	commands+=(-e 'condition 1 $fs_base != 1' -e 'condition 2 $fs_base != 1'
		-e continue -e 'condition 1 1' -e 'condition 2 1' -e continue
		-e 'set mechanism int3' -e continue -e 'set mechanism fast'
		-e continue)
done
# moved NAME: the counts are right with these commands, whether the leg matches by
# order or by frame
moved() {
	local leg

	for leg in 'add leg 1 2' 'add leg 1 2 match=nested'; do
		try perftool -q -n -b -e 'set mechanism fast' \
			-e 'break entry saves if 1' -e 'break exit saves if 1' \
			-e "$leg" -e 'break first' -e 'monitor on' \
			-e run "${commands[@]}" -e 'delete break 3' -e continue \
			-e 'print legs' -e 'list breaks' -- "$cramped" 20000 threads
		is "$(grep -c 'reached 80000 times, fast' <<<"$out")" 2 \
			"$1, $leg: each hit is counted once"
		like "$out" '1 -> 2 +80,000~? ' \
			"$1, $leg: each execution is counted once"
	done
}
moved 'nodes moved there and back'

# a breakpoint that is set where the threads are, and is deleted again, has the
# same effect
commands=()
for ((i = 0; i < 80; i += 2)); do
	commands+=(-e 'break saves+1 if 1' -e 'break saves+14 if 1' -e continue
		-e "delete break $((i + 4))" -e "delete break $((i + 5))"
		-e continue)
done
moved 'breakpoints set nearby and deleted'

# and a breakpoint that is set where an instruction has made room for a jump
commands=()
for ((i = 0; i < 80; i += 2)); do
	commands+=(-e 'break loops+1 if 1' -e 'break tables+1 if $fs_base != 1'
		-e continue -e "delete break $((i + 4))"
		-e "delete break $((i + 5))" -e continue)
done
try perftool -q -n -b -e 'set mechanism fast' \
	-e 'break entry loops if 1' -e 'break entry tables if 1' \
	-e 'break first' -e 'monitor on' -e run "${commands[@]}" \
	-e 'delete break 3' -e continue -e 'list breaks' \
	-- "$cramped" 20000 threads
is "$(grep -c 'reached 80000 times, fast' <<<"$out")" 2 \
	'breakpoints set and deleted at moved instructions: each hit counts once'
counts_the_same 'breakpoints beside a moved instruction' 'break entry loops if 1' \
	'break loops+1 if 1' 'add leg 1 2' 'break entry entered if 1' \
	'break entry enters if 1' -- "$cramped" 500

# The breakpoints also move while the handler of a signal runs that returns to
# between the two places. They move back at another moment, because otherwise
# one error could hide another.

amid=3 first=4
# at BREAK COMMAND...: appends commands that are given when the program stops
# next at BREAK
at() {
	local at=$1 command
	shift
	commands+=(-e "disable $((amid + first - at))" -e "enable $at" -e continue)
	for command in "$@"; do
		commands+=(-e "$command")
	done
}

# counted_with NAME COMMAND...: the counts are right with these commands, if the
# first ones make a leg of nodes 1 and 2
counted_with() {
	local name=$1 calls leg=()

	shift
	for command in "$@"; do leg+=(-e "$command"); done
	try perftool -q -n -b -e 'set mechanism fast' "${leg[@]}" \
		-e 'break amid' -e 'break first' -e 'monitor on' \
		-e run "${commands[@]}" -e 'delete break 3' -e 'delete break 4' \
		-e 'continue' -e 'print legs' -e 'list breaks' \
		-- "$cramped" 100 amid
	calls=$(sed -n 's/^saves //p' <<<"$out")
	is "$(grep -o 'reached [0-9]* times' <<<"$out" | tr '\n' ,)" \
		"reached $calls times,reached $calls times," \
		"$name: each hit is counted once"
	is "$(sed -n 's/.*1 -> 2 *\([0-9,]*\).*/\1/p' <<<"$out" | tr -d ,)" \
		"$calls" "$name: each execution is counted once"
}

# counted_amid NAME: the counts are right, whether the leg matches by order or by
# frame
counted_amid() {
	counted_with "$1" 'break entry saves if 1' 'break exit saves if 1' \
		'add leg 1 2'
	counted_with "$1, by frame" 'time saves'
}

home=('condition 1 $fs_base != 1' 'condition 2 $fs_base != 1')
away=('condition 1 1' 'condition 2 1')

commands=()
for ((i = 0; i < 40; i++)); do
	at "$amid" "${home[@]}"
	at "$first" "${away[@]}"
done
counted_amid 'nodes moved to their own places during a handler'

commands=()
for ((i = 0; i < 40; i++)); do
	at "$first" "${home[@]}"
	at "$amid" "${away[@]}"
done
counted_amid 'nodes moved to neighbouring places during a handler'

commands=()
for ((i = 0; i < 40; i++)); do
	at "$amid" 'break saves+1 if 1' 'break saves+14 if 1'
	at "$first" "delete break $((2 * i + 5))" "delete break $((2 * i + 6))"
done
counted_amid 'breakpoints set nearby during a handler'

commands=()
for ((i = 0; i < 40; i++)); do
	at "$first" 'break saves+1 if 1' 'break saves+14 if 1'
	at "$amid" "delete break $((2 * i + 5))" "delete break $((2 * i + 6))"
done
counted_amid 'breakpoints deleted nearby during a handler'

done_testing

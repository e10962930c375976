#!/usr/bin/env bash
# Programs that use SIGTRAP themselves see what they would see without the tool.
# tier: core
# covers: probe/survive
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

# counted NAME: entries and exits are as many as the program says
counted() {
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(sed -n 's/^work //p' <<<"$alone" | sed 's/.*/& &/')" \
		"$1: work() is counted as by the program"
}

# same NAME PROGRAM [ARG...]: while it is measured, the program prints what it
# prints alone
same() {
	local name=$1
	shift
	alone=$("$@")
	times work -- "$@"
	is "$status" 0 "$name: the program ends with status 0"
	is "$out" "$alone" "$name: the output is as without perftool"
	counted "$name"
}

for how in raise int3 step block-handled pending ignore change once fork \
	thread spawn; do
	same "$how" "$PROGRAMS/traps" "$how"
done
for how in block-handled pending ignore change fork; do
	same "$how, static" "$PROGRAMS/traps_static" "$how"
done

# The tool first learns what the program does at a node of one byte.
batch 'break exit work if 1' -- "$PROGRAMS/traps" pending
is "$status $out" "0 $("$PROGRAMS/traps" pending)" \
	'pending, only exits measured: the output is as without perftool'
is "$(json 'node(1)["count"]')" 100 'pending, only exits measured: all exits are counted'

# A signal mask is lost if nothing tells the tool about it: the default is reset
# to the default.
alone=$("$PROGRAMS/traps" block)
times work -- "$PROGRAMS/traps" block
is "$status" 0 'block: the program ends with status 0'
is "$out" "${alone/after: blocked 1/after: blocked 0}" \
	'block: the output differs only by SIGTRAP being unblocked'
counted block

# The signal was ignored before the program began, and the programs that it
# executes ignore it too.
same 'inherited' sh -c "trap '' TRAP; exec '$PROGRAMS/traps' inherited"

# A node in a function in which the tool itself has a breakpoint.
try perftool -q -n -f json -o t.json -t work -t sigaction -- \
	"$PROGRAMS/traps" change
is "$status" 0 'sigaction is measured: the program ends with status 0'
is "$out" "$("$PROGRAMS/traps" change)" 'sigaction is measured: the output is as without perftool'
is "$(json 'entry("sigaction")["count"], exit("sigaction")["count"],
	entry("work")["count"]')" '15 15 800' 'sigaction is measured: sigaction() and work() are counted'

# The program has its own int3 at a place where the tool had one before.
own=0x$(nm "$PROGRAMS/traps" | sed -n 's/ T own_int3$//p')
try perftool -q -n -e 'break main' -e run -e "break *$own if 1" -e 'disable 2' \
	-e continue "$PROGRAMS/traps" int3
is "$status $out" "0 $("$PROGRAMS/traps" int3)" \
	'the program sees its own int3 where a breakpoint was'

# Without a function sigaction(), the tool does not learn of changes.
objcopy --strip-symbol=sigaction --strip-symbol=__sigaction \
	"$PROGRAMS/traps_static" unheard
times work -- ./unheard kept
is "$status" 0 'no sigaction(): the program ends with status 0'
like "$out" 'kept: blocked 1, handled' 'no sigaction(): mask and handler are kept until the end'
times work -- "$PROGRAMS/traps" raw
is "$status" 0 'set behind its libc'\''s back: status'
like "$out" 'kept: blocked 1, handled' \
	'set behind its libc'\''s back: kept in the end'

# ---- signals of the program's own that come while a thread is at a node ----
for mechanism in auto int3; do
	MECHANISM=$mechanism
	if [ "$("$PROGRAMS/trapped" perf)" != 'no event' ]; then
		times touch -- "$PROGRAMS/trapped" perf
		is "$status $out" '0 traps enough wrong 0' \
			"$mechanism, signals of a perf event: each comes"
		is "$(json 'time("touch")["count"]')" 100 \
			"$mechanism, signals of a perf event: each call is counted"
	fi
	times work -- "$PROGRAMS/trapped" kill 100
	is "$status $(own traps) $(own wrong)" '0 100 0' \
		"$mechanism, signals to the process: each comes"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" \
		"$mechanism, signals to the process: each call is counted"
	# Of 1,000 signals, some are sent while the thread executes the int3 at its `ret`.
	times work -- "$PROGRAMS/trapped" tgkill "$(in_full && echo 5000 || echo 100)"
	is "$status $(own wrong)" '0 0' "$mechanism, signals to a thread: no harm is done"
	ok "$mechanism, signals to a thread: some come" [ "$(own traps)" -gt 0 ]
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" \
		"$mechanism, signals to a thread: each call is counted"
done
MECHANISM=

# ---- attached to ----
work=$(address_of work "$PROGRAMS/traps")
serve "$PROGRAMS/traps" serve
is "$reply" 'ready: blocked 1, handled' 'attached: the program blocks and handles SIGTRAP before'
for round in first second; do
	start perftool -q -n -b -f json -o t.json -t work -p "$server" \
		2>tool.err
	tool=$started
	ok "attached, $round time: the function is patched" wait_for 20 \
		has_patch "$server" "$work"
	for n in 100 50; do
		says $n 'worked: blocked 1, handled' \
			"attached, $round time: mask and handler are kept while measured"
	done
	end_tool INT
	is "$status" 0 "attached, $round time: perftool ends with status 0"
	like "$(cat tool.err)" 'handles SIGTRAP itself' \
		"attached, $round time: a warning says that the program handles SIGTRAP"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		'150 150' "attached, $round time: entries and exits are counted"
	says 10 'worked: blocked 1, handled' "attached, $round time: mask and handler are kept after detaching"
done
exec 3>&- 4>&-

# The program single-steps through the functions that are measured.
alone=$("$PROGRAMS/traps" step)
times stepped flags -- "$PROGRAMS/traps" step
is "$status" 0 'step across nodes: the program ends with status 0'
is "$out" "$alone" 'step across nodes: each step happens once, at the same place'
is "$(json 'entry("stepped")["count"], exit("stepped")["count"]')" '6 6' \
	'step across nodes: stepped() is counted'
is "$(json 'entry("flags")["count"], exit("flags")["count"]')" '3 3' \
	'step across nodes: a function that reads the flags is counted'
done_testing

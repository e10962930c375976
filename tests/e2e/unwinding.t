#!/usr/bin/env bash
# Frames that are left without a return: the counts follow the rules for frames
# and are exactly those of the program.
# tier: core
# covers: measure probe/arrival
# again: int3
. "$(dirname "$0")/../lib.sh"

# frames FUNC COUNT UNWOUND DISCARDED NAME: the leg has these figures, and open
# is 0
frames() {
	is "$(json "[time('$1')[k] for k in
		('count', 'unwound', 'discarded', 'open')]")" "$2 $3 $4 0" "$5"
}

# A frame that a longjmp has left is unwound when its stack is used again: by
# the next call that is as deep or less deep. The frames that the last longjmp
# left are given up at the end.
times descend -- "$PROGRAMS/longjmp"
frames descend "$(own left)" "$(own unwound)" 0 'longjmp: frames that are left are unwound'
is "$(json 'kept()')" True 'longjmp: the counts of legs and nodes agree'

times handle parse -- "$PROGRAMS/exceptions"
# after the last exception there is no further call that would show it
frames 'handle(int)' 300 99 1 'exceptions: frames that an exception passes are unwound'
is "$(json 'sum(l["unwound"] + l["discarded"] for l in t["legs"]
	if "parse" in [n["function"] for n in t["nodes"]
		if n["id"] == l["from"]][0])')" "$(own thrown)" \
	'exceptions: every frame that throws is unwound or discarded'
is "$(json 'kept()')" True 'exceptions: the counts of legs and nodes agree'

# 200 threads, of which every second one is cancelled at depth 4: no function is
# entered on that stack again, so that all frames end with the thread.
times deep after -- "$PROGRAMS/cancel"
is "$status" 0 'pthread_cancel: the program ends with status 0'
is "$(json 'entry("deep")["count"], exit("deep")["count"]')" \
	"$(own entered) $(own left)" 'pthread_cancel: entries and exits are counted as by the program'
frames deep "$(own left)" 0 "$(own lost)" 'pthread_cancel: frames of cancelled threads are discarded'
frames after "$(own cleaned)" 0 0 'pthread_cancel: calls of clean-up handlers are timed'
is "$(json 'kept()')" True 'pthread_cancel: the counts of legs and nodes agree'

# Coroutines: the depth of a frame says nothing, but the very same CFA does. The
# last frames end with the program.
times step -- "$PROGRAMS/coroutines"
is "$status" 0 'coroutines: the program ends with status 0'
is "$(json 'entry("step")["count"], exit("step")["count"]')" \
	"$(own entered) $(own left)" 'coroutines: entries and exits are counted as by the program'
frames step "$(own left)" 0 "$(own abandoned)" \
	'coroutines: frames on abandoned stacks are discarded, others are timed'
is "$(json 'kept()')" True 'coroutines: the counts of legs and nodes agree'

# Signal stacks: outer() is left on its own stack, and inner() on the signal
# stack.
times outer inner -- "$PROGRAMS/altstack"
is "$status" 0 'signal stack: the program ends with status 0'
is "$(json 'entry("outer")["count"], exit("outer")["count"]')" \
	"$(own outer_entered) $(own outer_left)" 'signal stack: outer() is counted as by the program'
is "$(json 'entry("inner")["count"], exit("inner")["count"]')" \
	"$(own inner_entered) $(own inner_left)" 'signal stack: inner() is counted as by the program'
frames outer "$(own outer_left)" \
	$(($(own outer_entered) - $(own outer_left))) 0 \
	'signal stack: frames that a jump out of the handler leaves are unwound'
frames inner "$(own inner_left)" 0 \
	$(($(own inner_entered) - $(own inner_left))) \
	'signal stack: frames left on the signal stack are discarded'
is "$(json 'kept()')" True 'signal stack: the counts of legs and nodes agree'
done_testing

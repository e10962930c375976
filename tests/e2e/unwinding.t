#!/usr/bin/env bash
# Frames that are left without a return: the counts follow the rules for frames
# and are exactly those of the program.
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
frames descend "$(own left)" "$(own unwound)" 0 'longjmp, in the first thread'
is "$(json 'kept()')" True 'longjmp: nothing disappears'

times handle parse -- "$PROGRAMS/exceptions"
# after the last exception there is no further call that would show it
frames 'handle(int)' 300 99 1 'exceptions: a frame that is passed'
is "$(json 'sum(l["unwound"] + l["discarded"] for l in t["legs"]
	if "parse" in [n["function"] for n in t["nodes"]
		if n["id"] == l["from"]][0])')" "$(own thrown)" \
	'exceptions: frames that throw'
is "$(json 'kept()')" True 'exceptions: nothing disappears'

# 200 threads, of which every second one is cancelled at depth 4: no function is
# entered on that stack again, so that all frames end with the thread.
times deep after -- "$PROGRAMS/cancel"
is "$status" 0 'pthread_cancel: status'
is "$(json 'entry("deep")["count"], exit("deep")["count"]')" \
	"$(own entered) $(own left)" 'pthread_cancel: entries and exits'
frames deep "$(own left)" 0 "$(own lost)" 'pthread_cancel: executions'
frames after "$(own cleaned)" 0 0 'pthread_cancel: clean-up handlers'
is "$(json 'kept()')" True 'pthread_cancel: nothing disappears'

# Coroutines: the depth of a frame says nothing, but the very same CFA does. The
# last frames end with the program.
times step -- "$PROGRAMS/coroutines"
is "$status" 0 'coroutines: status'
is "$(json 'entry("step")["count"], exit("step")["count"]')" \
	"$(own entered) $(own left)" 'coroutines: entries and exits'
frames step "$(own left)" 0 "$(own abandoned)" \
	'coroutines: stacks that take turns, and some that are abandoned'
is "$(json 'kept()')" True 'coroutines: nothing disappears'

# Signal stacks: outer() is left on its own stack, and inner() on the signal
# stack.
times outer inner -- "$PROGRAMS/altstack"
is "$status" 0 'signal stack: status'
is "$(json 'entry("outer")["count"], exit("outer")["count"]')" \
	"$(own outer_entered) $(own outer_left)" 'signal stack: outer'
is "$(json 'entry("inner")["count"], exit("inner")["count"]')" \
	"$(own inner_entered) $(own inner_left)" 'signal stack: inner'
frames outer "$(own outer_left)" \
	$(($(own outer_entered) - $(own outer_left))) 0 \
	'signal stack: frames below a handler that jumps'
frames inner "$(own inner_left)" 0 \
	$(($(own inner_entered) - $(own inner_left))) \
	'signal stack: frames on it'
is "$(json 'kept()')" True 'signal stack: nothing disappears'
done_testing

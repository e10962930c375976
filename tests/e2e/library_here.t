#!/usr/bin/env bash
# Sessions of the library that work on the thread of their caller
# (tests/drivers/here.c): what a user interface stands on.
# tier: core
# covers: library
. "$(dirname "$0")/../lib.sh"

here=$BUILD/tests/drivers/here
marked=$PROGRAMS/marked

# has NAME: the value that the last program has printed after this name
has() {
	sed -n "s/^$1 //p" <<<"$out"
}

# ---- the functions of perftool.h ----
try "$here" public "$marked" 2000 3
is "$status $err" '0 ' 'a program is measured'
like "$out" 'Leg 0: nodes 1 -> 2, entry of work' 'commands write to the files of the session'
is "$(has output)" '[]' 'and return no text'
is "$(has count), $(has status), $(has json)" '2000, 3 0, {' \
	'the leg, the exit status and the tables are those of the program'
is "$(has called) $(has stops)" '1 1' 'the user interface is told of the run and of its end'
is "$(has seen)" 1 'a callback calls the session, and sees what was counted so far'

# ---- a whole measurement ----
try "$here" measure "$marked" 2000 3
is "$status $err" '0 ' 'a program that was chosen is measured to its end'
is "$(has 'at first')" 'program 0 process 0 run 0 requests 0 ended 0 status 0 commands 0 done 0' \
	'the state at first'
is "$(has before)" 'program 1 process 0 run 0 requests 1 ended 0 status 0 commands 2 done 0' \
	'the state before the run'
is "$(has after)" 'program 1 process 0 run 1 requests 1 ended 1 status 3 commands 2 done 0' \
	'the state after it'
is "$(has 'in time')" 0 'the program has ended by itself'
is "$(has resolved)" '0 1' 'a place that was never found is told'
is "$(has expected) $(has report)" '0 1' \
	'an expectation is checked against the calls with the condition, which the report has'
try "$here" limit "$marked" loop
is "$status $(has in)" '0 time 1, process 0, status 130' 'a time ends the measurement, and the program'

# ---- at a prompt ----
try "$here" prompt "$marked" loop
is "$status $err" '0 ' 'a session with a prompt'
is "$(has asked), $(has whole)" 'function after [time ], time work' \
	'the user is asked for what a command lacks'
is "$(has questions)" 1 'and whether to leave'
like "$(has left)" 'process 1 .* done 1' 'quit is seen in the state, and ends nothing by itself'
is "$(has flushes | xargs) $(has notes)" '0 1 1' \
	'the user interface hears of output, and of remarks'

# ---- other threads ----
try "$here" threads "$marked" loop
is "$status $err" '0 ' 'another thread'
like "$(has other)" 'another thread has made the session' 'cannot call the session'
is "$(has interrupted)" interrupted 'but can interrupt it'

done_testing

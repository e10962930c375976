#!/usr/bin/env bash
# libperftool: programs that measure other programs by the shared library
# (tests/library/outside.c), and what the library shows.
# tier: core
# covers: library
. "$(dirname "$0")/../lib.sh"

outside=$BUILD/tests/library/outside
marked=$PROGRAMS/marked

# has NAME: the value that the last program has printed after this name
has() {
	sed -n "s/^$1 //p" <<<"$out"
}

# ---- one run ----
try "$outside" measure "$marked" 2000 3
is "$status $err" '0 ' 'a program is measured'
like "$(has said)" '^Leg 0: nodes 1 -> 2, entry of work' 'a command has its output'
is "$(has count)" "$(has calls)" 'the leg has the count that the program knows'
is "$(has in_buckets)" 2000 'the buckets hold all executions'
is "$(has name), $(has from), $(has to)" 'work, work, return work' \
	'the leg has its name and its places'
is "$(has is_plausible)" 1 'the times of the leg fit together'
is "$(has node)" '1 2000 work work' 'the node has its count, its place and its function'
is "$(has further)" 0 'there is no leg behind the last one'
is "$(has table) $(has json)" '1 1' 'the tables come as text and as JSON'
is "$(has status) $(has pid)" '3 0' 'the exit status is that of the program'

# ---- operations of front ends ----
try "$outside" operations "$marked" 2000 3
is "$status $err" '0 ' 'operations are carried out'
is "$(has detail)" \
	'{"detail":[{"item":"marked.c:work","value":true,"agent":"cpu","functions":1}]}' \
	'an operation has its reply'
is "$(has clear)" '{}' 'the reply without data is an empty object'
is "$(has dyper)" PONG 'the command dyper carries them out, too'
is "$(has count) $(has who)" '2000 1' 'what an operation has made counts every call'

# ---- in pieces ----
try "$outside" pieces "$marked" loop
is "$status $err" '0 ' 'a program is run in pieces'
is "$(has grown) $(has still)" '5 5' \
	'the program runs in each piece, and stands still between two'
is "$(has count)" "$(has calls)" 'all pieces together have the right count'

# ---- attached ----
start "$marked" loop >calls.txt
pid=$started
try "$outside" attach "$pid"
is "$status $err" '0 ' 'a process is attached to'
is "$(has is_measured) $(has counted)" '1 1' 'the process is measured'
is "$(has lives)" 1 'the process lives on when the session has ended'
try "$outside" together "$pid"
is "$status $err $(has asked)" '0  200' 'ten threads ask the same session'
try "$outside" notices "$pid" "$marked" loop
is "$status $err" '0 ' 'a session sends notices'
is "$(has reports) $(has dumps) $(has both)" '1 1 1' \
	'reports and dumps come while nobody calls the session'
is "$(has in_runs) $(has launched)" '1 1' 'and during runs'
is "$(has only_dumps) $(has ended)" '1 1' 'REPORTTIME 0 ends the reports, and not the dumps'
is "$(has wrong)" 0 'they have the form of the replies'
like "$(has refused)" '^SHOWSTACK is for callers that get notices' \
	'without a handler of events they are refused'
kill -TERM "$pid"
wait "$pid"
is "$?" 0 'the process then ends as it does by itself'
like "$(cat calls.txt)" 'calls [1-9]' 'its code is whole'

# ---- settings, completion, ends ----
try "$outside" ends "$marked" loop
is "$status $err" '0 ' 'a program is let go, and another one is ended'
is "$(has words)" 'break entry wor@mark:16 marked
xyzzy :6' 'the beginning of a command is completed'
is "$(has set)" "format is one of text|json|csv, not 'nonsense'
{" 'a setting gets another value, and refuses one that it cannot have'
is "$(has none), $(has nothing), $(has text)" \
	'the program is not being run, the program is not being run, untouched' \
	'detaching and ending without a process are errors'
like "$(has detached)" '^Detached from process [0-9]+; it goes on by itself$' \
	'detaching says what it has done'
like "$(has again)" 'not being run' 'after that, nothing is measured'
is "$(has on) $(has lived)" '0 1' 'the program has lived on, and ends as it does by itself'
is "$(has ended) $(has said)" '130 []' 'a program that was launched is ended by SIGINT'

# ---- errors ----
try "$outside" errors "$marked" loop
is "$status $err" '0 ' 'errors are returned'
is "$(has code)" 1 'an error has its code'
like "$(has launch)" 'not found' 'a program that does not exist'
like "$(has run)" 'no program to run; launch one' 'a run without a program'
like "$(has duration)" 'no duration' 'a duration below -1'
like "$(has status)" 'no program was run' 'the exit status without a program'
like "$(has attach)" 'does not exist' 'a pid that does not exist'
like "$(has itself)" 'cannot measure itself: another process' 'the pid of the process itself'
like "$(has command)" 'did you mean time' 'a command that does not exist'
is "$(has output)" NULL 'a command that fails has no output'
like "$(has operation)" 'no operation .frobnicate' 'an operation that does not exist'
is "$(has operation_code) $(has operation_output)" '1 NULL' 'it has its code, and no reply'
is "$(has no_command_output) $(has no_session_output) $(has no_operation_output)" \
	'NULL NULL NULL' 'nor has one without a command, a session or a request'
is "$(has no_line)" '-1 NULL' 'nor spy_command() without a line'
like "$(has 'null session operation')" 'is NULL$' 'NULL as the session of an operation'
like "$(has leg), $(has node)" 'no leg 9, there is no node 1' 'a number that does not exist'
is "$(has untouched)" 1 'a function that fails leaves its results alone'
for name in session create path command operation leg status; do
	like "$(has "null $name")" 'is NULL$' "NULL as an argument: $name"
done
like "$(has twice)" 'is being measured; the command .kill' 'a second program at the same time'
is "$(has killed)" 1 'the end of a session kills the program that it has launched'

# ---- events ----
try "$outside" events "$marked" loop
is "$status $err" '0 ' 'a handler hears of events'
is "$(has progress) $(has stops)" '1 1' 'progress and stops are events'
is "$(has interrupted)" 1 'a handler interrupts the run'
is "$(has refused)" 1 'a handler may call no other function of its session'

# ---- the surroundings ----
try "$outside" surroundings "$marked" 100000
is "$status $err" '0 ' 'a process that has children, signals and handlers of its own'
is "$(has word)" of-the-caller 'the program has the environment that was asked for'
is "$(has count)" 100000 'it is measured as ever'
is "$(has changed) $(has mask)" '0 1' 'handlers and the mask of signals are as before'
is "$(has child)" 1 'the process can wait for its own child'
is "$(has alarms)" 1 'SIGALRM comes once, to the handler of the process'

# ---- several sessions ----
try "$outside" several "$marked" 2000
is "$status $err $(has count | sort | uniq -c | xargs)" '0  5 2000' \
	'sessions one after another, and two at once'

# ---- the end ----
try "$outside" closing "$marked" loop
is "$status $err $(has interrupted)" '0  1' \
	'three threads close a session while another thread runs its program'
is "$(has closed)" 'the session is closed' 'later calls are errors'
is "$(has destroyed)" later 'figures live until the session is freed'
is "$(has refused)" 1 'a handler can neither close nor free its session'
is "$(has child) $(has 'run in child'), $(has 'close in child')" \
	'1 the session belongs to the parent process, the session belongs to the parent process' \
	'nor can a child of fork(2)'

# ---- what the library shows ----
declared=$(grep -oE '\<(perftool|spy)_[a-z_]+\(' "$ROOT/include/perftool.h" |
	tr -d '(' | grep -v _fn | sort -u)
shown=$(nm -D --defined-only "$BUILD/libperftool.so" |
	sed -n 's/.* T \(.*\)@@PERFTOOL_0.1$/\1/p' | sort -u)
is "$shown" "$declared" 'the library shows the functions of perftool.h, with a version'
is "$(nm -D --defined-only "$BUILD/libperftool.so" | grep -vc '@@PERFTOOL_0.1\|A PERFTOOL_0.1')" \
	0 'and nothing else'
like "$(readelf -d "$BUILD/libperftool.so")" 'SONAME.*\[libperftool\.so\.0\]' \
	'the library has its soname'
unlike "$(readelf -d "$BUILD/libperftool.so")" 'TEXTREL|libedit|libxml2' \
	'its code needs no relocation, and it needs no library of the user interface'
done_testing

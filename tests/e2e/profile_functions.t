#!/usr/bin/env bash
# `profile functions`: what the Amiga's profiler could not count or time, is
# counted and timed: recursion, longjmp, exit, static functions, libraries,
# assembly, waiting, the profiler's own time, and results while it runs.
# tier: core full
# covers: session/profiling profile report/listings
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/profiled.sh"

# about EXPRESSION: evaluates an expression of Python. `f` has the functions by
# name; f[NAME] is 0 calls if NAME was not called.
about() {
	json "[($1)]" f.json
}

# agrees NAME: the program has printed for each function how often it was
# called, and how often it did not return, and so has the tool.
agrees() {
	grep -E '^[a-z_]+ [0-9]+ [0-9]+$' <<<"$out" >truth
	is "$(about "''.join(' %s: %s' % (name, f[name])
		for name, *wanted in map(str.split, open('truth'))
		if [f[name]['calls'], f[name]['unreturned']] != [*map(int, wanted)])")" \
		'' "$1: calls and ends are those of the program"
	ok "$1: there are such functions" [ -s truth ]
}

called=$PROGRAMS/called

# compared NAME PATTERN... -- ARG...: profiles the program, which must agree
compared() {
	local name=$1
	shift
	one_in 4 || return
	profiled "$@"
	agrees "$name"
}

for mechanism in auto int3 ring; do
	SETTINGS="set mechanism $mechanism"
	[ "$mechanism" != ring ] || SETTINGS='set counting ring'

	profiled '*' -- "$called" recursion
	is "$status" 0 "$mechanism: the tool ends with status 0"
	agrees "$mechanism, recursion"

	compared "$mechanism, tail jumps" '*' -- "$called" jumps
	# only one of the functions through which the frame goes is named
	compared "$mechanism, tail jumps through a pointer" jumps_twice -- \
		"$called" pointers
	compared "$mechanism, assembly without a frame" '*' -- "$called" assembly
	compared "$mechanism, static functions, libraries, indirect functions" \
		compare qsort@libc.so.6 strchr@libc.so.6 -- "$called" library
	for way in exit _exit exec kill thread; do
		compared "$mechanism, $way" '*' -- "$called" "$way"
	done
	compared "$mechanism, threads" '*' -- "$called" nested
done
unset SETTINGS

# If each of 21 nested calls counted its whole time, the sum would be 11 times
# as long.
profiled '*' -- "$called" recursion
is "$(about "0 < f['deeper']['total_ns'] <= 3 * (f['deeper']['self_ns'] +
	f['leaf']['self_ns'])")" True 'recursion counts once in the time with children'

profiled '*' -- "$called" abyss
agrees 'deep recursion'
profiled '*' -- "$called" thread
is "$(about "f['outer_thread']['total_ns'] > 0.9 * f['inner_thread']['total_ns'] > 0")" \
	True 'what a thread has open ends with it'
profiled '*' -- "$called" cancel
is "$(about "f['run_nested']['calls'], f['run_thread']['calls'] ==
	f['run_thread']['unreturned']")" '(0, True)' \
	'calls that are open when a thread is cancelled end with it'

# ---- unwinding ---------------------------------------------------------------

own() { # NAME: prints this value from the output of the program
	sed -n "s/.*\\b$1[ =]\\([0-9]*\\).*/\\1/p" <<<"$out" | head -1
}

profiled descend -- "$PROGRAMS/longjmp"
is "$(about "f['descend']['calls'], f['descend']['unreturned']")" \
	"($(($(own left) + $(own unwound))), $(own unwound))" \
	'longjmp: calls that it leaves count, and are marked'
profiled '*parse*' -- "$PROGRAMS/exceptions"
is "$(about "sum(x['unreturned'] for x in f.values())")" "$(own thrown)" \
	'exceptions: calls that they leave count, and are marked'
profiled step -- "$PROGRAMS/coroutines"
is "$(about "f['step']['calls'], f['step']['unreturned']")" \
	"($(own entered), $(own abandoned))" \
	'coroutines: calls on other stacks are counted'
profiled outer inner -- "$PROGRAMS/altstack"
is "$(about "[f[x]['calls'] for x in ('outer', 'inner')]")" \
	"[$(own outer_entered), $(own inner_entered)]" \
	'signal stack: all calls are counted'
is "$(about "[f[x]['calls'] - f[x]['unreturned'] for x in ('outer', 'inner')]")" \
	"[$(own outer_left), $(own inner_left)]" \
	'signal stack: so are those that return'

# Handlers on the signal stack belong to what they interrupt, and are gone when
# the thread is on its own stack again.
profiled '*' -- "$PROGRAMS/altstack"
is "$(about "[f[x]['calls'] for x in ('outer', 'on_signal', 'inner')]")" \
	"[$(own outer_entered), $(own outer_entered), $(own inner_entered)]" \
	'signal stack: handlers are counted, too'
# who called outer, by the arcs of the profile
try perftool -q -n -b -e "profile calls '*'" -e run -e 'save profile p.json' \
	-- "$PROGRAMS/altstack"
is "$(/usr/bin/python3 -c 'import json
arcs = json.load(open("p.json"))
name = {x["id"]: x["name"] for x in arcs["functions"]}
print(*sorted({name.get(x["caller"]) for x in arcs["arcs"]
               if name[x["callee"]] == "outer"}))')" rounds \
	'signal stack: a handler that jumps away ends with the jump'

# Behind each end the program works for much longer than the call has taken, on a CPU.
# on_cpu FUNCTION: an expression for its time there, if it is known, else all of its time
on_cpu() {
	echo "(f['$1']['cpu_ns'] or f['$1']['total_ns'])"
}
for mechanism in $(sampled 1 auto int3 ring); do
	SETTINGS="set mechanism $mechanism"
	[ "$mechanism" != ring ] || SETTINGS='set counting ring'
	profiled 'jumps_*' 'goes_on_*' throws cleans_up catches -- "$PROGRAMS/unwound"
	is "$(about "[(f[x]['calls'], f[x]['unreturned']) for x in
		('jumps_inner', 'jumps_outer', 'throws', 'cleans_up', 'catches')]")" \
		"$(l=$(own left); echo "[($l, $l), ($l, $l), ($l, $l), ($l, $l), ($l, 0)]")" \
		"$mechanism: what is unwound is marked, and what catches returns"
	is "$(about "$(on_cpu jumps_outer) < $(own after_ns) / 6,
		$(on_cpu throws) < $(own after_ns) / 6")" '(True, True)' \
		"$mechanism: a call ends when longjmp or an exception leaves it"
	is "$(about "$(on_cpu cleans_up) < $(own after_ns) / 2")" True \
		"$mechanism: a frame that an exception cleans up ends after that"
done
unset SETTINGS

# ---- time --------------------------------------------------------------------

profiled '*' -- "$called" waits
is "$(about "f['both']['total_ns'] >= f['wait_a_while']['total_ns'] +
	f['work_a_while']['total_ns']")" True \
	'the time with children is not less than that of the children'
is "$(about "f['both']['self_ns'] < f['both']['total_ns'] / 2")" True \
	'the time of the function itself is without that of the children'
is "$(about "f['wait_a_while']['waiting_ns'] is None or
	f['wait_a_while']['waiting_ns'] > f['wait_a_while']['total_ns'] / 2")" True \
	'waiting is told apart where context switches are known'
is "$(about "f['work_a_while']['cpu_ns'] is None or
	f['work_a_while']['cpu_ns'] > 2 * f['wait_a_while']['cpu_ns']")" True \
	'work is no waiting'
try perftool -q -n -b -e "profile functions 'w*_a_while' both" -e run \
	-e 'print functions by=cpu' -- "$called" waits
if [ "$(about "f['both']['cpu_ns'] is None")" = True ]; then
	like "$status $err" '^125 .*without by=cpu, times are the elapsed ones' \
		'by=cpu says that the time on a CPU is not known'
else
	like "$out" 'work_a_while.*wait_a_while' \
		'by=cpu: what waits comes after what works'
fi
try perftool -q -n -b -e "profile calls 'w*_a_while' both" -e run \
	-e 'print graph by=cpu' -- "$called" waits
like "$status $out $err" '^0 .* on a CPU|^125 .*without by=cpu' \
	'and so does print graph'
# What short threads do on a CPU is known wherever the hits that the tool makes
# itself would show it.
SETTINGS='set counting ring'
profiled both -- "$called" shifts
known=$(about "f['both']['cpu_ns'] is not None")
SETTINGS='set mechanism auto'
profiled both -- "$called" shifts
is "$(about "f['both']['cpu_ns'] is not None")" "$known" \
	'threads that count by themselves: their waiting is known'
unset SETTINGS
used=$(sed -n 's/^used //p' <<<"$out")
is "$(about "f['both']['cpu_ns'] is None or
	0.8 < f['both']['cpu_ns'] / ($used * 1000) < 1.25")" True \
	'time on a CPU is that which the program has read'
# The stops of the thread at 1,140 int3s are most of the measured time.
try perftool -q -n -b -e 'set mechanism int3' -e 'set format json' -e 'monitor on' \
	-e "profile functions '*'" -e run -e 'print functions > f.json' \
	-e 'print tables > t.json' -- "$called" recursion
least=$(json 't["summary"]["elapsed_ns"] - t["summary"]["overhead_ns"] // 2')
try perftool -q -n -b -e 'set mechanism int3' -e "profile functions 'work*' main" \
	-e run -e 'print functions' -- "$called" recursion
like "$out" 'Calls that stop the thread at an int3' \
	'functions are named whose calls stop the thread'
try perftool -q -n -b -e 'set mechanism auto' -e "profile functions merge" -e run \
	-e 'print functions' "$SAMPLES/sort"
unlike "$out" 'at an int3' 'a function whose calls are counted by jumps is not named'
ok "the tool's own time is taken out" \
	[ "$(about "f['main']['total_ns']")" -lt "$least" ]

# What the tool takes of the program is no part of the whole.
SETTINGS='set mechanism int3' profiled '*' -- "$called" recursion
is "$(about "[n for n, x in f.items() if abs(x['percent'] - 100 * x['total_ns'] /
	sum(max(0, t['self_ns']) for y in f.values() for t in y['threads'])) > 0.011]")" '[]' \
	'percentages are of the time of all calls'
try perftool -q -n -b -e 'set mechanism int3' -e "profile calls '*'" -e run \
	-e 'print functions -v' -e 'print graph' -- "$called" recursion
like "$out" 'functions took .* in all threads' 'the whole is said'
is "$(grep -Ec '(^|[ <])-[0-9]' <<<"$out")" 0 'no time is below 0'

# ---- threads that have ended are added up ------------------------------------

# many THREADS: profiles brief(), which so many short threads call twice each. Sets
# $memory, which is what the tool has used at most, in KiB.
many() {
	WRAP="/usr/bin/python3 $PWD/memory.py" profiled brief -- "$PROGRAMS/storm" "$1" 1
	memory=$(<memory)
}
cat >memory.py <<'END'
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
with open("memory", "w") as file:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)
sys.exit(status)
END
added_up() {
	json "[(t['threads_added_up'], len(x['threads']), x['calls'],
		sum(y['calls'] for y in x['threads']),
		[y['calls'] for y in x['threads'] if y['tid'] is None])
		for x in t['functions']]" f.json
}
many 100
is "$(added_up)" '(0, 100, 200, 200, [])' 'few threads that have ended have a row each'
if in_full; then
	few=$memory
	many 3000
	is "$(added_up)" '(2000, 1001, 6000, 6000, [4000])' \
		'of many, 1,000 have a row each, and the others have one'
	many_more=$memory
	many 9000
	is "$(added_up)" '(8000, 1001, 18000, 18000, [16000])' \
		'of more, as many, and each call is counted'
	ok 'the memory of the tool does not grow with the number of threads' \
		[ $((memory - many_more)) -lt $(((many_more - few) / 2 + 500)) ]
	diag <<<"KiB: $few, $many_more, $memory"
	try perftool -q -n -b -e 'profile functions brief' -e run -e 'print functions -v' \
		-- "$PROGRAMS/storm" 3000 1
	like "$out" $'\n *4,000 .* threads that have ended\n.*added up: 2,000\\.' \
		'print functions -v says how many were added up'
fi

# ---- which functions ---------------------------------------------------------

strip -o stripped "$called"
profiled '*' -- ./stripped recursion
ok 'functions of a stripped program are counted' \
	[ "$(about "{210, 50, 260} <= {f[x]['calls'] for x in f if '+0x' in x}")" = True ]
profiled '*' -- "$PROGRAMS/static"
ok 'functions of a static program are counted' \
	[ "$(about "f['main']['calls']")" = 1 ]
profiled leaf 'l*f' leaf -- "$called" recursion
is "$(about "f['leaf']['calls']")" 260 'a function that is named twice is counted once'
fails_with 125 'no function of called is named nothing\*' \
	'a pattern that names nothing is an error' \
	perftool -q -n -b -e "profile functions 'nothing*'" -- "$called" leaf
fails_with 125 'no function' 'a name that no module has is an error' \
	perftool -q -n -b -e "profile functions nothing" -- "$called" leaf

# ---- with others -------------------------------------------------------------

for mechanism in auto int3; do
	try perftool -q -n -b -e "set mechanism $mechanism" -e 'set format json' \
		-e "profile functions '*'" -e 'time leaf deeper' -e 'break even if 1' \
		-e run -e 'print functions > f.json' -e 'print tables > t.json' -- \
		"$called" recursion
	agrees "$mechanism, beside time and break"
	is "$(json '[n["count"] for n in t["nodes"]], [l["count"] for l in t["legs"]]')" \
		'[260, 260, 210, 210, 50] [260, 210]' \
		"$mechanism: nodes and legs count as without the profile"
done
try perftool -q -n -b -e "profile functions '*'" -e 'break even' -e run -e continue \
	-e 'delete 1' -e continue -e 'list breaks' -e 'print functions' -- \
	"$called" recursion
unlike "$out" '\*@called' 'the breakpoints of the profile are in no list'
like "$out" ' 210 .*deeper' 'a breakpoint that stops the program changes no count'

# ---- on and off --------------------------------------------------------------

try perftool -q -n -b -e "profile functions '*'" -e 'break entry told' -e run \
	-e 'set format json' -e 'print functions > f.json' -e 'profile calls off' \
	-e continue -e continue -e 'print functions > g.json' -e 'profile calls' \
	-e continue -e kill -- "$called" recursion
is "$(about "f['main']['calls'], f['main']['unreturned'], f['deeper']['calls']")" \
	'(1, 0, 210)' 'while the program runs, what is open counts until now'
leaves=$(about "f['leaf']['calls']")
mv g.json f.json
is "$(about "f['leaf']['calls']") $((leaves > 0))" "$leaves 1" \
	'off: no more calls are counted'
is "$(about "f['main']['calls'], f['main']['unreturned']")" '(1, 1)' \
	'off: what is open ends'
try perftool -q -n -b -e "profile functions '*'" -e 'break entry told' -e run \
	-e 'profile flush' -e 'delete 1' -e continue -e 'set format json' \
	-e 'print functions > f.json' -- "$called" recursion
is "$(about "f['told']['calls'], f['leaf']['calls'], f['main']['calls']")" \
	'(4, 0, 1)' 'flush: what was counted is forgotten, what is open goes on'
try perftool -q -n -b -e "profile functions leaf" -e run -e run \
	-e 'set format json' -e 'print functions > f.json' -e 'initialize profile' \
	-e 'profile functions told' -e run -e 'print functions > g.json' -- \
	"$called" recursion
is "$(about "f['leaf']['calls']")" 520 'runs add up'
mv g.json f.json
is "$(about "f['leaf']['calls'], f['told']['calls']")" '(0, 4)' \
	'initialize profile: the functions are forgotten'

try perftool -q -n -b -e "profile arcs 2" -e "profile functions '*'" -e run \
	-e 'profile calls off' -- "$called" recursion
like "$err$out" '[0-9]+ calls of further arcs were added up as <other>' \
	'a limit of arcs is said when it is reached'

# ---- a program that stands still ----------------------------------------------

for way in 'set counting program' 'set counting ring' 'set mechanism int3'; do
	one_in 3 || continue
	for before in 'print nodes' 'profile flush'; do
		try perftool -q -n -b -e "$way" -e 'set format json' \
			-e "profile functions '*'" -e 'break leaf' -e run -e "$before" \
			-e 'print functions > f.json' -e 'shell sleep 0.1' \
			-e 'print functions > g.json' -- "$called" recursion
		is "$(cmp f.json g.json 2>&1)" '' \
			"$way, $before: no time passes while the program stands still"
	done
	is "$(about "f['main']['total_ns'] < 100000000")" True \
		"$way: nor has any passed before"
done

# ---- the end of a process ------------------------------------------------------

# What the kernel and perftool do at the end is no time of what was open.
for way in 'set counting program' 'set counting ring' 'set mechanism int3'; do
	one_in 3 || continue
	try perftool -q -n -b -e "$way" -e 'set format json' \
		-e "profile functions '*'" -e 'break leaf' -e run \
		-e 'print functions > f.json' -e 'shell sleep 0.1' -e kill \
		-e 'print functions > g.json' -- "$called" recursion
	before=$(about "f['main']['total_ns']")
	mv g.json f.json
	is "$(about "abs(f['main']['total_ns'] - $before) <= 1")" True \
		"$way: a killed program has the time that it had when it stopped"
	try perftool -q -n -b -e "$way" -e 'set format json' \
		-e "profile functions '*' _exit" -e run \
		-e 'print functions > f.json' -- "$called" recursion
	is "$(about "f['_exit']['calls'], f['_exit']['unreturned']")" '(1, 1)' \
		"$way: _exit() does not return"
	is "$(about "f['_exit']['total_ns'] <= f['_exit']['bound_ns']")" True \
		"$way: and has no time"
done
try perftool -q -n -b --for 300ms -e 'set format json' -e "profile functions '*'" \
	-e run -e 'print functions > f.json' -- sleep 60
is "$(about "[x for x in f.values() if x['total_ns'] > 200000000 and
	x['cpu_ns'] is not None and x['cpu_ns'] > x['total_ns'] / 2]")" \
	'[]' 'a wait that the end of the program ends is a wait'

# ---- a program that is built anew --------------------------------------------

for version in 1 2; do
	{
		[ "$version" = 1 ] || echo 'void __attribute__((noinline)) added(void) { x += 3; }'
		echo 'void __attribute__((noinline)) counted(void) { x++; }'
		echo 'int main(void) { for (int i = 0; i < 10; i++) { counted();'
		[ "$version" = 1 ] || echo 'added(); added();'
		echo '} }'
	} | cat <(echo 'static volatile int x;') - >built.c
	gcc -O1 -g -o "built$version" built.c
done
cp built1 built
try perftool -q -n -b -e "profile functions '*'" -e run -e 'shell cp built2 new; mv new built' \
	-e run -e 'set format json' -e 'print functions > f.json' -- ./built
is "$(about "f['counted']['calls'], f['added']['calls'], f['main']['calls']")" \
	'(20, 20, 2)' 'after a new build, functions keep their names'
like "$err" 'built was built anew between the runs' 'the new build is said'

# ---- an attached program -----------------------------------------------------

serve "$called" serve
attach_told -q -n >said 2>&1
tell "profile functions '*'"
for i in 1 2 3; do
	says "$i" 'done' "the attached program goes on, $i"
done
tell 'set format json' 'print functions > f.json'
is "$(about "f['call_leaf']['calls'], f['leaf']['calls']")" '(3, 3)' \
	'results can be had while the program runs'
says 4 'done' 'it goes on afterwards'
tell 'print functions > f.json' 'detach'
is "$(about "f['call_leaf']['calls']")" 4 'further calls are counted'
says 5 'done' 'it goes on without the tool'
end_tool TERM
end_server

start perl -e 'sleep 60'
# shellcheck disable=SC2317 # wait_for calls it
asleep() {
	[ "$(status_of "$started" State)" = S ]
}
wait_for 20 asleep
try perftool -n -b --for 200ms -p "$started" -e "profile functions 'Perl_sv_*'"
like "$err" 'stands still while the calls of at least [0-9]+ functions.*Calls of [0-9]+ functions are counted: Perl_sv_.*stood still for' \
	'the user is told before and after that a program stands still'
try perftool -q -n -b --for 200ms -p "$started" -o none.txt \
	-e "profile functions 'Perl_sv_*'"
is "$err" '' 'and not with -q'
kill "$started"

# ---- a report of batch mode --------------------------------------------------

try perftool -q -n -b -e "profile functions '*'" -- "$called" recursion
like "$err" ' 210 .*deeper' 'batch mode prints the table at the end'
unlike "$err" 'N O D E' 'without nodes and legs there are no tables of them'

# ---- is it on? -----------------------------------------------------------------

try perftool -q -n -e profile -e "profile functions leaf" -e 'show profile' \
	-e run -e 'profile calls off' -e profile \
	-e 'print functions > f.txt' -- "$called" recursion
like "$out" "Ticks are off; .profile on. turns them on.*No calls are counted" \
	'profile says that nothing is on'
like "$out" 'Calls of 1 function are counted: leaf' \
	'show profile says what is counted'
like "$out" 'Counting of calls is off; .profile calls. goes on.*were counted: leaf' \
	'and profile that it is off again'

# ---- more functions than can be watched --------------------------------------

# 34,000 functions of two returns each
awk 'BEGIN {
	print ".text"
	for (i = 0; i < 34000; i++)
		printf ".globl t%d\n.type t%d, @function\nt%d: testl %%edi, %%edi\n" \
			"je 1f\nmovl $1, %%eax\nret\n1: movl $2, %%eax\nret\n" \
			".size t%d, . - t%d\n.p2align 4\n", i, i, i, i, i
	print ".section .note.GNU-stack, \"\", @progbits"
}' >many.s
cat >calls_many.c <<'END'
#include <stdio.h>
int t15(int), t25(int);
int main(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += t15(i & 1) + t25(i & 1);
	return printf("%d\n", sum) < 0;
}
END
gcc -g -O1 -o many calls_many.c many.s

# Which patterns are too much is found out before the program runs.
refused() {
	local what=$1

	shift
	try perftool -q -n -b "$@" -- ./many
	is "$status:$out" 125: "$what: the program does not run"
	like "$err" 'at most [0-9]+ places in a process.*name fewer functions' \
		"$what: why, and what helps"
	is "$(wc -l <<<"$err")" 1 "$what: in one line"
}
refused 'all calls of many functions' -e "profile functions '*'"
like "$err" "profile functions 'a\*@many'" 'a smaller pattern'
refused 'a pattern of many functions' -e "profile functions 't*'"
refused '--profile' --profile
refused 'two patterns' -e "profile functions 't1*' 't2*' 't3*'" \
	-e "profile functions 't4*' 't5*' 't6*' 't7*' 't8*' 't9*'"
try perftool -q -n -b -e 'set format json' -e "profile functions 't1*' 't15'" \
	-e run -e 'print functions > f.json' -- ./many
is "$status:$out:$(about "f['t15']['calls'], 't25' in f")" \
	'0:3000:(1000, False)' 'a pattern of fewer functions is counted'

done_testing

#!/usr/bin/env bash
# `expect' checks figures of the tables: expectations that are met or not met,
# expectations that are kept until the run has ended, and the exit status.
# tier: core
# covers: command/expect
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../terminal.sh
. "$ROOT/tests/terminal.sh"

pie=$PROGRAMS/pie # calls work() N times, and half() every second time
ends=$PROGRAMS/ends

# expects EXPR...: checks the expectations after batch mode's own run of
# $program, in which work and half are timed; the report is not kept
program=("$pie" 6)
expects() {
	local expression options=()

	for expression; do
		options+=(-e "expect $expression")
	done
	try perftool -q -n -b -o /dev/null -e 'time work half' "${options[@]}" \
		-- "${program[@]}"
}

# is_met EXPR: the expectation is met
is_met() {
	expects "$1"
	is "$status|$err" '0|' "met: $1"
}

# is_unmet EXPR WHAT: the expectation is not met, and the only line ends in WHAT
is_unmet() {
	expects "$1"
	is "$status|$err" "124|expect $1: $2" "not met: $1"
}

# is_wrong EXPR WHY: the expectation is an error, before the program runs
is_wrong() {
	expects "$1"
	is "$status|$out|$err" "125||perftool: -e \`expect $1': $2" "wrong: $1"
}

# ---- met, and not met ----
is_met 'leg("work").count == 6'
is_met 'leg(0).count == 6 && leg(1).count == 3'
is_met "leg('half').count * 2 == leg('work').count"
is_met 'leg("work").open == 0'
is_met 'node(1).count == 6 && node(3).count == 3'
is_met 'leg(0).mean < 100s && leg(0).min >= 0 && leg(0).max < 1h'
is_met 'leg(0).p50 <= leg(0).p90 && leg(0).p90 <= leg(0).p99'
is_met 'leg(0).p999 <= leg(0).max && leg(0).max <= 100e9'
is_met 'leg(0).total < leg(0).count * 100s'
is_met 'leg(0).count < 7 # a remark'
is_met '!(leg(0).count < 6) || 1 < 0'
is_unmet 'leg("work").count < 6' 'leg("work").count is 6'
is_unmet 'leg(0).count == 5 || node(3).count > 5' \
	'leg(0).count is 6, node(3).count is 3'
expects 'leg(0).max > 100s'
is "$status" 124 'an expectation of a time that is not met: status 124'
like "$err" '^expect leg\(0\)\.max > 100s: leg\(0\)\.max is [0-9.]+(ns|us|ms|s)$' \
	'an expectation that is not met shows the time with its unit'
expects 'leg(0).count == 1' 'leg(0).count == 6' 'node(1).count == 2'
is "$status|$err" '124|expect leg(0).count == 1: leg(0).count is 6
expect node(1).count == 2: node(1).count is 6' 'each expectation that is not met is reported'
like "$out" '^work 6' 'expectations that are not met do not stop the program'

# ---- figures that are not known ----
program=("$pie" 1)
expects 'leg("half").count == 0' 'leg(1).count == 0 || leg(1).mean < 1ns'
is "$status|$err" '0|half was never reached' 'a leg that was not executed can have the expected count 0'
expects 'leg("half").p99 < 100s' 'leg("half").total < 100s'
is "$status" 124 'expected times of a leg that was not executed: status 124'
is "$(grep ^expect <<<"$err")" \
	'expect leg("half").p99 < 100s: leg("half") has not been executed
expect leg("half").total < 100s: leg("half") has not been executed' 'expected times of a leg that was not executed: the reason is given'
expects 'leg(0).count / leg(1).count > 0'
like "$err" 'leg\(1\)\.count is 0, the result is not a number' 'an expectation that divides by 0 is reported'
program=("$pie" 6)

# ---- legs and nodes that do not exist ----
expects 'leg("wrok").count > 0' 'leg(7).count > 0' 'node(9).count > 0' 'leg(0).count == 5'
is "$status" 125 'expected legs that do not exist: status 125 comes before 124'
is "$err" "expect leg(\"wrok\").count > 0: there is no leg(\"wrok\"): did you mean \"work\"?
expect leg(7).count > 0: there is no leg(7): \`print legs' lists the legs
expect node(9).count > 0: there is no node(9): \`print nodes' lists the nodes
expect leg(0).count == 5: leg(0).count is 6" 'expected legs and nodes that do not exist are each reported'
try perftool -q -n -e 'time work' -e run -e 'expect leg("wrok").count > 0' \
	-e 'evaluate 77' "$pie" 6
is "$status" 125 'after a run, an expected leg that does not exist: status 125'
is "$err" "perftool: -e \`expect leg(\"wrok\").count > 0': there is no leg(\"wrok\"): did you mean \"work\"?" \
	'after a run, an expected leg that does not exist: expect fails'
unlike "$out" '77' 'after a run, an expected leg that does not exist ends the script'
try perftool -q -n -e 'time work half' -e 'break entry work if 1' -e 'break exit work if 1' \
	-e 'add leg 5 6 name=half' -e run -e 'expect leg("half").count == 3' "$pie" 6
is "$status" 125 'an expected leg whose name two legs have: status 125'
like "$err" 'leg\("half"\) is ambiguous: leg\(1\), leg\(2\) have the name' 'an expected leg whose name two legs have: both numbers are named'

# ---- wrong expectations ----
members='.count .total .mean .min .max .p50 .p90 .p99 .p999 .open'
is_wrong '' 'an expression is missing; usage: expect EXPR'
is_wrong '(' 'column 2: a value is missing at the end'
is_wrong 'leg(0).count 6' "column 14: an operator is missing before \`6'"
is_wrong 'leg(0).count = 6' "column 14: \`=' is not an operator here; use \`=='"
is_wrong 'leg(0) < 3ms' "column 1: leg(0) is a whole leg; name one of its figures: $members"
is_wrong 'leg(0).p95 < 3ms' "column 8: a leg has no \`.p95'; it has $members"
is_wrong 'node(1).mean < 3ms' "column 9: a node has no \`.mean'; it has .count"
is_wrong 'leg(work).count' "column 5: a leg's name stands in quotes: leg(\"work\")"
is_wrong 'leg("work).count' 'column 5: the " that ends the name is missing'
is_wrong 'leg(0).count < 3ms' 'column 1: leg(0).count is not a time, and 3ms is'
is_wrong 'leg(0).mean < 3mz' \
	"column 15: \`3mz' is neither a number nor a time (3ms, 1.5us, 200ns, 2s)"
is_wrong '1 < 2 < 3' 'column 7: one comparison cannot follow another; write a < b && b < c'
is_wrong 'pages > 3' \
	"column 1: \`pages' is not known; there are leg(N), leg(\"NAME\") and node(N)"
fails_with 125 'usage' 'expect without an expression and without a program fails' perftool -q -n -b -e expect

# ---- the exit status ----
program=("$ends" exit 3)
expects_of_work() {
	try perftool -q -n -b -o /dev/null -e 'time work' -e "expect $1" -- "${program[@]}"
}
expects_of_work 'leg(0).count == 10'
is "$status" 3 "expectations that are met: the status is the program's"
expects_of_work 'leg(0).count == 11'
is "$status" 124 "an expectation that is not met: 124 comes before the program's status"
program=("$ends" signal 9)
expects_of_work 'node(1).count == 11'
is "$status" 124 "an expectation that is not met: 124 comes before the status of a signal"
expects_of_work 'node(1).count == 10'
is "$status" 137 'expectations that are met: the status tells the signal'
try perftool -q -n -b -o /dev/full -e 'time work' -e 'expect leg(0).count == 11' "$ends" exit 3
is "$status" 125 'a report that cannot be written: 125 comes before 124'
try perftool -q -n -e 'time work' -e run -e 'expect leg(0).count == 11' -e xyzzy "$ends" exit 3
is "$status" 125 'a command that fails after expect: 125 comes before 124'
like "$err" 'leg\(0\)\.count is 10' 'a command that fails after expect: the expectation is reported'
try perftool -q -n -b -o /dev/null -e 'expect 1 > 2'
is "$status|$err" '124|expect 1 > 2: the expression is never true' 'an expectation without a program is checked'

# ---- in scripts ----
cat >check.pt <<'END'
time work
# kept
expect leg("work").count == 7
expect leg("work").count == 6
run
expect leg("work").count == 8
run
expect leg("work").count == 12
END
try perftool -q -n -x check.pt "$pie" 6
is "$status" 124 'a script whose expectations are not met: status 124'
is "$err" 'check.pt:3: expect leg("work").count == 7: leg("work").count is 6
check.pt:6: expect leg("work").count == 8: leg("work").count is 6' \
	'a script: each unmet expectation is reported with file and line'
try perftool -q -n "$pie" 6 <check.pt
is "$status" 124 'unmet expectations from standard input: status 124'
like "$err" '^standard input:3: expect leg\("work"\)\.count == 7: ' 'unmet expectations from standard input are reported with the line'
printf '%s\n' 'source check.pt' 'print nodes > nodes' >outer.pt
try perftool -q -n -x outer.pt "$pie" 6
is "$status" 124 'unmet expectations of a sourced script: status 124'
like "$err" '^check\.pt:3: ' 'unmet expectations of a sourced script are reported with its line'
ok 'a script goes on after unmet expectations of a sourced script' test -s nodes
try perftool -q -n -e 'time work' -e 'expect leg(0).count == 6' "$pie" 6
is "$status" 124 'an unmet expectation without a run: status 124'
like "$err" 'the program was not run.*'$'\n''expect leg\(0\)\.count == 6: leg\(0\)\.count is 0$' \
	'an expectation without a run is checked at the end'
try perftool -q -n -e 'break work' -e 'time work' -e run -e 'expect leg(0).count == 0' \
	-e 'delete break 1' -e continue -e 'expect leg(0).count == 6' "$pie" 6
is "$status|$err" '0|' 'at a stop, expect checks the figures of that moment'
try perftool -q -n -b -o /dev/null -e 'time work' -e 'expect leg(0).count == 6' \
	-e 'log Perf.log' -e 'expect leg(0).count == 5' "$pie" 6
is "$(grep is Perf.log)" 'expect leg(0).count == 5: leg(0).count is 6' 'an expectation that is not met is in the log'
try perftool -n -b -o /dev/null -e 'time work' -e 'expect leg(0).count == 6' "$pie" 6
unlike "$err" 'Met|expect' 'in batch mode, an expectation that is met is not reported'

# ---- a process that runs already ----
serve "$PROGRAMS/server" 1
start perftool -q -n -p "$server" -b -o t.json -f json -e 'time work' \
	-e 'expect leg(0).count == 50' -e 'expect leg(0).count == 49' 2>told 3>&- 4>&-
tool=$started
ok 'batch mode attaches to the server' wait_for "$LIMIT" has_patch "$server" "$(address_of work "$PROGRAMS/server")"
says 50 'done 50 total 50' 'the server works in batch mode'
end_tool INT
is "$status" 124 'attached in batch mode: unmet expectations give status 124'
is "$(grep expect told)" 'expect leg(0).count == 49: leg(0).count is 50' 'attached in batch mode: the unmet expectation is reported'
is "$(json 'leg(0)["count"]')" 50 'attached in batch mode: the report has the count'
attach_told -q -n >said 2>told
tell 'time work' 'expect leg(0).count == 1'
is "$(<told)" 'standard input:2: expect leg(0).count == 1: leg(0).count is 0' \
	'attached without batch mode: expect checks at once'
says 7 'done 7 total 57' 'the server works without batch mode'
tell 'expect leg(0).count == 7' 'expect leg(0).count == 8'
is "$(tail -n +2 told)" 'standard input:5: expect leg(0).count == 8: leg(0).count is 7' \
	'attached without batch mode: expect checks while the server runs'
exec 5>&-
wait "$tool"
is "$?" 124 'attached without batch mode: unmet expectations give status 124'
end_server

# ---- at a prompt ----
new_terminal "perftool -n $pie 6; echo status \$?; exec cat"
expect 'perftool>' 'the prompt appears'
enter 'time work'
expect 'Leg 0' 'time makes leg 0'
enter 'expect'
expect 'what is expected:' 'at a prompt, expect without an expression asks for one'
enter 'leg(0).count == 0'
expect 'Met: leg\(0\)\.count is 0' 'at a prompt, an expectation that is met is reported'
enter 'expect leg(0).p99 < 3ms'
expect 'expect leg\(0\)\.p99 < 3ms: leg\(0\) has not been executed' 'at a prompt, a leg that has not been executed is reported'
enter 'run'
expect 'sum ' 'run runs the program'
keys -l 'expect l'
keys Tab
keys -l '"'
keys Tab
keys -l 'c'
keys Tab
keys -l '== 6'
keys Enter
expect 'Met: leg\("work"\)\.count is 6' 'Tab completes the expression of expect'
enter 'expect leg(0).count == 7'
expect 'expect leg\(0\)\.count == 7: leg\(0\)\.count is 6' 'at a prompt, an expectation that is not met is reported'
enter 'expect ?'
expect 'expect EXPR: ' 'expect ? tells what may come'
enter 'quit'
expect 'status 0' 'unmet expectations at a prompt do not change status 0'
done_testing

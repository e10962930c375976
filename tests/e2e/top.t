#!/usr/bin/env bash
# `top`: of a program, of a process, at a terminal and in a file, and of
# programs that do nothing.
# tier: core full
# covers: session/profiling sample report/listings ui
. "$(dirname "$0")/../lib.sh"
. "$ROOT/tests/terminal.sh"

program=$PROGRAMS/spied

# The program ends long before the time does, even on a busy machine.
try perftool top --for 50s "$program" shares 500
is "$status" 0 'top of a program that ends'
like "$out" '[0-9]+ ticks in [0-9.]+ s, [0-9.]+ CPUs in use; [0-9]+ functions' \
	'the heading'
is "$(awk '$1 ~ /^[0-9.]+$/ && $2 ~ /^[0-9.]+$/ { print $NF; exit }' \
	<<<"$out")" sixty 'what takes most is first'
like "$out" $'To time one of them:\n    time sixty\n' \
	'the command that would time it'
like "$out" 'Calls/s were not counted: the program ended after .*--for [0-9]+ms' \
	'why there is no number of calls, and what to do'
try perftool -q -n -b -t "$(sed -n 's/^    time //p' <<<"$out" | head -n 1)" \
	"$program" shares 50
is "$status" 0 'and that command works'
try perftool top --for 50s -f json "$program" shares 500
like "$out" '"calls_remark": "Calls/s were not counted' 'JSON has the reason, too'

# The three functions are called in turn, so that they are called as often.
try perftool top -e 'set mechanism auto' --for 3s -f json "$program" shares 60000
is "$(/usr/bin/python3 -c '
import json, sys
rates = {row["function"]: row["calls_per_second"]
         for row in json.load(sys.stdin)["functions"]}
rates = [rates[name] for name in ("sixty", "thirty", "ten") if name in rates]
print(len(rates) > 1, min(rates) > 0.8 * max(rates) > 0)' <<<"$out")" \
	'True True' 'the numbers of calls are of the same time'

try perftool top -q -e 'set mechanism int3' --for 1s "$program" shares 60000
like "$(tr '\n' ' ' <<<"$out")" '-  sixty.* each call would stop its thread' \
	'where each call would stop its thread, the calls are not counted'
unlike "$err" 'is ended by' 'with -q no remark says that the program is ended'

try perftool top cat <<<'what cat reads'
like "$out" 'what cat reads' 'standard input is that of the program'

# The program begins to wait long before the time ends, even on a busy machine.
mkfifo never
cat >status.sh <<'END'
trap 'exit 3' INT
while :; do read -r <>never; done
END
try perftool top --for 2s bash status.sh
is "$status" 3 'a status of its own is the status'
try perftool top --for 1s "$program" shares 60000
is "$status" 0 'a program that the end of the time has ended is no failure'
like "$err" 'the program is ended by SIGINT' 'and a remark says how it was ended'
like "$out" 'sixty' 'and its table is printed'
start sleep 60
# shellcheck disable=SC2317 # wait_for calls it
asleep() {
	[ "$(status_of "$started" State)" = S ]
}
wait_for 20 asleep
try perftool top --for 200ms -p "$started"
# (The kernel needs CPU time to stop the program and to resume it. Where that is slow, it
# may be enough for a tick.)
like "$out" 'No thread has used a CPU|^[12] ticks? in .* 1 function.* 100\.0 .* clock_nanosleep' \
	'a program that sleeps'
try perftool top true
is "$status" 0 'a program that ends at once'
try perftool top -o table.txt "$program" shares 200
like "$(cat table.txt)" 'sixty' 'top -o FILE'
fails_with 125 'no program to look at' 'top without a program' perftool top
fails_with 127 'no-such-program: not found' 'top of no program' \
	perftool top no-such-program
for task in '' run; do
	try perftool -q -n -b --for 300ms ${task:+-e "$task"} sleep 60
	is "$status" 0 "nor is it with --for alone, or with commands: ${task:-none}"
done
try perftool -q -n -b -e 'top for 1s > o.txt' "$program" shares 2000
like "$(cat o.txt)" 'sixty' 'the command has a duration and a file'

# The program says how often it calls a function in a second of its CPU time while
# nobody counts. Counting slows it down several times; the table does not show that.
cat >calls.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long sink;

__attribute__((noinline)) static void work(int n)
{
	for (int i = 0; i < n; i++)
		sink += i;
}

int main(int argc, char **argv)
{
	const int n = atoi(argv[argc - 1]), calls = 40000000 / (n + 20);
	struct timespec from, to;
	FILE *file;

	/* The processor is warm thereafter. */
	for (int i = 0; i < calls; i++)
		work(n);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (int i = 0; i < calls; i++)
		work(n);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	file = fopen("alone.txt", "w");
	fprintf(file, "%.0f\n", calls / ((double)(to.tv_sec - from.tv_sec) +
				(double)(to.tv_nsec - from.tv_nsec) / 1e9));
	fclose(file);
	for (;;)
		work(n);
}
END
gcc -O1 -g -o calls calls.c
for n in $(sampled 1 1 20 500); do
	rm -f alone.txt
	try perftool top -e 'set mechanism auto' --for 4s -f json ./calls "$n"
	is "$(/usr/bin/python3 -c '
import json, sys
table = json.load(sys.stdin)
row = [row for row in table["functions"] if row["function"] == "work"][0]
part = row["calls_per_second"] / table["cpus"] / float(open("alone.txt").read())
right = part < 2 and (part > 0.3 or row["calls_are_least"])
print(right or (part, row))' <<<"$out")" True \
		"calls/s are those of a program that nobody counts: $n"
done
try perftool top -e 'set mechanism auto' --for 2s ./calls 1
if [[ $out == *'>'[0-9]* ]]; then
	like "$out" '> The program alone makes more calls' 'a > is explained'
fi

# A function that is inlined has ticks, but nobody can count its calls.
cat >inlined.c <<'END'
static volatile unsigned long sink;

__attribute__((always_inline)) static inline void turn(void)
{
	for (unsigned long i = 0; i < 100000; i++)
		sink += i;
}

/* Makes a few turns if there is an argument. */
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; argc == 1 || i < 20; i += argc > 1)
		turn();
}
END
gcc -O1 -g -o inlined inlined.c
try perftool top --for 1s ./inlined
like "$out" 'Calls/s are counted of the first ten, unless a function is inlined' \
	'why an inlined function has no number of calls'
like "$out" $'To count how often code is executed that .*:?\n    monitor on\n    break turn if 1' \
	'and the commands that count it'
# They count as they are typed, and the program is not stopped at a hit.
{
	sed -n '/^To count how often/,$s/^    //p' <<<"$out"
	printf '%s\n' run 'print nodes'
} >typed
try perftool -q ./inlined few <typed
like "$(grep -E '^[0-9]+ ' <<<"$out")" '^1 .* 20 +inlined +inlined +turn ' \
	'as they stand there'

serve "$program" serves
try perftool top --for 1s -p "$server"
is "$status" 0 'top of a process'
like "$out" 'sixty' 'what it does'
ok 'and it lives on' kill -0 "$server"
is "$(foreign "$server")" 0 'with nothing of the tool in it'
new_terminal "perftool top --for 2s -p $server; echo status \$?; cat"
expect 'ticks in [0-9.]+ s.*sixty' 'at a terminal the table is shown'
expect 'status 0' 'and top ends'
new_terminal "perftool top --for 50s -p $server; echo status \$?; cat"
# The number of ticks in the newest table of the terminal.
newest() {
	screen | sed -n 's/ ticks in .*//p' | tail -n 1
}
# shellcheck disable=SC2317 # wait_for calls it
changes() {
	[ "$(newest)" != "$first" ]
}
expect 'ticks in [0-9.]+ s.*sixty' 'it is shown'
first=$(newest)
ok 'and refreshed' wait_for 20 changes
keys C-c
expect 'status [0-9]' 'Ctrl-C ends it'
is "$("${terminal[@]}" capture-pane -p | grep -c ' ticks in ')" 1 \
	'the last table is in the place of the others'
ok 'and the program lives on' kill -0 "$server"
"${terminal[@]}" kill-server
end_server

terminals=$((terminals + 1))
terminal=(tmux -S "$SCRATCH/tmux$terminals" -f /dev/null)
"${terminal[@]}" new-session -d -x 80 -y 24 \
	"perftool top -e 'set mechanism auto' --for 5s $program shares 60000; cat"
expect 's to come.*time sixty' 'an interim table shows a command'
expect $' functions?\n.*[0-9]k?  sixty' \
	'the last table has the calls'
expect 'time sixty' 'it fits a terminal of 80 columns'
is "$(screen | awk 'length > 80' | wc -l)" 0 'line by line'

done_testing

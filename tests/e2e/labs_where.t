#!/usr/bin/env bash
# Labs 03 and 04: each solution is right, and the checker says of wrong reports what
# is missing.
# shellcheck disable=SC2016 # perftool's expressions
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 03: where is the time ------------------------------------------------

lab 03 words
solve
no_tables
HOT='add leg entry same_word return same_word name=hot'
CALLER='add leg entry find_word return find_word name=caller'
measured "$HOT" "$CALLER"
wrong 'has no ticks\. .profile on' 'no ticks'
batch 'profile on' "$HOT" "$CALLER" run 'save tables t.json' -- "$PROGRAM"
wrong 'has no ticks.*.save tables. leaves them out' 'tables that were saved without the ticks'
measured 'profile rate 100ms' 'profile on' "$HOT" "$CALLER"
wrong 'too few to tell' 'too few ticks'
measured 'profile on' "$CALLER" 'add leg entry is_left_out return is_left_out name=hot'
wrong '.hot. leads from the entry of is_left_out\(\).*most ticks of its own' 'a function without much time'
measured 'profile on' 'add leg entry main return main name=hot' "$CALLER"
wrong '.hot. leads from the entry of main\(\)' 'the function that is always on the stack'
measured 'profile on' "${CALLER%caller}hot" "${HOT%hot}caller"
wrong '.hot. times find_word\(\)\. Most of that time is in a function that it calls.*.caller. leads from the entry of same_word' \
	'the two functions exchanged'
measured 'profile on' "$HOT" 'add leg entry is_left_out return is_left_out name=caller'
wrong '.caller. times is_left_out\(\)\..*at most six' 'the caller that makes few of the calls'
measured 'profile on' "$HOT"
wrong 'No leg is named .caller' 'no caller'
measured 'profile on' 'time same_word find_word'
wrong 'No leg is named .hot.*No leg is named .caller' 'legs that are not named'
measured 'profile on' "$HOT" 'break entry find_word if used < 2000' 'break exit find_word' \
	'add leg 3 4 name=caller'
wrong '.caller. has .* is not the number of calls of that function. A condition' \
	'a condition leaves out calls'
edited 't["flat"]["functions"] = [f for f in t["flat"]["functions"] if f["function"] != "same_word"]' \
	't["flat"]["functions"][0]["ticks"] += 50'
wrong 'not those of the function that needs the most time' 'ticks of another function'
edited 'del t["flat"]["functions"][0]["ticks"]'
wrong 'not what perftool has written: the field ticks is missing' 'a damaged profile'

# ---- 04: rows and columns ---------------------------------------------------

lab 04 matrix
solve
no_tables
matrix() { # COMMAND...: the right legs of both functions, and these commands
	measured 'time sum_rows by=n' 'time sum_columns by=n' "$@"
}
from() { # CONDITION: the leg `slow` of the calls of which the condition is true
	matrix "break entry sum_columns if $1" 'break exit sum_columns' 'add leg 5 6 name=slow'
}
# least NUMBER...: the least times of sum_columns(), from the smallest n on, are these
least() {
	edited "least = dict(zip((64, 128, 256, 512, 1024), [$*]))" \
		'for r in leg("sum_columns")["by"]["values"]: r["min_ns"] = least[r["value"]]'
}
from 'n >= 64'
wrong '.slow. has the calls with all n' 'all calls are slow'
from 'n >= 512'
mv t.json right.json
least 500, 510, 590, 1000, 5000
right t.json 'lab 04: another processor'
least 500, 510, 1000, 1050, 5000
right t.json 'lab 04: a run that differs a little from the one by which n was chosen'
least 500, 510, 1500, 2000, 5000
wrong '.slow. begins with n = 512, and a smaller n takes more' 'too large an n'
least 500, 510, 520, 550, 5000
wrong '.slow. begins with n = 512, where the least time is not' 'too small an n'
least 500, 500, 500, 500, 500
wrong 'the columns do not take longer than the rows' 'a processor without caches'
from 'n > 1024'
wrong '.slow. has 0 executions' 'an n that does not come'
from '$node(5) % 2'
wrong '.slow. has [0-9]+ executions.*for each n' 'calls that are not chosen by n'
matrix
wrong 'No leg is named .slow' 'no leg of the slow calls'
matrix 'break entry sum_rows if n >= 512' 'break exit sum_rows' 'add leg 5 6 name=slow'
wrong '.slow. leads from the entry of sum_rows\(\)' 'the slow leg of the other function'
measured 'time sum_rows' 'time sum_columns by=n' 'break entry sum_columns if n >= 512' \
	'break exit sum_columns' 'add leg 5 6 name=slow'
wrong '.sum_rows. is not split by n' 'one leg is not split'
measured 'time sum_rows by=n' 'time sum_columns by=n%100' 'break entry sum_columns if n >= 512' \
	'break exit sum_columns' 'add leg 5 6 name=slow'
wrong '.sum_columns. is split by .n%100., and not by the number' 'another split'
measured 'time sum_rows by=n' 'break entry sum_columns if n >= 512' 'break exit sum_columns' \
	'add leg 3 4 name=slow'
wrong 'No leg times the calls of sum_columns' 'one function is not timed'
measured 'time sum_rows by=n' 'time sum_columns if n > 64 by=n' \
	'break entry sum_columns if n >= 512' 'break exit sum_columns' 'add leg 5 6 name=slow'
wrong 'not the number of calls of sum_columns\(\)\. A condition' 'a condition leaves out sizes'
edited 'rows = leg("sum_columns")["by"]["values"]' 'rows[0].update(value="many")'
wrong 'not by the number of rows' 'an edited value'

done_testing

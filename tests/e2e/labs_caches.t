#!/usr/bin/env bash
# Lab 04: the solution is right, and the checker says of wrong reports what
# is missing.
# tier: quiet
# covers: samples/labs/04-rows-and-columns samples/labs/checking
# shellcheck disable=SC2016 # perftool's expressions
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

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
# least NUMBER...: the least times of sum_columns(), from the smallest n on, are
# these, and those of sum_rows() are the same for each n
least() {
	edited "least = dict(zip((64, 256, 1024), [$*]))" \
		'for r in leg("sum_columns")["by"]["values"]: r["min_ns"] = least[r["value"]]' \
		'for r in leg("sum_rows")["by"]["values"]: r["min_ns"] = 500'
}
from 'n >= 64'
wrong '.slow. has the calls with all n' 'all calls are slow'
from 'n >= 1024'
mv t.json right.json
least 500, 510, 1010
right t.json 'lab 04: a processor with fast memory'
least 1000, 1010, 1300
right t.json 'lab 04: a core that is slower than when n was chosen'
least 500, 1900, 5000
right t.json 'lab 04: a core that is faster than when n was chosen'
least 500, 2100, 5000
wrong '.slow. begins with n = 1024, and a smaller n takes more' 'too large an n'
least 500, 510, 550
wrong '.slow. begins with n = 1024, where the least time is not' 'too small an n'
least 500, 500, 500
wrong 'the columns do not take longer than the rows' 'a processor without caches'
from 'n > 1024'
wrong '.slow. has 0 executions' 'an n that does not come'
from '$node(5) % 2'
wrong '.slow. has [0-9]+ executions.*for each n' 'calls that are not chosen by n'
matrix
wrong 'No leg is named .slow' 'no leg of the slow calls'
matrix 'break entry sum_rows if n >= 1024' 'break exit sum_rows' 'add leg 5 6 name=slow'
wrong '.slow. leads from the entry of sum_rows\(\)' 'the slow leg of the other function'
measured 'time sum_rows' 'time sum_columns by=n' 'break entry sum_columns if n >= 1024' \
	'break exit sum_columns' 'add leg 5 6 name=slow'
wrong '.sum_rows. is not split by n' 'one leg is not split'
measured 'time sum_rows by=n' 'time sum_columns by=n%100' 'break entry sum_columns if n >= 1024' \
	'break exit sum_columns' 'add leg 5 6 name=slow'
wrong '.sum_columns. is split by .n%100., and not by the number' 'another split'
measured 'time sum_rows by=n' 'break entry sum_columns if n >= 1024' 'break exit sum_columns' \
	'add leg 3 4 name=slow'
wrong 'No leg times the calls of sum_columns' 'one function is not timed'
measured 'time sum_rows by=n' 'time sum_columns if n > 64 by=n' \
	'break entry sum_columns if n >= 1024' 'break exit sum_columns' 'add leg 5 6 name=slow'
wrong 'not the number of calls of sum_columns\(\)\. A condition' 'a condition leaves out sizes'
edited 'rows = leg("sum_columns")["by"]["values"]' 'rows[0].update(value="many")'
wrong 'not by the number of rows' 'an edited value'

done_testing

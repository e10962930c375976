#!/usr/bin/env bash
# The checker of the labs, and labs 01 and 02: each solution is right, and the
# checker says of wrong reports what is missing.
# tier: full
# covers: samples/labs
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- the checker itself -------------------------------------------------

echo '{}' >t.json
fails_with 2 'usage: check NN REPORT' 'without arguments' "$CHECK"
fails_with 2 'usage: check NN REPORT' 'one argument' "$CHECK" 1
fails_with 2 'usage: check NN REPORT' 'three arguments' "$CHECK" 1 t.json t.json
for number in 0 00 11 99 -1 001 1x one '' 01-first-leg '٣'; do
	fails_with 2 'there is no lab .*; the labs are: 01' "no lab: '$number'" \
		"$CHECK" "$number" t.json
done
fails_with 2 'cannot read none.json: No such file' 'a file that is not there' "$CHECK" 01 none.json
fails_with 2 'cannot read \.: Is a directory' 'a directory' "$CHECK" 01 .
try "$CHECK" --help
is "$status" 0 '--help'
like "$out" 'Status|status is 0' '--help says what the status means'
try "$CHECK" 1 t.json
like "$out" '^Lab 01, ' 'a number may have one digit'

# Names of the programs, so that no two labs write one file.
is "$(find "$ROOT/samples/labs" -name '*.c' -printf '%f\n' | sort | uniq -d)" '' \
	'the programs of the labs have different names'
for folder in "$ROOT"/samples/labs/[0-9][0-9]-*; do
	for file in README.md start.pt solution expected.py; do
		ok "${folder##*/} has $file" [ -f "$folder/$file" ]
	done
	ok "${folder##*/}: the solution can be executed" [ -x "$folder/solution" ]
	like "$(cat "$ROOT/samples/labs/README.md")" "\(${folder##*/}/README.md\)" \
		"${folder##*/} is in the list of labs"
done

# ---- 01: a first leg ----------------------------------------------------

lab 01 parcels
solve
gdb_agrees weigh weigh
gdb_agrees desk load
gdb_agrees slowest wrap
no_tables
measured 'time weigh' 'add leg receive load name=desk' \
	'add leg entry weigh return weigh name=slowest'
wrong '.slowest. times weigh\(\).*not take the most time in all' 'the function with the most calls'
measured 'time weigh' 'add leg receive load name=desk' 'time stamp' \
	'add leg entry stamp return stamp name=slowest'
wrong '.slowest. times stamp\(\)' 'the second slowest step'
measured 'time weigh' 'add leg receive load name=desk' \
	'add leg entry handle return handle name=slowest'
wrong '.slowest. leads from the entry of handle\(\) .*one of the three steps' 'no step'
measured 'time weigh' 'add leg receive load name=slowest'
wrong 'No leg is named .desk.*one of the three steps' 'the right leg by another name'
measured 'time weigh' 'add leg receive stamp name=desk' 'add leg entry wrap exit wrap name=slowest'
wrong '.desk. leads from the entry of receive\(\) to the entry of stamp\(\)' 'a leg to another place'
measured 'time weigh' 'add leg load receive name=desk' 'add leg entry wrap exit wrap name=slowest'
wrong '.desk. leads from the entry of load\(\)' 'a leg in the other direction'
measured 'add leg receive load name=desk' 'add leg entry wrap exit wrap name=slowest'
wrong 'No leg times the calls of weigh\(\)' 'a function that is not timed'
measured 'time weigh if parcel->grams > 5000' 'add leg receive load name=desk' \
	'add leg entry wrap exit wrap name=slowest'
wrong 'not the number of calls of weigh\(\).*A condition' 'a condition leaves out calls'
measured 'time weigh' 'add leg receive load name=desk' \
	'add leg entry wrap exit wrap name=slowest' run run 'save tables t.json'
wrong 'Did the program run 2 times' 'two runs in one report'
edited 'leg("desk")["name"] = "\x1b[31m"'
wrong 'No leg is named .desk.*\?\[31m' 'a hostile name'

# ---- 02: distribution, not mean ------------------------------------------

lab 02 queries
solve
gdb_agrees slow 'answer if query->table->packed'
no_tables
by() { # EXPR: the right leg `slow`, and this split
	measured "time answer by=$1" 'break entry answer if query->table->packed' \
		'break exit answer' 'add leg 3 4 name=slow'
}
slow() { # CONDITION: the right split, and these calls in the leg `slow`
	measured 'time answer by=query->table->packed' "break entry answer if $1" \
		'break exit answer' 'add leg 3 4 name=slow'
}
by 'query->table->packed'
right t.json 'lab 02: another expression that tells the calls apart'
slow 'query->table->name == "old_orders"'
right t.json 'lab 02: another condition that chooses the slow calls'
by 'query->client'
wrong 'split by .query->client. does not tell .*no row has slow calls only' 'split by the client'
by 'query->pages'
wrong 'split by .query->pages. does not tell' 'split by the number of pages'
by 'query->pages*1000000+query->client*1000+(query->table->first_page)'
wrong 'has too many values' 'a split into hundreds of rows'
by '1'
wrong 'has one value only' 'a split by a constant'
by '(query->table->packed&&query->client==3)'
wrong 'the slow rows have [0-9]+ calls, and these are not all' 'a split that finds some of the slow calls'
by '((struct table*)query->client)->packed'
wrong 'could not be evaluated' 'a split by what cannot be evaluated'
measured 'time answer' 'break entry answer if query->table->packed' 'break exit answer' \
	'add leg 3 4 name=slow'
wrong 'is not split' 'no split'
measured 'time read_page by=table->packed' 'break entry answer if query->table->packed' \
	'break exit answer' 'add leg 3 4 name=slow'
wrong 'No leg times the calls of answer\(\)' 'another function is split'
measured 'time answer by=query->table->name'
wrong 'No leg is named .slow' 'no leg of the slow calls'
slow '1'
wrong '.slow. has all calls of answer' 'a leg of all calls'
slow '!query->table->packed'
wrong '.slow. has all calls but the slow ones' 'a leg of the fast calls'
slow 'query->client == 3'
wrong '.slow. has 1,022 executions, and that is not the number of slow calls\. A condition' \
	'a leg of the calls of one client'
measured 'time answer by=query->table->name' 'add leg entry unpack return unpack name=slow'
wrong '.slow. leads from the entry of unpack\(\)' 'a leg of what slow calls call'
edited 'leg("answer")["by"]["values"][0]["count"] += 5'
wrong 'contradict each other: its rows do not add up' 'edited rows'
edited 'leg("slow").update(p50_ns=5)'
wrong 'percentiles are not in order' 'an edited median'
edited 't["histograms"][0]["buckets"][0]["count"] += 1'
wrong 'histogram of leg 0 contradicts itself' 'an edited histogram'

done_testing

#!/usr/bin/env bash
# The first labs: each solution is right, and the checker says of wrong reports
# what is missing.
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

done_testing

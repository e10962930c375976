#!/usr/bin/env bash
# The lab on comparing: the solutions are right, and the checker says of wrong
# reports what is missing.
# tier: full
# covers: samples/labs/10-did-it-help samples/labs/checking
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../labs.sh
. "$ROOT/tests/labs.sh"

# ---- 10: did it help ----------------------------------------------------

lab 10 tally
solve
# compared BEFORE AFTER...: makes t.json of these reports
compared() {
	try perftool compare "$@" -f json -o t.json
	[ "$status" = 0 ] || diag <<<"$err"
}
# runs N PROGRAM FILE [OPTION...]: measures tally() in N runs of the program
runs() {
	local number=$1 program=$2 file=$3
	shift 3
	try perftool -q -n -b -r "$number" -f json -o "$file" "$@" -e 'time tally' "$LABS/$program"
	[ "$status" = 0 ] || diag <<<"$err"
}
runs 10 tally before.json
runs 10 tally_skip helps.json
runs 10 tally_mask helps_not.json
runs 2 tally_skip short.json
mkdir exchanged
cp helps.json exchanged/helps_not.json
cp helps_not.json exchanged/helps.json
cp helps.json skip.json
cp before.json again.json

cp before.json t.json
wrong 'This is the tables of a report\. Lab 10 takes a comparison' 'tables instead of a comparison'
perftool -q -n -e 'profile run' -e 'save profile t.json' "$PROGRAM" >/dev/null 2>&1
wrong 'This is a profile\. Lab 10 takes a comparison' 'a profile'
perftool compare before.json helps.json helps_not.json -f text -o t.json
wrong 'The file is no JSON' 'a comparison as text'
head -c 1500 right.json >t.json
wrong 'breaks off' 'a comparison that breaks off'
compared before.json exchanged/helps.json exchanged/helps_not.json
wrong 'the wrong way round' 'the answers are exchanged'
compared before.json skip.json helps_not.json
wrong 'report of .tally_skip. is called .skip.json.*helps.json' 'no answer in the names'
compared before.json helps.json
wrong 'Nothing is said about .tally_mask' 'one change alone'
compared helps.json before.json helps_not.json
wrong 'about the program .tally_skip.*name its report first' 'another order'
compared before.json helps.json again.json
wrong 'again.json. is about .tally., and that is neither' 'a program compared with itself'
compared before.json short.json helps_not.json
wrong 'short.json. is about 2 runs.*-r 10' 'too few runs'
edited 'for p in t["comparisons"]:' ' for l in p["legs"]: l["name"] = "main"'
wrong 'no leg .tally. in common' 'another function'
edited 't["comparisons"][0]["after"]["failed_runs"] = 1'
wrong '1 of the runs in .helps.json. have failed' 'a run has failed'
edited 't["comparisons"][0]["legs"][0]["figures"]["p50"]["difference"] *= 3'
wrong 'p50 of the leg .tally. contradicts itself' 'an edited difference'
edited 'f = t["comparisons"][0]["legs"][0]["figures"]["p50"]' \
	'f.update(after=f["before"], difference=0, difference_percent=0, verdict="none")'
wrong 'the machine has changed its speed.*-r 20' 'runs that do not show it'
edited 't["comparisons"][0]["legs"][0]["figures"]["count"].update(after=1, difference=None, verdict="none")'
wrong 'The function was called' 'another number of calls'
edited 'for p in t["comparisons"]:' \
	' for f in p["legs"][0]["figures"].values():' \
	'  f.update(before=0, after=0, difference=0, difference_percent=None, verdict="none")'
wrong 'never measured in these runs' 'nothing but zeros'
edited 't["comparisons"] = []'
wrong 'not what perftool has written: nothing is compared' 'nothing is compared'
edited 'del t["comparisons"][0]["legs"][0]["figures"]["p50"]'
wrong 'not what perftool has written: the field p50 is missing' 'a figure is missing'

done_testing

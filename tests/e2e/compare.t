#!/usr/bin/env bash
# `perftool compare` says how figures differ between saved tables. Files that are
# no such tables are refused with the cause and the remedy.
# tier: core
# covers: compare saved report/comparisons ui
. "$(dirname "$0")/../lib.sh"
program=$PROGRAMS/nth

value() { # FILE EXPRESSION: a Python expression over the JSON in the file
	/usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))
c = t.get("comparisons", [None])[0]
print(eval(sys.argv[2]))' "$@"
}

# tables FILE MEAN... : makes a file of runs, of which the leg `f` has these
# means, in ns. Each run has 100 executions, all of which take the mean.
tables() {
	/usr/bin/python3 - "$@" <<-'END'
		import json, sys
		def leg(name, count, mean):
		    low = int(mean)
		    return {"id": 0, "name": name, "count": count,
		            "total_ns": int(count * mean), "mean_ns": mean,
		            "min_ns": low, "max_ns": low, "p50_ns": mean,
		            "p99_ns": mean, "resolution_ns": 0,
		            "buckets": [[low, low + 1, count]] if count else []}
		def tables(mean):
		    return {"schema": 1, "perftool": "0", "legs": [leg("f", 100, mean)]}
		means = [float(mean) for mean in sys.argv[2:]]
		whole = tables(sum(means) / len(means))
		if len(means) > 1:
		    whole["runs"] = [tables(mean) for mean in means]
		json.dump(whole, open(sys.argv[1], "w"))
	END
}

# ---- of runs ------------------------------------------------------------------

for file in a b; do
	perftool -q -n -r 5 -t work -o $file.json "$program" runs 20 \
		>/dev/null 2>&1 </dev/null
done
perftool -q -n -r 5 -t work -o more.json "$program" runs 30 >/dev/null 2>&1 </dev/null
try perftool compare a.json b.json more.json
is "$status" 0 'three files: the status is 0'
is "$(grep -E '^(before|after)' <<<"$out")" "before: a.json: 5 runs of nth
after:  b.json: 5 runs of nth
before: a.json: 5 runs of nth
after:  more.json: 5 runs of nth" 'the first one is compared with each other one'
like "$out" 'work *count *20 *20 *0 *0 \.\. 0 *same' 'equal counts are the same'
like "$out" 'work *count *20 *30 *\+50.0 *\+50.0 \.\. \+50.0 *more' 'more calls are more'
like "$out" 'bootstrap over the runs' 'it says what the intervals are of'
is "$(awk 'length > 80' "$SCRATCH/out")" '' 'the text fits 80 columns'
is "$(perftool compare a.json b.json)" "$(perftool compare a.json b.json)" \
	'the same files give the same text'

tables old.json 100000 101000 102000 99000 100500 100200
tables slow.json 110000 111000 112000 109000 110500 110200
tables near.json 100100 101100 102000 99100 100500 100300
try perftool compare -f json old.json slow.json
is "$(value "$SCRATCH/out" '[f["verdict"] for f in c["legs"][0]["figures"].values()]')" \
	"['same', 'slower', 'slower', 'slower', 'slower']" '10 % more are slower'
is "$(value "$SCRATCH/out" 'round(c["legs"][0]["figures"]["mean"]["difference_percent"])')" 10 \
	'the difference is that of the medians'
is "$(value "$SCRATCH/out" 'all(f["low"] <= f["difference"] <= f["high"] for f in c["legs"][0]["figures"].values())')" \
	True 'each interval is around its difference'
try perftool compare slow.json old.json -f json -o c.json
is "$(value c.json 'c["legs"][0]["figures"]["mean"]["verdict"], c["legs"][0]["basis"]')" \
	"('faster', 'runs')" 'the other way round it is faster; options may follow the files'
try perftool compare old.json near.json -o c.json
is "$(value c.json 'c["legs"][0]["figures"]["mean"]["verdict"], c["legs"][0]["figures"]["mean"]["more_runs"] > 0')" \
	"('none', True)" 'what the runs do not show is none, and it says how many more would; the ending decides the form'
try perftool compare old.json old.json -o c.json
is "$(value c.json 'c["legs"][0]["figures"]["mean"]["verdict"], c["legs"][0]["figures"]["mean"]["more_runs"]')" \
	"('none', None)" 'identical runs: no number of runs would show a difference'
tables equal.json 100 100 100 100
try perftool compare equal.json equal.json
is "$(grep -c 'same$' <<<"$out")" 5 'runs without any spread are the same'
try perftool compare -f csv old.json slow.json
is "$(sed -n '1p;4p' <<<"$out" | cut -d , -f 1-3,5,8,17)" \
	"before_file,after_file,name,basis,figure,verdict
old.json,slow.json,f,runs,mean,slower" 'CSV has a row for each figure'

# ---- of one run each ------------------------------------------------------------

perftool -q -n -t work -o one.json "$program" runs 50 >/dev/null 2>&1 </dev/null
try perftool compare one.json one.json
like "$out" 'one run of nth' 'one run: it says so'
like "$out" 'bootstrap over the executions' 'one run: the interval is of its executions, and it says so'
perftool -q -n -t work -o other.json "$program" runs 50 >/dev/null 2>&1 </dev/null
perftool merge one.json other.json -o both.json
try perftool compare one.json both.json
like "$out" 'after: +both.json: a merge of 2 files of nth' 'a merge: it says so'
try perftool compare -f json one.json a.json
is "$(value "$SCRATCH/out" 'c["legs"][0]["basis"]')" executions \
	'one run on one side: the interval is of executions'
is "$(value "$SCRATCH/out" '[c["legs"][0]["figures"]["count"][x] for x in
	("before", "after")]')" '[50, 20]' 'one run on one side: the counts are those of a run'
tables once.json 100000
tables twice.json 200000
try perftool compare -f json once.json twice.json
is "$(value "$SCRATCH/out" 'c["legs"][0]["figures"]["p50"]["verdict"]')" slower \
	'one run each: 100 executions that are twice as long are slower'

# ---- conditions -----------------------------------------------------------------

# condition STATUS CONDITION NAME [FILE...]
condition() {
	local wanted=$1 condition=$2 name=$3
	shift 3
	try perftool compare --fail-if "$condition" "$@"
	is "$status" "$wanted" "--fail-if '$condition': $name"
}

condition 1 'p99 > 5%' 'holds' old.json slow.json
is "$err" "perftool: \`p99 > 5%' holds of f: 100us before, 110us after (+9.97 %)" 'it is said'
condition 0 'p99 > 50%' 'does not' old.json slow.json
condition 0 'mean > 0%' 'what the runs do not show does not count' old.json near.json
condition 1 'f: mean > 105us' 'a value' old.json slow.json
condition 0 'f: mean > 115us' 'a value' old.json slow.json
condition 1 'mean < -5%' 'faster' slow.json old.json
condition 1 'f*:count>=100' 'a glob' old.json slow.json
condition 1 'p50>5%' 'of the second comparison only' old.json near.json slow.json
try perftool compare --fail-if 'p99 > 50%' --fail-if 'mean > 5%' old.json slow.json
is "$status $(wc -l <"$SCRATCH/err")" '1 1' 'several conditions: one that holds is enough'
try perftool compare --fail-if 'p99 > 5%' old.json slow.json -o c.json
is "$(value c.json 't["conditions_held"]')" \
	"[{'condition': 'p99 > 5%', 'after': 'slow.json', 'leg': 'f'}]" 'JSON has the conditions that hold'
fails_with 125 'no leg g is in both old.json and slow.json' '--fail-if of a leg that is not there' \
	perftool compare --fail-if 'g: p99 > 5%' old.json slow.json
for bad in '' 'p98 > 5%' 'p99 5%' 'p99 > ' 'p99 > 5%%' 'count > 5ms' ': p99 > 1'; do
	fails_with 125 'fail-if' "--fail-if '$bad'" \
		perftool compare --fail-if "$bad" old.json slow.json
done
fails_with 125 'p99 > 5. has a time without a unit' '--fail-if of a time without a unit' \
	perftool compare --fail-if 'p99 > 5' old.json slow.json
condition 1 'f: mean > 0' 'a time of 0 needs no unit' old.json slow.json
condition 1 'count > 5' 'nor does a count' old.json slow.json
fails_with 125 'fail-if is for' '--fail-if without compare' perftool --fail-if 'p99 > 1' -t work "$program"

# ---- legs that only one file has, and names -------------------------------------

/usr/bin/python3 - <<'END'
import json
old = json.load(open("once.json"))
names = ["x\x1b[31m\n" + "y" * 5000, "\u202egnp\u202c", "f", "f", "\U0001f600<script>"]
leg = dict(old["legs"][0])
json.dump(dict(old, legs=[dict(leg, id=i, name=n) for i, n in enumerate(names)]),
          open("names.json", "w"))
json.dump(dict(old, legs=[]), open("none.json", "w"))
json.dump(dict(old, legs=[dict(leg, count=0, total_ns=0, mean_ns=None, p50_ns=None,
                               p99_ns=None, buckets=[])]), open("zero.json", "w"))
END
try perftool compare once.json names.json
like "$out" "Only in names.json, 4 legs:.*x\?\[31m\?yy" 'legs that only one file has are named, with no control characters'
is "$(tr -d '\n' <"$SCRATCH/out" | grep -cP '[\x00-\x1f\x7f]')" 0 'no control character is printed'
try perftool compare names.json names.json
is "$status $(grep -c 'count' <<<"$out")" '0 5' 'hostile names: each leg has its rows'
like "$out" 'f \(2\)' 'legs of one name are told apart'
is "$(wc -L <"$SCRATCH/out")" "$(($(wc -L <"$SCRATCH/out") < 81 ? $(wc -L <"$SCRATCH/out") : 80))" \
	'names are cut so that the text fits 80 columns'
try perftool compare once.json none.json
is "$status" 0 'no leg in common: the status is 0'
like "$out" 'No leg is in both files' 'it is said'
try perftool compare zero.json zero.json
like "$out" '1 leg is left out, without executions' 'legs without executions are left out, and it is said'
try perftool compare zero.json once.json
like "$out" 'f *count *0 *100 *- *- *unknown' 'from nothing there is no percentage'

# ---- files that are no tables -----------------------------------------------------

: >empty.json
echo '{"schema": 1, "perftool": "0.1.0"' >cut.json
head -c 2000 a.json >cut2.json
echo '{"schema": 2, "perftool": "9.0", "legs": []}' >version.json
echo '{"hello": [1, 2]}' >other.json
echo 'Total Elapsed Time' >text.json
sed 's/"mean_ns": [0-9.]*/"mean_ns": NaN/' once.json >nan.json
printf '{"schema": 1, "legs": [%s]}' "$(printf '[%.0s' {1..5000})" >deep.json
perftool -q -n -b -e 'spy on' -e run -e 'save profile profile.json' "$program" runs 9 \
	>/dev/null 2>&1 </dev/null
refuses() { # FILE REGEX NAME
	fails_with 125 "$2" "$3" perftool compare once.json "$1"
	fails_with 125 "$2" "$3, first" perftool compare "$1" once.json
}
refuses empty.json 'empty.json is empty.*measure again' 'an empty file'
refuses cut.json 'cut.json is cut off after 34 bytes.*measure again' 'a file that is cut off'
refuses cut2.json 'cut2.json is cut off after 2000 bytes' 'a file that is cut off in a run'
refuses version.json 'version.json has schema 2 of perftool 9.0.*use the perftool that has' \
	'a file of another version'
refuses other.json "other.json is JSON, but not of perftool's tables" 'JSON of another program'
refuses text.json 'text.json is no JSON .*-f json' 'text'
echo '[1]' >list.json
refuses list.json 'list.json begins with a list' 'a list'
refuses nan.json "nan.json: \`mean_ns' of leg 1" 'a figure that is no number'
refuses deep.json 'deep.json is cut off' 'brackets without end'
refuses profile.json "profile.json has \`.*it is not about tables" 'a profile'
refuses /nonexistent.json 'cannot read /nonexistent.json: No such file' 'a file that is not there'
refuses . 'cannot read .: Is a directory' 'a folder'
fails_with 125 'at least two files' 'one file' perftool compare once.json
fails_with 125 'at least two files' 'no file' perftool compare
fails_with 125 'measures nothing: .* --fail-if and -q' 'options of measuring' perftool compare -t work a.json b.json
ln -s /dev/full full
fails_with 125 'No space left on device' 'disk full' perftool compare a.json b.json -o full
fails_with 125 'cannot write /nonexistent/x' 'a file that cannot be written' \
	perftool compare a.json b.json -o /nonexistent/x
try perftool compare - b.json <a.json
like "$out" 'before: standard input: 5 runs' '- is standard input'
try perftool compare <(cat a.json) <(cat b.json)
is "$status" 0 'pipes are read'

done_testing

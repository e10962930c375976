#!/usr/bin/env bash
# What is said of functions that go on in another one; names of modules that are
# globs; names that Rust gives.
. "$(dirname "$0")/../lib.sh"

# remarks FUNC: sets $err to what `time FUNC` remarks
remarks() {
	try perftool -q -n -e "time $1" -e 'list breaks' "$PROGRAMS/returns"
	err=$(grep 'goes on' <<<"$err")
}

# ---- a jump at the end ----

remarks tail
is "$err" 'tail goes on in target (a jump at its end), not timed with it; time target as well' \
	'a tail call: where it leads'
like "$out" $'exit of tail[^\n]*\n +0x[0-9a-f]+ tail [^\n]*, a jump' \
	'list breaks marks it'
remarks hop
is "$err" 'hop goes on in another function (a jump at its end), not timed with it' \
	'an indirect one: nobody knows where'
remarks choose
is "$err" '' 'no remark where there is a return, too'
like "$out" $'exit of choose, 2 places[^\n]*\n[^\n]*, a jump\n[^,\n]*\n*$' \
	'but list breaks has the jump'
remarks stay
is "$err" '' 'jumps within a function are no ends'
remarks many
is "$err" '' 'no remark on one jump among returns'
remarks target
is "$err" '' 'no remark on a return'
unlike "$out" 'a jump' 'no mark on a return'

try perftool -q -n -e 'break exit tail' "$PROGRAMS/returns"
like "$err" '^tail goes on in target ' 'break exit says it, too'
try perftool -q -n -e 'break entry tail' -e 'break tail' "$PROGRAMS/returns"
unlike "$err" 'goes on' 'an entry is no exit'
try perftool -q -n -e 'break exit t*l' "$PROGRAMS/returns"
unlike "$err" 'goes on' 'of a glob of exits nothing is said'
try perftool -q -n -e 'time t*l' "$PROGRAMS/returns"
like "$err" '^tail goes on in target ' 'of a glob of legs it is'

# It is said once the function is found, in whatever process, and once only.
times tail -- "$PROGRAMS/returns"
is "$(grep -c 'goes on' <<<"$err")" 1 'said once in a run'
is "$(json 'time("tail")["count"]')" 400 'and what is measured is as ever'

# Of a pending one it is said when its library is there.
try perftool -q -n -b -t 'strcoll@libc.so.6' -f json -o t.json sort <<<$'b\na'
like "$err" '^strcoll goes on in [a-z_]+ ' 'in a library that is loaded later'

try perftool -n -e 'help time'
like "$out" 'by a jump at its end' 'help time explains it'

# ---- a glob for the module ----

batch 'time malloc@libc.so.6' 'time malloc@libc.so*' -- "$PROGRAMS/values"
is "$(json 'len(t["legs"])')" 2 'a glob names a module'
is "$(json 't["legs"][0]["count"] == t["legs"][1]["count"] > 0')" True \
	'and means the same as its name'
batch 'break entry malloc@libx*' -- "$PROGRAMS/values"
like "$err" 'malloc@libx\* was never found: no module libx\* is loaded' \
	'a glob that names no module'

# A glob that names one function of the program does not take in those of
# libraries that are loaded later.
times 'targ*t' -- "$PROGRAMS/returns"
is "$(json 'node(1)["location"]')" 'target@returns' \
	'a glob that names one function is that function'

# ---- names from Rust ----

times 'inner*' r::outer -- "$PROGRAMS/rust"
is "$(json 'sorted(n["location"] for n in t["nodes"] if n["kind"] == "entry")')" \
	'r::inner::h8768f3789d3406c3@rust r::inner::hd086ca50e563ab30@rust r::outer' \
	'instances of a generic function are told apart by their hash'
is "$(json '[l["count"] for l in t["legs"]]')" '10 20 10' 'and each is counted'
times 'inner::hd086ca50e563ab30' -- "$PROGRAMS/rust"
is "$(json 't["legs"][0]["count"]')" 20 'such a name can be typed'
batch 'break entry r::inner if 1' -- "$PROGRAMS/rust"
is "$(json 'node(1)["count"]')" 30 'without the hash all instances are meant'

# ---- of many functions the same is said of some ----

perftool -q -n -t 'sqlite3_*@libsqlite3.so.0' -o /dev/null \
	sqlite3 :memory: 'select 1' >/dev/null 2>said
is "$(grep -c 'goes on in' said)" 10 'ten remarks on the functions of a pattern'
like "$(cat said)" 'and [0-9]* more remarks on these functions' 'and how many more'

done_testing

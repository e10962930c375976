#!/usr/bin/env bash
# Threads count the calls of a profile by themselves at jumps. The counts are
# those that the tool makes of records and at int3s, whatever else happens:
# signals at any instruction, other stacks, threads, timed functions, a program
# that writes into its counts, and the death of the tool.
# tier: full
# covers: session/profiling profile probe/rings arch/x86_64
. "$(dirname "$0")/../lib.sh"

# counted SETTING PATTERNS -- PROGRAM [ARG...]: the table is then in f.json.
counted() {
	local setting=$1 patterns=$2

	shift 3
	rm -f f.json
	try perftool -q -n -b -e "$setting" -e 'set format json' \
		-e "profile functions $patterns" -e run \
		-e 'print functions > f.json' -- "$@"
}

# about EXPRESSION: `f` has the functions by name
about() {
	/usr/bin/python3 - "$1" <<-'END'
		import json, sys
		f = {x["function"]: x for x in json.load(open("f.json"))["functions"]}
		print(eval("(" + sys.argv[1] + ")"))
	END
}

calls() { # FUNCTION...: how often each was called
	local function

	for function; do
		about "f['$function']['calls']"
	done | paste -sd ' '
}

# ---- the same in all ways ----------------------------------------------------

for setting in 'set counting program' 'set counting ring' 'set mechanism int3'; do
	counted "$setting" "'*'" -- "$PROGRAMS/called" recursion
	about "sorted((n, x['calls'], x['unreturned']) for n, x in f.items())" >"${setting##* }.txt"
done
ok 'functions are called' [ "$(wc -w <program.txt)" -gt 20 ]
is "$(<program.txt)" "$(<ring.txt)" 'jumps: the counts are those of records'
is "$(<program.txt)" "$(<int3.txt)" 'jumps: the counts are those of int3s'

# ---- signals at any instruction ----------------------------------------------

for stack in own alternate; do
	counted 'set counting program' 'outer leaf handled' -- "$PROGRAMS/alarms" "$stack" 2000
	is "$status" 0 "alarms on the stack $stack: the program ends with status 0"
	is "$(own wrong)" 0 "alarms on the stack $stack: its results are right"
	is "$(calls outer handled)" "$(own outer_entered) $(own handled_entered)" \
		"alarms on the stack $stack: each call is counted once"
	is "$(about "[f[x]['calls'] - f[x]['unreturned'] for x in ('outer', 'handled')]")" \
		"[$(own outer_left), $(own handled_left)]" \
		"alarms on the stack $stack: what handlers jump out of is marked"
	# A handler may jump out of leaf() before leaf() has counted itself.
	is "$(about "0 <= f['leaf']['calls'] - $(own leaf_entered) <= $(own leaps)")" \
		True "alarms on the stack $stack: leaf() is counted, too"
done

# ---- threads -----------------------------------------------------------------

counted 'set counting program' 'work brief' -- "$PROGRAMS/threads" 16 200
is "$(calls work brief)" "$(own work) $(own brief)" 'threads: all calls are counted'
LIMIT=200
counted 'set counting program' brief -- "$PROGRAMS/storm" 2000
is "$(calls brief)" "$(own brief)" 'threads that come and go: all calls are counted'
LIMIT=60

# ---- beside breakpoints of the user ------------------------------------------

try perftool -q -n -b -e 'set counting program' -e 'time work' \
	-e 'break work if 1' -e 'set format json' -e "profile functions '*'" \
	-e run -e 'print functions > f.json' -- "$PROGRAMS/threads" 4 300
is "$(calls work)" "$(own work)" 'timed, with a breakpoint: calls are counted'
counted 'set counting program' work -- "$PROGRAMS/scribbler" none 20000
is "$(calls work)" 30000 'counts left alone: all calls are counted'
for how in late noise counts zeros; do
	counted 'set counting program' work -- "$PROGRAMS/scribbler" "$how" 20000
	is "$status" 3 "counts written over, $how: the program ends with its own status"
	is "$(own calls)" 30000 "counts written over, $how: the program has its own result"
done

# Another thread of the program writes there all the time, also while the tool
# reads and changes the counts.
for i in 1 2 3 4 5; do
	counted 'set counting program' 'work work_often' -- \
		"$PROGRAMS/scribbler" calls 200000
	is "$status" 3 "counts written over all the time, $i: the program ends with its own status"
	is "$(own calls)" 300000 "counts written over all the time, $i: the program has its own result"
	ok "counts written over all the time, $i: the tool prints its table" [ -s f.json ]
done

# ---- time off the CPU --------------------------------------------------------

counted 'set counting program' "'*'" -- "$PROGRAMS/called" recursion
is "$(about "all(x['self_ns'] <= x['total_ns'] + 1000 for x in f.values() if x['calls'] == 1)")" \
	True 'the time of a function contains its own'

done_testing

#!/usr/bin/env bash
# Calls that threads count by themselves, amid what may end or change them: the
# tool attaches while threads call, lets them go, and dies; the program dies, is
# replaced, and has children. The program keeps what is true of its calls in a
# file, which outlives it.
# tier: full
# covers: session/profiling probe/rings probe/survive
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
perils=$PROGRAMS/perils

# about FUNCTION WHO: prints "BEGUN ENDED" of the file of the program; WHO is
# `threads` or `children`
about() {
	"$perils" told truth | sed -n "s/^$1 $2 //p"
}

# calls FUNCTION...: prints "CALLS RETURNED" of each in f.json
calls() {
	/usr/bin/python3 - "$@" <<-'END'
		import json, sys
		f = {x["function"]: x for x in json.load(open("f.json"))["functions"]}
		none = {"calls": 0, "unreturned": 0}
		print(*(f"{x['calls']} {x['calls'] - x['unreturned']}"
		        for x in (f.get(name, none) for name in sys.argv[1:])))
	END
}

# between LEAST MOST NUMBER: is it?
between() {
	[ "$1" -le "$3" ] && [ "$3" -le "$2" ]
}

# counted SETTING WAY: counts outer() and inner(); the table is then in f.json.
counted() {
	rm -f f.json truth
	try perftool -q -n -b -e 'set counting program' -e "$1" \
		-e 'set format json' -e 'profile functions outer inner held' \
		-e run -e 'print functions > f.json' -- "$perils" "$2" truth
}

# ---- the program ends amid calls ---------------------------------------------

# A thread that dies in a call may or may not have reached its entry, and its
# return; there is no more room for doubt.
wholly() { # NAME
	local function begun ended calls returned

	for function in outer inner; do
		read -r begun ended < <(about "$function" threads)
		read -r calls returned < <(calls "$function")
		ok "$1: all calls of $function() are counted" \
			between "$ended" "$begun" "$calls"
		ok "$1: so are those of $function() that have returned" \
			between "$ended" "$begun" "$returned"
	done
	read -r _ ended < <(about outer threads)
	ok "$1: there were many" [ "$ended" -ge 8000 ]
}

for end in 'kill 137' 'abort 134' 'fault 139' '_exit 7' 'exec 0' 'other 0'; do
	counted 'set format json' "${end% *}"
	is "$status" "${end#* }" "${end% *}: the program ends as it does alone"
	wholly "${end% *}"
done

# ---- children ----------------------------------------------------------------

for way in fork vfork; do
	counted 'set format json' "$way"
	is "$(own wrong)" 0 "$way: the results of the program are right"
	is "$(calls outer inner)" '6000 6000 18000 18000' \
		"$way: calls of parent and children are counted once"
	is "$(/usr/bin/python3 -c 'import json
calls = {}
for f in json.load(open("f.json"))["functions"]:
    for t in f["threads"] if f["function"] == "outer" else ():
        calls.setdefault(t["pid"], []).append(t["calls"])
print([one for one in calls.values() if one != [100]], len(calls))')" \
		'[[500, 500, 500, 500]] 41' "$way: those of each process apart"
	counted 'set follow fork off' "$way"
	is "$(own wrong)" 0 "$way, children not followed: the results are right"
	is "$(calls outer inner)" '2000 2000 6000 6000' \
		"$way, children not followed: the parent's calls are counted"
done

# ---- a coroutine that changes threads ----------------------------------------

counted 'set format json' coroutine
is "$(own wrong)" 0 'a coroutine changes threads: the results are right'
read -r outer _ inner _ < <(calls outer inner)
is "$outer $inner" "$(own outer) $(own inner)" \
	'a coroutine changes threads: each call is counted once'

attach() {
	attach_told -q -n >said 2>/dev/null
}

# ---- attached to threads that call -------------------------------------------

has_called() { # COUNT: have the threads called outer() so often since $before?
	ask sum
	[ "$reply" -ge $((before + $1)) ]
}

# calls_for COUNT: lets the threads go on, make so many calls, and rest. Sets
# $made to how many they have made.
calls_for() {
	ask sum
	before=$reply
	ask go
	ok "the program goes on, and calls outer() $1 times" \
		wait_for "$LIMIT" has_called "$1"
	ask rest
	made=$((reply - before))
}

serve "$perils" serve truth
is "$reply" serves 'the program serves'
ask hold
attach
tell 'set counting program' 'set format json' \
	'profile functions outer inner held' 'print functions > f.json'
is "$(calls outer inner held)" '0 0 0 0 0 0' \
	'attached amid calls of held(): nothing is counted yet'
ask rest
tell 'print functions > f.json'
is "$(calls held)" '0 0' 'returns of calls that had begun before are not counted'
tell 'profile flush'
calls_for 10000
tell 'print functions > f.json'
is "$(calls outer inner held)" "$made $made $((3 * made)) $((3 * made)) 0 0" \
	'attached: all calls are counted'
ask hold
tell 'profile calls off' 'print functions > f.json'
is "$(calls held)" '4 0' 'off amid calls of held(): they are marked'
ask rest
tell 'profile calls' 'profile flush'
calls_for 10000
tell 'print functions > f.json'
is "$(calls outer inner held)" "$made $made $((3 * made)) $((3 * made)) 0 0" \
	'on again: all calls are counted, and none that had begun before'
ask go
tell detach
end_tool TERM
is "$(foreign "$server")" 0 'detached while threads call: no patch stays'
calls_for 10000

# ---- the tool dies -----------------------------------------------------------

attach
tell 'set counting program' 'profile functions outer inner held'
ask go
ask hold
ask go
end_tool KILL
calls_for 10000
ask go
attach
tell 'set counting program' 'set format json'
tell 'profile functions outer inner held'
ask rest
tell 'profile flush'
calls_for 10000
tell 'print functions > f.json'
is "$(calls outer inner held)" "$made $made $((3 * made)) $((3 * made)) 0 0" \
	'the next tool counts anew, and all calls'
tell detach
end_tool TERM
is "$(foreign "$server")" 0 'detached after two tools: no patch stays'
ask go
echo end >&3
hear # how many calls there were
hear
like "$reply" 'wrong 0' 'the results of the program are right'
end_server
# ---- a program that is killed while its functions are prepared ----
# is_started: has the tool's child executed the program?
is_started() {
	pid=$(pgrep -P "$tool") && [ "$(readlink "/proc/$pid/exe")" = "$python" ]
}
# The delays make different moments of the kill; the result is the same at each.
python=$(readlink -f /usr/bin/python3)
for delay in 0 0.1 0.3; do
	start perftool -q --profile "$python" -c 'import time; time.sleep(60)' \
		>out.txt 2>err.txt
	tool=$started
	ok 'the program is started' wait_for 20 is_started
	sleep "$delay"
	kill -KILL "$pid"
	wait "$tool"
	is "$?" 137 "a program that is killed early, after $delay s, has that end"
	said=$(grep -E 'is gone|cannot' err.txt)
	is "$said" '' "and nothing else is said to have failed${said:+: $said}"
done

done_testing

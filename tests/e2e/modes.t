#!/usr/bin/env bash
# Commands that change what is tracked take effect at once while the program runs and
# its threads count by themselves: `track`, `add`, `zero tables`, in a program that
# perftool is attached to, and in one that is served.
# tier: core
# covers: session measure probe/rings
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

export XDG_RUNTIME_DIR=$SCRATCH/run
mkdir -m 700 "$XDG_RUNTIME_DIR"

# The server's thread calls call_work() once for each line, and that calls work() as
# often as the line says. Under `track all` the leg 3 -> 2 matches by order, so it is also
# measured from one line to the next.
# Nodes: 1 is the entry of call_work(), 2 and 3 are the entry and the exit of work().
legs='{(x["from"], x["to"]): x["count"] for x in t["legs"]}'

# rounds NAME GIVE: the command GIVE carries out commands while the server runs
rounds() {
	local give=$2

	ask 10
	$give 'save tables t.json'
	like "$(json 'leg(0)["counted"], leg(0)["count"]')" 'program.* 10' \
		"$1: threads count by themselves"

	$give 'add successor'
	ask 10
	ask 10
	$give 'save tables t.json'
	is "$(json "$legs")" '{(2, 3): 30, (1, 2): 2, (3, 2): 19, (3, 1): 1}' \
		"$1: add successor enters the pairs that follow each other, and no other"

	$give 'track none'
	ask 10
	$give 'save tables t.json'
	is "$(json "$legs")" '{(2, 3): 30, (1, 2): 2, (3, 2): 19, (3, 1): 1}' \
		"$1: nothing is measured under track none"
	is "$(json 'tuple(n["count"] for n in t["nodes"])')" '4 40 40' \
		"$1: and nodes are counted"

	$give 'track successor'
	ask 10
	$give 'save tables t.json'
	is "$(json "$legs")" '{(2, 3): 40, (1, 2): 3, (3, 2): 28, (3, 1): 1}' \
		"$1: track successor begins with the first hit after it"

	$give 'add none' 'track all' 'delete leg 1' 'delete leg 2' 'delete leg 3'
	ask 10
	$give 'track none'
	ask 10
	$give 'save tables t.json'
	is "$(json "$legs")" '{(2, 3): 50}' \
		"$1: track none takes effect on a leg that threads count"
	$give 'track all' 'add successor' 'add none'
	ask 10
	$give 'add successor'
	ask 10
	$give 'save tables t.json'
	is "$(json "$legs")" '{(2, 3): 70, (1, 2): 1, (3, 2): 9}' \
		"$1: a second add successor knows no hit from before it"
}

# ---- attached ----

serve "$PROGRAMS/server" 1
attach_told -q -n >said
tell 'set mechanism auto' 'break entry call_work if 1' 'collect nodes' 'time work'
rounds attached tell
echo quit >&5
wait "$tool"
end_server

# ---- served ----

serve perftool serve -q -n -e 'set mechanism auto' -e 'break entry call_work if 1' \
	-e 'collect nodes' -e 'time work' -- "$PROGRAMS/server" 1
is "$reply" ready 'the served program runs'
ctl() {
	try perftool ctl <<<"$(printf '%s\n' "$@")"
	[ "$status" = 0 ] || diag <<<"$err"
}
rounds served ctl
pid=$(pgrep -P "$server")
work=$(address_of work "$PROGRAMS/server")
ok 'work() begins with a jump' has_jump "$pid" "$work"
ctl 'set mechanism int3'
is "$(byte_at "$pid" "$work")" cc 'set mechanism int3 makes it an int3 at once'
end_server

# ---- a program that is always in the function, or about to be ----

cat >hot.c <<'END'
__attribute__((noinline, noclone)) void hot(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}
int main(void)
{
	for (;;)
		hot(60);
}
END
gcc -g -O1 hot.c -o hot
start ./hot 2>/dev/null
server=$started
attach_told -q -n >said
tell 'set mechanism auto' 'time hot' 'continue for 10ms'
commands=()
for i in {1..40}; do
	commands+=('zero tables' 'continue for 2ms' "save tables $i.json")
done
tell "${commands[@]}"
tell 'track none' 'zero tables' 'continue for 2ms' 'save tables none.json' \
	'track all' 'zero tables'
is_counted() {
	tell 'continue for 2ms' 'save tables t.json'
	[ "$(json 'leg(0)["count"]')" -gt 0 ]
}
wait_for 20 is_counted || fail 'track all: each execution is counted again'
tell detach 'save tables end.json'
echo quit >&5
wait "$tool"
end_server
# What is read while the thread runs on need not be of one moment, but no number is
# below 0: it would be a string, as all that are not exact in JSON.
whole=0
for i in {1..40}; do
	[ "$(json 'leg(0)["open"] < 2**53' "$i.json")" != True ] || whole=$((whole + 1))
done
is "$whole" 40 'zero tables: no execution ends that has not begun'
is "$(json 'leg(0)["count"], leg(0)["open"]' none.json)" '0 0' \
	'track none: no execution is counted or open'
is "$(json 'kept(), leg(0)["open"]' end.json)" 'True 0' \
	'zero tables: each hit is in the table once'

done_testing

#!/usr/bin/env bash
# The tool writes nothing to the program's stack. If the handler of a signal
# inserts a call behind a jump, this is no second arrival.
# tier: core
# covers: probe/fast arch/x86_64
. "$(dirname "$0")/../lib.sh"
POPPED=$PROGRAMS/popped

address_of() { # SYMBOL
	nm "$POPPED" | sed -n "s/ [tT] $1\$//p"
}
inside="*0x$(address_of popped_next)@popped"

# ---- launched: jumps save in the thread's own block ---------------------------

for mechanism in fast int3; do
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		-e "break $inside if 1" -e 'break entry tight if 1' \
		-e 'break exit tight if 1' -e 'add leg 2 3' \
		"$POPPED" 50
	is "$status $out" '0 intact' "$mechanism: the program finds its stack intact"
	is "$(json '[(n["count"], n["mechanism"]) for n in t["nodes"]]')" \
		"(3200, '$mechanism') (50, '$mechanism') (50, '$mechanism')" \
		"$mechanism: every hit is counted"
done

# ---- attached: what is to survive perftool saves where the ABI has room -------

for mechanism in auto int3; do
	mkfifo go.$mechanism
	exec 3<>go.$mechanism
	start "$POPPED" 50 wait <&3 >out.$mechanism
	pid=$started
	wait_for 10 [ -s out.$mechanism ]
	try perftool -q -n -b -f json -o t.json -p "$pid" \
		-e "set mechanism $mechanism" -e "break $inside if 1" \
		-e 'monitor on' -e "shell echo >go.$mechanism"
	is "$status" 0 "attached, $mechanism: the tool ends with status 0"
	echo >&3
	exec 3>&-
	wait "$pid"
	is "$? $(tail -n 1 out.$mechanism)" '0 intact' \
		"attached, $mechanism: the program finds its stack intact"
	is "$(json 't["nodes"][0]["count"], t["nodes"][0]["mechanism"]')" \
		"3200 int3" "attached, $mechanism: int3s count every hit"
done
like "$(json 't["nodes"][0]["int3_reason"]')" 'asked for' \
	'an int3 that was asked for has the reason that it was asked for'

# ---- a handler that returns to a call, which returns to the jump --------------

for mechanism in fast int3; do
	calls=$([ $mechanism = fast ] && echo 2000000 || echo 5000)
	try perftool -q -n -b -f json -o t.json -e "set mechanism $mechanism" \
		-e 'time leaf' "$PROGRAMS/diverted" "$calls"
	is "$status $out" "0 $((2 * calls)) calls, diverted" \
		"$mechanism: the signal handler inserts calls"
	is "$(json '[time("leaf")["count"]] + [n["count"] for n in t["nodes"]]')" \
		"$((2 * calls)) $((2 * calls)) $((2 * calls))" \
		"$mechanism: every call counts once"
done

done_testing

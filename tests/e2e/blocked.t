#!/usr/bin/env bash
# Nodes at system call instructions in which threads wait already: that a call
# is made again, for us or for a signal, is no arrival, and it ends as it would.
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

wait_at=$(address_of wait_at_32 "$PROGRAMS/blocked")

is_patched() {
	has_patch "$server" "$wait_at"
}

# The int3s of a tool that died are there until its successor removes them.
is_replaced() {
	grep -q removed tool.err && is_patched
}

count_arrivals() { # sets $arrivals to those at both places, as in $reply
	[[ $reply =~ ^[a-z]+\ arrivals\ ([0-9]+)\ ([0-9]+)\ wrong ]] &&
		arrivals="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
}

tell() { # LINE NAME: it knows of no wrong result
	ask "$1"
	count_arrivals
	like "$reply" "^$1 arrivals .* wrong 0\$" "$2: the results are right"
}

attach() { # [CONDITION]: sets $before
	before=$arrivals
	rm -f t.json
	start perftool -q -n -b -f json -o t.json -t wait_at -t wait_at_32 \
		-p "$server" 2>tool.err
	tool=$started
	wait_for 20 "${1:-is_patched}" || fail 'the nodes are not in place' \
		"$(cat tool.err)"
}

detach() { # NAME: what was counted is what it did meanwhile
	local was is
	read -ra was <<<"$before"
	read -ra is <<<"$arrivals"
	end_tool INT
	is "$status" 0 "$1: status"
	is "$(json 'entry("wait_at")["count"], entry("wait_at_32")["count"]')" \
		"$((is[0] - was[0])) $((is[1] - was[1]))" "$1: arrivals"
}

for how in restart break ignored; do
	serve "$PROGRAMS/blocked" "$how"
	count_arrivals
	like "$reply" '^ready arrivals 5 1 ' "$how: they wait"

	attach
	tell look "$how, attached"
	is "$arrivals" "$before" "$how, attached: nobody has noticed"
	detach "$how, detached at once"
	attach
	for i in 1 2 3; do
		tell signal "$how, signal $i"
	done
	detach "$how, signals"

	# they wait in the slots of one that is no more
	attach
	tell signal "$how, before the death"
	end_tool KILL
	tell look "$how, after the death"
	attach is_replaced
	tell signal "$how, signal after the death"
	tell end "$how, the end"
	detach "$how, after the death"
	exec 3>&- 4>&-
	wait "$server"
	is "$?" 0 "$how: it ends well"
done
done_testing

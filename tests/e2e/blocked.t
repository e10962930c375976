#!/usr/bin/env bash
# Nodes at system call instructions in which threads wait already. The kernel
# may make a call again, because of the tool or because of a signal. This is no
# arrival at the node, and the call must end as it would without the tool.
# tier: full
# covers: target probe/site arch/x86_64
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

wait_at=$(address_of wait_at_32 "$PROGRAMS/blocked")

is_patched() {
	has_patch "$server" "$wait_at"
}

# The int3s of a tool that was killed stay until the next tool removes them.
is_replaced() {
	grep -q removed tool.err && is_patched
}

count_arrivals() { # sets $arrivals to the arrivals at both places, from $reply
	[[ $reply =~ ^[a-z]+\ arrivals\ ([0-9]+)\ ([0-9]+)\ wrong ]] &&
		arrivals="${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"
}

tell() { # LINE NAME: the program has seen no wrong result
	ask "$1"
	count_arrivals
	like "$reply" "^$1 arrivals .* wrong 0\$" "$2: the program sees no wrong result"
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

detach() { # NAME: the counts are the arrivals since the tool attached
	local was is
	read -ra was <<<"$before"
	read -ra is <<<"$arrivals"
	end_tool INT
	is "$status" 0 "$1: the tool ends with status 0"
	is "$(json 'entry("wait_at")["count"], entry("wait_at_32")["count"]')" \
		"$((is[0] - was[0])) $((is[1] - was[1]))" "$1: the counts are the arrivals at both places"
}

for how in restart break ignored; do
	serve "$PROGRAMS/blocked" "$how"
	count_arrivals
	like "$reply" '^ready arrivals (5 1|6 0) ' "$how: the threads wait in system calls"

	attach
	tell look "$how, attached"
	is "$arrivals" "$before" "$how, attached: attaching causes no arrival"
	detach "$how, detached at once"
	attach
	for i in 1 2 3; do
		tell signal "$how, signal $i"
	done
	detach "$how, signals"

	# the threads wait in the out-of-line slots of a tool that was killed
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
	is "$?" 0 "$how: the program ends with status 0"
done
done_testing

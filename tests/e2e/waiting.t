#!/usr/bin/env bash
# Breakpoints are set and removed while a thread waits for its vfork child.
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

# waits: does a thread of the program wait for its vfork child?
waits() {
	grep -q '^State:.D' "/proc/$server/task/"*/status
}

mkfifo child_in child_out
exec 7<>child_in 8<>child_out
for mechanism in int3 fast auto; do
	serve "$PROGRAMS/borrowers" vfork 5<child_in 6>child_out 7>&- 8>&-
	is "$reply" ready "$mechanism: the program"
	attach_told -n -q >said 2>said.err
	tell "set mechanism $mechanism" 'time work'
	says 10 'done 10' "$mechanism: it works"
	ask child
	STARTED+=("${reply#child }")
	# the child may answer before its parent waits
	ok "$mechanism: a thread waits" wait_for 20 waits
	tell 'list threads'
	like "$(<said)" ' D +thread [0-9]+ waits for its child of vfork' \
		"$mechanism: a thread that waits is said to"
	tell 'break entry work if 1'
	says 20 'done 20' "$mechanism: it works while its child is out"
	tell 'disable 3'
	says 30 'done 30' "$mechanism: and without the breakpoint"
	tell 'enable 3' 'disable 1'
	says 40 'done 40' "$mechanism: and with it again"
	printf e >&7
	says end 'ended 7' "$mechanism: the child ends"
	says 50 'done 50' "$mechanism: it works afterwards"
	tell 'save tables t.json' detach
	is "$(json 'node(1)["count"], node(2)["count"], node(3)["count"]')" \
		'60 150 110' "$mechanism: what was there counts, at once"
	ask look
	like "$reply" '^traced 0 foreign 0 .* wrong 0$' \
		"$mechanism: nothing is left, and nothing went wrong"
	exec 5>&-
	end_server
done
done_testing

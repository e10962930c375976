#!/usr/bin/env bash
# Breakpoints are set and removed while a thread waits for its vfork child.
# tier: core
# covers: target/remote target/proc probe/site session/call_frames
# again: int3
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
	is "$reply" ready "$mechanism: the program starts"
	attach_told -n -q >said 2>said.err
	tell "set mechanism $mechanism" 'time work'
	says 10 'done 10' "$mechanism: the program works while it is measured"
	ask child
	STARTED+=("${reply#child }")
	# the child may answer before its parent waits
	ok "$mechanism: a thread waits for its vfork child" wait_for 20 waits
	tell 'list threads'
	like "$(<said)" ' D +thread [0-9]+ waits for its child of vfork' \
		"$mechanism: list threads names the thread that waits"
	tell 'break entry work if 1'
	says 20 'done 20' "$mechanism: the program works with a breakpoint set during the wait"
	tell 'disable 3'
	says 30 'done 30' "$mechanism: the program works with the breakpoint disabled"
	tell 'enable 3' 'disable 1'
	says 40 'done 40' "$mechanism: the program works with the breakpoint enabled again"
	printf e >&7
	says end 'ended 7' "$mechanism: the vfork child ends"
	says 50 'done 50' "$mechanism: the program works after the end of the child"
	tell 'save tables t.json' detach
	is "$(json 'node(1)["count"], node(2)["count"], node(3)["count"]')" \
		'60 150 110' "$mechanism: each breakpoint counts while it is enabled"
	ask look
	like "$reply" '^traced 0 foreign 0 .* wrong 0$' \
		"$mechanism: no patch and no tracer is left, and nothing is wrong"
	exec 5>&-
	end_server
done
done_testing

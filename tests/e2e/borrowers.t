#!/usr/bin/env bash
# Children that share the memory of their parent (vfork and clone). The test
# holds them in known states while the tool attaches, detaches and is killed.
# tier: full
# covers: target/attach probe/process probe/site
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"

mkfifo child_in child_out
exec 7<>child_in 8<>child_out
work=$(address_of work "$PROGRAMS/borrowers")
mark=main # never reached; a node at this function shows that the tool is ready

# begin HOW [trap]: starts the server; fd 7 is the input of its child, fd 8 the
# child's output
begin() {
	serve "$PROGRAMS/borrowers" "$@" 5<child_in 6>child_out 7>&- 8>&-
	[ "$reply" = ready ] || fail 'the server does not start' "$reply"
}

born() { # sets $child
	ask child
	child=${reply#child }
	STARTED+=("$child")
}

# BYTE...: commands for the child, which answers all of them except x and e
tell() {
	printf %s "$1" >&7
}

child_works() { # NAME: the child calls the function 10 times
	local byte

	tell w
	IFS= read -r -t 30 -N 1 byte <&8
	is "$byte" w "$1: the child works"
}

works() { # TIMES NAME
	ask "$1"
	is "$reply" "done $1" "$2: the program works"
}

ends() { # BYTE STATUS NAME
	tell "$1"
	ask end
	is "$reply" "ended $2" "$3: the child ends as it should"
}

# attach [COMMAND...]: attaches to the server, sets $tool, and returns when the
# nodes are in place
attach() {
	local command options=()

	for command in "$@"; do
		options+=(-e "$command")
	done
	rm -f t.json
	start perftool -q -n -b -f json -o t.json "${options[@]}" \
		-e "attach $server" -e 'time work' -e "break entry $mark" \
		-e continue 2>tool.err
	tool=$started
	wait_for 20 has_patch "$server" \
		"$(address_of "$mark" "$PROGRAMS/borrowers")" ||
		fail 'the nodes are not in place' "$(cat tool.err)"
}

leave() { # NAME
	end_tool INT
	is "$status" 0 "$1: the tool detaches with status 0"
}

counted() { # N NAME
	is "$(json 'entry("work")["count"], exit("work")["count"],
		time("work")["count"], kept()')" "$1 $1 $1 True" "$2: every call is counted"
}

as_before() { # NAME
	ask look
	is "$reply" "$before" "$1: the program is as before, and nothing went wrong"
}

child_as_before() { # NAME
	is "$(status_of "$child" TracerPid) $(status_of "$child" SigCgt)" \
		"0 $child_caught" "$1: the child is untraced and catches the same signals"
}

look_before() {
	ask look
	before=$reply
	child_caught=$(status_of "$child" SigCgt)
}

# ---- a program whose only thread waits cannot be attached to ----
begin single
born
alone=$server
perftool -q -n -b -t work -p "$alone" 2>refused.err &
refused=$!
STARTED+=("$refused")
# the servers of the other tests use FIFOs of their own
exec {held}<&3 {out_held}<&4 {child_held}<&7
rm child_in
mkfifo child_in
exec 7<>child_in

# ---- children that exist before and after the tool ----
for how in vfork clone; do
	for trap in '' trap; do
		name="$how${trap:+, own SIGTRAP}"
		begin "$how" $trap
		born
		look_before
		attach
		is "$(status_of "$child" TracerPid)" "$tool" "$name: the tool traces the child"
		works 30 "$name"
		child_works "$name"
		works 20 "$name"
		leave "$name"
		counted 60 "$name"
		as_before "$name"
		child_as_before "$name"
		child_works "$name, after detaching"
		works 10 "$name, after detaching"

		# the same child again; it ends while the tool is attached
		attach
		child_works "$name, attached again"
		ends e 7 "$name, attached again"
		works 10 "$name, attached again"
		# another child, which executes a program
		born
		child_works "$name, a second child"
		ends x 0 "$name, a second child"
		leave "$name, attached again"
		counted 30 "$name, attached again"
		as_before "$name, attached again"

		# the child is not followed
		born
		attach 'set follow fork off'
		child_works "$name, not followed"
		works 10 "$name, not followed"
		leave "$name, not followed"
		counted 10 "$name, not followed"
		child_as_before "$name, not followed"
		child_works "$name, not followed, after detaching"
		as_before "$name, not followed"
		ends x 0 "$name, not followed"
		end_server
	done
done

# ---- children that work while the tool attaches and detaches ----
for how in vfork clone; do
	for follow in on off; do
		name="$how, own SIGTRAP, at work, follow fork $follow"
		begin "$how" trap
		# in the first round, the child is born while the tool is
		# attached
		for round in 1 2 3 4 5; do
			attach "set follow fork $follow"
			if [ $round = 1 ]; then
				born
				tell s
			fi
			works 10 "$name"
			leave "$name"
			[ $round != 1 ] || look_before
		done
		tell w
		IFS= read -r -t 30 -N 2 bytes <&8
		is "$bytes" sw "$name: the child has worked all the time"
		like "$before" 'traced 0 foreign 0 .* wrong 0' "$name: after the first detaching, nothing is left"
		as_before "$name"
		child_as_before "$name"
		ends e 7 "$name"
		as_before "$name, after the child's end"
		end_server
	done
done

# ---- the tool is killed ----
for how in vfork clone; do
	for trap in '' trap; do
		name="$how${trap:+, own SIGTRAP}, the tool dies"
		begin "$how" $trap
		born
		look_before
		attach
		child_works "$name"
		# The tool calibrates by int3s in a thread of the program. This
		# answer shows that the thread has left them: a program that
		# has its own handler would be told of those that follow the
		# death of the tool.
		ask look
		end_tool KILL
		ok "$name: the breakpoints are still in place" has_patch "$server" "$work"
		if [ ! "$trap" ]; then
			# a program that has its own handler of SIGTRAP does not
			# survive hits after the death of the tool; the tool
			# said so when it attached
			child_works "$name, before the next tool"
			works 10 "$name, before the next tool"
		fi
		mark=_start # the breakpoint at main is still in place
		attach
		mark=main
		like "$(cat tool.err)" 'removed [0-9]+ breakpoints that a perftool left when it died' \
			"$name: the next tool says that it removed breakpoints"
		child_works "$name, under the next tool"
		works 10 "$name, under the next tool"
		leave "$name, after the next tool"
		counted 20 "$name, after the next tool"
		as_before "$name, after the next tool"
		child_as_before "$name, after the next tool"
		child_works "$name, after the next tool"
		ends e 7 "$name"
		end_server
	done
done

# ---- a process that cannot be measured: another tool traces its child ----
begin clone
born
strace -qq -e trace=none -o strace.out -p "$child" &
other=$!
STARTED+=("$other")
is_strace() {
	[ "$(status_of "$child" TracerPid)" = "$other" ]
}
ok 'strace traces the child' wait_for 20 is_strace
fails_with 125 "$child.*memory of process $server.*traced by.*strace" \
	'refused: a program whose child strace traces' \
	perftool -q -n -b -t work -p "$server"
is "$(status_of "$server" TracerPid)" 0 'refused: nobody traces the program'
works 10 'refused'
kill -INT "$other"
wait "$other" 2>/dev/null
end_server
kill -KILL "$child"

# ---- the only thread ----
wait "$refused"
is "$?" 125 'the only thread waits: the tool ends with status 125'
like "$(cat refused.err)" 'waits for its vfork child' \
	'the only thread waits: the reason is given'
is "$(status_of "$alone" TracerPid)" 0 \
	'the only thread waits: nobody traces the program'
exec 3>&"$held" 4<&"$out_held" 7>&"$child_held"
server=$alone
tell e
ask end
is "$reply" 'ended 7' 'the only thread waits: the child ends as it should'
look_before 2>/dev/null
attach
works 10 'a single thread that has waited'
born
child_works 'a single thread that has waited'
# the parent stops when the child has ended
ends e 7 'a single thread that has waited'
leave 'a single thread that has waited'
counted 20 'a single thread that has waited'
as_before 'a single thread that has waited'
done_testing

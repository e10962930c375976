#!/usr/bin/env bash
# The tool patches only the code that it means: code that is mapped privately
# from the module's file and is the same as in the file. The tool notices what
# another tool or the program puts there or takes away, and leaves it unchanged.
. "$(dirname "$0")/../lib.sh"

# measure COMMAND...: starts the program and the tool; the tool runs these
# commands
measure() {
	begin
	attach "$@"
}

attach() {
	rm -f commands said said.err
	attach_told -n -q >said 2>said.err
	tell "set mechanism $mechanism" 'monitor on' "$@"
}

detach() {
	tell 'save tables t.json' detach
	exec 5>&-
	wait "$tool"
}

# begin: starts only the program; sets $first, $second and $offset
begin() {
	rm -rf ./*
	serve "$PROGRAMS/pages"
	# shellcheck disable=SC2034 # for the tests
	read -r _ first second offset <<<"$reply"
}

# refused REGEX NAME COMMAND: the tool attaches, refuses the command, and says
# why
refused() {
	fails_with 125 "$1" "$2" perftool -n -q -b -p "$server" \
		-e "set mechanism $mechanism" -e "$3"
}

# hears TEXT NAME: the tool has said so, or says so soon
hears() {
	ok "$2" wait_for 20 grep -q "$1" said.err
}

# poke ADDRESS BYTE: another tool writes a byte into the program's memory
poke() {
	printf '%b' "\\x$2" |
		dd of="/proc/$server/mem" bs=1 seek="$1" conv=notrunc \
			status=none
}

# bytes_at ADDRESS: prints five bytes in hexadecimal digits
bytes_at() {
	dd if="/proc/$server/mem" bs=1 skip="$1" count=5 status=none |
		od -An -tx1 | tr -d ' \n'
}
LEA=488d447f01 # first(): lea 1(%rdi,%rdi,2), %rax

# hits: prints the counts of first() and second()
hits() {
	json 'node(1)["count"], node(2)["count"]'
}

both=('break entry first if 1' 'break entry second if 1')
taken='another tool (perhaps a kernel uprobe) has put its int3 over breakpoint 1 (first)'
again='breakpoint 1 (first); hits meanwhile were missed; perftool has put it in again'

for mechanism in fast int3; do
	# ---- how the code is mapped ----
	serve "$PROGRAMS/pages"
	says beside 'done 0 0 0' "$mechanism, mapped twice: it is"
	caught=$(status_of "$server" SigCgt)
	attach "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, mapped twice: no data has changed"
	detach
	is "$(hits)" '10 10' "$mechanism, mapped twice: all is counted"
	attach "${both[@]}"
	detach
	is "$(<said.err)" '' "$mechanism, mapped twice: attached again, all is well"
	is "$(status_of "$server" SigCgt)" "$caught" \
		"$mechanism, mapped twice: no handler stays"
	end_server

	for where in share "share $SCRATCH/work/code"; do
		name="$mechanism, ${where%%/*}"
		begin
		says "$where" 'done 0 0 0' "$name: made"
		refused 'in a shared mapping \(/.* only code that is mapped privately' \
			"$name: refused, with the reason" 'break *0x7000100000'
		says call 'done 0 0 0' "$name: nothing has changed"
		end_server
	done

	begin
	says copy 'done 0 0 0' "$mechanism, other memory there: it is"
	refused 'is not mapped from pages: the program has put other memory there' \
		"$mechanism, other memory there: refused, with the reason" \
		"${both[0]}"
	says 5 'done 5 5 0' "$mechanism, other memory there: nothing has changed"
	end_server

	# ---- the code before the tool patches it ----
	begin
	poke "$first" cc
	refused 'another tool has an int3 there \(perhaps a kernel uprobe' \
		"$mechanism, an int3 was first: refused, with the reason" \
		"${both[0]}"
	is "$(bytes_at "$first")" "cc${LEA:2}" "$mechanism, an int3 was first: it stays"
	poke "$first" "${LEA:0:2}"
	attach "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, an int3 was first: it has gone"
	detach
	is "$(hits)" '10 10' "$mechanism, an int3 was first: then all is counted"
	end_server

	begin
	poke $((first + 4)) 02
	refused 'the code there is not that of pages: the program or another tool' \
		"$mechanism, other code there: refused, with the reason" \
		"${both[0]}"
	is "$(bytes_at "$first")" "${LEA%01}02" "$mechanism, other code there: it stays"
	end_server

	# ---- changes while the tool measures ----
	measure "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, an int3 comes: measured before"
	poke "$first" cc
	if [ "$mechanism" = fast ]; then
		hears "$taken; hits are not counted as long as this lasts" \
			"$mechanism, an int3 comes: that is said"
		is "$(bytes_at "$first")" "cc${LEA:2}" \
			"$mechanism, an int3 comes: nothing of ours is behind it"
	fi
	poke "$first" "${LEA:0:2}"
	hears "$again" "$mechanism, an int3 has gone: that is said"
	says 10 'done 20 20 0' "$mechanism, an int3 has gone: the program goes on"
	detach
	is "$(hits)" '20 20' "$mechanism, an int3 has gone: all is counted"
	is "$(bytes_at "$first")" "$LEA" "$mechanism, an int3 has gone: so have ours"
	end_server

	for what in drop map; do
		name="$mechanism, page: $what"
		measure "${both[@]}"
		says 10 'done 10 10 0' "$name: measured before"
		says "$what" 'done 10 10 0' "$name: it happens"
		hears "has dropped its copy of the page .* $again" \
			"$name: that is said"
		says 10 'done 20 20 0' "$name: the program goes on"
		detach
		is "$(hits)" '20 20' "$name: all is counted"
		is "$(grep -c 'first' said.err)" 1 "$name: it is said once"
		unlike "$(<said.err)" 'second' "$name: of what it is true"
		is "$(foreign "$server")" 0 "$name: nothing of ours is left"
		end_server
	done

	for what in copy fill; do
		name="$mechanism, page: $what"
		measure "${both[@]}"
		says "$what" 'done 0 0 0' "$name: it happens"
		if [ "$what" = copy ] || [ "$mechanism" = fast ]; then
			hears 'breakpoint 1 (first); hits are not counted' \
				"$name: that is said"
		fi
		[ "$what" = fill ] ||
			says 10 'done 10 10 0' "$name: the program goes on"
		detach
		ask 0
		is "${reply##* }" 0 "$name: nothing is written there"
		end_server
	done

	# the process may end before the tool notices the change
	printf '%s\n' 10 drop 10 >input
	try perftool -q -n -f json -o t.json -e "set mechanism $mechanism" \
		-t first "$PROGRAMS/pages" <input
	like "$status $err" \
		'0 .*breakpoint 1 \(first\); hits (since then|meanwhile) were missed' \
		"$mechanism, the process ends: what was missed is told"
	like "$out" 'done 20 20 0' "$mechanism, the process ends: it is right"
done

# ---- real uprobes, where the kernel has them ----
for mechanism in fast int3; do
	measure "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, uprobe: measured before"
	mkfifo until
	exec 6<>until
	start "$PROGRAMS/uprobe" "$PROGRAMS/pages" "$offset" \
		<until >uprobe 3>&- 4>&- 5>&- 6>&-
	uprobe=$started
	ok "$mechanism, uprobe: there is one, or there cannot be" \
		wait_for 20 grep -q . uprobe
	if grep -q '^none' uprobe; then
		diag <uprobe
	else
		[ "$mechanism" = int3 ] ||
			hears "$taken" "$mechanism, uprobe: it is noticed"
		says 10 'done 20 20 0' "$mechanism, uprobe: the program goes on"
		[ "$mechanism" = fast ] ||
			hears "has hit a kernel uprobe of another tool" \
				"$mechanism, uprobe: it is noticed"
		exec 6>&-
		ok "$mechanism, uprobe: it ends" wait_for 20 grep -q hits uprobe
		wait "$uprobe"
		is "$(tail -n 1 uprobe)" 'hits 10' \
			"$mechanism, uprobe: it was hit each time"
		hears "$again" "$mechanism, uprobe: we are there again"
		says 10 'done 30 30 0' "$mechanism, no uprobe: the program goes on"
	fi
	exec 6>&-
	detach
	like "$(hits)" '^(20 30|10 10)$' "$mechanism, no uprobe: all is counted"
	end_server
done
done_testing

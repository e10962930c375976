#!/usr/bin/env bash
# The tool patches only the code that it means: code that is mapped privately
# from the module's file and is the same as in the file. The tool notices what
# another tool or the program puts there or takes away, and leaves it unchanged.
# tier: full
# covers: probe/site probe/process
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
	says beside 'done 0 0 0' \
		"$mechanism, code mapped twice: the program maps its code again"
	caught=$(status_of "$server" SigCgt)
	attach "${both[@]}"
	says 10 'done 10 10 0' \
		"$mechanism, code mapped twice: no data of the program is changed"
	detach
	is "$(hits)" '10 10' "$mechanism, code mapped twice: each hit is counted"
	attach "${both[@]}"
	detach
	is "$(<said.err)" '' "$mechanism, code mapped twice: attaching again gives no message"
	is "$(status_of "$server" SigCgt)" "$caught" \
		"$mechanism, code mapped twice: detaching leaves no signal handler"
	end_server

	for where in share "share $SCRATCH/work/code"; do
		name="$mechanism, ${where%%/*}"
		begin
		says "$where" 'done 0 0 0' "$name: the program makes code in shared memory"
		refused 'in a shared mapping \(/.* only code that is mapped privately' \
			"$name: a breakpoint in shared code is refused, with the reason" \
			'break *0x7000100000'
		says call 'done 0 0 0' "$name: the shared code is unchanged"
		end_server
	done

	begin
	says copy 'done 0 0 0' \
		"$mechanism, other memory in place of code: the program puts it there"
	refused 'is not mapped from pages: the program has put other memory there' \
		"$mechanism, other memory in place of code: a breakpoint is refused" \
		"${both[0]}"
	says 5 'done 5 5 0' "$mechanism, other memory in place of code: the memory is unchanged"
	end_server

	# ---- the code before the tool patches it ----
	begin
	poke "$first" cc
	refused 'another tool has an int3 there \(perhaps a kernel uprobe' \
		"$mechanism, a foreign int3 in the code: a breakpoint is refused" \
		"${both[0]}"
	is "$(bytes_at "$first")" "cc${LEA:2}" \
		"$mechanism, a foreign int3 in the code: the int3 stays"
	poke "$first" "${LEA:0:2}"
	attach "${both[@]}"
	says 10 'done 10 10 0' \
		"$mechanism, a foreign int3 is gone: the program works with breakpoints"
	detach
	is "$(hits)" '10 10' "$mechanism, a foreign int3 is gone: each hit is counted"
	end_server

	begin
	poke $((first + 4)) 02
	refused 'the code there is not that of pages: the program or another tool' \
		"$mechanism, code that the file does not have: a breakpoint is refused" \
		"${both[0]}"
	is "$(bytes_at "$first")" "${LEA%01}02" \
		"$mechanism, code that the file does not have: the code stays"
	end_server

	# ---- changes while the tool measures ----
	measure "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, before a foreign int3 comes: the program works"
	poke "$first" cc
	if [ "$mechanism" = fast ]; then
		hears "$taken; hits are not counted as long as this lasts" \
			"$mechanism, a foreign int3 comes: a message says that hits are missed"
		is "$(bytes_at "$first")" "cc${LEA:2}" \
			"$mechanism, a foreign int3 comes: the rest of the jump is taken out"
	fi
	poke "$first" "${LEA:0:2}"
	hears "$again" \
		"$mechanism, the foreign int3 goes: a message says that the breakpoint is back"
	says 10 'done 20 20 0' "$mechanism, the foreign int3 goes: the program goes on"
	detach
	is "$(hits)" '20 20' "$mechanism, the foreign int3 goes: each hit is counted"
	is "$(bytes_at "$first")" "$LEA" \
		"$mechanism, the foreign int3 goes: detaching restores the code"
	end_server

	for what in drop map; do
		name="$mechanism, page: $what"
		measure "${both[@]}"
		says 10 'done 10 10 0' "$name: the program works before"
		says "$what" 'done 10 10 0' "$name: the program drops or maps its page"
		hears "has dropped its copy of the page .* $again" \
			"$name: a message tells of the dropped page"
		says 10 'done 20 20 0' "$name: the program goes on"
		detach
		is "$(hits)" '20 20' "$name: each hit is counted"
		is "$(grep -c 'first' said.err)" 1 "$name: the message about first() comes once"
		unlike "$(<said.err)" 'second' \
			"$name: no message is about second(), whose page stays"
		is "$(foreign "$server")" 0 "$name: detaching restores the code"
		end_server
	done

	for what in copy fill; do
		name="$mechanism, page: $what"
		measure "${both[@]}"
		says "$what" 'done 0 0 0' "$name: the program puts another page there"
		if [ "$what" = copy ] || [ "$mechanism" = fast ]; then
			hears 'breakpoint 1 (first); hits are not counted' \
				"$name: a message says that hits are not counted"
		fi
		[ "$what" = fill ] ||
			says 10 'done 10 10 0' "$name: the program goes on"
		detach
		ask 0
		is "${reply##* }" 0 "$name: perftool writes nothing into the other page"
		end_server
	done

	# the process may end before the tool notices the change
	printf '%s\n' 10 drop 10 >input
	try perftool -q -n -f json -o t.json -e "set mechanism $mechanism" \
		-t first "$PROGRAMS/pages" <input
	like "$status $err" \
		'0 .*breakpoint 1 \(first\); hits (since then|meanwhile) were missed' \
		"$mechanism, the process ends: a message tells of missed hits"
	like "$out" 'done 20 20 0' \
		"$mechanism, the process ends: the program prints what it should"
done

# ---- real uprobes, where the kernel has them ----
for mechanism in fast int3; do
	measure "${both[@]}"
	says 10 'done 10 10 0' "$mechanism, before a uprobe: the program works"
	mkfifo until
	exec 6<>until
	start "$PROGRAMS/uprobe" "$PROGRAMS/pages" "$offset" \
		<until >uprobe 3>&- 4>&- 5>&- 6>&-
	uprobe=$started
	ok "$mechanism, uprobe: the kernel sets it or cannot have any" \
		wait_for 20 grep -q . uprobe
	if grep -q '^none' uprobe; then
		diag <uprobe
	else
		[ "$mechanism" = int3 ] ||
			hears "$taken" "$mechanism, uprobe: a message tells of it"
		says 10 'done 20 20 0' "$mechanism, uprobe: the program goes on"
		[ "$mechanism" = fast ] ||
			hears "has hit a kernel uprobe of another tool" \
				"$mechanism, uprobe: a message tells of it"
		exec 6>&-
		ok "$mechanism, uprobe: its owner ends" wait_for 20 grep -q hits uprobe
		wait "$uprobe"
		is "$(tail -n 1 uprobe)" 'hits 10' \
			"$mechanism, uprobe: it is hit at each call"
		hears "$again" \
			"$mechanism, uprobe gone: a message says that the breakpoint is back"
		says 10 'done 30 30 0' "$mechanism, uprobe gone: the program goes on"
	fi
	exec 6>&-
	detach
	like "$(hits)" '^(20 30|10 10)$' \
		"$mechanism, uprobe gone: only hits during the uprobe are missed"
	end_server
done
done_testing

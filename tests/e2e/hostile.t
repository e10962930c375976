#!/usr/bin/env bash
# Programs that forbid system calls, that look at their own code, and that
# change their code while the tool measures them.
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

# ---- seccomp ----
for how in strict kill errno thread; do
	times work -- "$PROGRAMS/seccomp" "$how"
	is "$status" 5 "seccomp, $how: it lives to its own end"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" "seccomp, $how: work"
done

# The program may map only files as executable memory, so that each node is
# single-stepped. The filter is in place before the tool starts, or the program
# installs it later.
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json -t work -t half \
	"$PROGRAMS/pie" 300
is "$status" 0 'no executable memory, from the start: status'
is "$(json 'time("work")["count"], time("half")["count"]')" \
	"$(own work) $(own half)" 'no executable memory, from the start: counts'
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json \
	-e 'set mechanism auto' -t work "$PROGRAMS/threads" 4 1500
is "$status" 0 'no executable memory, threads: status'
is "$(json 'time("work")["count"]')" "$(own work)" \
	'no executable memory, threads: counts'
like "$err" 'single-stepped' 'no executable memory, threads: what it costs is said'
ok 'no executable memory, threads: its stops are in the overhead' [ "$(json \
	't["summary"]["overhead_ns"] > 10000 * t["summary"]["breaks"]')" = True ]
# The tool says so while the program runs: this program would run for hours.
start "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -b -e 'set mechanism auto' \
	-t work "$PROGRAMS/threads" 4 100000000 >/dev/null 2>told
tool=$started
ok 'no executable memory, threads: that it is slow is said while it runs' \
	wait_for 30 grep -qE 'slows the program down: it is an int3 \(its instruction is single-stepped in its place\)' told
kill -TERM "$tool"
wait "$tool" 2>/dev/null
LIMIT=10
for program in pie static; do
	times "work@$program" "half@$program" -- "$PROGRAMS/seccomp" wrap \
		"$PROGRAMS/$program" 300
	is "$status" 0 "no executable memory, $program, after exec: status"
	is "$(json 'time("work")["count"], time("half")["count"]')" \
		"$(own work) $(own half)" \
		"no executable memory, $program, after exec: counts"
done
# If a call that waits were single-stepped while all threads are stopped, it
# would wait for ever.
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json \
	-t wait_at "$PROGRAMS/blocked" <<<'end'
is "$status ${out##*$'\n'}" '0 end arrivals 5 1 wrong 0' \
	'no executable memory, a node at a system call: it is not harmed'
like "$err" 'perftool can set no breakpoint on a system call instruction that cannot be executed at another address' \
	'no executable memory, a node at a system call: refused'

LIMIT=60

# ---- programs that look at themselves see their tracer and the patches ----
# The tool writes into the code of two nodes, and of the places where it learns
# of libraries, of new signal handlers and of the end of the process.
MECHANISM=int3
times work -- "$PROGRAMS/looksback"
is "$status $(own work) $(own traced) $(own foreign)" '0 100 1 5' \
	'a program that looks at itself sees five bytes that are not its own'
is "$(json 'time("work")["count"]')" 100 'and is measured'
MECHANISM=fast
times work -- "$PROGRAMS/looksback"
is "$status $(own work) $(own traced)" '0 100 1' 'and jumps'
ok 'and jumps: more bytes' [ "$(own foreign)" -gt 4 ]
is "$(json 'time("work")["count"]')" 100 'and jumps: is measured'
MECHANISM=

# ---- restartable sequences ----
# A break inside the sequence would let the program continue without the
# sequence's protection.
for program in rseq rseq_nopie; do
	times before -- "$PROGRAMS/$program" 4 5000
	is "$status $(own counted) $(own lost)" '0 20000 0' \
		"$program: measured around, its sequence is one"
	is "$(json 'entry("before")["count"]')" 20000 "$program: counts"
	try perftool -q -n -e 'break main' -e 'break entry inside' -e run \
		-e continue "$PROGRAMS/$program" 4 5000
	is "$status $(own lost)" '0 0' "$program: nothing is lost"
	like "$err" 'restartable sequence' \
		"$program: a breakpoint within is refused"
done

# ---- as another user: what root may do is no excuse ----
chmod 755 "$SCRATCH" "$SCRATCH/work"
mkdir -m 777 public "$HOME/nobody"
cp "$BUILD/perftool" "$PROGRAMS/looksback" "$PROGRAMS/pie" public
cp public/pie public/setuid
chmod 4755 public/setuid
cd public || exit 2
nobody=()
[ "$(id -u)" != 0 ] || nobody=(setpriv --reuid=65534 --regid=65534
	--clear-groups)
try "${nobody[@]}" ./perftool -q -n -f json -o t.json -t work ./looksback \
	undumpable
is "$status $(own work)" '0 100' 'not dumpable: status'
is "$(json 'time("work")["count"]')" 100 'not dumpable: work'
like "$err" 'dumpable' 'not dumpable: why libraries cannot be heard of is said'
ok 'not dumpable: and said once' [ "$(wc -l <"$SCRATCH/err")" -le 1 ]
if [ ${#nobody[@]} -gt 0 ]; then
	fails_with 125 'set-user-ID|setuid' \
		'a setuid program: refused with the reason' \
		"${nobody[@]}" ./perftool -q -n -t work ./setuid
fi
cd ..

# ---- 32-bit ----
cat >small.s <<-'END'
	.globl _start
	_start: mov $1, %eax
	mov $3, %ebx
	int $0x80
END
as --32 small.s -o small.o && ld -m elf_i386 small.o -o small
fails_with 126 '32-bit' 'a 32-bit program: refused' perftool -q -n -t _start \
	./small

# ---- libraries that are loaded and unloaded ----
# The time limit is only for a program that hangs: this test takes minutes on a
# machine that is busy with other work.
LIMIT=200
times plugin_work -- "$PROGRAMS/reloader" "$PROGRAMS/plugin" 10000
is "$status $(own calls)" '0 20000' 'loaded 10,000 times: status'
is "$(json 'entry("plugin_work")["count"], exit("plugin_work")["count"]')" \
	'20000 20000' 'loaded 10,000 times: counts'
is "$(own late_mappings)" "$(own early_mappings)" \
	'loaded 10,000 times: no memory is added after a while'
is "$(json 'kept()')" True 'loaded 10,000 times: nothing disappears'
LIMIT=60

alone=$("$PROGRAMS/reloader" "$PROGRAMS/plugin" alternate "$PROGRAMS/plugin2")
times plugin_work -- "$PROGRAMS/reloader" "$PROGRAMS/plugin" alternate \
	"$PROGRAMS/plugin2"
is "$out" "$alone" 'another library where one was: it computes what it should'
is "$(json 'sum(l["count"] for l in t["legs"])')" "$(own calls)" \
	'another library where one was: counts'

cp "$PROGRAMS/plugin" old.so
cp "$PROGRAMS/plugin2" new.so
times plugin_work -- "$PROGRAMS/reloader" ./old.so replace new.so
is "$status $(own calls)" '0 70' 'replaced on disk: status'
is "$(own sum)" 3260 'replaced on disk: it computes what it should'
is "$(json 'entry("plugin_work")["count"], exit("plugin_work")["count"]')" \
	'70 70' 'replaced on disk: calls of the old one and of the new one'

# ---- code made at run time ----
jit=(-e 'break ready' -e 'break ready_again' -e run
	-e 'break *0x20000000 if 1' -e 'break *0x20000008 if 1'
	-e 'add leg 3 4' -e 'monitor on' -e continue)
try perftool -q -n "${jit[@]}" -e 'save tables t.json' "$PROGRAMS/jit"
is "$status $(own sum)" '0 10200' 'code made at run time: status'
is "$(json 'node(3)["count"], node(4)["count"], leg(0)["count"]')" \
	'100 100 100' 'code made at run time: counts'
# The program writes over its code. The nodes disappear with the old code, until
# the tool sets them again.
alone=$("$PROGRAMS/jit" again)
try perftool -q -n "${jit[@]}" -e 'continue' -e 'continue' \
	-e 'save tables t.json' "$PROGRAMS/jit" again
is "$out" "$alone" 'code written over: the program is not harmed'
is "$(json 'node(3)["count"], node(4)["count"]')" '100 100' \
	'code written over: the nodes went with it'
anew=(-e 'disable 3' -e 'enable 3' -e 'disable 4' -e 'enable 4' -e continue)
try perftool -q -n "${jit[@]}" "${anew[@]}" "${anew[@]}" \
	-e 'save tables t.json' "$PROGRAMS/jit" again
is "$out" "$alone" \
	'code written over, and nodes in it anew: it computes what it should'
is "$(json 'node(3)["count"], node(4)["count"]')" '175 175' \
	'code written over, and nodes in it anew: counts'

# ---- seccomp, of a program that is attached to ----
# poke: sends a byte to the program, and sets $reply to its answer
poke() {
	printf . >&3
	hear
}

# attach COMMAND...: attaches, sets $tool, and returns when the tool has
# attached
attach() {
	start perftool -n "$@" -p "$server" >tool.out 2>said
	tool=$started
	wait_for 20 grep -q 'stood still' said ||
		fail 'it does not attach' "$(<said)"
}

serve "$PROGRAMS/seccomp" asked
attach -t work --for 30s
ok 'a filter: warned of what happens should perftool die' \
	wait_for 10 grep -q 'seccomp filter.*rt_sigreturn.*kills the thread or the process' said
poke
is "$reply" 'work 11' 'a filter: it works'
end_tool INT
is "$(grep -c 'seccomp filter' said)" 1 'a filter: warned once'
poke
is "$reply" 'work 12' 'a filter: and goes on without perftool'
end_server

serve "$PROGRAMS/seccomp" asked strict
attach -t work --for 30s
for n in 11 12; do
	poke
	is "$reply" "work $n" 'strict mode: it works'
done
end_tool KILL
poke
is "$reply" 'work 13' 'strict mode: perftool has died, and it goes on'
unlike "$(<said)" 'seccomp filter' 'strict mode: no warning'
end_server

# ---- SIGTRAP blocked for moments ----
serve "$PROGRAMS/remap" "$PROGRAMS/plugin"
attach -e "set mechanism int3" -t plugin_work --for 30s
unlike "$(<said)" 'blocks SIGTRAP' 'SIGTRAP blocked for moments: not at attach'
for _ in 1 2; do
	says blocked 7 'SIGTRAP blocked for moments: it works'
	ok 'SIGTRAP blocked for moments: warned' wait_for 10 \
		grep -q 'blocks SIGTRAP: if perftool is killed (SIGKILL), the process dies' said
done
end_tool INT
is "$(grep -c 'blocks SIGTRAP' said)" 1 'SIGTRAP blocked for moments: warned once'
says call 7 'SIGTRAP blocked for moments: it works without perftool'
end_server

# ---- code written over while it is measured ----
serve "$PROGRAMS/remap" "$PROGRAMS/plugin"
attach -b -f json -o t.json -e 'break *0x20000008 if 1' -e 'monitor on' \
	-e 'shell : >node' -e continue
ok 'code written over with itself: it is a node' wait_for 20 test -e node
says call 7 'code written over with itself: a call'
says call 7 'code written over with itself: and another'
says overwrite 0 'code written over with itself: it is'
says call 7 'code written over with itself: and a third'
end_tool INT
is "$status $(json 'node(1)["count"]')" '0 2' 'code written over with itself: hits'
is "$(grep -c 'overwritten breakpoint 1 (.*); hits since then are not counted' said)" 1 \
	'code written over with itself: that is said, once'
attach -t plugin_work
says call 7 'nothing written over: a call'
end_tool INT
unlike "$(<said)" 'overwritten' 'nothing written over: nothing is said'
end_server
try perftool -q -n "${jit[@]}" -e continue -e disable -e continue \
	"$PROGRAMS/jit" again
is "$(grep -o 'overwritten breakpoint [0-9]*' <<<"$err" | sort)" \
	$'overwritten breakpoint 3\noverwritten breakpoint 4' \
	'code written over: said at the next stop, once'
done_testing

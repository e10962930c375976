#!/usr/bin/env bash
# Programs that forbid system calls, that look at their own code, and that
# change their code while the tool measures them.
# tier: full
# covers: probe/site target/remote target/proc
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

# ---- seccomp ----
for how in strict kill errno thread; do
	times work -- "$PROGRAMS/seccomp" "$how"
	is "$status" 5 "seccomp, $how: the program ends with its own status"
	is "$(json 'entry("work")["count"], exit("work")["count"]')" \
		"$(own work) $(own work)" "seccomp, $how: each call of work() is counted"
done

# The program has forbidden itself to make memory executable that is not
# (PR_SET_MDWE, Linux 6.3), and executes itself again.
cat >mdwe.c <<'END'
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
__attribute__((noipa)) long work(long n)
{
	return n * 3 + 1;
}
int main(int argc, char **argv)
{
	if (argc > 1 && prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0) == 0)
		execl(argv[0], argv[0], NULL);
	for (int i = 0; i < 300; i++)
		work(i);
	puts(argc > 1 ? "work 300 without" : "work 300");
	return 0;
}
END
gcc -O1 -o mdwe mdwe.c
for mechanism in int3 auto; do
	try perftool -q -n -f json -o t.json -e "set mechanism $mechanism" -t work -- ./mdwe x
	[[ $out != *without ]] || echo '# this kernel has no PR_SET_MDWE'
	is "$status $(json 'time("work")["count"]') $err" "0 300 " \
		"$mechanism, no memory is made executable: each call is timed"
done

# The program may map only files as executable memory, so that each node is
# single-stepped. The filter is in place before the tool starts, or the program
# installs it later.
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json -t work -t half \
	"$PROGRAMS/pie" 300
is "$status" 0 'no executable memory, from the start: the program ends with status 0'
is "$(json 'time("work")["count"], time("half")["count"]')" \
	"$(own work) $(own half)" 'no executable memory, from the start: each call is timed'
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json \
	-e 'set mechanism auto' -t work "$PROGRAMS/threads" 4 1500
is "$status" 0 'no executable memory, threads: the program ends with status 0'
is "$(json 'time("work")["count"]')" "$(own work)" \
	'no executable memory, threads: each call is timed'
like "$err" 'single-stepped' 'no executable memory, threads: a message tells of single-stepping'
ok 'no executable memory, threads: the overhead contains the stops' [ "$(json \
	't["summary"]["overhead_ns"] > 10000 * t["summary"]["breaks"]')" = True ]
# The tool says so while the program runs: this program would run for hours.
start "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -b -e 'set mechanism auto' \
	-t work "$PROGRAMS/threads" 4 100000000 >/dev/null 2>told
tool=$started
ok 'no executable memory, threads: perftool warns while the program runs' \
	wait_for 30 grep -qE 'slows the program down: it is an int3 \(its instruction is single-stepped in its place\)' told
kill -TERM "$tool"
wait "$tool" 2>/dev/null
LIMIT=10
for program in pie static; do
	times "work@$program" "half@$program" -- "$PROGRAMS/seccomp" wrap \
		"$PROGRAMS/$program" 300
	is "$status" 0 "no executable memory, $program, after exec: the status is 0"
	is "$(json 'time("work")["count"], time("half")["count"]')" \
		"$(own work) $(own half)" \
		"no executable memory, $program, after exec: each call is timed"
done
# If a call that waits were single-stepped while all threads are stopped, it
# would wait for ever.
try "$PROGRAMS/seccomp" wrap "$BUILD/perftool" -q -n -f json -o t.json \
	-t wait_at "$PROGRAMS/blocked" <<<'end'
like "$status ${out##*$'\n'}" '^0 end arrivals (5 1|6 0) wrong 0$' \
	'no executable memory, a node at a system call: the program is unharmed'
like "$err" 'perftool can set no breakpoint on a system call instruction that cannot be executed at another address' \
	'no executable memory, a node at a system call: the node is refused'

LIMIT=60

# ---- programs that look at themselves see their tracer and the patches ----
# The tool writes into the code of two nodes, and of the places where it learns
# of libraries, of new signal handlers, of tracing and of the end of the process. (With
# `set affinity auto` it also writes into all functions of the C library that tell of CPUs.)
MECHANISM=int3
batch 'set affinity off' 'time work' -- "$PROGRAMS/looksback"
is "$status $(own work) $(own traced) $(own foreign)" '0 100 1 6' \
	'int3: a program that looks at itself sees a tracer and 6 changed bytes'
is "$(json 'time("work")["count"]')" 100 'int3: a program that looks at itself is measured'
MECHANISM=fast
times work -- "$PROGRAMS/looksback"
is "$status $(own work) $(own traced)" '0 100 1' \
	'fast: a program that looks at itself sees a tracer'
ok 'fast: a program that looks at itself sees more than 5 changed bytes' \
	[ "$(own foreign)" -gt 5 ]
is "$(json 'time("work")["count"]')" 100 'fast: a program that looks at itself is measured'
MECHANISM=

# ---- restartable sequences ----
# A break inside the sequence would let the program continue without the
# sequence's protection.
for program in rseq rseq_nopie; do
	times before -- "$PROGRAMS/$program" 4 5000
	is "$status $(own counted) $(own lost)" '0 20000 0' \
		"$program: timing before() leaves restartable sequences whole"
	is "$(json 'entry("before")["count"]')" 20000 \
		"$program: each call of before() is counted"
	try perftool -q -n -e 'break main' -e 'break entry inside' -e run \
		-e continue "$PROGRAMS/$program" 4 5000
	is "$status $(own lost)" '0 0' \
		"$program: after the refusal, restartable sequences are whole"
	like "$err" 'restartable sequence' \
		"$program: a breakpoint inside a restartable sequence is refused"
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
is "$status $(own work)" '0 100' 'not dumpable: the program ends with status 0'
is "$(json 'time("work")["count"]')" 100 'not dumpable: each call of work() is timed'
like "$err" 'dumpable' 'not dumpable: a message says why perftool does not hear of libraries'
ok 'not dumpable: perftool prints at most one message' [ "$(wc -l <"$SCRATCH/err")" -le 1 ]
if [ ${#nobody[@]} -gt 0 ]; then
	fails_with 125 'set-user-ID|setuid' \
		'a setuid program is refused with the reason' \
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
fails_with 126 '32-bit' 'a 32-bit program is refused' perftool -q -n -t _start \
	./small

# ---- libraries that are loaded and unloaded ----
# The time limit is only for a program that hangs: this test takes minutes on a
# machine that is busy with other work.
LIMIT=200
times plugin_work -- "$PROGRAMS/reloader" "$PROGRAMS/plugin" 10000
is "$status $(own calls)" '0 20000' \
	'a library loaded 10,000 times: the program makes all its calls'
is "$(json 'entry("plugin_work")["count"], exit("plugin_work")["count"]')" \
	'20000 20000' 'a library loaded 10,000 times: each call is counted'
is "$(own late_mappings)" "$(own early_mappings)" \
	'a library loaded 10,000 times: the number of mappings stops growing'
is "$(json 'kept()')" True 'a library loaded 10,000 times: the counts of legs and nodes agree'
LIMIT=60

alone=$("$PROGRAMS/reloader" "$PROGRAMS/plugin" alternate "$PROGRAMS/plugin2")
times plugin_work -- "$PROGRAMS/reloader" "$PROGRAMS/plugin" alternate \
	"$PROGRAMS/plugin2"
is "$out" "$alone" 'another library where one was: the program prints what it should'
is "$(json 'sum(l["count"] for l in t["legs"])')" "$(own calls)" \
	'another library where one was: each call is timed'

cp "$PROGRAMS/plugin" old.so
cp "$PROGRAMS/plugin2" new.so
times plugin_work -- "$PROGRAMS/reloader" ./old.so replace new.so
is "$status $(own calls)" '0 70' 'a library replaced on disk: the program makes all its calls'
is "$(own sum)" 3260 'a library replaced on disk: the program computes what it should'
is "$(json 'entry("plugin_work")["count"], exit("plugin_work")["count"]')" \
	'70 70' 'a library replaced on disk: calls of the old and the new one are counted'

# ---- code made at run time ----
jit=(-e 'break ready' -e 'break ready_again' -e run
	-e 'break *0x20000000 if 1' -e 'break *0x20000008 if 1'
	-e 'add leg 3 4' -e 'monitor on' -e continue)
try perftool -q -n "${jit[@]}" -e 'save tables t.json' "$PROGRAMS/jit"
is "$status $(own sum)" '0 10200' 'code made at run time: the program computes what it should'
is "$(json 'node(3)["count"], node(4)["count"], leg(0)["count"]')" \
	'100 100 100' 'code made at run time: each hit is counted'
# The program writes over its code. The nodes disappear with the old code, until
# the tool sets them again.
alone=$("$PROGRAMS/jit" again)
try perftool -q -n "${jit[@]}" -e 'continue' -e 'continue' \
	-e 'save tables t.json' "$PROGRAMS/jit" again
is "$out" "$alone" 'code written over: the program prints what it should'
is "$(json 'node(3)["count"], node(4)["count"]')" '100 100' \
	'code written over: the nodes disappear with the old code'
anew=(-e 'disable 3' -e 'enable 3' -e 'disable 4' -e 'enable 4' -e continue)
try perftool -q -n "${jit[@]}" "${anew[@]}" "${anew[@]}" \
	-e 'save tables t.json' "$PROGRAMS/jit" again
is "$out" "$alone" \
	'code written over, nodes set again: the program prints what it should'
is "$(json 'node(3)["count"], node(4)["count"]')" '175 175' \
	'code written over, nodes set again: hits are counted again'

# ---- seccomp, of a program that is attached to ----
# poke: sends a byte to the program, and sets $reply to its answer
poke() {
	printf . >&3
	hear
}

# attach OPTION...: attaches, sets $tool, and returns when the program goes on with the nodes
# that the options set
goes_on() {
	sed -E '1,/^(Leg|Breakpoint)/d' said | grep -q 'stood still'
}
attach() {
	start perftool -n "$@" -p "$server" >tool.out 2>said
	tool=$started
	wait_for 20 goes_on || fail 'perftool attaches' "$(<said)"
}

serve "$PROGRAMS/seccomp" asked
attach -t work
ok 'a seccomp filter: a warning says what happens if perftool dies' \
	wait_for 10 grep -q 'seccomp filter.*rt_sigreturn.*kills the thread or the process' said
poke
is "$reply" 'work 11' 'a seccomp filter: the program works while it is measured'
end_tool INT
is "$(grep -c 'seccomp filter' said)" 1 'a seccomp filter: the warning comes once'
poke
is "$reply" 'work 12' 'a seccomp filter: the program goes on without perftool'
end_server

serve "$PROGRAMS/seccomp" asked strict
attach -t work
for n in 11 12; do
	poke
	is "$reply" "work $n" 'seccomp strict mode: the program works while it is measured'
done
end_tool KILL
poke
is "$reply" 'work 13' 'seccomp strict mode: the program goes on after perftool was killed'
unlike "$(<said)" 'seccomp filter' 'seccomp strict mode: no warning of a filter comes'
end_server

# ---- SIGTRAP blocked for moments ----
serve "$PROGRAMS/remap" "$PROGRAMS/plugin"
attach -e "set mechanism int3" -t plugin_work
unlike "$(<said)" 'blocks SIGTRAP' \
	'SIGTRAP blocked for moments: no warning comes when perftool attaches'
for _ in 1 2; do
	says blocked 7 'SIGTRAP blocked for moments: the program works while it is measured'
	ok 'SIGTRAP blocked for moments: a warning comes' wait_for 10 \
		grep -q 'blocks SIGTRAP: if perftool is killed (SIGKILL), the process dies' said
done
end_tool INT
is "$(grep -c 'blocks SIGTRAP' said)" 1 'SIGTRAP blocked for moments: the warning comes once'
says call 7 'SIGTRAP blocked for moments: the program works without perftool'
end_server

# ---- code written over while it is measured ----
serve "$PROGRAMS/remap" "$PROGRAMS/plugin"
attach -b -f json -o t.json -e 'break *0x20000008 if 1' -e 'monitor on' \
	-e 'shell : >node' -e continue
ok 'code written over with itself: the node is set' wait_for 20 test -e node
says call 7 'code written over with itself: a first call works'
says call 7 'code written over with itself: a second call works'
says overwrite 0 'code written over with itself: the program writes over the code'
says call 7 'code written over with itself: a call after that works'
end_tool INT
is "$status $(json 'node(1)["count"]')" '0 2' \
	'code written over with itself: the hits before the writing are counted'
is "$(grep -c 'overwritten breakpoint 1 (.*); hits since then are not counted' said)" 1 \
	'code written over with itself: one message tells of missed hits'
attach -t plugin_work
says call 7 'no code written over: a call works'
end_tool INT
unlike "$(<said)" 'overwritten' 'no code written over: no message comes'
end_server
try perftool -q -n "${jit[@]}" -e continue -e disable -e continue \
	"$PROGRAMS/jit" again
is "$(grep -o 'overwritten breakpoint [0-9]*' <<<"$err" | sort)" \
	$'overwritten breakpoint 3\noverwritten breakpoint 4' \
	'code written over: one message for each breakpoint comes at the next stop'
done_testing

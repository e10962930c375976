#!/usr/bin/env bash
# `watch EXPR` counts what touches an object in memory, in all threads and
# processes, and leaves nothing behind.
# tier: core
# covers: probe target session/inspect
# again: int3
. "$(dirname "$0")/../lib.sh"

# ---- a processor that does not report what it watches ----
# It takes what is written to its debug registers, as some virtual machines do.
cat >deaf.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <sys/user.h>

#define REGISTERS offsetof(struct user, u_debugreg)
#define POKEUSER 6

long ptrace(long request, long pid, unsigned long address, void *data)
{
	if (request == POKEUSER && address >= REGISTERS)
		return 0;
	return ((long (*)(long, long, unsigned long, void *))dlsym(
		RTLD_NEXT, "ptrace"))(request, pid, address, data);
}
END
gcc -shared -fPIC -o deaf.so deaf.c
fails_with 125 'the processor of this machine does not report what it watches' 	'where no write is reported, watch says so' 	env LD_PRELOAD="$PWD/deaf.so" ASAN_OPTIONS=verify_asan_link_order=0 \
	perftool -q -n -b -e 'watch shared if 1' "$PROGRAMS/watched"
if ! "$PROGRAMS/watchable"; then
	fails_with 125 'the processor of this machine does not report' \
		'this machine is such a one' \
		perftool -q -n -b -e 'watch shared if 1' "$PROGRAMS/watched"
	pass 'watchpoints # SKIP the processor does not report what it watches'
	done_testing
fi

# ---- one that does ----
batch 'watch shared if 1' 'watch shared access if 1' \
	'watch object.a if object.a >= 15' 'watch object.d if 1' \
	-- "$PROGRAMS/watched"
is "$status $(own sum)" "0 $("$PROGRAMS/watched" | sed -n 's/^sum //p')" \
	'the program computes the same'
is "$(json 'node(1)["count"]')" "$(own writes)" \
	'each write counts: of threads, of a child, of an executed program'
is "$(json 'node(2)["count"]')" $(($(own writes) + $(own reads))) \
	'access counts reads, too'
is "$(json 'node(3)["count"], node(4)["count"]')" "5 $(own members)" \
	'members, and a condition on the new value'
is "$(json 'sorted({n["kind"] for n in t["nodes"]})')" watch 'their kind is watch'
is "$(json 'sorted({n["mechanism"] for n in t["nodes"]})')" 'debug register' \
	'their mechanism is a debug register'

batch 'set follow fork off' 'watch shared if 1' \
	-- "$PROGRAMS/watched"
is "$(json 'node(1)["count"]')" $(($(own writes) - 12)) \
	'children that are not followed do not count'

# stops at a write, a local variable, deletes
try perftool -q -n -e 'break accumulate' -e run -e 'watch local' -e 'delete 1' \
	-e continue -e 'print local' -e 'continue' -e 'print local' -e 'delete 2' \
	-e continue "$PROGRAMS/watched"
like "$out" '(^|
)0
1
writes' 'a watchpoint without a condition stops behind each write'
is "$status" 0 'the program goes on when the watchpoint is deleted'

for what in 'object.text|object.text has 24 bytes' \
	'nosuch|no variable is called .nosuch' \
	'pointer->x|is reached through a pointer' '|an expression is missing'; do
	fails_with 125 "${what#*|}" "\`watch ${what%|*}' is refused" \
		perftool -b -e "watch ${what%|*}" "$PROGRAMS/watched"
done
try perftool -b -e 'watch shared' -e 'watch object.a' -e 'watch object.b' \
	-e 'watch object.d' -e 'watch pointer' "$PROGRAMS/watched"
like "$status $err" '^125 .*the processor watches 4 objects' \
	'a fifth watchpoint is refused'
try perftool -b -e 'watch shared if 1' -e 'watch object.a if 1' \
	-e 'watch object.b if 1' -e 'watch object.d if 1' -e 'disable 2' \
	-e 'watch pointer if 1' "$PROGRAMS/watched"
is "$status" 0 'one that is disabled gives its place to another'

# A process to which the tool has attached goes on when the tool lets it go, and
# when the tool dies. Its debug registers would end it otherwise.
# shellcheck disable=SC2317 # called by wait_for
grows() {
	[ "$(wc -l <progress)" -gt "$before" ]
}
goes_on() { # NAME
	before=$(wc -l <progress)
	ok "$1" wait_for "$LIMIT" grows
}
start "$PROGRAMS/watched" on >progress
server=$started before=0
wait_for "$LIMIT" grows
try perftool -q -n -b -f json -o t.json -e 'watch shared if 1' \
	-p "$server" --for 100ms
ok 'writes of a process that runs already count' [ "$(json \
	'node(1)["count"] > 0')" = True ]
goes_on 'the process goes on without the tool'
attach_told -q -n >said
tell 'watch shared if 1' 'monitor on' 'collect nodes'
# shellcheck disable=SC2317 # called by wait_for
reached() {
	tell 'list breaks'
	grep -q 'a node, reached' said
}
ok 'a process may be watched again' wait_for "$LIMIT" reached
kill -KILL "$tool"
wait_for "$LIMIT" [ ! -e "/proc/$tool/exe" ]
goes_on 'the process goes on when the tool is killed'
attach_told -q -n >said
tell 'list breaks' 'detach'
goes_on 'another tool can take it over'
done_testing

#!/usr/bin/env bash
# A process in which the tool cannot do what it has to do costs that process at most, be
# it a child or the program itself: everything else is counted and reported, and the
# status is the program's.
# tier: core
# covers: probe session/run probe/fast probe/rings target/remote
. "$(dirname "$0")/../lib.sh"
PENDING=yes # plugin_work() comes with a library
barred=$PROGRAMS/barred

# remarks: prints how many lines the tool has said
remarks() {
	grep -c . <<<"$err"
}

# ---- a seccomp filter -------------------------------------------------------

# Root may suspend filters, another user may not.
if [ "$(id -u)" = 0 ]; then
	chmod 711 "$SCRATCH" "$SCRATCH/work"
	mkdir -m 777 open
	cp "$BUILD/perftool" "$barred" "$PROGRAMS/plugin" open
	cd open || exit 2
	HOME=$PWD
	PATH=$PWD:$PATH
	barred=./barred
	nobody=(setpriv "--reuid=$((100000 + $$))" --regid=65534 --clear-groups
		--inh-caps=-all)
else
	cp "$PROGRAMS/plugin" .
	nobody=()
fi
for mechanism in auto int3; do
	try "${nobody[@]}" perftool -q -n --pending -f json -o t.json \
		-e "set mechanism $mechanism" -t work -t plugin_work \
		"$barred" filter ./plugin
	is "$status $(grep -c . <<<"$out")" '7 2' \
		"a filter, $mechanism: both processes end, with the program's status"
	is "$(json 'time("work")["count"], time("plugin_work")["count"]')" \
		'300 50' "a filter, $mechanism: every call is counted"
	ok "a filter, $mechanism: at most one remark" [ "$(remarks)" -le 1 ]
	unlike "$(json '[n["int3_reason"] for n in t["nodes"]]')" 'gs segment' \
		"a filter, $mechanism: no node has the gs segment as its reason"
	try "${nobody[@]}" perftool -q -n --pending -f json -o t.json \
		-e "set mechanism $mechanism" -t work -t plugin_work \
		"$barred" self filter ./plugin
	is "$status $out" '7 child work 250 plugin 50' \
		"a filter in the program itself, $mechanism: it ends with its status"
	is "$(json 'time("work")["count"], time("plugin_work")["count"]')" \
		'250 50' "a filter in the program itself, $mechanism: every call is counted"
done

# ---- no more memory ---------------------------------------------------------

try perftool -q -n -f json -o t.json -t work -t hop "$barred" memory
is "$status $out" $'7 child work 100 hop 50\nparent work 200' \
	'no memory: the program does what it does by itself'
is "$(json 'time("work")["count"], time("hop")["count"]')" '300 50' \
	'no memory: every call is counted'

try perftool -q -n -f json -o t.json -t work -t hop "$barred" self memory -
is "$status $out" '7 child work 250 hop 50' \
	'no memory in the program itself: it does what it does by itself'
is "$(json 'time("work")["count"], time("hop")["count"]')" '250 50' \
	'no memory in the program itself: every call is counted'

# ---- the kernel refuses a part of ptrace(2) for some processes --------------

# The tool cannot make the request REQUEST for the processes in the file `refused`.
cat >refuse.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/ptrace.h>

static int is_barred(int pid)
{
	FILE *file = fopen("refused", "r");
	int found = 0, at;

	while (file && !found && fscanf(file, "%d", &at) == 1)
		found = at == pid;
	if (file)
		fclose(file);
	return found;
}

long ptrace(enum __ptrace_request request, ...)
{
	va_list ap;
	va_start(ap, request);
	int pid = va_arg(ap, int);
	void *address = va_arg(ap, void *), *data = va_arg(ap, void *);
	va_end(ap);
	long (*next)(int, int, void *, void *) =
		(long (*)(int, int, void *, void *))dlsym(RTLD_NEXT, "ptrace");
	if (request == REQUEST && is_barred(pid)) {
		errno = EIO;
		return -1;
	}
	return next(request, pid, address, data);
}
END
gcc -O1 -shared -fPIC -DREQUEST=PTRACE_GETREGS -o registers.so refuse.c
gcc -O1 -shared -fPIC -DREQUEST=PTRACE_GETSIGINFO -o signals.so refuse.c
gcc -O1 -shared -fPIC -DREQUEST=PTRACE_POKEUSER -o places.so refuse.c
cp "$PROGRAMS/barred" .
try env LD_PRELOAD=./registers.so perftool -q -n --pending -f json -o t.json \
	-e 'set mechanism auto' -t work -t plugin_work ./barred regs ./plugin
is "$status $out" $'7 child work 100\nparent work 200' \
	'refused when all threads stop: the program does what it does by itself'
is "$(json 'time("work")["count"], time("plugin_work")["count"]')" '250 50' \
	'refused when all threads stop: the rest is counted'
is "$err" "process $(<refused) is not measured any more: cannot trace thread $(<refused) (registers): Input/output error" \
	'refused when all threads stop: one remark names the child'
rm refused
try env LD_PRELOAD=./signals.so perftool -q -n -f json -o t.json \
	-e 'set mechanism int3' -t work ./barred traps 8
is "$status $(grep -c '^child work 100$' <<<"$out") ${out##*$'\n'}" \
	'7 8 parent work 200' \
	'refused at hits of 8 children: the program does what it does by itself'
is "$(json 'time("work")["count"]')" 600 'refused at hits of 8 children: the rest is counted'
is "$(sed -n 's/^process \([0-9]*\) is not measured any more.*/\1/p' <<<"$err" | sort)" \
	"$(sort refused)" 'refused at hits of 8 children: one remark names each child'
is "$(remarks)" 8 'refused at hits of 8 children: there is no other remark'

# The program itself: what was counted before is reported.
rm refused
try env LD_PRELOAD=./registers.so perftool -q -n --pending -f json -o t.json \
	-e 'set mechanism auto' -t work -t plugin_work ./barred self regs ./plugin
is "$status $out" '7 self work 250' \
	'refused in the program itself when all threads stop: it does what it does by itself'
is "$(json 'time("work")["count"]')" 200 \
	'refused in the program itself when all threads stop: what was counted is reported'
like "$err" "^process $(<refused) is not measured any more: cannot trace thread $(<refused)" \
	'refused in the program itself when all threads stop: a remark names the cause'
rm refused
try env LD_PRELOAD=./signals.so perftool -q -n -e 'set mechanism int3' -e 'time work' \
	-e run -e 'print legs' ./barred self regs ./plugin
is "$status $(remarks)" '7 1' \
	'refused in the program itself at a hit: one remark, and the status is the program'\''s'
like "$out" $'^self work 250\n.* work .* 200 ' \
	'refused in the program itself at a hit: the commands behind the run are carried out'
# A thread that cannot be led on from an int3 cannot execute the program any more.
rm refused
try env LD_PRELOAD=./places.so perftool -q -n -f json -o t.json \
	-e 'set mechanism int3' -t work ./barred self regs ./plugin
is "$status $(json 'time("work")["count"]')" '137 200' \
	'a thread that cannot go on from an int3: what was counted is reported'
is "$err" "process $(<refused) cannot go on and is killed: cannot trace thread $(<refused) (set the pc): Input/output error" \
	'a thread that cannot go on from an int3: a remark says that the process is killed'
done_testing

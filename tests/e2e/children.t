#!/usr/bin/env bash
# Children, exec, and libraries that are loaded and unloaded.
# tier: core
# covers: target session/run probe/process probe/site
# again: int3
# shellcheck disable=SC2317 # wait_for calls by name
. "$(dirname "$0")/../lib.sh"
PENDING=yes # the functions may come with a library

# The breakpoints in the memory of the parent do not harm its children.
times work -- "$PROGRAMS/children"
is "$status" 0 'children: status 0'
is "$(own harmed)" 0 'children: no child is harmed'
is "$(own forked) $(own vforked) $(own spawned) $(own ran)" '10 10 10 10' \
	'children: every child does its work'
ok "children: the parent's own calls are counted" \
	[ "$(json 'entry("work")["count"]')" -ge 50 ]

# a shell starts children for nearly everything
# shellcheck disable=SC2016 # it is the shell's
times malloc@libc.so.6 -- sh -c \
	'for i in 1 2 3; do echo $i | cat; done; (exit 9)'
is "$status" 9 "a shell: the tool ends with the shell's status"
is "$out" $'1\n2\n3' "a shell: the shell's pipes work"

# After an exec of the same file, the tool resolves the places again.
times work -- "$PROGRAMS/execs" 3
is "$status" 0 'exec: status 0'
is "$(json 'time("work")["count"]')" 40 'exec: calls in all four programs are counted'

# The tool names a 32-bit program and lets it run untraced. The parent is still
# measured.
cat >pause.s <<-'END'
	.globl _start
	_start: mov $29, %eax
	int $0x80
	mov $1, %eax
	mov $3, %ebx
	int $0x80
END
as --32 pause.s -o pause.o && ld -m elf_i386 pause.o -o pause
# Some kernels execute no 32-bit program at all: without IA32 emulation, the
# status of the shell is 126.
start ./pause 2>/dev/null
# shellcheck disable=SC2317 # wait_for calls it
is_decided() {
	[ ! -e "/proc/$started/exe" ] ||
		[ "$(readlink "/proc/$started/exe")" = "$PWD/pause" ]
}
wait_for 20 is_decided
kill -TERM "$started" 2>/dev/null
wait "$started"
executes=$?
rm -f t.json
if [ "$executes" = 126 ]; then
	pass 'a 32-bit child # SKIP this kernel executes no 32-bit programs'
else
	# shellcheck disable=SC2016 # it is the shell's
	serve perftool -q -n --pending -f json -o t.json -t work -- bash -c \
		'./pause & echo $!; wait $!; echo $?; exec "$0" 20' "$PROGRAMS/pie" \
		2>tool.err
	pid=$reply
	is_let_go() {
		[ "$(cat "/proc/$pid/comm")" = pause ] &&
			[ "$(status_of "$pid" TracerPid)" = 0 ]
	}
	ok 'a 32-bit child runs untraced' wait_for 20 is_let_go
	kill -TERM "$pid"
	hear
	is "$reply" 143 'a 32-bit child: its parent gets its exit status'
	wait "$server"
	is "$?" 0 'a 32-bit child: the tool ends with status 0'
	is "$(json 'time("work")["count"]')" 20 'a 32-bit child: the 64-bit program is measured'
	is "$(sed 's/.*\/pause /pause /' tool.err)" \
		'pause runs unmeasured: it is a 32-bit program, and only 64-bit ones can be measured' \
		'a 32-bit child: the tool says that and why the child is not measured'
	exec 3>&- 4>&-
	start perftool -q -n -b -o /dev/null bash -c 'exec ./pause' 2>tool.err
	tool=$started
	paused() {
		pid=$(pgrep -P "$tool" -x pause) && is_let_go
	}
	ok 'a program that executes a 32-bit program runs untraced from then on' wait_for 20 paused
	kill -TERM "$pid"
	wait "$tool"
	is "$?" 143 'a program that executes a 32-bit program: the tool waits for its end'
fi

# A place in a library that the program loads and unloads twice.
times plugin_work -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$status" 0 'dlopen: status 0'
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: calls in both loadings are counted'
unlike "$err" 'never' 'dlopen: the function is not reported as missing'
times plugin_work@plugin -- "$PROGRAMS/loader" "$PROGRAMS/plugin"
is "$(json 'time("plugin_work")["count"]')" 150 'dlopen: FUNCTION@LIBRARY counts the calls in both loadings'
is "$(gdb_count plugin_work "$PROGRAMS/loader" "$PROGRAMS/plugin")" 150 \
	'dlopen: gdb counts as many calls'

# A place that is never found: the tool says so and gives the reason.
try perftool -n -t plugin_work "$PROGRAMS/loader" /nonexistent
is "$status" 125 'a library that never comes: status 125'
like "$err" 'plugin_work' 'a library that never comes: the missing function is named'
# ---- programs that trace their children, as debuggers do ----
# The program says how its child has stopped: the signal and who has sent it, the
# registers and the signal mask with which the executed program begins.
cat >traces.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) long work(long n) { return n * 3 + 1; }
int main(int argc, char **argv)
{
	char how = argv[argc - 1][0];
	struct user_regs_struct regs;
	unsigned long long mask;
	siginfo_t info;
	sigset_t set;
	int status;

	personality(ADDR_NO_RANDOMIZE);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pid_t child = how == 'f' ? fork() : vfork();
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(100 + errno);
		work(1);
		execl("/nonexistent", "true", NULL);
		if (how == 'e')
			_exit(9);
		execl("/bin/true", "true", NULL);
		_exit(99);
	}
	for (int i = 0; i < 100; i++)
		work(i);
	waitpid(child, &status, 0);
	if (WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, child, 0, &regs);
		ptrace(PTRACE_GETSIGINFO, child, 0, &info);
		ptrace(PTRACE_GETSIGMASK, child, sizeof(mask), &mask);
		printf("%x, code %d, of %s, mask %llx\n", status, info.si_code,
		       info.si_pid == child ? "itself" : "another", mask);
		printf("%llx %llx %llx %llx %llx %llx %llx %llx\n", regs.rip & 0xfff,
		       regs.rsp & 15, regs.rax, regs.rcx, regs.rdi, regs.r11,
		       regs.eflags, regs.cs);
		ptrace(PTRACE_CONT, child, 0, 0);
		waitpid(child, &status, 0);
	}
	return WEXITSTATUS(status);
}
END
gcc -O1 -o traces traces.c
# A child of vfork is traced by perftool until it executes a program.
for how in fork vfork ends; do
	try ./traces "$how"
	by_itself="$status $out"
	like "$by_itself" '^(9 |0 57f, code 0, of itself, mask 200)' \
		"$how: a program traces its child by itself"
	for MECHANISM in int3 fast; do
		batch 'set follow fork off' 'time work' -- ./traces "$how"
		is "$status $out" "$by_itself" \
			"fork off, $how, $MECHANISM: a program traces its child"
		is "$err" '' "fork off, $how, $MECHANISM: nothing is remarked"
		is "$(json 'time("work")["count"]')" 100 \
			"fork off, $how, $MECHANISM: the program's own calls are counted"
	done
	MECHANISM=
done
for how in fork vfork; do
	times main -- ./traces "$how"
	is "$status" 101 "$how: a program cannot trace a child that is measured"
	like "$err" '^process [0-9]+ asks to be traced by its parent .*set follow fork off' \
		"$how: a remark says why, and what helps"
done
cat >traced.c <<'END'
#include <errno.h>
#include <sys/ptrace.h>
int main(void)
{
	return ptrace(PTRACE_TRACEME, 0, 0, 0) ? errno : 0;
}
END
gcc -O1 -o traced traced.c
times main -- ./traced
like "$status $err" '^1 process [0-9]+ asks to be traced .* fails: perftool traces it$' \
	'the measured program itself cannot be traced by another, and a remark says so'

# The tool opens the libraries of gdb, which are more than 50.
if [ "$(ulimit -n)" -ge 256 ]; then
	batch 'set follow fork off' 'time malloc@libc.so.6' -- \
		gdb -nx -batch -ex 'break work' -ex run -ex kill --args "$PROGRAMS/execs" 0
	like "$status $out" '^0 .*Breakpoint 1, work \(\)' \
		'gdb is measured while it runs a program'
	ok 'gdb: its own calls are counted' [ "$(json 'time("malloc")["count"]')" -gt 1000 ]
fi
batch 'set follow fork off' 'time malloc@libc.so.6' -- strace -o strace.out ./traced
is "$status $(grep -c '^ptrace(PTRACE_TRACEME).*EPERM' strace.out)" '1 1' \
	'strace is measured while it runs a program'
done_testing

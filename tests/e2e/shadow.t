#!/usr/bin/env bash
# A process with a shadow stack: the tool executes the process's calls at their
# own addresses. Few kernels have shadow stacks, so that the test only pretends:
# a library that is preloaded into the tool changes what the tool reads in
# /proc/PID/status.
# tier: core
# covers: probe/site arch/x86_64 target/proc
. "$(dirname "$0")/../lib.sh"

cat >status.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As the file is, and what $FEATURES says; nothing of the tool itself. */
static FILE *with_features(FILE *file, const char *path)
{
	FILE *copy = fdopen(memfd_create("status", 0), "w+");
	char line[512];

	while (fgets(line, sizeof(line), file))
		fputs(line, copy);
	fclose(file);
	fprintf(copy, "x86_Thread_features:\t%s\n",
		strstr(path, "self") ? "" : getenv("FEATURES"));
	rewind(copy);
	return copy;
}

FILE *fopen(const char *path, const char *mode)
{
	FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
	FILE *file = real(path, mode);

	return file && strncmp(path, "/proc/", 6) == 0 &&
			       strstr(path, "/status") ?
		       with_features(file, path) :
		       file;
}
END
gcc -shared -fPIC -o status.so status.c
cat >caller.c <<'END'
#include <stdio.h>
#include <unistd.h>

unsigned long called;
void callee(void) { called++; }
__asm__(".globl caller; .type caller, @function\n"
	"caller: call callee; ret\n"
	".size caller, . - caller");
void caller(void);

int main(int count, char **arguments)
{
	do
		for (int i = 0; i < 1000; i++)
			caller();
	while (count > 1 && usleep(1000) == 0);
	printf("%lu\n", called);
}
END
gcc -O1 -g -o caller caller.c

# watch FEATURES OPTION...: measures a program that seems to have these features
watch() {
	local features=$1
	shift
	try env FEATURES="$features" LD_PRELOAD="$PWD/status.so" perftool -q -n -b \
		-e 'set mechanism auto' \
		-e 'break entry caller if 1' -e 'break entry callee if 1' \
		-e 'monitor on' -f json -o t.json "$@"
}

watch '' ./caller
is "$status $out" '0 1000' 'no shadow stack: the program has its own status and output'
is "$(mechanisms)" 'fast fast' 'no shadow stack: both breakpoints are jumps'
is "$(json 'node(1)["count"], node(2)["count"]')" '1000 1000' 'no shadow stack: both breakpoints count all calls'

watch 'shstk ' ./caller
is "$status $out" '0 1000' 'shadow stack: the program has its own status and output'
is "$(mechanisms)" 'int3 fast' 'shadow stack: the breakpoint on a call instruction is an int3'
is "$(json 'node(1)["count"], node(2)["count"]')" '1000 1000' 'shadow stack: both breakpoints count all calls'

# The tool attaches to the program, and measures until it has slept twice: it has
# called all in between, however busy the machine is.
rm -f t.json
twice=(-e 'break entry usleep' -e continue -e continue -e 'save tables t.json')
start ./caller 1
caller=$started
watch '' "${twice[@]}" -p "$caller"
is "$status $(mechanisms)" '0 fast fast' 'attached, no shadow stack: both breakpoints are jumps'
is "$(foreign "$caller")" 0 'attached, no shadow stack: no patch is left in the code'
watch 'shstk ' "${twice[@]}" -p "$caller"
is "$status $(mechanisms)" '0 int3 fast' 'attached, shadow stack: the breakpoint on a call is an int3'
ok 'attached, shadow stack: calls are counted' [ "$(json 'node(1)["count"]')" -gt 0 ]
is "$(foreign "$caller")" 0 'attached, shadow stack: no patch is left in the code'
like "$err" 'a call instruction cannot be executed at another address in a process that has a shadow stack; the instruction is single-stepped' \
	'attached, shadow stack: a message says why the call is single-stepped'
ok 'attached, shadow stack: the program goes on after detaching' kill -0 "$caller"

done_testing

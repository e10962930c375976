#!/usr/bin/env bash
# A program whose signal handlers have a stack of their own and call functions there:
# the tool counts their calls, and the program goes on when the tool is killed.
# tier: full
# covers: session/profiling probe/rings probe/survive
. "$(dirname "$0")/../lib.sh"

cat >handler.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

unsigned long called;
__attribute__((noipa)) void callee(void) { called++; }

static void on_signal(int signal)
{
	/* What another frame that is put on top of this stack would overwrite. */
	volatile unsigned long here = called;

	for (int i = 0; i < 100; i++)
		callee();
	if (called != here + 100)
		abort();
}

int main(void)
{
	const size_t size = 256 * 1024;
	const stack_t stack = {
		.ss_sp = mmap(NULL, size, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		.ss_size = size};
	const struct sigaction action = {.sa_handler = on_signal,
					 .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	setvbuf(stdout, NULL, _IONBF, 0);
	for (unsigned long i = 1;; i++) {
		unsigned long before = called;

		raise(SIGUSR1);
		if (called != before + 100)
			abort();
		if (i % 100 == 0)
			putchar('.');
	}
}
END
gcc -O1 -g -o handler handler.c

# shellcheck disable=SC2317 # `wait_for` calls it
goes_on() {
	kill -0 "$program" 2>/dev/null && [ "$(stat -c %s beats)" -ge $((before + 3)) ]
}
# check NAME: the program goes on
check() {
	before=$(stat -c %s beats)
	ok "$1: the program goes on" wait_for 60 goes_on
	kill -0 "$program" 2>/dev/null || diag <<<"it has died"
}

# ends MECHANISM COMMAND: a tool with these nodes is killed while it measures
ends() {
	local tool name="$2, $1"

	rm -f measured
	start ./handler >beats
	program=$started
	wait_for 20 test -s beats
	perftool -q -n -e "set mechanism $1" -e "$2" -e 'continue for 100ms' \
		-e 'shell touch measured' -e 'continue for 1h' -p "$program" &
	tool=$!
	ok "$name: the tool measures" wait_for 60 test -e measured
	check "$name"
	kill -KILL "$tool"
	wait "$tool" 2>/dev/null
	check "$name, the tool is killed"
	kill -KILL "$program"
	wait "$program" 2>/dev/null
}
ends auto 'profile functions callee'
ends auto 'time callee'
done_testing

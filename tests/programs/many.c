/*
 * many.c - a program of 30,000 functions that no code calls, and of work()
 *
 * For each number N on its standard input the program calls work() N times and
 * says `done N`. A request for all its functions takes the tool minutes.
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long calls;

__asm__(".text\n"
	".macro one\n"
	".globl many_\\@\n"
	".type many_\\@, @function\n"
	"many_\\@: nopl 0(%rax)\n"
	"nopl 0(%rax)\n"
	"ret\n"
	".size many_\\@, . - many_\\@\n"
	".endm\n"
	".rept 30000\n"
	"one\n"
	".endr\n");

__attribute__((noinline)) void work(void)
{
	__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST);
}

int main(void)
{
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		long count = strtol(line, NULL, 10);

		for (long i = 0; i < count; i++)
			work();
		printf("done %ld\n", count);
		fflush(stdout);
	}
	return 0;
}

/*
 * segment.c - a program that does to its threads what fast nodes do not bear
 *
 * usage: segment HOW N
 *
 * The program calls work() N times, then does HOW, then calls work() N times
 * more. HOW is gs (the gs base becomes memory of the program, which the program
 * checks in the end), gs0 (the gs base becomes 0), tsc (the program may not
 * read the time-stamp counter any more), brk (the heap grows by 200 MiB), or
 * nothing.
 *
 * There is room for a jump behind the return of work(). Without it, the place
 * of the heap decides whether there can be a jump.
 *
 * Flags: -falign-functions=16
 */
#include <asm/prctl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t block[1024];
static unsigned long calls;

__attribute__((noinline)) void work(void)
{
	calls++;
	__asm__ volatile("" ::: "memory");
}

static void call(long count)
{
	while (count-- > 0)
		work();
}

static uint64_t through_gs(void)
{
	uint64_t word;

	__asm__ volatile("mov %%gs:0, %0" : "=r"(word));
	return word;
}

static void grow(void)
{
	for (int i = 0; i < 200; i++) {
		char *more = sbrk(1024 * 1024);

		if (more == (void *)-1)
			abort();
		memset(more, i, 1024 * 1024);
	}
}

static void change(const char *how)
{
	if (strcmp(how, "gs") == 0)
		syscall(SYS_arch_prctl, ARCH_SET_GS, block);
	else if (strcmp(how, "gs0") == 0)
		syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
	else if (strcmp(how, "tsc") == 0)
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	else if (strcmp(how, "brk") == 0)
		grow();
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 1000;
	const char *how = argc > 1 ? argv[1] : "nothing";

	block[0] = 42;
	call(count);
	change(how);
	call(count);
	printf("work %lu\n", calls);
	if (strcmp(how, "gs") == 0) {
		for (size_t i = 1; i < 1024; i++)
			if (block[i])
				abort();
		printf("word %lu\n", (unsigned long)through_gs());
	}
	return 0;
}

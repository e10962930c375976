/*
 * looksback.c - a program that looks whether a tool watches it
 *
 * usage: looksback [undumpable]
 *
 * The program calls work() 100 times, and prints whether it is traced and how
 * many bytes of its code differ from the files. With `undumpable` it first
 * forbids other processes to look at it, and loads a library after that.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "clean.h"

static int work_calls;

__attribute__((noinline)) void work(void)
{
	work_calls++;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "undumpable") == 0) {
		prctl(PR_SET_DUMPABLE, 0);
		if (!dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL))
			return 2;
	}
	for (int i = 0; i < 100; i++)
		work();
	printf("work %d\ntraced %d\nforeign %ld\n", work_calls, tracer() != 0,
	       foreign_bytes());
	return 0;
}

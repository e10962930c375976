/*
 * looksback.c - a program that looks whether it is watched
 *
 * usage: looksback [undumpable]
 *
 * It calls work() 100 times, and says whether it is traced and how many bytes
 * of its code are not those of the files. undumpable: it forbids to be looked
 * at first, and loads a library after that.
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

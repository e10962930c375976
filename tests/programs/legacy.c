/*
 * legacy.c - 600 functions that are called when the program is told to, and a
 * child that the program leaves
 *
 * For each number N on the standard input, each function is called N times, and
 * the program says `called N`. At `fork` it makes a child, which waits, and
 * says its process number.
 *
 * Flags: -O2 -no-pie
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hundreds.h"

#define ONE(n)                                                                 \
	__attribute__((noipa)) unsigned legacy_##n(unsigned x)                 \
	{                                                                      \
		return x + 1##n;                                               \
	}
#define NAME(n) legacy_##n,
#define ALL(of)                                                                \
	HUNDRED(of, 0)                                                         \
	HUNDRED(of, 1)                                                         \
	HUNDRED(of, 2)                                                         \
	HUNDRED(of, 3)                                                         \
	HUNDRED(of, 4)                                                         \
	HUNDRED(of, 5)

enum { FUNCTIONS = 600 };

ALL(ONE)

static unsigned (*const functions[FUNCTIONS])(unsigned) = {ALL(NAME)};

static void leave_child(void)
{
	pid_t child = fork();

	if (!child)
		for (;;)
			pause();
	printf("%d\n", (int)child);
}

int main(void)
{
	unsigned long times;
	char line[64];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		times = strtoul(line, NULL, 10);
		for (unsigned long i = 0; i < times; i++)
			for (unsigned n = 0; n < FUNCTIONS; n++)
				functions[n](n);
		if (strcmp(line, "fork\n") == 0)
			leave_child();
		else
			printf("called %lu\n", times);
		fflush(stdout);
	}
	return 0;
}

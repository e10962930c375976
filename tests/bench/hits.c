/*
 * hits.c - the program for perftool and gdb to stop in
 *
 * usage: hits COUNT: prints what one call of hit() costs, in ns.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hits.h"

int main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;

	time_hits(count / 10 + 1);
	printf("ns %.1f\n", time_hits(count));
	return 0;
}

/*
 * scribbler.c - writes into the memory that a tool keeps in the program for its
 * hits
 *
 * usage: scribbler HOW COUNT
 *
 * The program calls work() COUNT times, then writes to that memory, and calls
 * work() half as many times again. So a counter that was set back stays behind
 * what the tool has read. HOW is `none`; `ahead`, `back`, `odd` or `little`,
 * which change the first word of the first block, the counter of what was
 * written; `late` or `noise`, which write over the MiB behind the block's first
 * page, where records are; or `counts` or `zeros`, which write over what is
 * behind that, where threads count by themselves.
 *
 * There is room for a jump behind the return of work().
 *
 * Flags: -falign-functions=16
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

static long work_often(long n, long count)
{
	for (long i = 0; i < count; i++)
		n = work(n);
	return n;
}

/* There are so many blocks in the memory that the tool has mapped. */
#define BLOCKS 16

/* The address of the first block of that memory, or 0; and its size. */
static char *find_block(size_t *size)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long low = 0;
	char line[512], *end;

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:perftool-rings")) {
			low = strtoul(line, &end, 16);
			*size = (strtoul(end + 1, NULL, 16) - low) / BLOCKS;
		}
	fclose(maps);
	return (char *)low;
}

static void scribble(const char *how, char *block, size_t size)
{
	volatile uint64_t *written = (volatile uint64_t *)block;
	uint64_t *cells = (uint64_t *)(block + 4096);
	size_t words = 1024 * 1024 / sizeof(*cells);

	if (strcmp(how, "ahead") == 0)
		*written += 1UL << 60;
	else if (strcmp(how, "back") == 0)
		*written = 0;
	else if (strcmp(how, "odd") == 0)
		*written += 7;
	else if (strcmp(how, "little") == 0)
		*written += 64;
	/* a cell has a time, a number, and two more words */
	for (size_t i = 0; i < words && strcmp(how, "late") == 0; i += 4)
		cells[i] = UINT64_MAX;
	for (size_t i = 0; i < words && strcmp(how, "noise") == 0; i++)
		cells[i] = (i + 1) * 0x9e3779b97f4a7c15;
	for (size_t i = words; i < (size - 4096) / sizeof(*cells); i++)
		if (strcmp(how, "counts") == 0)
			cells[i] = (i + 1) * 0x9e3779b97f4a7c15;
		else if (strcmp(how, "zeros") == 0)
			cells[i] = 0;
}

int main(int argc, char **argv)
{
	long count = argc > 2 ? atol(argv[2]) : 1000, n = work_often(0, count);
	size_t size = 0;
	char *block = find_block(&size);

	if (block && argc > 1)
		scribble(argv[1], block, size);
	n = work_often(n, count / 2);
	printf("calls %ld block %d\n", n, block != NULL);
	return 3;
}

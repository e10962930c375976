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
 * page, where records are; `counts` or `zeros`, which write over what is
 * behind that, where threads count by themselves; `short`, which tries to make
 * the file of that memory shorter (this takes a right that root has); or
 * `calls`: then another thread writes over the call block of the first thread
 * (call_block.h) all the time while that calls work().
 *
 * There is room for a jump behind the return of work().
 *
 * Flags: -falign-functions=16 -Iinclude
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/ring.h"

__attribute__((noinline)) long work(long n)
{
	__asm__ volatile("" : "+r"(n));
	return n + 1;
}

__attribute__((noinline)) static long work_often(long n, long count)
{
	for (long i = 0; i < count; i++)
		n = work(n);
	return n;
}

/* The address of the first block of the memory that the tool has mapped, or
 * 0. */
static char *find_block(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], *block = NULL;

	while (fgets(line, sizeof(line), maps))
		if (strstr(line, "/memfd:perftool-rings"))
			block = (char *)strtoul(line, NULL, 16);
	fclose(maps);
	return block ? block + sizeof(struct ring_pool_head) : NULL;
}

/* Opens the files of all memory of the tool, and cuts them off. */
static void make_short(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], path[128];

	while (fgets(line, sizeof(line), maps)) {
		int file;

		if (!strstr(line, "/memfd:perftool"))
			continue;
		snprintf(path, sizeof(path), "/proc/self/map_files/%.*s",
			 (int)strcspn(line, " "), line);
		file = open(path, O_RDWR);
		if (file >= 0 && ftruncate(file, 0) == 0)
			printf("was cut %s", line);
		if (file >= 0)
			close(file);
	}
	fclose(maps);
}

static void scribble(const char *how, char *block)
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
	if (strcmp(how, "short") == 0)
		make_short();
	for (size_t i = words; i < (RING_MAPPED - 4096) / sizeof(*cells); i++)
		if (strcmp(how, "counts") == 0)
			cells[i] = (i + 1) * 0x9e3779b97f4a7c15;
		else if (strcmp(how, "zeros") == 0)
			cells[i] = 0;
}

/* ---- a thread that writes all the time ----------------------------------- */

static volatile int is_over;

static uint64_t draw(void)
{
	static uint64_t random = 0x5eed;

	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	/* Small numbers and the largest one are more dangerous than others. */
	return random & 1 ? random >> 60 : random & 2 ? UINT64_MAX : random;
}

/* The stack is left alone most of the time: hits elsewhere are the tool's. */
static void write_header(volatile uint64_t *words, int with_stack)
{
	size_t stack = offsetof(struct call_block, stack_low) / 8;

	for (size_t i = 0; i < sizeof(struct call_block) / 8; i++)
		if (with_stack || i - stack > 1)
			words[i] = draw();
}

static void *write_calls(void *argument)
{
	char *calls = (char *)argument + COUNTING_CALLS;
	const uint64_t *stack =
		(uint64_t *)(calls + offsetof(struct call_block, stack_low));
	uint64_t low = stack[0], size = stack[1];

	for (long i = 0; !is_over; i++) {
		write_header((volatile uint64_t *)calls, i % 8 == 0);
		if (i % 8 == 7) {
			((volatile uint64_t *)stack)[0] = low;
			((volatile uint64_t *)stack)[1] = size;
		}
		for (size_t at = 4096; at < COUNTING_CALLS_SIZE; at += 65536)
			for (size_t word = 0; word < 32; word++)
				((volatile uint64_t *)(calls + at))[word] =
					draw();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "none";
	long count = argc > 2 ? atol(argv[2]) : 1000, n = work_often(0, count);
	char *block = find_block();
	int writes = block && strcmp(how, "calls") == 0;
	pthread_t thread;

	if (writes)
		pthread_create(&thread, NULL, write_calls, block);
	else if (block)
		scribble(how, block);
	n = work_often(n, count / 2);
	is_over = 1;
	if (writes)
		pthread_join(thread, NULL);
	printf("calls %ld block %d\n", n, block != NULL);
	return 3;
}

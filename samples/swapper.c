/*
 * swapper.c - the program of the sample session in the Mesa memo
 *
 * In the memo (1980), a client allocates most of the memory to exercise the
 * swapper, and 697 calls of the procedure AllocVM are measured. A call is quick
 * if there is a free run of pages, and slow if pages must be swapped out first,
 * so that the times have two humps. This program makes the same calls and takes
 * shortened times: the memo's tick of 38 us is 256 ns here.
 */
#include <stddef.h>
#include <stdio.h>

#include "clock.h"
#include "swapper/segments.h"

enum { CALLS = 697, TICK_NS = 256 };

struct share {
	unsigned value, count;
};

/* The memo's histogram of node 1: {pages, number of such calls}. */
static const struct share pages_asked[] = {
	{1, 3}, {2, 190}, {3, 76}, {4, 297}, {5, 131},
};

/* The memo's histogram of leg 0: {ticks, number of calls}. The ticks lie within
 * the memo's buckets, which begin at 32, 64, 128, 512 and 1,024. */
static const struct share ticks_taken[] = {
	{48, 34}, {96, 99}, {192, 1}, {768, 1}, {1260, 562},
};

static unsigned requests[CALLS], ticks[CALLS];
static uint64_t time_in_alloc;
static unsigned calls_of_alloc, pages_given;

/* Puts the values in an order that looks random but is always the same. CALLS
 * and `step` have no common divisor, so that each place gets one value. */
static void deal(const struct share *shares, size_t count, unsigned step,
		 unsigned *values)
{
	unsigned place = 0;

	for (size_t i = 0; i < count; i++) {
		for (unsigned n = 0; n < shares[i].count; n++) {
			values[place] = shares[i].value;
			place = (place + step) % CALLS;
		}
	}
}

/* Takes as long as swapping out pages, for a call that finds no free run. */
static void swap_out(uint64_t until)
{
	busy_until(until);
}

unsigned AllocVM(unsigned pages)
{
	uint64_t start = now_ns();
	unsigned takes = ticks[calls_of_alloc];

	if (takes < 512)
		busy_until(start + takes * TICK_NS);
	else
		swap_out(start + takes * TICK_NS);
	calls_of_alloc++;
	pages_given += pages;
	time_in_alloc += now_ns() - start;
	return pages_given;
}

int main(void)
{
	deal(pages_asked, sizeof(pages_asked) / sizeof(*pages_asked), 269,
	     requests);
	deal(ticks_taken, sizeof(ticks_taken) / sizeof(*ticks_taken), 131,
	     ticks);
	AllocatePages(requests, CALLS);
	printf("AllocVM: %u calls, %u pages, %.3f ms\n", calls_of_alloc,
	       pages_given, (double)time_in_alloc / 1e6);
	return 0;
}

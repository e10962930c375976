/*
 * swapper.c - the sample session of the Mesa memo, re-enacted
 *
 * In the memo (1980) most of memory is allocated to exercise the swapper, and
 * then the procedure AllocVM is timed: 697 calls, whose times make two humps.
 * Where a free run of pages is found the call is quick; where something must
 * be swapped out first it is not. This program makes the same calls for as many
 * pages, and takes the memo's times shortened: its tick of 38 us is 256 ns.
 */
#include <stddef.h>
#include <stdio.h>

#include "clock.h"
#include "swapper/segments.h"

enum { CALLS = 697, TICK_NS = 256 };

struct share {
	unsigned value, count;
};

/* The memo's histogram of node 1: how many pages were asked for, how often. */
static const struct share pages_asked[] = {
	{1, 3}, {2, 190}, {3, 76}, {4, 297}, {5, 131},
};

/* Its histogram of leg 0: ticks, in the middle of the buckets that the memo
 * has at 32, 64, 128, 512 and 1,024. */
static const struct share ticks_taken[] = {
	{48, 34}, {96, 99}, {192, 1}, {768, 1}, {1260, 562},
};

static unsigned requests[CALLS], ticks[CALLS];
static uint64_t time_in_alloc;
static unsigned calls_of_alloc, pages_given;

/* Deal the values of a distribution out in an order that looks like chance,
 * and is the same each time: 269 and CALLS have no common divisor. */
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

/* Look for a free run; swap others out when there is none. */
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

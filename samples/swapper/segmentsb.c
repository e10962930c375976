/*
 * segmentsb.c - the client of the swapper, which allocates most of the memory
 *
 * The memo calls this module SegmentsB.
 */
#include "segments.h"

#include "../clock.h"

enum { USE_NS = 409600 };

/* Takes as long as the client uses its pages between two allocations. */
static void use_pages(void)
{
	busy_until(now_ns() + USE_NS);
}

void AllocatePages(const unsigned *requests, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		AllocVM(requests[i]);
		use_pages();
	}
}

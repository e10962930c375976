/*
 * spy_allocations.h - `spy watch allocations` and `spy watch words`: samples of
 * the calls that allocate memory
 */
#ifndef SESSION_SPY_ALLOCATIONS_H
#define SESSION_SPY_ALLOCATIONS_H

#include "perftool/base/vec.h"
#include "recorder.h"

struct allocator;

/* A function that allocates, with the breakpoints at its entry and its end. */
struct watched_allocator {
	const struct allocator *of;
	struct breakpoint *entry, *end;
};

/* A call that has not returned yet: the outermost one of its thread. */
struct open_allocation {
	const struct allocator *of;
	uint32_t thread; /* serial */
	uint64_t frame, stack;
	uint64_t return_address;
	uint64_t address; /* run-time address of the function */
	uint64_t bytes;   /* that were asked for */
};

struct spied_allocations {
	VEC(struct watched_allocator) allocators;
	VEC(struct open_allocation) open;
	/* each allocation counts for its words of 8 bytes, else for one */
	bool by_words;
};

/* Insert the breakpoints, or remove them. All threads stand still. */
struct error *allocations_watch(struct spied_allocations *allocations,
				struct session *session, bool by_words);
void allocations_end(struct spied_allocations *allocations,
		     struct session *session);

/* A breakpoint was hit; false: it is none of these. `counts`: the thread is
 * watched, and the Spy records. */
bool allocations_hit(struct spied_allocations *allocations,
		     struct recorder *recorder, const struct probe_event *event,
		     bool counts);
void allocations_deinit(struct spied_allocations *allocations);

#endif

/*
 * spy_breaks.h - the breaks of the Spy: those that make samples, and those that
 * start and stop the recording
 */
#ifndef SESSION_SPY_BREAKS_H
#define SESSION_SPY_BREAKS_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "perftool/session/spy.h"

/* One request, with its breakpoints. They exist while they are armed. */
struct spied_break {
	enum spy_break_kind kind;
	char *location;
	char *condition; /* or NULL */
	/* A stop break at a function acts where the function is left. Its
	 * frames are followed from the entry, because a frame may also be
	 * unwound. */
	bool is_at_exit;
	struct breakpoint *entry; /* NULL: not armed */
	uint64_t hits;            /* while the Spy was on */
	struct breakpoint *exit;  /* of a break that is `is_at_exit` */
};

/* A frame of a function whose exit is a stop break. */
struct spy_frame {
	uint32_t thread; /* serial */
	uint64_t frame, stack;
	uint64_t return_address;
	const struct spied_break *of;
};

struct spied_breaks {
	VEC(struct spied_break *) list;
	VEC(struct spy_frame) open;
	/* how many more starts than stops there were */
	uint64_t depth;
};

#endif

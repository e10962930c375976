/*
 * stand.h - where else a hit can be seen: stand.c
 */
#ifndef PROBE_STAND_H
#define PROBE_STAND_H

#include "perftool/straight.h"

struct insn;
struct site;
struct space;

/* Other instructions that are reached whenever a site's is, and only then, the
 * best first, in run-time addresses. None of them is beyond other breakpoints.
 * Returns how many. */
size_t find_stands(struct space *space, const struct site *site,
		   struct stand out[STRAIGHT_STANDS]);

/* May a branch lead into the middle of an instruction? */
bool is_jumped_into(struct space *space, const struct insn *insn);

/* Is there another breakpoint at one of these, or in between? */
bool is_way_shared(const struct space *space, uint64_t low, uint64_t high,
		   uint64_t home);

#endif

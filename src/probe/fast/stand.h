/*
 * stand.h - stands: other instructions at which the hits of a site can be seen
 * equally well: stand.c
 */
#ifndef PROBE_STAND_H
#define PROBE_STAND_H

#include "perftool/straight.h"

struct insn;
struct site;
struct space;
struct thread;

/* Find the instructions that a thread reaches whenever it reaches the site, and
 * only then. The best ones come first, their addresses are run-time addresses,
 * and no breakpoint of another place lies between the site and any of them.
 * Returns how many were found. */
size_t find_stands(struct space *space, const struct site *site,
		   struct stand out[STRAIGHT_STANDS]);

/* May a branch lead into the middle of this instruction? */
bool is_jumped_into(struct space *space, const struct insn *insn);

/* Does a branch of its function lead to the address, or does another block of
 * the function begin there, so that it is certain that an instruction begins
 * there? */
bool is_branched_to(struct space *space, uint64_t address);

/* A thread stands behind this return, with the stack pointer `sp`. Has a call
 * or a jump led it there, so that it has not executed an int3 in place of the
 * return? */
bool was_led_behind(struct thread *thread, const struct insn *insn,
		    uint64_t sp);

/* Does a breakpoint that does not belong at `home` sit at an address from `low`
 * to `high`? The breakpoints of `home` cannot move past such a breakpoint. */
bool is_way_shared(const struct space *space, uint64_t low, uint64_t high,
		   uint64_t home);

#endif

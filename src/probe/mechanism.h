/*
 * mechanism.h - which sites are fast, and when they become so: mechanism.c
 */
#ifndef PROBE_MECHANISM_H
#define PROBE_MECHANISM_H

#include "perftool/probe.h"

struct site;
struct space;

/* Turn the sites that can be jumps into jumps, and the jumps that cannot stay
 * so into int3s. If not all threads that use the memory are STOPPED, the
 * function does nothing, and the update remains due. */
struct error *fast_update(struct probe *probe, struct space *space);
/* Count, for each breakpoint, how many of its places are jumps and how many are
 * int3s. */
void fast_count(struct probe *probe);
/* A site is about to be forgotten together with its memory. Note for its
 * breakpoints which mechanism it had, because the tables report how their hits
 * were made. */
void fast_remember(const struct probe *probe, struct space *space,
		   const struct site *site);
/* Another program begins: forget what fast_remember() has noted. */
void fast_remember_nothing(struct probe *probe);
/* Have fast_update() done as soon as possible: the function asks for a stop of
 * all threads if an update would change anything. */
struct error *fast_update_soon(struct probe *probe, struct space *space);
/* Move every STOPPED thread that uses the memory out of the trampolines. */
struct error *fast_leave_all(struct space *space);
/* Do without fast sites in this memory from now on. `refusal` is the reason, a
 * constant. */
struct error *fast_give_up(struct probe *probe, struct space *space,
			   const char *refusal);

#endif

/*
 * mechanism.h - which sites are fast (a jump to a trampoline, and no int3), and
 * when sites change from one to the other: mechanism.c
 */
#ifndef PROBE_MECHANISM_H
#define PROBE_MECHANISM_H

#include "perftool/probe.h"

struct site;
struct space;

/* Turn the sites of the space that can be jumps into jumps, and the jumps that
 * must not stay jumps into int3s. If not all threads that use the memory are
 * STOPPED, the function does nothing, and the update remains due. */
struct error *fast_update(struct probe *probe, struct space *space);
/* Count, for each breakpoint, how many of its places are jumps and how many are
 * int3s. */
void fast_count(struct probe *probe);
/* A site is about to be forgotten together with its memory. Note for its
 * breakpoints whether the site was a jump or an int3, because the tables report
 * how the hits were made. */
void fast_remember(const struct probe *probe, struct space *space,
		   const struct site *site);
/* Another program begins: forget what fast_remember() has noted. */
void fast_remember_nothing(struct probe *probe);
/* Ask all threads to stop, so that fast_update() can be done soon, if an update
 * would change anything. */
struct error *fast_update_soon(struct probe *probe, struct space *space);
/* Move every STOPPED thread that uses the memory of the space out of the
 * trampolines. */
struct error *fast_leave_all(struct space *space);
/* From now on the space has no fast sites. `refusal` is the reason, a
 * constant. */
struct error *fast_give_up(struct probe *probe, struct space *space,
			   const char *refusal);

#endif

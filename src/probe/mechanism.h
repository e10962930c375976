/*
 * mechanism.h - which sites are fast, and when they become so: mechanism.c
 */
#ifndef PROBE_MECHANISM_H
#define PROBE_MECHANISM_H

#include "perftool/probe.h"

struct site;
struct space;

/* Make sites fast that can be, and those int3s that cannot be any more. All
 * threads that use the memory are STOPPED, else nothing is done yet. */
struct error *fast_update(struct probe *probe, struct space *space);
/* Note, of all breakpoints, how many of their places are what. */
void fast_count(struct probe *probe);
/* A site goes, with its memory: its breakpoints' hits were made by it. */
void fast_remember(const struct probe *probe, struct space *space,
		   const struct site *site);
/* Another program begins. */
void fast_remember_nothing(struct probe *probe);
/* Do so as soon as possible: at the next stop, which is asked for. */
struct error *fast_update_soon(struct probe *probe, struct space *space);
/* None of its STOPPED threads stays in a trampoline. */
struct error *fast_leave_all(struct space *space);
/* There are no fast sites in this memory from now on. */
struct error *fast_give_up(struct probe *probe, struct space *space,
			   const char *refusal);

#endif

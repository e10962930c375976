/*
 * place_list.h - where a breakpoint is: place_list.c
 */
#ifndef PROBE_PLACE_LIST_H
#define PROBE_PLACE_LIST_H

#include "perftool/probe.h"

struct space;
struct spot;

/* The list of a breakpoint's places; each has a reference to its module. */
/* That of this code, in another process or earlier; NULL: none. */
struct place *places_find(struct breakpoint *breakpoint,
			  const struct module *module, uint64_t address);
/* The reference is passed on. */
void places_add(struct breakpoint *breakpoint, const struct place *place);
/* The same place, as it is now. */
void places_replace(struct place *old, const struct place *place);
void places_clear(struct breakpoint *breakpoint);
/* No process has the module any more: its places are those of its twin, or no
 * more; one is kept if no other is left. */
void places_move(struct breakpoint *breakpoint, const struct module *module,
		 struct module *twin);
void places_drop(struct breakpoint *breakpoint, const struct module *module);

/* A breakpoint gets to a spot: it is attached there, if a process has it, and
 * has a place. */
struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* The place has a reference to the module. */
void place_describe(struct module *module, const struct spot *spot,
		    struct place *out);

#endif

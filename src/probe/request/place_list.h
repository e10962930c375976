/*
 * place_list.h - the places of a breakpoint, and how they are made from spots
 * (addresses in a file): place_list.c
 */
#ifndef PROBE_PLACE_LIST_H
#define PROBE_PLACE_LIST_H

#include "perftool/probe.h"

struct space;
struct spot;

/* The list of a breakpoint's places. Each place has a reference to its module.
 */
/* Find the place of the breakpoint that stands for this code, even if it was
 * found in another process or in an earlier run. NULL if there is none. */
struct place *places_find(struct breakpoint *breakpoint,
			  const struct module *module, uint64_t address);
/* Add a place. Its reference to the module is passed on to the list. */
void places_add(struct breakpoint *breakpoint, const struct place *place);
/* Replace the contents of a place by those of `place`. The reference of `place`
 * to its module is passed on to the list. */
void places_replace(struct place *old, const struct place *place);
void places_clear(struct breakpoint *breakpoint);
/* No process has the module any more. places_move() makes the places in it
 * places of `twin`, which is the same file in another process. places_drop()
 * drops the places in it, but keeps one of them if the breakpoint has no other
 * place. */
void places_move(struct breakpoint *breakpoint, const struct module *module,
		 struct module *twin);
void places_drop(struct breakpoint *breakpoint, const struct module *module);

/* Make the place of a spot and add it to the breakpoint's places. If there is a
 * process, attach the breakpoint there first. */
struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* Describe the place of a spot in `out`. The result has a reference to the
 * module, which the caller must drop or pass on. */
void place_describe(struct module *module, const struct spot *spot,
		    struct place *out);

#endif

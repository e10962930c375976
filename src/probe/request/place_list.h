/*
 * place_list.h - the places of a breakpoint: place_list.c
 */
#ifndef PROBE_PLACE_LIST_H
#define PROBE_PLACE_LIST_H

#include "perftool/probe.h"

struct space;
struct spot;

/* The list of a breakpoint's places. Each place has a reference to its module.
 */
/* Find the place of this code, which may have been found in another process or
 * earlier. NULL if there is none. */
struct place *places_find(struct breakpoint *breakpoint,
			  const struct module *module, uint64_t address);
/* Add a place. Its reference to the module is passed on to the list. */
void places_add(struct breakpoint *breakpoint, const struct place *place);
/* Replace a place by its present state. The reference of `place` to its module
 * is passed on. */
void places_replace(struct place *old, const struct place *place);
void places_clear(struct breakpoint *breakpoint);
/* No process has the module any more. places_move() gives its places to the
 * module's twin, which is the same file in another process. places_drop() drops
 * the places, but keeps one if the breakpoint has no other. */
void places_move(struct breakpoint *breakpoint, const struct module *module,
		 struct module *twin);
void places_drop(struct breakpoint *breakpoint, const struct module *module);

/* A breakpoint has a spot: attach it there if there is a process, and add the
 * place. */
struct error *attach_spot(struct probe *probe, struct space *space,
			  struct breakpoint *breakpoint, struct module *module,
			  const struct spot *spot);
/* Describe the place of a spot. The result has a reference to the module, which
 * the caller must drop or pass on. */
void place_describe(struct module *module, const struct spot *spot,
		    struct place *out);

#endif

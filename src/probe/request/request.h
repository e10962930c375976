/*
 * request.h - what was asked for, and where that is
 *
 * This folder has the table of breakpoints, as the user asked for them
 * (breakpoint.c), and reads the text of a location (location_text.c). It finds
 * what a location means in each module, as spots of the file
 * (spot_resolution.c, indirect_function.c), and searches what was not searched
 * yet when a module or a breakpoint comes (module_search.c). Each spot becomes
 * a place of the breakpoint, and is attached to a site (place_list.h). Why a
 * breakpoint has no place is said by problem.c.
 *
 * It uses the folders process, site and arrival; only the layer's own folder
 * uses it.
 */
#ifndef PROBE_REQUEST_H
#define PROBE_REQUEST_H

#include "perftool/probe.h"
#include "place_list.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

struct space;

/* What was searched, and what will be. */
struct search {
	/* modules of this run that are no more: what was looked for there */
	VEC(struct loaded) searched;
	/* the libraries that the program will have, before it runs; see
	 * program_libraries.c */
	VEC(struct module *) libraries;
	char *found_in; /* the program in which breakpoints were found */
};

/* breakpoint.c */
void breakpoint_destroy(struct breakpoint *breakpoint);
void forget_places(struct probe *probe);

/* spot_resolution.c: are a module and a function of it meant, by @MODULE or
 * @VERSION and by FILE? The module's file must have been opened for a function.
 */
bool location_means_module(const struct location *location,
			   const struct module *module);
bool location_means_function(const struct location *location,
			     const struct module *module,
			     const struct function *function);
/* Which address of the module's file does *ADDRESS mean? False: it means none
 * of this module. */
bool address_in_module(struct probe *probe, const struct location *location,
		       const struct module *module, uint64_t *out);
/* The spots of a location in one module, appended. */
struct error *resolve_in_module(struct probe *probe, struct space *space,
				struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out);

/* indirect_function.c: what the resolver of an indirect function has chosen, as
 * far as the words that hold it tell; false: they do not, or do not yet. */
bool find_implementation(struct space *space, const struct module *module,
			 const struct function *resolver, struct function *out);
/* Have SITE_START where everything is relocated. */
struct error *watch_start(struct probe *probe, struct space *space);
/* module_search.c: SITE_START was reached: what was put off is looked for. */
struct error *resolve_started(struct probe *probe, struct space *space);

/*
 * The entries of the copies that were inlined (they have no exits that could be
 * told from their callers'), and whether it has some without code. All debug
 * information of the module is searched for that, if the name is in it.
 */
struct error *resolve_inlined(struct module *module,
			      struct breakpoint *breakpoint,
			      struct spot_list *out);

/* If copies of a function will be asked for, have the module searched: before
 * all else, for that goes through all there is. */
void prepare_copies(struct module *module, const struct breakpoint *breakpoint);

/* module_search.c: search what was not searched yet, in one space or in all. */
struct error *resolve_in_space(struct probe *probe, struct space *space);
struct error *resolve_everywhere(struct probe *probe);
/* A module goes that breakpoints were looked for in. */
void remember_searched(struct probe *probe, const struct loaded *loaded);
void forget_searched(struct probe *probe);
/* Is its file among the modules there are? */
bool probe_lists(const struct probe *probe, const struct module *module);

/* ---- program_libraries.c
 * ---------------------------------------------------------------
 */

void forget_linked(struct probe *probe);
/* Which of them has what the breakpoint is named by; NULL: none. */
const struct module *linked_with(struct probe *probe,
				 struct breakpoint *breakpoint);

#endif

/*
 * request.h - what the user asked for, and where that is
 *
 * This folder has the table of breakpoints, as the user asked for them
 * (breakpoint.c), and it parses the text of a location (location_text.c). It
 * finds what a location means in each module, as spots: addresses in the
 * module's file (spot_resolution.c, indirect_function.c). When a module or a
 * breakpoint is added, it searches what was not searched yet (module_search.c).
 * Each spot becomes a place of the breakpoint and is attached to a site, a
 * patched address (place_list.h). problem.c says why a breakpoint has no place.
 *
 * It uses the folders process, site and arrival; only the layer's own folder
 * uses it.
 */
#ifndef PROBE_REQUEST_H
#define PROBE_REQUEST_H

#include "perftool/probe.h"
#include "perftool/probe/breakpoint_requests.h"
#include "place_list.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

struct space;

/* Why a location has no place in the modules that are loaded. */
struct known_problem {
	enum request_kind kind;
	bool is_without; /* see struct breakpoint */
	char *location;  /* NULL: no problem is kept */
	char *text;
	struct held_modules modules;
};

/* What is known about searches for breakpoints in modules that are not loaded
 * now. */
struct search {
	/* The modules of this run that are not mapped any more, each with the
	 * number of the last breakpoint that was looked for in it. */
	VEC(struct loaded) searched;
	/* The numbers of the breakpoints that are looked for in the memory of a
	 * process and in no module: at an address, and on an object. */
	VEC(uint32_t) addressed;
	/* The libraries that the program will have when it runs, while it has
	 * not run yet; see program_libraries.c. */
	VEC(struct module *) libraries;
	/* The path of the program in which breakpoints were found last. */
	char *found_in;
	/* the problem that was described last: see held_modules.c */
	struct known_problem known;
};

/* breakpoint.c */
/* Make a breakpoint without a location, and give it the next number. Takes over
 * `condition`. */
struct breakpoint *breakpoint_enter(struct probe *probe, enum request_kind kind,
				    struct expr *condition);
void breakpoint_destroy(struct breakpoint *breakpoint);
/* Enter the breakpoint in `addressed` of struct search if it belongs there. */
void note_addressed(struct probe *probe, const struct breakpoint *breakpoint);
void forget_places(struct probe *probe);

/* breakpoint_presence.c: Is probe_suspend() to keep the breakpoint out of the
 * program? presence_note_condition(): its condition was set or removed. */
bool is_to_suspend(const struct probe *probe,
		   const struct breakpoint *breakpoint);
void presence_note_condition(struct probe *probe,
			     struct breakpoint *breakpoint);

/* spot_resolution.c: Does the location mean this module, and this function of
 * the module? The @MODULE or @VERSION of the location decides, and for a
 * function its FILE, too. For a function, the module's file must have been
 * opened. */
bool location_means_module(const struct location *location,
			   const struct module *module);
bool location_means_function(const struct location *location,
			     const struct module *module,
			     const struct function *function);
/* Find the address of the module's file that *ADDRESS means. Returns false if
 * *ADDRESS is no address of this module. */
bool address_in_module(struct probe *probe, const struct location *location,
		       const struct module *module, uint64_t *out);
/* Does an entry breakpoint have the same location as this exit breakpoint? Then
 * the remarks on the function were already made for the entry. */
bool has_entry(const struct probe *probe, const struct breakpoint *breakpoint);
/* Append the spots of a breakpoint's location in one module. `space` is NULL if
 * no process is concerned. */
struct error *resolve_in_module(struct probe *probe, struct space *space,
				struct module *module,
				const struct breakpoint *breakpoint,
				struct spot_list *out);

/* indirect_function.c: Find the function that the resolver of an indirect
 * function has chosen. Its address is in the words (of the global offset table
 * and the like) through which calls of the indirect function go. Returns false
 * if none of these words tells, or if none is filled in yet. */
bool find_implementation(struct space *space, const struct module *module,
			 const struct function *resolver, struct function *out);
/* Put a site with the purpose SITE_START where all relocations of the program
 * have been done. */
struct error *watch_start(struct probe *probe, struct space *space);
/* module_search.c: SITE_START was reached: look for the places of breakpoints
 * that had to wait for it. */
struct error *resolve_started(struct probe *probe, struct space *space);

/*
 * Append the entries of the inlined copies of the breakpoint's function, and
 * note in the breakpoint whether the optimizer left no code of a copy. A copy
 * has no exits, because its end cannot be told from the code around it. The
 * function searches all debug information of the module if the name occurs
 * there.
 */
struct error *resolve_inlined(struct module *module,
			      struct breakpoint *breakpoint,
			      struct spot_list *out);

/* Announce that the copies of a function will be asked for. The module is then
 * searched for copies before it is asked for anything else: the search reads
 * all debug information, and later questions find it read. */
void prepare_copies(struct module *module, const struct breakpoint *breakpoint);

/* module_search.c: Look for each breakpoint in the modules in which it was not
 * looked for yet, in one space or in all spaces. */
struct error *resolve_in_space(struct probe *probe, struct space *space);
struct error *resolve_everywhere(struct probe *probe);
/* Remember a module in which breakpoints were looked for and that is unmapped
 * now. */
void remember_searched(struct probe *probe, const struct loaded *loaded);
void forget_searched(struct probe *probe);
/* Is the module's file among the modules of the processes? */
bool probe_lists(const struct probe *probe, const struct module *module);

/* ---- held_modules.c ------------------------------------------------------ */

/* Keep the problem of a breakpoint that was looked for. */
void keep_problem(struct probe *probe, const struct breakpoint *breakpoint);
/* Append the problem that is kept, if it is that of the breakpoint and the same
 * modules are loaded still; otherwise return false. */
bool know_problem(struct probe *probe, struct breakpoint *breakpoint);
void forget_problem(struct probe *probe);

/* ---- program_libraries.c ------------------------------------------------- */

void forget_linked(struct probe *probe);
/* Find the library of probe_set_linked() that contains what the breakpoint's
 * location names; NULL if there is none. */
const struct module *linked_with(struct probe *probe,
				 struct breakpoint *breakpoint);

#endif

/*
 * call_profiles.h - breakpoints that count the calls of functions
 */
#ifndef PERFTOOL_PROBE_CALL_PROFILES_H
#define PERFTOOL_PROBE_CALL_PROFILES_H

#include "perftool/probe.h"

/*
 * Enter two breakpoints, of the tool's own, for all functions that the location
 * names: one at their entries, and one where their frames end. Their hits are
 * told as PROBE_EVENT_CALL; they never stop the program, and probe_next()
 * leaves them out. Functions of libraries that are loaded later get them, too.
 * Inlined copies do not. A place that cannot have a breakpoint is left out, and
 * the user is told. On failure there is no breakpoint.
 */
struct error *probe_add_calls(struct probe *probe, const char *location,
			      struct breakpoint **entries,
			      struct breakpoint **ends);
/*
 * Enter a breakpoint, of the tool's own, where longjmp and the unwinders of
 * exceptions go on in another frame. A hit is told as PROBE_EVENT_CALL, too. It
 * says how far the stack was unwound. Functions that the program has for this
 * purpose under other names are not known.
 */
struct error *probe_add_unwinds(struct probe *probe, struct breakpoint **out);
bool breakpoint_is_of_calls(const struct breakpoint *breakpoint);

/* The program has stood still for so long: this is no time of the calls that
 * threads count by themselves. */
void probe_hold_calls(struct probe *probe, double ns);

/* A function whose calls are counted. */
struct called_function {
	struct function function;
	/* The layer keeps the module until probe_destroy(). */
	const struct module *module;
	/* A place of the function, its entry or an exit, was an int3 when the
	 * mechanisms of all places were last determined, or when its memory has
	 * gone. */
	bool by_int3;
};
/* The functions that have had breakpoints of probe_add_calls(), by their
 * numbers, which begin at 0 and are never used again. NULL: there are not so
 * many. A function that is loaded again has the same number. */
const struct called_function *probe_called(const struct probe *probe,
					   uint32_t number);

#endif

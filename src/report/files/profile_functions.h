/*
 * profile_functions.h - the functions of a profile in one table, whether they
 * were sampled or their calls were counted; and its arcs, of all threads
 * together
 */
#ifndef REPORT_PROFILE_FUNCTIONS_H
#define REPORT_PROFILE_FUNCTIONS_H

#include "perftool/report/profile_files.h"

struct profile_functions {
	struct procedures table;
	/* the number in `table` of each procedure of the stacks, and of the
	 * arcs */
	uint32_t *of_stacks, *of_arcs;
};
void profile_functions_init(struct profile_functions *functions,
			    const struct profile *profile);
void profile_functions_deinit(struct profile_functions *functions);

/* Fill `all`, which is empty, with the profile's arcs: those of several threads
 * become one (thread 0), and those beyond the limit one from NO_PROCEDURE to
 * NO_PROCEDURE. */
void add_up_threads(const struct profile *profile, struct call_arcs *all);

/* Return the module, or NULL if none has the name, or the number. */
const struct profile_module *
profile_module_of_name(const struct profile *profile, const char *name);
const struct profile_module *
profile_module_of_number(const struct profile *profile, uint32_t number);

#endif

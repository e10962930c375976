/*
 * called_functions.h - the functions whose calls are counted, each with a
 * number: called_functions.c
 */
#ifndef PROBE_CALLED_FUNCTIONS_H
#define PROBE_CALLED_FUNCTIONS_H

#include "perftool/base/map.h"
#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "perftool/probe/call_profiles.h"

struct module;

/* All zero is the empty table. */
struct called_functions {
	VEC(struct called_function) list; /* by number */
	/* "PATH ADDRESS NAME" -> number plus 1 */
	struct strmap by_name;
};

void called_functions_deinit(struct called_functions *functions);
/* Return the number of a function, which gets one if it has none yet. */
uint32_t called_number(struct called_functions *functions,
		       struct module *module, const struct function *function);

#endif

/*
 * entry_value.h - the value a register had when the function was entered, as
 * its caller knows it (DW_OP_entry_value)
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_VALUE_H
#define PERFTOOL_DEBUGINFO_ENTRY_VALUE_H

#include "debuginfo/locations/locations.h"

/* What the expression `entry` had for a value then. ERROR_EVALUATE: nobody
 * knows. */
struct error *entry_value_find(const struct location_context *context,
			       struct bytes entry, struct number *out);

/* The same of a parameter, by its DIE, that the function is not given any more
 * (DW_OP_GNU_parameter_ref): what its caller would have passed. */
struct error *entry_value_of_parameter(const struct location_context *context,
				       uint64_t die, struct number *out);

/* The call sites of a file, as far as they have been looked at. */
struct call_sites;
void call_sites_destroy(struct call_sites *sites);

#endif

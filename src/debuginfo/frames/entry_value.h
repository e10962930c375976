/*
 * entry_value.h - the value that a register had when the function was entered,
 * computed from what the caller passed (DW_OP_entry_value)
 */
#ifndef PERFTOOL_DEBUGINFO_ENTRY_VALUE_H
#define PERFTOOL_DEBUGINFO_ENTRY_VALUE_H

#include "debuginfo/locations/locations.h"

/* Find the value that the expression `entry`, which names a register, had when
 * the function was entered. ERROR_EVALUATE: the value is not known. */
struct error *entry_value_find(const struct location_context *context,
			       struct bytes entry, struct number *out);

/* Find the value that the caller would have passed for a parameter that the
 * compiler has removed from the function (DW_OP_GNU_parameter_ref). `die` is
 * the offset of the parameter's DIE. */
struct error *entry_value_of_parameter(const struct location_context *context,
				       uint64_t die, struct number *out);

/* The call sites of a file that have been read so far. */
struct call_sites;
void call_sites_destroy(struct call_sites *sites);

#endif

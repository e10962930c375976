/*
 * callers.h - the names of the functions that have made calls: callers.c
 */
#ifndef PROBE_CALLERS_H
#define PROBE_CALLERS_H

#include "perftool/base/map.h"
#include "perftool/expr.h"

struct space;

/* The callers that were asked for, by address. All zero is the empty table. */
struct caller_table {
	struct map by_address; /* the address and the frame -> struct caller */
};

/* Find who has made the call with this return address: see `caller` of struct
 * expr_modules. */
void space_find_caller(struct space *space, uint64_t address, unsigned frame,
		       struct expr_caller *out);

/* Forget all callers, because modules have come or gone. */
void callers_forget(struct caller_table *table);

#endif

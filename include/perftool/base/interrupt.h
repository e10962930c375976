/*
 * interrupt.h - how a long computation learns that the user wants it to end
 *
 * A function that may compute for a long time asks from time to time whether
 * the user wants it to end. If so, it undoes what it has begun, and ends with
 * ERROR_INTERRUPTED. The user's request stays in force until the code that
 * started the computation withdraws it. So the request reaches that code even
 * through callers that ignore failures.
 */
#ifndef PERFTOOL_BASE_INTERRUPT_H
#define PERFTOOL_BASE_INTERRUPT_H

#include <stdbool.h>

#include "perftool/base/error.h"

/* If all members are zero, the user never asks. */
struct interrupt {
	bool (*is_asked)(void *context);
	void *context;
};

static inline bool interrupt_is_asked(const struct interrupt *interrupt)
{
	return interrupt->is_asked && interrupt->is_asked(interrupt->context);
}

/* Fails with ERROR_INTERRUPTED if the user wants the computation to end. */
static inline struct error *interrupt_check(const struct interrupt *interrupt)
{
	if (!interrupt_is_asked(interrupt))
		return NULL;
	return error_create(ERROR_INTERRUPTED, "interrupted");
}

#endif

/*
 * interrupt.h - how long computations learn that the user wants them to end
 *
 * Who may compute for long asks now and then, and ends with ERROR_INTERRUPTED,
 * having undone what it began. The request stays: it is for whoever began the
 * computation to take it back, so that it reaches him through callers that
 * ignore failures.
 */
#ifndef PERFTOOL_BASE_INTERRUPT_H
#define PERFTOOL_BASE_INTERRUPT_H

#include <stdbool.h>

#include "perftool/base/error.h"

/* All zero: nobody ever asks. */
struct interrupt {
	bool (*is_asked)(void *context);
	void *context;
};

static inline bool interrupt_is_asked(const struct interrupt *interrupt)
{
	return interrupt->is_asked && interrupt->is_asked(interrupt->context);
}

/* ERROR_INTERRUPTED if it is. */
static inline struct error *interrupt_check(const struct interrupt *interrupt)
{
	if (!interrupt_is_asked(interrupt))
		return NULL;
	return error_create(ERROR_INTERRUPTED, "interrupted");
}

#endif

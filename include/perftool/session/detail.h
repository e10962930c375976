/*
 * detail.h - `set detail auto`: functions get and lose nodes by themselves, as
 * their shares of the program's ticks grow and shrink
 *
 * The decision is that of perftool/profile/detail_choice.h. doc/RULES.md,
 * "Detail", has the rules.
 */
#ifndef PERFTOOL_SESSION_DETAIL_H
#define PERFTOOL_SESSION_DETAIL_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/session.h"

/* A class by all of its names, each of which may be NULL. */
struct session_class {
	const char *source;      /* file name of the source file */
	const char *source_path; /* as the compiler recorded it */
	const char *module;      /* file name of the module */
	const char *module_path;
};

/* Chooses who says which classes are system classes; they are not detailed, and
 * a tick in one counts for its caller. NULL: the dynamic linker and what the
 * kernel maps are. */
typedef bool session_system_fn(void *context,
			       const struct session_class *class);
void session_set_system_classes(struct session *session,
				session_system_fn *is_system, void *context);

/* The limits, in the order of DyPer's variables: MIN_TOTAL, MINIMUM, THRESHOLD
 * and STOP_THRESHOLD of a class, and then of a method. The first two are ticks,
 * the others fractions. They are also the settings detail-class-min-total and
 * so on. */
#define DETAIL_LIMIT_COUNT 8
double session_detail_limit(const struct session *session, size_t index);
/* Returns ERROR_USAGE if the value is out of range. */
struct error *session_set_detail_limit(struct session *session, size_t index,
				       double value);

#endif

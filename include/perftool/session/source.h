/*
 * source.h - profiles of source lines: how often control enters each line of a
 * function, and how long it stays there
 *
 * The profile has a breakpoint of its own for each function, which is in no
 * table. doc/RULES.md, "Profiles of source lines", has the rules.
 */
#ifndef PERFTOOL_SESSION_SOURCE_H
#define PERFTOOL_SESSION_SOURCE_H

#include <stdbool.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/report.h"

struct session;

/* Counts and times the lines of the function from now on, and turns the monitor
 * on. Appends what the user reads. */
struct error *session_profile_source(struct session *session, const char *name,
				     struct str *out);
/* Appends the lines of the function with their counts and times. ERROR_USAGE:
 * session_profile_source() was not called for it. NULL: all such functions. */
struct error *session_print_source(struct session *session, const char *name,
				   enum report_format format, struct str *out);
/* Are the lines of any function counted? */
bool session_profiles_source(const struct session *session);

#endif

/*
 * contended_locks.h - who waits for which lock, held by whom, for how long
 *
 * The setting `contention` turns this on. The session then has breakpoints of
 * its own where the C library's functions of POSIX threads wait in the kernel
 * and wake others. They are in no table. doc/RULES.md, "Contention", has the
 * rules.
 */
#ifndef PERFTOOL_SESSION_CONTENDED_LOCKS_H
#define PERFTOOL_SESSION_CONTENDED_LOCKS_H

#include <stdbool.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/report.h"

struct session;

/* Were waits for locks recorded in this session, now or before? */
bool session_watched_locks(const struct session *session);
/* Appends what was recorded: which locks threads have waited for, who has
 * waited, and who held the lock meanwhile. ERROR_USAGE if nothing was ever
 * recorded. */
struct error *session_print_contention(struct session *session,
				       enum report_format format,
				       const struct report_options *options,
				       struct str *out);

#endif

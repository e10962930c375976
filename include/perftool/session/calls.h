/*
 * calls.h - profiles of a session: exact counts and times of the calls of
 * named functions
 *
 * The profile of calls counts with breakpoints of its own at the entries and
 * the ends of functions. It is independent of the monitor and of the tables:
 * its hits are in no node and no leg. doc/RULES.md, "Profiles", has the rules.
 */
#ifndef PERFTOOL_SESSION_CALLS_H
#define PERFTOOL_SESSION_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"
#include "perftool/profile/call_arcs.h"
#include "perftool/profile/call_bounds.h"
#include "perftool/profile/procedures.h"
#include "perftool/report.h"

struct session;

/* ---- commands ------------------------------------------------------------ */

/* If a program that the tool is attached to would stand still for long, because
 * one of the next two is going to count many functions, appends a remark. */
struct error *session_preview_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out);
/* Counts the calls of the functions that the patterns name, from now on, and
 * appends what the user reads. A pattern without @MODULE means functions of the
 * program; there is no limit on their number. A name that no module has yet is
 * pending. */
struct error *session_profile_functions(struct session *session,
					const char *const *patterns,
					size_t count, struct str *out);
/* The same; without patterns, counts the functions that were named before, or
 * those of the program if none were. */
struct error *session_profile_calls(struct session *session,
				    const char *const *patterns, size_t count,
				    struct str *out);
/* Stops counting. What is open ends without a return. The counts stay. */
struct error *session_profile_calls_off(struct session *session);
/* `profile arcs N`: arcs beyond the limit are added up as one. 0: no limit. */
void session_profile_limit_arcs(struct session *session, size_t limit);
/* Says whether ticks are taken, and of which functions calls are counted. */
void session_profile_show(const struct session *session, struct str *out);
/* Sets the counts to 0. What is open counts from now on. */
struct error *session_profile_flush(struct session *session);
/* The same, and no function is counted any more. */
struct error *session_initialize_profile(struct session *session);

/* Was `profile calls` given, whose arcs the user wants to see? */
bool session_profiles_arcs(const struct session *session);
/* Has `profile functions` or `profile calls` named functions? */
bool session_profiles_calls(const struct session *session);

/* ---- what was counted ---------------------------------------------------- */

/* A thread, or the goroutines of a Go program's process together. Both numbers
 * are 0 of threads that have ended and are added up. */
struct session_call_thread {
	pid_t pid, tid;
	char *name; /* comm of the thread, or NULL */
	bool is_goroutines;
	bool has_ended;
};

struct session_calls {
	struct procedures procedures; /* the numbers in `arcs` */
	/* With the limit of session_profile_limit_arcs(). A call that is open
	 * counts with its time until now, and not as unreturned. */
	struct call_arcs arcs;
	VEC(struct session_call_thread) threads; /* by `thread` of the arcs */
	/* how many threads have ended and are added up */
	uint64_t added_up;
	/* measured time, without the tool's, ns */
	uint64_t elapsed;
	/* The time off the CPU is known. */
	bool has_waiting;
	/* the procedures (plus 1) that have an int3: see struct called_function
	 */
	struct map by_int3;
};

/* Reads what was counted until now. The caller calls session_calls_deinit(). */
void session_read_calls(struct session *session, struct session_calls *out);
void session_calls_deinit(struct session_calls *calls);

/* Why it is not known how long threads were on a CPU, a static text; NULL: it
 * is known. The other one returns an error that says so. */
const char *session_calls_cpu_problem(const struct session *session,
				      const struct session_calls *calls);
struct error *session_calls_check_cpu(const struct session *session,
				      const struct session_calls *calls);
/* Returns how far the times of each of `procedures` procedures may be off. The
 * caller frees it. */
struct call_bound *session_call_bounds(struct session *session,
				       const struct session_calls *calls,
				       size_t procedures);

/* `print functions`: appends the table. With by_cpu of the options, an error
 * says if the time on a CPU is not known. */
struct error *session_print_functions(struct session *session,
				      enum report_format format,
				      const struct report_options *options,
				      struct str *out);

#endif

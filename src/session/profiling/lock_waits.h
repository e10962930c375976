/*
 * lock_waits.h - the waits for locks of a session: the setting `contention`
 *
 * lock_waits.c has the breakpoints and passes their hits to the profile of
 * contention; lock_names.c finds the names of threads, of locks, and of the
 * functions that wait; contention_report.c makes the report.
 */
#ifndef SESSION_LOCK_WAITS_H
#define SESSION_LOCK_WAITS_H

#include "perftool/base/string_list.h"
#include "perftool/probe.h"
#include "perftool/profile/contention.h"
#include "session/session_state.h"

/* Which breakpoint: of REQUEST_WAITS, REQUEST_WAIT_ENDS, REQUEST_WAKES. */
enum wait_break { BREAK_WAIT, BREAK_WAIT_END, BREAK_WAKE, WAIT_BREAKS };

/* A place from which a function of locks was called. Its texts are found when a
 * thread first comes from there, because the process may have gone later. */
struct lock_site {
	int32_t pid;
	uint64_t address; /* at run time */
	char *function, *module, *file;
	uint32_t line; /* 0: not known, or the site is a whole function */
	/* the number of the site that is the function */
	uint32_t of_function;
};

struct lock_name {
	int32_t pid;
	uint64_t address;
	char *name;
};

struct lock_waits {
	struct session *session;
	bool is_on;
	bool was_on; /* since the session began */
	struct breakpoint *breaks[WAIT_BREAKS];
	/* the marks of the places of BREAK_WAIT and BREAK_WAKE, by the address
	 * of the place in its file; and of how many places */
	struct map marks;
	size_t place_count;
	struct contention contention;
	/* The sites by their numbers, which begin at 1. `site_index` leads to
	 * the number from process and address. */
	VEC(struct lock_site) sites;
	struct map site_index;
	VEC(struct lock_name) names; /* of locks, in the order of the first */
	struct map thread_names;     /* tid -> char * */
	/* where each thread has last waited for a condition: serial -> site */
	struct map conditions;
	/* the time for which waits were recorded, until `since`, ns */
	int64_t elapsed;
	uint64_t since; /* 0: the clock stands still, or nothing is recorded */
	uint64_t stopped; /* when the clock stopped; 0: it runs */
};

void lock_waits_init(struct lock_waits *waits, struct session *session);
void lock_waits_deinit(struct lock_waits *waits);
/* The setting has changed. All threads stand still. */
void lock_waits_switch(struct lock_waits *waits, bool on);
/* A breakpoint that is not one of the user's was hit. Returns false if it is
 * another's. */
bool lock_waits_hit(struct lock_waits *waits, const struct probe_event *event);
void lock_waits_clock(struct lock_waits *waits, bool runs, uint64_t time);
void lock_waits_stood(struct lock_waits *waits, uint64_t from, uint64_t to);
void lock_waits_process_gone(struct lock_waits *waits, pid_t pid);
void lock_waits_clear(struct lock_waits *waits);
int64_t lock_waits_elapsed(const struct lock_waits *waits);

/* ---- lock_names.c -------------------------------------------------------- */

/* Returns the number of the site of a return address, and that of the function
 * in which it is; 0: the address is 0. */
uint32_t lock_site_of(struct lock_waits *waits, pid_t pid, uint64_t address);
uint32_t lock_function_of(const struct lock_waits *waits, uint32_t site);
/* Is the function one of those that wait for a condition? */
bool lock_site_is_of_condition(const struct lock_waits *waits, uint32_t site);
/* Remembers the names of a lock and of a thread, if they are new. */
void lock_note_name(struct lock_waits *waits, pid_t pid, uint64_t address);
void lock_note_thread(struct lock_waits *waits, pid_t tid);
const char *lock_name_of(const struct lock_waits *waits, pid_t pid,
			 uint64_t address);
/* Returns the name of a thread, or NULL. lock_renew_thread() looks for its
 * present name, if it lives: a thread often gets its name after it has begun.
 * The name that was returned before is no longer valid then. */
const char *lock_thread_name(const struct lock_waits *waits, pid_t tid);
void lock_renew_thread(struct lock_waits *waits, pid_t tid);
void lock_names_deinit(struct lock_waits *waits);

#endif

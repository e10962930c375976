/*
 * contention_words.h - the words that all reports of waits for locks use
 */
#ifndef REPORT_CONTENTION_WORDS_H
#define REPORT_CONTENTION_WORDS_H

#include <string.h>

#include "perftool/report/contention_table.h"

/* What kind of object is waited for. */
static inline const char *contention_object(enum lock_kind kind)
{
	static const char *const objects[LOCK_KINDS] = {
		[LOCK_UNKNOWN] = "?",          [LOCK_MUTEX] = "mutex",
		[LOCK_RELOCK] = "mutex",       [LOCK_READ] = "rwlock",
		[LOCK_WRITE] = "rwlock",       [LOCK_CONDITION] = "condition",
		[LOCK_SEMAPHORE] = "semaphore"};

	return objects[kind < LOCK_KINDS ? kind : LOCK_UNKNOWN];
}

/* What the thread waits for it for. */
static inline const char *contention_purpose(enum lock_kind kind)
{
	static const char *const purposes[LOCK_KINDS] = {
		[LOCK_UNKNOWN] = "?",     [LOCK_MUTEX] = "lock",
		[LOCK_RELOCK] = "relock", [LOCK_READ] = "read",
		[LOCK_WRITE] = "write",   [LOCK_CONDITION] = "signal",
		[LOCK_SEMAPHORE] = "post"};

	return purposes[kind < LOCK_KINDS ? kind : LOCK_UNKNOWN];
}

/* Is the name that of one lock, and not that of a kind of memory? */
static inline bool contention_is_named(const struct contention_lock *lock)
{
	return strcmp(lock->name, "heap") != 0 &&
	       strcmp(lock->name, "stack") != 0;
}

#endif

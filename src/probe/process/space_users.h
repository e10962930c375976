/*
 * space_users.h - the processes and threads that use the memory of a process
 */
#ifndef PROBE_SPACE_USERS_H
#define PROBE_SPACE_USERS_H

#include "perftool/target.h"

struct space;

/* The space of a process, or the space of the process whose memory it borrows;
 * NULL if there is none. */
static inline struct space *space_of(const struct process *process)
{
	return process->owner;
}
/* The next process that uses the memory of the space: the space's own process,
 * or one that borrows the memory. NULL after the last one. The cursor is that
 * of target_next_process(). */
struct process *space_user(const struct space *space, size_t *cursor);
/* Are all threads that use the memory STOPPED? A thread group leader that has
 * ended before the other threads does not count. */
bool space_is_stopped(const struct space *space);
/* Does no thread that uses the memory execute anything? A thread that waits for
 * its vfork child executes nothing, but the tool cannot make it do anything
 * either. */
bool space_is_at_rest(const struct space *space);
/* Is a thread that uses the memory STOPPED, so that the tool can make remote
 * calls in it? */
bool space_is_any_stopped(const struct space *space);
/* Find a STOPPED thread in which the tool can make remote calls that only
 * concern the memory: a thread of the space's process, or of a process that
 * borrows the memory. */
struct error *space_calling_thread(const struct space *space,
				   struct thread **out);

#endif

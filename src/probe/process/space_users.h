/*
 * space_users.h - the processes and threads that use the memory of a process
 */
#ifndef PROBE_SPACE_USERS_H
#define PROBE_SPACE_USERS_H

#include "perftool/target.h"

struct space;

/* The space of a process, or of one whose memory it borrows; NULL: none. */
static inline struct space *space_of(const struct process *process)
{
	return process->owner;
}
/* The processes that use the memory, its own and those that borrow it, as
 * target_next_process() has them. */
struct process *space_user(const struct space *space, size_t *cursor);
/* Are all threads that use the memory STOPPED, but for leaders that have ended?
 */
bool space_is_stopped(const struct space *space);
/* Does none of them execute anything? Those that wait for their vfork child do
 * not, and cannot be asked. */
bool space_is_at_rest(const struct space *space);
/* The STOPPED thread for remote calls that concern the memory alone: of its
 * process, or of one that borrows it. */
struct error *space_calling_thread(const struct space *space,
				   struct thread **out);

#endif

/*
 * space_users.c - the processes and threads that use the memory of a process
 */
#include "space_users.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"

struct process *space_user(const struct space *space, size_t *cursor)
{
	const struct target *target = space->process->target;
	struct process *process;

	while ((process = target_next_process(target, cursor)))
		if (process->owner == space)
			break;
	return process;
}

bool space_is_at_rest(const struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			if (!target_is_at_rest(user->threads.data[i]))
				return false;
	return true;
}

bool space_is_stopped(const struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			if (user->threads.data[i]->state != THREAD_STOPPED &&
			    !target_is_dead_leader(user->threads.data[i]))
				return false;
	return true;
}

bool space_is_any_stopped(const struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		if (target_is_any_stopped(user))
			return true;
	return false;
}

struct error *space_calling_thread(const struct space *space,
				   struct thread **out)
{
	struct error *error = target_calling_thread(space->process, out);
	struct process *user;
	size_t cursor = 0;

	while (error && (user = space_user(space, &cursor))) {
		error_destroy(error);
		error = target_calling_thread(user, out);
	}
	return error;
}

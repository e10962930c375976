/*
 * cover.c - the handler of SIGTRAP by which the program survives the death of
 * the tool
 *
 * A process that is to outlive the tool has a handler of SIGTRAP in the store,
 * the tool's memory in the process (arch.h). When a thread executes an int3
 * whose tool is gone, the handler lets the thread go on through the slot, where
 * the displaced instruction is. The disposition of SIGTRAP belongs to the
 * program: the tool only takes it if the program has the default disposition,
 * and only gives it back if the handler is still the tool's.
 */
#include <signal.h>

#include "cover.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "trap_action.h"

/* SA_RESTORER, which the C library does not declare */
#define FLAG_RESTORER 0x04000000

static struct action handler_of(const struct space *space)
{
	uint64_t code = space->store.address + STORE_CODE;
	struct survivor survivor;

	arch_survivor(&survivor);
	return (struct action){.handler = code + survivor.handler,
			       .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
					FLAG_RESTORER,
			       .restorer = code + survivor.restorer};
}

bool is_survivor(const struct space *space, const struct action *action)
{
	return space->store.address &&
	       action->handler == handler_of(space).handler;
}

static struct error *is_still_ours(struct space *space, struct process *process,
				   bool *ours)
{
	enum disposition disposition;
	struct action action;

	*ours = false;
	TRY(target_get_disposition(process, SIGTRAP, &disposition));
	if (disposition != DISPOSITION_CAUGHT)
		return NULL;
	TRY(get_action(process, &action));
	*ours = is_survivor(space, &action);
	return NULL;
}

static struct error *take_signal(struct space *space, const char **why)
{
	struct action action = handler_of(space);
	enum disposition disposition;
	bool ours = false;

	if (space->store.handles)
		TRY(is_still_ours(space, space->process, &ours));
	if (ours)
		return NULL;
	TRY(target_get_disposition(space->process, SIGTRAP, &disposition));
	if (disposition != DISPOSITION_DEFAULT) {
		*why = disposition == DISPOSITION_IGNORED
			       ? "the program ignores SIGTRAP"
			       : "the program handles SIGTRAP itself";
		return store_set_handles(space, false);
	}
	/* The store notes that the handler is the tool's before the handler is
	 * installed. If the tool dies after it has installed the handler, the
	 * next tool must know that it has to remove the handler. */
	TRY(store_set_handles(space, true));
	return set_action(space->process, &action);
}

#define BLOCKS "one of its threads blocks SIGTRAP"

static void warn(struct probe *probe, const struct process *process,
		 const char *why)
{
	note(probe,
	     "process %d: %s: if perftool is killed (SIGKILL), the process "
	     "dies at the next breakpoint that it reaches",
	     process->pid, why);
}

/* Warn the user if the process would die without the tool. `why` is the reason,
 * or NULL if it would not. An error is a reason, too; it is destroyed. */
static void warn_unless_covered(struct probe *probe,
				const struct process *process, const char *why,
				struct error *error)
{
	if (error)
		why = error_message(error);
	if (why)
		warn(probe, process, why);
	error_destroy(error);
}

static struct error *try_to_cover(struct space *space, const char **why)
{
	if (!space->store.address) {
		*why = "perftool cannot map memory in it";
		return NULL;
	}
	TRY(take_signal(space, why));
	TRY(store_set_live(space, true));
	if (!*why && target_find_blocking(space->process, SIGTRAP))
		*why = BLOCKS;
	return NULL;
}

void cover(struct probe *probe, struct space *space)
{
	const char *why = NULL;
	struct error *error;

	if (!space->process->survives)
		return;
	error = try_to_cover(space, &why);
	if (space->is_covered)
		error_destroy(error);
	else
		warn_unless_covered(probe, space->process, why, error);
	space->is_covered = true;
}

/* Install the handler in a process that borrows the memory: each process has
 * signal actions of its own. */
static struct error *cover_borrower(struct space *space,
				    struct process *process, const char **why)
{
	struct action action = handler_of(space);
	enum disposition disposition;
	bool ours;

	TRY(target_get_disposition(process, SIGTRAP, &disposition));
	if (disposition == DISPOSITION_DEFAULT)
		return set_action(process, &action);
	TRY(is_still_ours(space, process, &ours));
	if (!ours)
		*why = "it handles or ignores SIGTRAP itself";
	return NULL;
}

void cover_borrowers(struct probe *probe, struct space *space)
{
	struct process *user;
	size_t cursor = 0;

	while (space->store.handles && (user = space_user(space, &cursor))) {
		const char *why = NULL;
		struct error *error;

		if (user == space->process)
			continue;
		error = cover_borrower(space, user, &why);
		warn_unless_covered(probe, user, why, error);
	}
}

struct error *uncover_borrower(struct space *space, struct process *process)
{
	const struct action action = {0};
	bool ours;

	if (!space->store.handles)
		return NULL;
	TRY(is_still_ours(space, process, &ours));
	return ours ? set_action(process, &action) : NULL;
}

/* Has an int3 reset the handler? An int3 resets the handler and nothing else of
 * the action; a program that sets the default action sets all of it. */
static bool was_reset(struct space *space)
{
	struct action action, ours = handler_of(space);
	struct error *error = get_action(space->process, &action);

	if (error) {
		error_destroy(error);
		return false;
	}
	return !action.handler && action.flags == ours.flags &&
	       action.restorer == ours.restorer;
}

void cover_again(struct probe *probe, struct space *space)
{
	if (was_reset(space))
		warn(probe, space->process, BLOCKS);
	cover(probe, space);
}

/* The handler itself makes no system call, but returning from it is one
 * (rt_sigreturn). Seccomp's strict mode allows this call; a filter may forbid
 * it. */
void warn_of_filters(struct probe *probe, struct space *space)
{
	if (space->is_told_of_filters || !space->process ||
	    !space->process->survives || !space->store.handles)
		return;
	space->is_told_of_filters = true;
	if (target_find_filtered(space->process))
		note(probe,
		     "process %d: one of its threads is under a seccomp "
		     "filter: if perftool is killed (SIGKILL) and the "
		     "filter forbids rt_sigreturn, the next breakpoint "
		     "that the thread reaches kills the thread or the "
		     "process",
		     space->process->pid);
}

struct error *uncover(struct space *space)
{
	const struct action action = {0};
	bool ours;

	if (!space->store.address)
		return NULL;
	if (space->store.left.count)
		/* An int3 of a tool that died was left in memory, and still
		 * needs the handler. */
		return NULL;
	if (space->store.handles) {
		TRY(is_still_ours(space, space->process, &ours));
		if (ours)
			TRY(set_action(space->process, &action));
		TRY(store_set_handles(space, false));
	}
	return store_set_live(space, false);
}

bool is_uncovered(const struct space *space)
{
	enum disposition disposition;
	struct error *error;

	if (!space->process || !space->store.handles)
		return false;
	error = target_get_disposition(space->process, SIGTRAP, &disposition);
	if (error) {
		error_destroy(error);
		return false;
	}
	return disposition == DISPOSITION_DEFAULT;
}

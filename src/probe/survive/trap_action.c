/*
 * trap_action.c - preserving what the program does with SIGTRAP, its action
 *
 * If a thread executes an int3 while it blocks SIGTRAP, or while the process
 * ignores SIGTRAP, the kernel resets the handler to the default and unblocks
 * the signal (force_sig_info_to_task()). Only /proc shows that this has
 * happened, and by then the program's handler is lost. So the tool must know
 * the program's action beforehand. It asks for the action when it begins to
 * control a process. From then on, a site at libc's sigaction() reports changes
 * of the handler. An int3 leaves the rest of the action alone, so the tool can
 * ask the kernel for the rest when it is needed.
 *
 * The site is not put into a process that is to survive the tool: after a fork,
 * sigaction() is often called while all signals are blocked, and without the
 * tool an int3 would then kill the process. (A site at rt_sigaction(2) itself
 * would be no better, because the child of a posix_spawn() makes a hundred such
 * calls.) In these processes, in programs where no such function is found, and
 * where a program makes the system call by other means, the tool checks /proc
 * now and then.
 *
 * A process that borrows its memory from another one has signal actions of its
 * own, and the tool knows nothing about them.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "cover.h"
#include "libc_stop.h"
#include "perftool/base/str.h"
#include "perftool/target/process_status.h"
#include "perftool/target/remote_calls.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "trap_action.h"

#define TRAP_BIT (1ULL << (SIGTRAP - 1))
#define IGNORE ((uint64_t)(uintptr_t)SIG_IGN)

/* ---- asking and setting -------------------------------------------------- */

static struct error *as_error(int64_t result, const char *what)
{
	return result < 0 ? error_system((int)-result, "%s", what) : NULL;
}

struct error *set_action(struct process *process, const struct action *action)
{
	const struct script_call call = {.number = SYS_rt_sigaction,
					 .args = {SIGTRAP, 0, 0, 8},
					 .use_data = 2};
	struct thread *thread;
	int64_t result;

	TRY(target_calling_thread(process, &thread));
	TRY(target_remote_calls(thread, &call, 1, action, sizeof(*action),
				&result));
	return as_error(result, "rt_sigaction");
}

/* The tool must not write to the program's own memory, so it maps a page for
 * the answer of the kernel. */
struct error *get_action(struct process *process, struct action *action)
{
	const struct script_call calls[] = {
		{.number = SYS_mmap,
		 .args = {0, ARCH_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0},
		 .save = true},
		{.number = SYS_rt_sigaction,
		 .args = {SIGTRAP, 0, 0, 8},
		 .use_saved = 3}};
	struct script_call unmap = {.number = SYS_munmap,
				    .args = {0, ARCH_PAGE}};
	struct error *error;
	struct thread *thread;
	int64_t results[2], result;

	TRY(target_calling_thread(process, &thread));
	TRY(target_remote_calls(thread, calls, 2, NULL, 0, results));
	TRY(as_error(results[0], "mmap"));
	error = as_error(results[1], "rt_sigaction");
	if (!error)
		error = target_read(process, (uint64_t)results[0], action,
				    sizeof(*action));
	unmap.args[0] = (uint64_t)results[0];
	if (!error)
		return target_remote_calls(thread, &unmap, 1, NULL, 0, &result);
	error_destroy(target_remote_calls(thread, &unmap, 1, NULL, 0, &result));
	return error;
}

/* ---- knowing the program's action ---------------------------------------- */

struct error *learn_action(struct space *space)
{
	struct trap_action *trap = &space->trap;
	enum disposition disposition;
	struct action action = {0};
	struct error *error;

	*trap = (struct trap_action){.heard = trap->heard};
	TRY(target_get_disposition(space->process, SIGTRAP, &disposition));
	if (disposition == DISPOSITION_DEFAULT)
		return NULL;
	error = get_action(space->process, &action);
	if (error) {
		trap->is_unknown = true;
		return error_prefix(error,
				    "process %d: perftool cannot read the "
				    "program's handler of SIGTRAP",
				    space->process->pid);
	}
	if (!is_survivor(space, &action)) {
		trap->action = action;
		trap->is_whole = true;
	}
	return NULL;
}

bool is_action_new(const struct space *space)
{
	const struct trap_action *trap = &space->trap;
	enum disposition now;
	struct error *error;

	if (!space->process || space->store.handles || trap->setter ||
	    trap->is_unknown)
		return false;
	error = target_get_disposition(space->process, SIGTRAP, &now);
	if (error) {
		error_destroy(error);
		return false;
	}
	if (now == DISPOSITION_IGNORED)
		return trap->action.handler != IGNORE;
	/* /proc tells only whether there is a handler. If the program has
	 * replaced one handler by another, this function does not notice it. */
	return now == DISPOSITION_CAUGHT && trap->action.handler <= IGNORE;
}

static struct error *hear_in(struct probe *probe, struct space *space,
			     struct module *module)
{
	struct range heard;

	TRY(stop_in_libc(probe, space, module, "sigaction", SITE_ACTION,
			 &heard));
	if (heard.low)
		space->trap.heard = heard;
	return NULL;
}

struct error *hear_actions(struct probe *probe, struct space *space)
{
	if (space->process->survives)
		return NULL;
	for (size_t i = 0; i < space->modules.count; i++) {
		struct error *error =
			hear_in(probe, space, space->modules.data[i].module);

		if (error && error_code(error) == ERROR_GONE)
			return error;
		if (error)
			note_error(
				probe,
				error_prefix(
					error,
					"perftool will notice late if the "
					"program sets a handler of SIGTRAP"));
	}
	return NULL;
}

struct error *note_action(struct thread *thread)
{
	struct space *space = space_of(thread->process);
	struct user_regs_struct regs;
	uint64_t handler;

	if (space->process != thread->process)
		return NULL;
	TRY(target_get_regs(thread, &regs));
	if ((int)arch_argument(&regs, 0) != SIGTRAP ||
	    /* The handler is the first member of struct sigaction in every C
	     * library, so it is read here. The tool can ask the kernel for the
	     * other members. */
	    !target_read_callback(space->process, arch_argument(&regs, 1),
				  &handler, sizeof(handler)))
		return NULL;
	space->trap.setter = thread->serial;
	space->trap.next = handler;
	return NULL;
}

/* Is the site in sigaction(), and does a thread reach it before the system
 * call? The answer is taken to be yes for all sites there except the function's
 * return. */
static bool is_on_the_way(const struct trap_action *trap,
			  const struct site *site)
{
	return site->address > trap->heard.low &&
	       site->address < trap->heard.high &&
	       site->insn.kind != INSN_RETURN;
}

void settle_action(struct thread *thread, const struct site *site)
{
	struct space *space = space_of(thread->process);
	struct trap_action *trap = &space->trap;

	if (!trap->setter || space->process != thread->process ||
	    (thread->serial == trap->setter && is_on_the_way(trap, site)))
		return;
	*trap = (struct trap_action){.heard = trap->heard,
				     .action.handler = trap->next};
}

void note_delivered(struct thread *thread, int signal)
{
	struct space *space = space_of(thread->process);

	if (signal == SIGTRAP && space && space->process == thread->process)
		space->trap.was_delivered = true;
}

/* ---- restoring the program's action -------------------------------------- */

struct error *seems_reset(struct space *space, bool *reset)
{
	enum disposition disposition;

	*reset = false;
	if (!space->trap.action.handler)
		return NULL;
	TRY(target_get_disposition(space->process, SIGTRAP, &disposition));
	*reset = disposition == DISPOSITION_DEFAULT;
	return NULL;
}

/*
 * Has an int3 reset the program's action? An int3 resets the handler alone. If
 * the rest of the action has changed, too, or if SA_RESETHAND explains the
 * change, the change is what the program wanted.
 */
static struct error *is_reset(struct space *space, bool *reset)
{
	struct trap_action *trap = &space->trap;
	const struct action *known = &trap->action;
	struct action now;

	TRY(get_action(space->process, &now));
	*reset = !now.handler &&
		 !(trap->was_delivered && now.flags & SA_RESETHAND) &&
		 (!trap->is_whole ||
		  (now.flags == known->flags &&
		   now.restorer == known->restorer && now.mask == known->mask));
	if (*reset)
		now.handler = known->handler;
	trap->action = now;
	trap->is_whole = true;
	return NULL;
}

static struct error *put_back(struct space *space, bool *done)
{
	TRY(is_reset(space, done));
	return *done ? set_action(space->process, &space->trap.action) : NULL;
}

/* Has another thread also executed an int3 which was not reported yet? */
static bool has_trapped_other(const struct thread *thread)
{
	const struct thread_list *threads = &thread->process->threads;

	for (size_t i = 0; i < threads->count; i++) {
		char state, name[17];

		if (threads->data[i] == thread ||
		    threads->data[i]->state != THREAD_RUNNING)
			continue;
		target_thread_info(threads->data[i], &state, name);
		if (state == 't')
			return true;
	}
	return false;
}

static struct error *block(struct thread *thread)
{
	uint64_t mask;

	TRY(target_get_signal_mask(thread, &mask));
	return target_set_signal_mask(thread, mask | TRAP_BIT);
}

struct error *undo_reset(struct probe *probe, struct thread *thread,
			 uint64_t pc, bool may_block)
{
	struct space *space = space_of(thread->process);
	struct error *error;
	siginfo_t info;
	bool reset, done;

	if (!space || space->process != thread->process)
		return NULL;
	TRY(seems_reset(space, &reset));
	if (!reset)
		return NULL;
	/* The handler was reset because a thread blocked the signal. If another
	 * thread has trapped, too, it is not known which of the two threads
	 * blocked it. */
	may_block &= space->trap.action.handler != IGNORE &&
		     !has_trapped_other(thread);
	TRY(target_get_siginfo(thread, &info));
	TRY(target_hold(thread, pc));
	error = put_back(space, &done);
	if (!error && done && may_block) {
		error = block(thread);
		if (!error && info.si_code != SI_KERNEL)
			error = send_merged(probe, thread, &info);
	}
	if (error) {
		/* The tool gives up restoring the handler, because the error
		 * would occur again at every hit. */
		space->trap.action.handler = 0;
		space->trap.is_unknown = true;
		note_error(probe, error_prefix(error,
					       "process %d: perftool cannot "
					       "restore the program's handler "
					       "of SIGTRAP, which a breakpoint "
					       "has reset (the next SIGTRAP of "
					       "its own may end the program)",
					       thread->process->pid));
	}
	return NULL;
}

struct error *resume_from_int3(struct probe *probe, struct thread *thread,
			       uint64_t pc, uint64_t *resumed)
{
	if (thread->state == THREAD_AT_TRAP)
		TRY(undo_reset(probe, thread, pc, true));
	if (thread->state == THREAD_AT_TRAP)
		return target_resume_at(thread, pc, resumed);
	if (resumed)
		*resumed = clock_now(probe->clock);
	return target_resume(thread);
}

void keep_action(struct probe *probe, struct space *space)
{
	struct error *error;
	bool reset;

	if (!space->process || space->trap.setter)
		return;
	error = seems_reset(space, &reset);
	if (!error && reset)
		error = put_back(space, &reset);
	note_error(probe, error);
}

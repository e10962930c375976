/*
 * events.c - the life of the measured processes: their forks, what they
 * execute, their end
 *
 * A space is what the tool knows about the memory of a process. A child that is
 * followed gets a copy of its parent's space, because its memory is a copy of
 * its parent's. A child that borrows the memory (vfork) uses its parent's
 * space, until it executes a program or its parent ends. A child that is not
 * followed gets its original bytes back and is let go. If such a child borrows
 * memory, it stays traced until it has memory of its own, and its hits count
 * nowhere. A program that was just executed contains no byte of the tool: if it
 * is not followed, the process is let go at once, even if it is the program
 * that the user has named.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/command_line.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/process_status.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/calibrate/calibrate.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

void probe_set_follow(struct probe *probe, bool fork, bool exec)
{
	probe->follow_fork = fork;
	probe->follow_exec = exec;
}

/* ---- forks --------------------------------------------------------------- */

/* Tell the user of an error that concerns a child. Such an error is no reason
 * to stop anything else. */
static void note_failure(struct probe *probe, struct error *error,
			 const char *what, pid_t pid)
{
	if (error)
		note_error(probe,
			   error_prefix(error, "process %d: %s", pid, what));
}

/* Let a child go whose memory is a copy of its parent's, with the tool's int3s.
 */
static struct error *let_child_go(struct probe *probe, struct space *space,
				  struct process *child)
{
	struct error *error = NULL;

	if (space) {
		struct space *copy = space_clone(probe, space, child);

		error = late_fork_catch_up(space, copy);
		error = error_first(error, space_release(probe, copy));
		space_destroy(probe, copy);
	}
	target_detach(child);
	return error;
}

/* Give a new thread a ring of its own. (A new thread begins with the gs base,
 * and so with the ring, of the thread that made it.) */
static struct error *give_ring(struct probe *probe, struct space *space,
			       struct thread *thread)
{
	struct error *error = NULL;

	if (space && space->fast.has_rings)
		error = ring_give(probe, space, thread);
	if (!error || error_code(error) == ERROR_GONE)
		return error;
	/* The thread goes on without a ring, and traps at its first hit. */
	note_error(probe, error);
	return ring_take(space, thread);
}

/* Does the thread that has stopped have to watch something else in memory? */
static struct error *watch_anew(const struct event *event)
{
	struct thread *thread = event->thread;
	struct space *space = thread ? thread->process->owner : NULL;

	if (!space || event->kind == EVENT_THREAD_GONE ||
	    event->kind == EVENT_EXEC ||
	    thread->watches == space->watches.number)
		return NULL;
	return watches_arm(space, thread);
}

/* Is the memory of the process a copy of this space's, with the same slots and
 * jumps at the same addresses, and with the same rings? */
static bool is_copy(const struct space *space, struct process *child)
{
	struct store_entry entry;
	const struct site *site;
	size_t cursor = 0;

	if (!rings_are_in(space, child))
		return false;
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		uint8_t bytes[PATCH_SIZE];

		if (!site->has_slot || !site->inserted)
			continue;
		if (!store_peek(space, child, site->address, &entry) ||
		    entry.site != site->address ||
		    entry.slot != site->slot.address)
			return false;
		if (site->is_jump &&
		    (!target_read_callback(child, site->address, bytes,
					   site->patch.length) ||
		     memcmp(bytes, site->patch.bytes, site->patch.length) != 0))
			return false;
	}
	return true;
}

/* Find the space of which the child's memory is a copy. The event may name the
 * wrong parent. */
static struct space *find_origin(const struct probe *probe,
				 const struct event *event)
{
	struct space *space = event->parent->process->owner;

	if (!event->is_guess || !space || is_copy(space, event->process))
		return space;
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *other = probe->spaces.data[i];

		if (other->store.address == space->store.address &&
		    is_copy(other, event->process))
			return other;
	}
	return space;
}

static void note_too_many(struct probe *probe)
{
	note(probe, "some child processes are not measured: perftool needs "
		    "open files for each process, and may open no more; raise "
		    "the hard limit (ulimit -Hn)");
}

/* Will the child not be measured, because the user does not want it or because
 * the tool cannot? */
static bool is_left_out(struct probe *probe, const struct process *child)
{
	/* A child that borrows memory cannot be let go, because the tool's
	 * int3s stay in that memory. */
	if (child->shares_memory)
		return false;
	if (child->is_too_many && probe->follow_fork)
		note_too_many(probe);
	return child->is_too_many || !probe->follow_fork;
}

static struct error *on_fork(struct probe *probe, const struct event *event)
{
	struct space *space = find_origin(probe, event);
	struct process *child = event->process;
	struct error *error = NULL;
	pid_t pid = child->pid;

	placement_new_process(probe, child);
	event->thread->ring = NULL;
	/* The child executes on a copy of its parent's stack. */
	event->thread->first_sp = event->parent->first_sp;
	event->thread->stack_low = event->parent->stack_low;
	if (is_left_out(probe, child)) {
		note_failure(probe, let_child_go(probe, space, child),
			     "perftool cannot remove its breakpoints from this "
			     "child process, which is not measured; the "
			     "process may die at one of them",
			     pid);
		return target_resume(event->parent);
	}
	if (child->shares_memory)
		child->owner = space;
	else if (space)
		error = late_fork_catch_up(space,
					   space_clone(probe, space, child));
	error = error_first(error,
			    give_ring(probe, space_of(child), event->thread));
	if (error) {
		/* If the child was killed, its parent must go on all the same.
		 */
		error_destroy(target_resume(event->parent));
		return error;
	}
	note_error(probe, watch_anew(event));
	inherit_interrupted(probe, event->parent, event->thread);
	tail_frames_inherit(&probe->tails.frames, event->parent->serial,
			    event->thread->serial);
	inherit_amid(probe, event->parent, event->thread);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_CHILD,
					 .process = child,
					 .parent = event->parent->process});
	error = target_resume(event->thread);
	return error_first(error, target_resume(event->parent));
}

/* ---- exec and end -------------------------------------------------------- */

void forget_thread(struct probe *probe, const struct thread *thread)
{
	switches_forget(probe, (struct thread *)thread);
	if (thread->ring) {
		counts_read(probe, thread->ring);
		ring_orphan((struct thread *)thread);
	}
	if (probe->calibration.thread == thread)
		probe->calibration.thread = NULL;
	if (probe->stepping.thread == thread)
		probe->stepping.thread = NULL;
	forget_interrupted(probe, thread);
	forget_amid(probe, thread);
	forget_merged(probe, thread);
	tail_frames_forget_thread(&probe->tails.frames, thread->serial);
	tails_forget_bindings_of(probe, thread->serial);
}

/* All threads of a process have ended, or it has executed another program:
 * forget what was noted of them. */
static void forget_process(struct probe *probe, struct process *process)
{
	switches_forget_process(probe, process);
	if (probe->calibration.process == process)
		probe->calibration.thread = NULL;
	if (probe->stepping.process == process)
		probe->stepping.thread = NULL;
	forget_interrupted_of(probe, process);
	forget_amid_of(probe, process);
	forget_merged_of(probe, process);
}

/* A process leaves its memory (by exec, or at its end). If another process has
 * borrowed the memory, make that process the owner of the memory. */
static bool pass_on(struct space *space)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = space_user(space, &cursor))) {
		if (process == space->process)
			continue;
		process->shares_memory = false;
		space->process = process;
		return true;
	}
	return false;
}

static bool is_followed(const struct probe *probe, bool borrowed)
{
	/* The tool may have traced a process that borrowed memory only because
	 * it could not let that process go. */
	return probe->follow_exec && (probe->follow_fork || !borrowed);
}

/* The name of the program that a process executes, for messages. The caller
 * frees it. */
static char *executed_file(pid_t pid)
{
	char *name = target_program_name(pid);

	return name ? name : xstrdup("a program");
}

/* Will the process be measured from now on? If not, the user is told, provided
 * that the process should have been measured or is the main process. */
static bool stays(struct probe *probe, const struct process *process,
		  bool borrowed)
{
	bool followed = is_followed(probe, borrowed);
	char *path;

	if (followed && process->is_too_many && process->pid != probe->main) {
		note_too_many(probe);
		return false;
	}
	if (followed && !target_is_32_bit(process->pid))
		return true;
	if (!followed && process->pid != probe->main)
		return false;
	path = executed_file(process->pid);
	if (followed)
		note(probe,
		     "%s runs unmeasured: it is a 32-bit program, and only "
		     "64-bit ones can be measured",
		     path);
	else
		note(probe,
		     "process %d has executed %s and is not followed (set "
		     "follow exec off)",
		     process->pid, path);
	free(path);
	return false;
}

static struct error *adopt_executed(struct probe *probe,
				    const struct event *event)
{
	pid_t pid = event->process->pid;
	struct error *error = adopt(probe, event->process);

	if (error && error_code(error) == ERROR_GONE)
		return error;
	/* The program goes on, even if it is not measured. */
	note_failure(
		probe, error,
		"the process has replaced its program (exec), and perftool "
		"cannot measure the new program",
		pid);
	return calibrate_and_resume(probe, event->thread);
}

static struct error *on_exec(struct probe *probe, const struct event *event)
{
	struct process *process = event->process;
	struct space *space = process->owner;
	bool borrowed = space && space->process != process;
	pid_t pid = process->pid;
	bool followed =
		!process->asks_parent && stays(probe, process, borrowed);

	forget_process(probe, process);
	process->owner = NULL;
	if (space && !borrowed && !pass_on(space))
		(followed ? space_destroy : space_end)(probe, space);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_EXEC,
					 .process = process});
	if (followed)
		return adopt_executed(probe, event);
	placement_leave(probe, process);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_LEFT,
					 .process = process});
	if (process->asks_parent)
		note_failure(probe, target_detach_to_parent(process),
			     "its parent cannot trace it", pid);
	else
		target_detach(process);
	return NULL;
}

static void on_end(struct probe *probe, const struct event *event,
		   struct probe_outcome *outcome)
{
	struct process *process = event->process;
	struct space *space = process->owner;

	outcome->action = PROBE_END;
	forget_process(probe, process);
	placement_end(probe, process);
	process->owner = NULL;
	if (space && space->process == process && !pass_on(space))
		space_end(probe, space);
}

/* ---- one event ----------------------------------------------------------- */

#define WATCH_INTERVAL 100000000u /* ns */

/* Check whether the tool's handler of SIGTRAP is still installed in each
 * process: an int3 in a thread that blocks SIGTRAP removes the handler. Check
 * also whether the program has set another action for SIGTRAP. If so, all
 * threads are asked to stop, and on_all_stopped() puts this right. (The user is
 * warned of seccomp filters here and not while the tool attaches, because the
 * process would have to stand still for the search.) */
static struct error *watch_handlers(struct probe *probe, uint64_t now)
{
	if (now < probe->next_watch)
		return NULL;
	probe->next_watch = now + WATCH_INTERVAL;
	for (size_t i = 0; i < probe->spaces.count; i++)
		warn_of_filters(probe, probe->spaces.data[i]);
	for (size_t i = 0; i < probe->spaces.count; i++)
		if ((is_uncovered(probe->spaces.data[i]) ||
		     is_action_new(probe->spaces.data[i])) &&
		    !target_is_stopping(probe->target))
			return stop_for_us(probe);
	return NULL;
}

/* All threads have stopped, `own`: because the tool itself has asked for it. Do
 * what can only be done then in this memory. */
static struct error *on_stopped(struct probe *probe, struct space *space,
				bool own)
{
	if (!space->process || !target_is_any_stopped(space->process))
		/* The only thread waits for its vfork child. The space is
		 * handled at the next stop. */
		return NULL;
	TRY(fast_leave_all(space));
	space_forget_unmapped(probe, space);
	if (space->watches.is_outdated)
		watches_arm_all(probe, space);
	if (is_uncovered(space))
		cover_again(probe, space);
	if (is_action_new(space))
		note_error(probe, learn_action(space));
	keep_action(probe, space);
	/* Looking for all sites in memory takes its time, so it is not done at
	 * each of many stops that the tool itself has asked for. */
	if (own && !space->has_lost)
		return NULL;
	store_begin(space);
	mend_sites(probe, space, true);
	note_error(probe, store_end(space));
	return NULL;
}

static struct error *on_all_stopped(struct probe *probe,
				    const struct event *event,
				    struct probe_outcome *outcome)
{
	const struct thread *calibrates = probe->calibration.thread;
	const struct thread *steps = probe->stepping.thread;
	bool own = probe->own_stop;

	own_stop_begin(probe, event->time);
	late_fork_all_stopped(probe);
	outcome->action = PROBE_STOPPED;
	drain(probe, UINT64_MAX, true);
	if (calibrates)
		TRY(space_fail(probe, space_of(calibrates->process),
			       calibrate_stopped(probe)));
	/* (If the same process had both, it may be gone now.) */
	if (steps && probe->stepping.thread)
		TRY(space_fail(probe, space_of(steps->process),
			       finish_step(probe)));
	placement_stopped(probe);
	/* A space that fails is removed from the list. */
	for (size_t i = probe->spaces.count; i-- > 0;) {
		struct space *space = probe->spaces.data[i];

		TRY(space_fail(probe, space, on_stopped(probe, space, own)));
	}
	return NULL;
}

/* How often the tool reads the rings (in which threads record their hits). The
 * next time comes sooner if the rings held much, because a thread that fills
 * its ring has to wait for the tool. */
#define READ_INTERVAL 5000000u /* ns */
#define READ_SOON 100000u
#define MUCH 1000

/* How often the tool reads what threads count by themselves while nothing else
 * makes it do so, ns. (A bucket must not count to 2^32 in between.) */
#define COUNTS_INTERVAL 500000000u

static void read_rings(struct probe *probe, const struct event *event)
{
	size_t count;

	if (event->kind == EVENT_EXEC || event->kind == EVENT_PROCESS_GONE) {
		rings_orphan(probe, event->process);
		switches_orphan(probe, event->process);
	}
	if (!probe->rings.list.count)
		return;
	switch (event->kind) {
	case EVENT_NONE:
		count = drain_now(probe);
		cost_in_run_read(probe);
		break;
	case EVENT_TRAP:
		/* Hits that were recorded before this trap are reported before
		 * it. */
		count = drain(probe, event->time, true);
		break;
	default:
		count = drain(probe, UINT64_MAX, true);
		break;
	}
	if (event->time >= probe->rings.counts_read_at + COUNTS_INTERVAL)
		probe_read_counts(probe);
	/* (If there are no jumps, threads only record when they go on from
	 * int3s; such a record is read at the next event.) The tick is set each
	 * time, because each run of the event loop begins with another tick. */
	if (probe->fast.had_jumps)
		target_set_tick(probe->target,
				count > MUCH ? READ_SOON : READ_INTERVAL);
}

struct error *probe_handle(struct probe *probe, const struct event *event,
			   struct probe_outcome *outcome)
{
	bool handled;

	*outcome = (struct probe_outcome){.action = PROBE_HANDLED};
	for (size_t i = 0; i < probe->spaces.count; i++)
		if (probe->spaces.data[i]->maps.list.count)
			space_forget_maps(probe->spaces.data[i]);
	tell_finished(probe, &probe->finished, false);
	read_rings(probe, event);
	switches_tell_all(probe, event);
	TRY(watch_anew(event));
	switch (event->kind) {
	case EVENT_NONE:
		TRY(look_at_sites(probe, event->time));
		return watch_handlers(probe, event->time);
	case EVENT_EMPTY:
		probe->own_stop = false;
		return NULL;
	case EVENT_TRAP:
		if (event->time >= probe->next_look)
			TRY(look_at_sites(probe, event->time));
		TRY(watch_handlers(probe, event->time));
		return handle_trap(probe, event, outcome);
	case EVENT_SIGNAL:
		TRY(fast_fault(probe, event, &handled));
		if (handled)
			return NULL;
		outcome->action = PROBE_SIGNAL;
		return prepare_signal(probe, event->thread, event->signal);
	case EVENT_THREAD_NEW:
		placement_new_thread(probe, event->process);
		TRY(give_ring(probe, space_of(event->process), event->thread));
		TRY(target_resume(event->thread));
		return target_resume(event->parent);
	case EVENT_RETURN:
		return handle_return(probe, event);
	case EVENT_CALL:
		/* the caller of the layer has asked for it */
		return NULL;
	case EVENT_FORK:
		return on_fork(probe, event);
	case EVENT_EXEC:
		return on_exec(probe, event);
	case EVENT_THREAD_GONE:
		forget_thread(probe, event->thread);
		return NULL;
	case EVENT_PROCESS_GONE:
		on_end(probe, event, outcome);
		return NULL;
	case EVENT_ALL_STOPPED:
		return on_all_stopped(probe, event, outcome);
	}
	return NULL;
}

struct error *probe_get_regs(struct probe *probe, struct thread *thread,
			     struct user_regs_struct *regs)
{
	struct space *space = thread->process->owner;

	(void)probe;
	TRY(target_get_regs(thread, regs));
	if (space)
		space_map_pc(space, thread, regs);
	return NULL;
}

const struct module *probe_module_at(struct probe *probe,
				     struct process *process, uint64_t address)
{
	struct space *space = process ? process->owner : NULL;

	(void)probe;
	return space ? space_module_at(space, address) : NULL;
}

bool probe_own_code(struct process *process, uint64_t address,
		    struct user_regs_struct *regs, uint64_t *place)
{
	struct space *space = process ? process->owner : NULL;
	struct arch_slot slot;

	*place = 0;
	if (!space)
		return false;
	if (space_slot_at(space, address, &slot)) {
		if (arch_slot_pc(&slot, regs) &&
		    !store_has_code(&space->store, regs->rip))
			*place = regs->rip;
		return true;
	}
	return store_has_code(&space->store, address) ||
	       map_get(&space->fast.landings, address) ||
	       fast_site_at(space, address);
}

uint64_t probe_stands_at(const struct process *process, uint64_t pc,
			 bool in_kernel)
{
	const struct space *space = process ? process->owner : NULL;
	const struct site *site = space ? map_get(&space->sites, pc - 1) : NULL;

	if (!site || (site->insn.length == 1 &&
		      (!in_kernel || !site->inserted || site->is_jump)))
		return pc;
	return site->address;
}

void probe_set_conditions(struct probe *probe, enum condition_meaning meaning)
{
	probe->conditions = meaning;
	probe_stops_changed(probe);
}

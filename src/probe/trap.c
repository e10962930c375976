/*
 * trap.c - a thread has executed an int3: which int3 it was, and how the thread
 * goes on
 *
 * A thread goes on in the slot of the site, which is memory in which it
 * executes the instruction that the int3 has displaced. A hit takes one stop.
 * An ordinary hit is kept short: find the site, make the hits (site_hits.c),
 * set the pc to the slot, resume the thread.
 */
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/calibrate/calibrate.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

/* The number of pairs of int3s in a calibration during the run, which takes
 * some tenths of a millisecond. */
#define PAIRS 12

/*
 * The instruction of a site without a slot is executed in place, while all
 * other threads are stopped. This function asks all threads to stop, and this
 * thread to stop before the instruction; finish_step() then executes the
 * instruction.
 */
static struct error *begin_step(struct probe *probe, struct thread *thread,
				struct site *site,
				const struct finished_stop *finished)
{
	probe->stepping =
		(struct stepping){thread, thread->process, site, *finished};
	probe->stepping.finished.is_stepped = true;
	if (!target_is_stopping(probe->target))
		TRY(stop_for_us(probe));
	return target_resume_at(thread, site->address, NULL);
}

struct error *finish_step(struct probe *probe)
{
	static const uint8_t int3 = ARCH_INT3;
	struct stepping stepping = probe->stepping;
	struct process *process;

	if (!stepping.thread)
		return NULL;
	probe->stepping.thread = NULL;
	process = stepping.thread->process;
	TRY(target_write(process, stepping.site->address,
			 stepping.site->insn.bytes, 1));
	TRY(target_step(stepping.thread));
	TRY(watch_step(probe, stepping.thread));
	if (stepping.site->inserted)
		TRY(target_write(process, stepping.site->address, &int3, 1));
	probe->finished = stepping.finished;
	/* The stop of all threads counts from its own beginning on. */
	probe->finished.resume = probe->own_stop_since
					 ? probe->own_stop_since
					 : clock_now(probe->clock);
	calls_resume(probe, stepping.thread, probe->finished.resume,
		     &probe->finished);
	return NULL;
}

void begin_hold(struct probe *probe, const struct event *event,
		struct finished_stop *out)
{
	struct stop_in_hand hold = {.thread = event->thread->serial,
				    .seen = event->time,
				    .arrival = event->time,
				    .cost = cost_unseen(probe)};

	hold.is_off_known = switches_see_stop(probe, event->thread,
					      &hold.arrival, &hold.cost);
	*out = (struct finished_stop){.holder = {event->thread->serial,
						 event->process->pid,
						 event->thread->tid},
				      .arrival = hold.arrival,
				      .is_off_known = hold.is_off_known,
				      .cost = hold.cost};
	probe->in_hand = hold;
}

struct error *make_hits(struct probe *probe, const struct event *event,
			struct site *site, struct probe_outcome *outcome)
{
	if (is_placement_open(probe, event->process))
		placement_hit(probe, event->process);
	TRY(count_hits(probe, event, site, outcome));
	cliff_hit(probe, site, space_of(event->process), event->time);
	return NULL;
}

/* Do the hits of this process count? A vfork child borrows the memory, and so
 * has the int3s in it, but it is a process of its own, which the tool may not
 * follow. */
static bool is_counted(const struct probe *probe, const struct process *process)
{
	return probe->follow_fork || space_of(process)->process == process;
}

/* The thread may only go on when all threads have stopped. Set its pc back to
 * the site, so that it reaches the site again, and count its hits then. */
static struct error *postpone_trap(struct probe *probe, struct thread *thread,
				   const struct site *site,
				   struct finished_stop *finished)
{
	if (!target_is_stopping(probe->target))
		TRY(stop_for_us(probe));
	/* The hit, and its break, count when the thread comes again. Until all
	 * threads have stopped, this one does nothing. */
	finished->resume = probe->in_hand.seen;
	calls_held(probe, thread->ring,
		   (double)(clock_now(probe->clock) - finished->resume));
	calls_resume(probe, thread, finished->resume, finished);
	probe->finished = *finished;
	return resume_from_int3(probe, thread, site->address, NULL);
}

/* The thread is at an int3 where frames may end, and the tool has learned
 * something about tail jumps since the last update. Does a thread that counts
 * by itself need to know it now? */
static bool must_update(struct space *space, const struct thread *thread,
			const struct site *site)
{
	const struct ring *ring = thread->ring;

	return space->is_outdated && ((ring && ring->header->counting.out) ||
				      counted_legs_are_left(space, site));
}

struct error *user_trap(struct probe *probe, const struct event *event,
			struct site *site, bool in_trampoline,
			struct probe_outcome *outcome)
{
	struct thread *thread = event->thread;
	struct finished_stop finished;
	uint64_t pc = site->has_slot ? site->slot.address : site->address;
	bool counts, begun, again = false, postpone = false;
	bool is_stepped = !site->has_slot;
	uint64_t to, goes_to = 0;
	struct ring *ring;

	if (!site->has_slot && probe->stepping.thread)
		/* Only one thread is single-stepped at a time. This thread will
		 * reach the site again. */
		return resume_from_int3(probe, thread, site->address, NULL);
	if (probe->interrupted.count)
		TRY(is_reached_again(probe, thread, site->address, &again));
	if (probe->amid.count)
		again |= is_passed_amid(probe, thread, site->address);
	counts = !again && site->attachments.count &&
		 is_counted(probe, thread->process);
	begin_hold(probe, event, &finished);
	if (counts && (follows_tails(site) || probe->tails.int3s))
		TRY(tails_learn(probe, event, site, &postpone, &goes_to));
	if (counts && follows_tails(site))
		postpone |=
			must_update(space_of(thread->process), thread, site);
	if (postpone)
		return postpone_trap(probe, thread, site, &finished);
	if (goes_to) {
		pc = goes_to;
		is_stepped = false;
	}
	if (counts && site->is_detour && thread->ring && !in_trampoline) {
		/* The thread counts the hit by itself. (If the trampoline has
		 * left the hit to the tool, it would do so again.) */
		pc = site->fast->trampoline.address;
		counts = false;
		switches_arrive(probe, thread);
	}
	if (counts) {
		switches_arrive(probe, thread);
		TRY(make_hits(probe, event, site, outcome));
	}
	if (has_handler(thread))
		TRY(undo_reset(probe, thread, pc, true));
	if (site->purpose == SITE_ACTION)
		TRY(note_action(thread));
	if (outcome->breakpoint) {
		outcome->action = PROBE_STOP;
		outcome->resume_pc = pc;
		if (is_stepped)
			probe->stepping =
				(struct stepping){.thread = thread,
						  .process = thread->process,
						  .site = site};
		return NULL;
	}
	if (is_stepped)
		return begin_step(probe, thread, site, &finished);
	if (counts && event->time >= probe->costs.next &&
	    calibrate_is_due(probe, space_of(thread->process), event->time)) {
		TRY(calibrate_begin(probe, thread, pc, event->time, PAIRS,
				    &begun));
		if (begun)
			return NULL;
	}
	/* What is written when the thread goes on is part of the stop. */
	TRY(target_settle(probe->target));
	if (thread->state == THREAD_STOPPED) {
		finished.resume = clock_now(probe->clock);
		calls_resume(probe, thread, finished.resume, &finished);
		TRY(target_resume(thread));
		probe->finished = finished;
		return NULL;
	}
	to = resumed_pc(thread, pc);
	if (to == pc)
		calls_resume(probe, thread, clock_now(probe->clock), &finished);
	else
		calls_resume_by_itself(probe, thread, &finished);
	TRY(target_resume_at(thread, to, &finished.resume));
	if (to == pc) {
		probe->finished = finished;
	} else {
		ring = thread->ring;
		ring->finished = finished;
		switches_will_tell(probe, ring->watch, finished.arrival);
	}
	return NULL;
}

void tell_finished(struct probe *probe, struct finished_stop *finished,
		   bool is_told)
{
	if (!finished->holder.serial)
		return;
	if (!is_told && finished->is_off_known && !finished->is_stepped)
		switches_see_resumption(probe, &finished->holder,
					&finished->resume,
					&finished->cost.after);
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_HELD,
					 .holder = &finished->holder,
					 .from = finished->arrival,
					 .to = finished->resume,
					 .before = finished->cost.before,
					 .after = finished->cost.after});
	switches_resumed(probe, &finished->holder, finished->arrival,
			 finished->resume);
	cliff_held(probe, finished);
	calls_resumed(probe, finished);
	finished->holder.serial = 0;
}

/* The run-time linker has loaded or unloaded libraries. */
static struct error *library_trap(struct probe *probe,
				  const struct event *event, struct site *site)
{
	struct thread *thread = event->thread;
	struct space *space = space_of(thread->process);
	struct error *error;
	size_t before;

	if (thread->process != space->process)
		return target_resume_at(thread, site->slot.address, NULL);
	TRY(undo_reset(probe, thread, site->slot.address, true));
	if (thread->state != THREAD_STOPPED)
		TRY(target_hold(thread, site->slot.address));
	/* This site may be reached for the first time before any library was
	 * mapped. */
	before = space->modules.count;
	error = space_read_modules(probe, space);
	if (before < space->modules.count || space->told)
		space_has_libraries(space);
	space->told = true;
	if (!error)
		error = hear_actions(probe, space);
	if (!error)
		error = watch_end(probe, space);
	if (!error)
		error = hear_tracing(probe, space);
	if (!error)
		error = resolve_in_space(probe, space);
	bind_again(space);
	/* A library that cannot be read is no reason to end the run. */
	note_error(probe, error);
	if (space->has_libraries)
		emit(probe,
		     (struct probe_event){.kind = PROBE_EVENT_LIBRARIES});
	TRY(fast_update(probe, space));
	TRY(fast_update_soon(probe, space));
	if (thread->process->threads.count == 1 && probe->spaces.count == 1) {
		uint64_t now = clock_now(probe->clock);

		emit(probe, (struct probe_event){.kind = PROBE_EVENT_STOOD,
						 .from = event->time,
						 .to = now});
		calls_held_all(probe, (double)(now - event->time));
	} else {
		/* The other threads went on while the tool read the libraries,
		 * so only this thread was held. */
		begin_hold(probe, event, &probe->finished);
		probe->finished.resume = clock_now(probe->clock);
		calls_resume(probe, thread, probe->finished.resume,
			     &probe->finished);
	}
	return calibrate_and_resume(probe, thread);
}

/* The thread stands behind an instruction of one byte, with a SIGTRAP that
 * somebody has sent. Has it come there by an int3 in place of the instruction?
 */
static struct error *came_by_int3(struct thread *thread,
				  const struct insn *insn, bool *out)
{
	struct user_regs_struct regs;

	TRY(target_get_regs(thread, &regs));
	*out = arch_is_unexecuted(insn, &regs, target_thread_read, thread) &&
	       (insn->kind != INSN_RETURN ||
		!was_led_behind(thread, insn, regs.rsp));
	return NULL;
}

/* Is this a SIGTRAP that another process has sent, or that the program's own
 * instruction has caused, and not the trap of the tool's int3? */
static struct error *is_foreign(struct thread *thread, const struct insn *insn,
				bool *foreign)
{
	siginfo_t info;
	bool merged;

	/* If the displaced instruction has one byte, the pc behind it is also
	 * where an int3 in its place leaves the thread. Then only the siginfo
	 * tells what has caused the trap. */
	*foreign = false;
	if (!insn || insn->length == 1) {
		TRY(target_get_siginfo(thread, &info));
		*foreign = info.si_code != SI_KERNEL;
	}
	/* The trap may still be that of an int3, whose own signal the kernel
	 * did not send because another SIGTRAP was pending (pending_trap.c). */
	if (*foreign && insn && space_of(thread->process)) {
		TRY(seems_reset(space_of(thread->process), &merged));
		if (!merged && has_handler(thread) && !is_of_instruction(&info))
			TRY(came_by_int3(thread, insn, &merged));
		*foreign = !merged;
	}
	return NULL;
}

static struct error *pass_signal(struct probe *probe, struct thread *thread,
				 struct probe_outcome *outcome)
{
	outcome->action = PROBE_SIGNAL;
	TRY(give_merged(probe, thread));
	return prepare_signal(probe, thread, SIGTRAP);
}

/*
 * A thread has executed an int3 at an address where the tool once had an int3.
 * The thread goes on in the slot of that address, if the slot still fits the
 * instruction there. This is done even if the int3 may be the program's own: if
 * the tool dies while the thread is being moved, the thread must not stand
 * where an int3 in place of a one-byte instruction would have left it.
 */
static struct error *former_trap(struct probe *probe, const struct event *event,
				 struct probe_outcome *outcome)
{
	struct thread *thread = event->thread;
	struct space *space = space_of(thread->process);
	uint64_t address = event->pc - 1;
	uint64_t slot = store_slot_of(space, address);
	struct arch_slot right;
	uint8_t byte;

	if (slot && space_read_slot(space, address, slot, &right))
		return resume_from_int3(probe, thread, slot, NULL);
	if (target_read_callback(thread->process, address, &byte, 1) &&
	    byte == ARCH_INT3)
		/* The program has written this int3 since. */
		return pass_signal(probe, thread, outcome);
	return resume_from_int3(probe, thread, address, NULL);
}

/* Handle a trap at an address where no site is. Either the program itself has
 * caused the trap; or the thread has executed an int3 that was in memory before
 * and that this tool, or the tool after another one died, has taken out. */
static struct error *stray_trap(struct probe *probe, const struct event *event,
				struct probe_outcome *outcome)
{
	struct space *space = event->process->owner;
	uint64_t slot = space ? store_slot_of(space, event->pc - 1) : 0;
	uint64_t pc = event->pc - 1;
	bool foreign = true;
	uint8_t byte;

	if (slot)
		TRY(is_foreign(event->thread, NULL, &foreign));
	if (!foreign && target_read_callback(event->process, pc, &byte, 1) &&
	    byte == ARCH_INT3) {
		/* An int3 is still in memory: it is the program's own, or a
		 * tool that died has left it and it could not be removed. */
		if (store_has_left(&space->store, pc, &byte))
			return resume_from_int3(probe, event->thread, slot,
						NULL);
		foreign = true;
	}
	if (foreign)
		return pass_signal(probe, event->thread, outcome);
	return former_trap(probe, event, outcome);
}

/* Can a site with this purpose have breakpoints of the user, too? */
static bool may_have_breakpoints(enum purpose purpose)
{
	switch (purpose) {
	case SITE_USER:
	case SITE_ACTION:
	case SITE_END:
	case SITE_PLACEMENT:
	case SITE_TRACE:
		return true;
	default:
		return false;
	}
}

struct error *handle_trap(struct probe *probe, const struct event *event,
			  struct probe_outcome *outcome)
{
	struct space *space = event->process->owner;
	struct site *site =
		space ? map_get(&space->sites, event->pc - 1) : NULL;
	bool foreign, handled;

	if (event->thread->is_watching && space) {
		TRY(watch_trap(probe, event, outcome, &handled));
		if (handled)
			return NULL;
	}
	if (!site) {
		TRY(fast_trap(probe, event, outcome, &handled));
		return handled ? NULL : stray_trap(probe, event, outcome);
	}
	/* Whether the program or the tool gets this SIGTRAP depends on what the
	 * program does with SIGTRAP. A thread that calibrates has not come to
	 * the site by itself, so its arrival says nothing about that. */
	if (space->trap.setter && may_have_breakpoints(site->purpose))
		settle_action(event->thread, site);
	TRY(is_foreign(event->thread, &site->insn, &foreign));
	if (foreign)
		return pass_signal(probe, event->thread, outcome);
	/* (A site without a slot is single-stepped, and the step would take the
	 * signal that is sent again for its own.) */
	if (site->has_slot)
		TRY(keep_merged(probe, event->thread));
	if (!site->inserted)
		/* The int3 was taken out after the thread had executed it. */
		return former_trap(probe, event, outcome);
	switch (site->purpose) {
	case SITE_START:
		site->purpose = SITE_USER;
		note_error(probe, resolve_started(probe, space));
		TRY(fast_update_soon(probe, space));
		return user_trap(probe, event, site, false, outcome);
	case SITE_END:
		tell_missing(probe, space, event->process);
		shadow_look(space, site);
		return user_trap(probe, event, site, false, outcome);
	case SITE_PLACEMENT:
		placement_asked(probe, space);
		return user_trap(probe, event, site, false, outcome);
	case SITE_TRACE:
		TRY(tracing_trap(probe, event->thread, &handled));
		return handled ? NULL
			       : user_trap(probe, event, site, false, outcome);
	case SITE_USER:
	case SITE_ACTION:
		if (space->shadow == SHADOW_PERHAPS)
			shadow_look(space, site);
		return user_trap(probe, event, site, false, outcome);
	case SITE_LIBRARIES:
		return library_trap(probe, event, site);
	case SITE_FAST_FROM:
	case SITE_FAST_TO:
	case SITE_AROUND_FROM:
	case SITE_AROUND_TO:
	case SITE_COUNT_FROM:
	case SITE_COUNT_TO:
	case SITE_BESIDE_FROM:
	case SITE_BESIDE_TO:
	case SITE_FOLLOW:
	case SITE_AMID_FROM:
	case SITE_AMID_TO:
	case SITE_CALL_ENTRY:
	case SITE_CALL_RETURN:
	case SITE_WARM_ENTRY:
	case SITE_WARM_RETURN:
		return target_resume_at(event->thread, site->slot.address,
					NULL);
	case SITE_CALIBRATE_FROM:
	case SITE_CALIBRATE_TO:
		return calibrate_trap(probe, event, site);
	case SITE_RESUME:
		break;
	}
	return NULL;
}

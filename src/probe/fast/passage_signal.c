/*
 * passage_signal.c - signal handlers that return to an address between a place
 * and the site to which the place's breakpoints were moved
 *
 * Breakpoints move from a place to an instruction beside it, and back
 * (transfer.c). At a move, threads between the two addresses are led past the
 * breakpoints that have counted them. But a thread whose signal handler runs at
 * that moment is elsewhere, and comes between the two addresses when the
 * handler returns. So the tool notes which threads were interrupted near a
 * place whose breakpoints may move. If the breakpoints move while the handler
 * runs, the thread is watched until the handler returns (rt_sigreturn(2)). Then
 * the thread is counted if it would not be counted any more, and it is not
 * counted a second time.
 */
#include "passage.h"
#include "perftool/straight.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "stand.h"

/* How many interrupted threads of a process are remembered whose handlers have
 * not returned. Older ones are forgotten: their handlers are nested deeply, or
 * were left without a return. */
#define MOST_AMID 64

static bool has_some_of(const struct site *site, uint64_t home)
{
	for (size_t i = 0; site && i < site->attachments.count; i++)
		if (site->attachments.data[i]->address == home)
			return true;
	return false;
}

/* Find the site where the breakpoints that belong at `home` are now. NULL if
 * there are none, or if two sites have some of them because a breakpoint was
 * just added. */
static struct site *find_current(const struct space *space, uint64_t home)
{
	struct site *site = map_get(&space->sites, home), *stand;

	if (!site)
		return NULL;
	stand = site->stand ? map_get(&space->sites, site->stand) : NULL;
	if (has_some_of(site, home))
		return has_some_of(stand, home) ? NULL : site;
	return has_some_of(stand, home) ? stand : NULL;
}

/* ---- noting interrupted threads ------------------------------------------ */

/* May the breakpoints of the site move to another instruction, or back home,
 * while a thread is interrupted at this pc, so that the thread would be counted
 * twice or not at all? */
static bool may_pass(const struct site *site, uint64_t pc)
{
	uint64_t home;

	if (site->purpose != SITE_USER || !site->attachments.count)
		return false;
	home = site->attachments.data[0]->address;
	if (home == site->address)
		return site->insn.length < PATCH_SIZE;
	return (pc >= home) != (pc > site->address) || pc == home ||
	       pc == site->address;
}

static void remember(struct probe *probe, const struct amid *amid)
{
	size_t count = 0;

	for (size_t i = probe->amid.count; i-- > 0;)
		if (probe->amid.data[i].pid == amid->pid &&
		    ++count >= MOST_AMID)
			vec_remove(&probe->amid, i);
	vec_push(&probe->amid, *amid);
}

/* Forget the interrupted contexts of the thread whose handlers were left
 * without a return: the stack pointer is above theirs now, or it is on another
 * stack. */
static void forget_left(struct probe *probe, const struct thread *thread,
			uint64_t sp)
{
	for (size_t i = probe->amid.count; i-- > 0;)
		if (probe->amid.data[i].thread == thread->serial &&
		    !probe->amid.data[i].is_back &&
		    probe->amid.data[i].sp <= sp)
			vec_remove(&probe->amid, i);
}

bool is_amid(const struct space *space, uint64_t pc)
{
	for (uint64_t at = pc - STRAIGHT_REACH; at <= pc + STRAIGHT_REACH;
	     at++) {
		const struct site *site = map_get(&space->sites, at);

		if (site && may_pass(site, pc))
			return true;
	}
	return false;
}

void note_amid(struct probe *probe, const struct space *space,
	       const struct thread *thread, const struct user_regs_struct *regs,
	       uint64_t slot)
{
	struct amid amid = {.thread = thread->serial,
			    .pid = thread->process->pid,
			    .pc = regs->rip,
			    .sp = regs->rsp};

	forget_left(probe, thread, regs->rsp);
	for (uint64_t at = amid.pc - STRAIGHT_REACH;
	     at <= amid.pc + STRAIGHT_REACH; at++) {
		const struct site *site = map_get(&space->sites, at);

		if (!site || !may_pass(site, amid.pc))
			continue;
		amid.home = site->attachments.data[0]->address;
		if (find_current(space, amid.home) != site)
			continue;
		amid.counted = amid.pc > at || (amid.pc == at && at == slot);
		remember(probe, &amid);
	}
}

void pass_later(struct probe *probe, const struct thread *thread, uint64_t site)
{
	const struct amid amid = {.thread = thread->serial,
				  .pid = thread->process->pid,
				  .is_back = true,
				  .site = site};

	remember(probe, &amid);
}

void watch_amid(struct probe *probe, const struct space *space, uint64_t home)
{
	struct process *user;
	size_t cursor = 0;

	while (probe->amid.count && (user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++) {
			struct thread *thread = user->threads.data[i];

			for (size_t j = 0; j < probe->amid.count; j++) {
				struct amid *at = &probe->amid.data[j];

				if (at->thread != thread->serial ||
				    at->home != home)
					continue;
				at->is_watched = true;
				thread->tells_return = true;
			}
		}
}

bool is_amid_watched(const struct probe *probe, const struct thread *thread)
{
	for (size_t i = 0; i < probe->amid.count; i++)
		if (probe->amid.data[i].thread == thread->serial &&
		    probe->amid.data[i].is_watched &&
		    !probe->amid.data[i].is_back)
			return true;
	return false;
}

/* ---- returning from a handler -------------------------------------------- */

/* A handler of the thread has returned after the breakpoints have moved.
 * `in_slot`: the thread was put into the slot of the site there. `*ends`:
 * nothing more has to be done for this thread. */
static struct error *come_back(struct probe *probe, struct thread *thread,
			       const struct user_regs_struct *regs,
			       bool in_slot, struct amid *at, bool *ends)
{
	struct space *space = space_of(thread->process);
	const struct site *current = find_current(space, at->home);
	bool counts;

	*ends = true;
	if (!current || regs->rip != at->pc)
		return NULL;
	counts = current->address > at->pc ||
		 (current->address == at->pc && !in_slot);
	if (!at->counted && !counts)
		return count_on_way(probe, thread, regs, current, at->home);
	if (!at->counted || !counts || !current->has_slot)
		return NULL;
	*ends = !is_way_shared(space, at->pc, current->address, at->home);
	if (*ends)
		return pass_on_way(thread, NULL, current);
	at->is_back = true;
	at->site = current->address;
	return NULL;
}

struct error *return_amid(struct probe *probe, struct thread *thread,
			  const struct user_regs_struct *regs, bool in_slot)
{
	struct error *error = NULL;

	for (size_t i = probe->amid.count; i-- > 0 && !error;) {
		struct amid *at = &probe->amid.data[i];
		bool ends;

		if (at->thread != thread->serial || at->is_back ||
		    at->sp != regs->rsp)
			continue;
		ends = true;
		if (at->is_watched)
			error = come_back(probe, thread, regs, in_slot, at,
					  &ends);
		if (error || ends)
			vec_remove(&probe->amid, i);
	}
	return error_unless(error, ERROR_OTHER);
}

bool is_passed_amid(struct probe *probe, const struct thread *thread,
		    uint64_t address)
{
	for (size_t i = 0; i < probe->amid.count; i++) {
		const struct amid *at = &probe->amid.data[i];

		if (at->thread != thread->serial || !at->is_back ||
		    at->site != address)
			continue;
		vec_remove(&probe->amid, i);
		return true;
	}
	return false;
}

/* ---- ends of threads, forks ---------------------------------------------- */

void forget_amid(struct probe *probe, const struct thread *thread)
{
	for (size_t i = probe->amid.count; i-- > 0;)
		if (probe->amid.data[i].thread == thread->serial)
			vec_remove(&probe->amid, i);
}

void forget_amid_of(struct probe *probe, const struct process *process)
{
	for (size_t i = probe->amid.count; i-- > 0;)
		if (probe->amid.data[i].pid == process->pid)
			vec_remove(&probe->amid, i);
}

void inherit_amid(struct probe *probe, const struct thread *parent,
		  struct thread *child)
{
	for (size_t i = probe->amid.count; i-- > 0;) {
		struct amid copy = probe->amid.data[i];

		if (copy.thread != parent->serial)
			continue;
		copy.thread = child->serial;
		copy.pid = child->process->pid;
		vec_push(&probe->amid, copy);
		child->tells_return |= copy.is_watched && !copy.is_back;
	}
}

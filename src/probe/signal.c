/*
 * signal.c - signals that arrive while a thread is inside a slot
 *
 * The handler, the unwinder, a core dump are to see the pc the program expects
 * there: before or after the displaced instruction. A thread that had not
 * executed it yet returns from its handler to the site itself, and reaches it
 * a second time, although it was counted. So what its registers were is kept:
 * when it comes back with all of them as they were, this is the return. A
 * handler that never returns (longjmp) leaves its entry behind, which nobody
 * will ever match but by having every register the same.
 */
#include <string.h>

#include "internal.h"

/* Handlers nested deeper than this and never returned from are forgotten. */
#define MOST_INTERRUPTED 64

static bool same_registers(const struct user_regs_struct *a,
			   const struct user_regs_struct *b)
{
	return a->rsp == b->rsp && a->rip == b->rip && a->rax == b->rax &&
	       a->rbx == b->rbx && a->rcx == b->rcx && a->rdx == b->rdx &&
	       a->rsi == b->rsi && a->rdi == b->rdi && a->rbp == b->rbp &&
	       a->r8 == b->r8 && a->r9 == b->r9 && a->r10 == b->r10 &&
	       a->r11 == b->r11 && a->r12 == b->r12 && a->r13 == b->r13 &&
	       a->r14 == b->r14 && a->r15 == b->r15;
}

static void remember(struct probe *probe, const struct thread *thread,
		     const struct user_regs_struct *regs)
{
	struct interrupted interrupted = {thread->serial, thread->process->pid,
					  *regs};
	size_t count = 0;

	for (size_t i = probe->interrupted.count; i-- > 0;)
		if (probe->interrupted.data[i].thread == thread->serial &&
		    ++count >= MOST_INTERRUPTED)
			vec_remove(&probe->interrupted, i);
	vec_push(&probe->interrupted, interrupted);
}

void forget_interrupted(struct probe *probe, const struct thread *thread)
{
	for (size_t i = probe->interrupted.count; i-- > 0;)
		if (probe->interrupted.data[i].thread == thread->serial)
			vec_remove(&probe->interrupted, i);
}

void forget_interrupted_of(struct probe *probe, const struct process *process)
{
	for (size_t i = probe->interrupted.count; i-- > 0;)
		if (probe->interrupted.data[i].pid == process->pid)
			vec_remove(&probe->interrupted, i);
}

void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 const struct thread *child)
{
	for (size_t i = probe->interrupted.count; i-- > 0;) {
		struct interrupted copy = probe->interrupted.data[i];

		if (copy.thread != parent->serial)
			continue;
		copy.thread = child->serial;
		copy.pid = child->process->pid;
		vec_push(&probe->interrupted, copy);
	}
}

struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again)
{
	struct user_regs_struct regs = {0};

	for (size_t i = probe->interrupted.count; i-- > 0;) {
		const struct interrupted *at = &probe->interrupted.data[i];

		if (at->thread != thread->serial || at->regs.rip != address)
			continue;
		if (!regs.rip) {
			TRY(target_get_regs(thread, &regs));
			regs.rip = address;
		}
		if (!same_registers(&regs, &at->regs))
			continue;
		*again = true;
		vec_remove(&probe->interrupted, i);
		return NULL;
	}
	return NULL;
}

static bool reports_an_address(int signal)
{
	return signal == SIGILL || signal == SIGFPE || signal == SIGSEGV ||
	       signal == SIGBUS || signal == SIGTRAP;
}

struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal)
{
	struct space *space = thread->process->owner;
	struct user_regs_struct regs;
	struct arch_slot slot;
	siginfo_t info;
	uint64_t pc;

	if (!space || !space->store.address)
		return NULL;
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			   &pc));
	if (!space_slot_at(space, pc, &slot))
		return NULL;
	TRY(target_get_regs(thread, &regs));
	if (!arch_slot_pc(&slot, &regs))
		return NULL;
	TRY(target_set_regs(thread, &regs));
	if (regs.rip == slot.site)
		remember(probe, thread, &regs);
	if (!reports_an_address(signal))
		return NULL;
	TRY(target_get_siginfo(thread, &info));
	if (info.si_code <= 0 || (uint64_t)info.si_addr != pc)
		return NULL;
	info.si_addr = (void *)regs.rip;
	return target_set_siginfo(thread, &info);
}

struct error *probe_deliver(struct probe *probe, const struct event *event,
			    int signal)
{
	struct finished_stop finished;

	begin_hold(probe, event, false, &finished);
	TRY(target_deliver(event->thread, signal, &finished.resume));
	probe->finished = finished;
	return NULL;
}

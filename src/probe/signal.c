/*
 * signal.c - signals that arrive while a thread is inside a slot, where it
 * executes the displaced instruction of a site
 *
 * A signal handler, an unwinder and a core dump must see the pc that the
 * program expects: the pc before or after the displaced instruction. So the
 * tool moves the thread from the slot to that pc before the signal is
 * delivered. If the thread has not executed the displaced instruction yet, it
 * comes back from its handler to the site itself, although its hit was counted
 * already. So the tool watches the thread until the handler returns
 * (rt_sigreturn(2)), and then puts the thread into the slot. The tool does the
 * same for a thread whose displaced system call the kernel makes again. If the
 * thread reaches the site without having returned, the handler was left by a
 * jump, and this is another arrival.
 *
 * A handler may also change the context to which it returns, so that the thread
 * returns to another address and executes a call there; the interrupted context
 * goes on when that call comes back, perhaps in another thread (Go's
 * preemption). Then the only mark of the earlier arrival is that every register
 * has the same value as before the signal. A jump records only one register.
 * But the stack below the address in that register is in use until the call
 * comes back, so no other thread can arrive there with the same value.
 */
#include <string.h>

#include "perftool/target/target_events.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

/* How many interrupted contexts of one thread, whose handlers are nested, are
 * remembered. Older ones, whose handlers have never returned, are forgotten. */
#define MOST_NESTED 64

/* How many contexts of a process are remembered that a handler has turned into
 * calls. A Go program has such a context for each goroutine that was preempted
 * at a site and has not resumed yet. */
#define MOST_MOVED 16384

/* The largest distance, in bytes, between the stack pointer of an interrupted
 * context and the stack pointer to which its handler returns, also if the
 * handler has turned the context into a call. */
#define NEAR_STACK 256

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

/* ---- which threads are watched ------------------------------------------- */

static bool is_watched(const struct probe *probe, const struct thread *thread)
{
	if (is_amid_watched(probe, thread))
		return true;
	for (size_t i = 0; i < probe->interrupted.count; i++)
		if (probe->interrupted.data[i].thread == thread->serial &&
		    !probe->interrupted.data[i].moved)
			return true;
	return false;
}

static void remember(struct probe *probe, struct thread *thread,
		     const struct user_regs_struct *regs, uint64_t site)
{
	struct interrupted interrupted = {.thread = thread->serial,
					  .pid = thread->process->pid,
					  .site = site,
					  .regs = *regs};
	size_t nested = 0, moved = 0;

	for (size_t i = probe->interrupted.count; i-- > 0;) {
		const struct interrupted *at = &probe->interrupted.data[i];

		if (at->moved ? at->pid == interrupted.pid &&
					++moved >= MOST_MOVED
			      : at->thread == interrupted.thread &&
					++nested >= MOST_NESTED)
			vec_remove(&probe->interrupted, i);
	}
	vec_push(&probe->interrupted, interrupted);
	thread->tells_return = true;
}

void forget_interrupted(struct probe *probe, const struct thread *thread)
{
	/* A context that its handler has turned into a call is not forgotten,
	 * because it may go on in another thread. */
	for (size_t i = probe->interrupted.count; i-- > 0;)
		if (probe->interrupted.data[i].thread == thread->serial &&
		    !probe->interrupted.data[i].moved)
			vec_remove(&probe->interrupted, i);
}

void forget_interrupted_of(struct probe *probe, const struct process *process)
{
	for (size_t i = probe->interrupted.count; i-- > 0;)
		if (probe->interrupted.data[i].pid == process->pid)
			vec_remove(&probe->interrupted, i);
}

void inherit_interrupted(struct probe *probe, const struct thread *parent,
			 struct thread *child)
{
	for (size_t i = probe->interrupted.count; i-- > 0;) {
		struct interrupted copy = probe->interrupted.data[i];

		if (copy.thread != parent->serial)
			continue;
		copy.thread = child->serial;
		copy.pid = child->process->pid;
		vec_push(&probe->interrupted, copy);
		child->tells_return |= !copy.moved;
	}
}

/* ---- returning from a handler -------------------------------------------- */

struct error *is_reached_again(struct probe *probe, struct thread *thread,
			       uint64_t address, bool *again)
{
	struct user_regs_struct regs = {0};

	for (size_t i = probe->interrupted.count; i-- > 0;) {
		struct interrupted *at = &probe->interrupted.data[i];

		if (at->site != address || at->pid != thread->process->pid ||
		    (!at->moved && at->thread != thread->serial))
			continue;
		if (!regs.rip) {
			TRY(target_get_regs(thread, &regs));
			regs.rip = address;
		}
		if (at->moved ? !same_registers(&regs, &at->regs)
			      : regs.rsp != at->regs.rsp)
			continue;
		*again = at->moved;
		vec_remove(&probe->interrupted, i);
		thread->tells_return = is_watched(probe, thread);
		return NULL;
	}
	return NULL;
}

bool is_recorded_again(struct probe *probe, pid_t pid, uint64_t site,
		       unsigned base_register, uint64_t base)
{
	for (size_t i = probe->interrupted.count; i-- > 0;) {
		const struct interrupted *at = &probe->interrupted.data[i];
		uint64_t was;

		if (!at->moved || at->site != site || at->pid != pid ||
		    !arch_dwarf_register(base_register, &at->regs, &was) ||
		    was != base)
			continue;
		vec_remove(&probe->interrupted, i);
		return true;
	}
	return false;
}

/* Does the signal handler that has just returned (to the registers `regs`)
 * return to the interrupted context `at`? Then the two stack pointers are near
 * each other. If the handler returns to another handler, which was interrupted
 * later, the stack pointer of that handler is much lower than that of `at`, or
 * is on another stack. */
static bool is_near(const struct user_regs_struct *regs,
		    const struct interrupted *at)
{
	return regs->rsp + NEAR_STACK >= at->regs.rsp &&
	       regs->rsp <= at->regs.rsp + NEAR_STACK;
}

/*
 * A signal is about to be delivered to the thread, which has these registers.
 * Forget the contexts whose handlers were left by a jump: as long as such a
 * handler runs on the same stack, the frame of its signal is between the two
 * stack pointers, and that frame is longer than NEAR_STACK. If such a context
 * were kept, the return of the new handler would be taken for its own.
 */
static void forget_left(struct probe *probe, struct thread *thread,
			const struct user_regs_struct *regs)
{
	for (size_t i = probe->interrupted.count; i-- > 0;) {
		const struct interrupted *at = &probe->interrupted.data[i];

		if (at->thread == thread->serial && !at->moved &&
		    is_near(regs, at))
			vec_remove(&probe->interrupted, i);
	}
	thread->tells_return = is_watched(probe, thread);
}

static struct error *came_back(struct probe *probe, struct thread *thread,
			       struct user_regs_struct *regs, size_t index)
{
	struct interrupted *at = &probe->interrupted.data[index];
	struct space *space = space_of(thread->process);
	const struct site *site = map_get(&space->sites, at->site);
	bool is_there = regs->rip == at->site && regs->rsp == at->regs.rsp;

	if (!is_there && (!site || regs->rip != at->site + site->insn.length)) {
		at->moved = true;
		if (thread->ring && site && site->fast &&
		    site->fast->is_counting) {
			counts_skip(thread->ring, site->fast, &at->regs);
			vec_remove(&probe->interrupted, index);
		}
		return NULL;
	}
	vec_remove(&probe->interrupted, index);
	if (!is_there || !site || !site->inserted)
		return NULL;
	if (!site->has_slot)
		/* The site has lost its slot meanwhile, so its instruction is
		 * single-stepped. (The hit of the thread was counted
		 * already.) */
		return NULL;
	regs->rip = site->slot.address;
	return target_set_regs(thread, regs);
}

struct error *handle_return(struct probe *probe, const struct event *event)
{
	struct thread *thread = event->thread;
	struct user_regs_struct regs, returned;

	TRY(target_get_regs(thread, &regs));
	returned = regs;
	for (size_t i = probe->interrupted.count; i-- > 0;) {
		const struct interrupted *at = &probe->interrupted.data[i];

		if (at->thread != thread->serial || at->moved ||
		    !is_near(&regs, at))
			continue;
		TRY(came_back(probe, thread, &regs, i));
		break;
	}
	TRY(return_amid(probe, thread, &returned, regs.rip != returned.rip));
	thread->tells_return = is_watched(probe, thread);
	return target_resume(thread);
}

/* ---- delivering a signal ------------------------------------------------- */

static bool reports_an_address(int signal)
{
	return signal == SIGILL || signal == SIGFPE || signal == SIGSEGV ||
	       signal == SIGBUS || signal == SIGTRAP;
}

/* Signals whose default action is to be ignored, or to stop or continue the
 * process (signal(7)). */
static bool is_harmless(int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return true;
	default:
		return false;
	}
}

bool may_restart(const struct user_regs_struct *regs)
{
	long long result = (long long)regs->rax;

	return (long long)regs->orig_rax >= 0 &&
	       (result == -512 || result == -513 || result == -514 ||
		result == -516);
}

/*
 * Will anything see the pc of the thread when the signal is delivered? Only a
 * handler, a core dump or an unwinder sees the pc. If none of these follows,
 * the thread goes on in the slot. The kernel makes an interrupted call again by
 * setting the pc back, which works in the slot as well as at the site.
 */
static struct error *is_looked_at(const struct thread *thread, int signal,
				  bool *result)
{
	enum disposition disposition;

	TRY(target_get_disposition(thread->process, signal, &disposition));
	*result = disposition == DISPOSITION_CAUGHT ||
		  (disposition == DISPOSITION_DEFAULT && !is_harmless(signal));
	return NULL;
}

struct error *prepare_signal(struct probe *probe, struct thread *thread,
			     int signal)
{
	struct space *space = thread->process->owner;
	struct user_regs_struct regs;
	struct arch_slot slot;
	bool restarts, looked_at, in_slot;
	siginfo_t info;
	uint64_t pc;

	if (!space || !space->store.address)
		return NULL;
	TRY(fast_leave(space, thread));
	if (thread->tells_return) {
		TRY(target_get_regs(thread, &regs));
		forget_left(probe, thread, &regs);
	}
	TRY(target_get_reg(thread, offsetof(struct user_regs_struct, rip),
			   &pc));
	in_slot = space_slot_at(space, pc, &slot);
	if (!in_slot && !is_amid(space, pc))
		return NULL;
	TRY(is_looked_at(thread, signal, &looked_at));
	if (!looked_at)
		return NULL;
	TRY(target_get_regs(thread, &regs));
	restarts = may_restart(&regs);
	if (!in_slot || !arch_slot_pc(&slot, &regs)) {
		note_amid(probe, space, thread, &regs, 0);
		return NULL;
	}
	TRY(target_set_regs(thread, &regs));
	if (regs.rip == slot.site || restarts)
		remember(probe, thread, &regs, slot.site);
	note_amid(probe, space, thread, &regs, slot.site);
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

	begin_hold(probe, event, &finished);
	note_delivered(event->thread, signal);
	TRY(target_deliver(event->thread, signal, &finished.resume));
	probe->finished = finished;
	return NULL;
}

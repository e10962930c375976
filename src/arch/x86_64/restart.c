/*
 * restart.c - system calls that were interrupted and that the kernel will
 * restart
 *
 * If a thread is stopped in the kernel, rax shows why its system call ended,
 * and orig_rax shows which system call it was. With some values of rax the
 * kernel marks a call that it will restart; a program never sees these values.
 * Before the thread returns to user code, the kernel puts the number of the
 * call back into rax, and moves the pc back by two bytes to the system call
 * instruction. The kernel does not do so if orig_rax is negative.
 */
#include "perftool/arch.h"

#include <sys/syscall.h>

/* The values of rax with which the kernel marks a system call that it will
 * restart (linux/errno.h). */
enum {
	RESTART_SYS = -512,
	RESTART_NO_INTERRUPT = -513,
	RESTART_NO_HANDLER = -514,
	RESTART_BLOCK = -516,
};

#define SYSCALL_SIZE 2

bool arch_restart(struct user_regs_struct *regs)
{
	if ((int64_t)regs->orig_rax < 0)
		return false;
	switch ((int64_t)regs->rax) {
	case RESTART_SYS:
	case RESTART_NO_INTERRUPT:
	case RESTART_NO_HANDLER:
		regs->rax = regs->orig_rax;
		break;
	case RESTART_BLOCK:
		regs->rax = SYS_restart_syscall;
		break;
	default:
		return false;
	}
	regs->rip -= SYSCALL_SIZE;
	return true;
}

/* Has the kernel moved the pc back already, before it was stopped again on its
 * way to user code? Then orig_rax still shows that the thread has come into the
 * kernel by a system call; of a thread that has come by an interrupt it is
 * negative. A thread that has finished a call in front of the site, and whose
 * result looks like a number, has the site in rcx, and not the address behind
 * it. */
static bool is_set_back(const struct arch_slot *slot,
			const struct user_regs_struct *regs)
{
	return regs->rip == slot->site && (int64_t)regs->orig_rax >= 0 &&
	       (regs->rax == regs->orig_rax ||
		regs->rax == SYS_restart_syscall) &&
	       regs->rcx != slot->site;
}

bool arch_slot_restart(const struct arch_slot *slot,
		       struct user_regs_struct *regs)
{
	struct user_regs_struct after = *regs;

	if (is_set_back(slot, regs)) {
		regs->rip = slot->address;
		return true;
	}
	if (!arch_restart(&after) || after.rip != slot->site)
		return false;
	regs->rip = slot->address + SYSCALL_SIZE;
	return true;
}

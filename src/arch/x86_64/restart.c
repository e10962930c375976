/*
 * restart.c - system calls that were interrupted and will be made again
 *
 * A thread that is stopped in the kernel shows in rax why its call ended, and
 * in orig_rax which it was. Some of those reasons no program ever sees: before
 * user code goes on, the kernel puts the number back and the pc on the system
 * call instruction, by two bytes. It forgets that when orig_rax is negative.
 */
#include "perftool/arch.h"

#include <sys/syscall.h>

/* What the kernel leaves in rax when it means to restart (linux/errno.h). */
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

bool arch_slot_restart(const struct arch_slot *slot,
		       struct user_regs_struct *regs)
{
	struct user_regs_struct after = *regs;

	if (!arch_restart(&after) || after.rip != slot->site)
		return false;
	regs->rip = slot->address + SYSCALL_SIZE;
	return true;
}

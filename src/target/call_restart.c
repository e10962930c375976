/*
 * call_restart.c - system calls that our stops have interrupted
 *
 * Most go on by themselves, as the kernel restarts them. Some it has fail with
 * EINTR, whoever interrupts them (signal(7), "Interruption of system calls ...
 * by stop signals"). Those get the result that means "restart, unless a handler
 * is run": the kernel then does the rest when the thread goes on, even if the
 * tool is no more by then.
 *
 * What a call with a timeout has waited already is lost: it waits its full time
 * again.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "target_state.h"

#define RESTART_NO_HANDLER (-514L) /* ERESTARTNOHAND of linux/errno.h */

/*
 * They can be made again, for nothing was done when they fail with EINTR:
 * close(2) is none of them. Those of files and sockets do so when a timeout is
 * set on the socket, or by a file system's choice.
 */
static bool can_be_repeated(uint64_t number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_fallocate:
		return true;
	default:
		return false;
	}
}

void restart_call(struct thread *thread)
{
	const size_t rax = offsetof(struct user_regs_struct, rax);
	long result;

	errno = 0;
	result = ptrace(PTRACE_PEEKUSER, thread->tid, rax, 0);
	if (result != -EINTR ||
	    !can_be_repeated((uint64_t)ptrace(
		    PTRACE_PEEKUSER, thread->tid,
		    offsetof(struct user_regs_struct, orig_rax), 0)))
		return;
	/* one that is gone needs none */
	ptrace(PTRACE_POKEUSER, thread->tid, rax, RESTART_NO_HANDLER);
}

void note_event_stop(struct thread *thread, int stop_signal)
{
	thread->stopped_by = stop_signal == SIGTRAP ? 0 : stop_signal;
	restart_call(thread);
}

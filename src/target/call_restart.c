/*
 * call_restart.c - restarts system calls that the tool's stops have interrupted
 *
 * The kernel restarts most system calls by itself. Some system calls fail with
 * EINTR after any interruption (signal(7), "Interruption of system calls and
 * library functions by stop signals"). The tool gives such a call the result
 * that means "restart the call unless a signal handler is run". The kernel then
 * restarts the call when the thread goes on, even if the tool has died by then.
 *
 * The time that a call with a timeout has already waited is lost: the call
 * waits for its full time again.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "target_state.h"

#define RESTART_NO_HANDLER (-514L) /* ERESTARTNOHAND of linux/errno.h */

/*
 * Can the system call be made again after it has failed with EINTR? This is so
 * for the calls that have done nothing when they fail in this way. close(2) is
 * not one of these calls. The calls for files and sockets fail with EINTR if a
 * timeout is set on the socket, or if the file system returns EINTR.
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
	/* an error means that the thread has ended, and needs no restart */
	ptrace(PTRACE_POKEUSER, thread->tid, rax, RESTART_NO_HANDLER);
}

void note_event_stop(struct thread *thread, int stop_signal)
{
	thread->stopped_by = stop_signal == SIGTRAP ? 0 : stop_signal;
	restart_call(thread);
}

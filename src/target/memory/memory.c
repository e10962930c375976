/*
 * memory.c - reads and writes the registers, the memory and the signal state of
 * stopped threads
 */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

#include "memory.h"
#include "perftool/target/target_events.h"
#include "target/target_state.h"

struct error *target_get_regs(struct thread *thread,
			      struct user_regs_struct *regs)
{
	if (ptrace(PTRACE_GETREGS, thread->tid, 0, regs) < 0)
		return ptrace_error(thread, "registers");
	return NULL;
}

struct error *target_set_regs(struct thread *thread,
			      const struct user_regs_struct *regs)
{
	/* the data that the tool keeps (page_cache.c) may contain the code at
	 * the new pc */
	TRY(target_write_kept(thread->process->target));
	if (ptrace(PTRACE_SETREGS, thread->tid, 0, regs) < 0)
		return ptrace_error(thread, "set registers");
	return NULL;
}

struct error *target_get_fpregs(struct thread *thread,
				struct user_fpregs_struct *regs)
{
	if (ptrace(PTRACE_GETFPREGS, thread->tid, 0, regs) < 0)
		return ptrace_error(thread, "vector registers");
	return NULL;
}

struct error *target_get_reg(struct thread *thread, size_t offset,
			     uint64_t *value)
{
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKUSER, thread->tid, offset, 0);
	if (word == -1 && errno)
		return ptrace_error(thread, "a register");
	*value = (uint64_t)word;
	return NULL;
}

struct error *target_set_reg(struct thread *thread, size_t offset,
			     uint64_t value)
{
	TRY(target_write_kept(thread->process->target));
	if (ptrace(PTRACE_POKEUSER, thread->tid, offset, value) < 0)
		return ptrace_error(thread, "set a register");
	return NULL;
}

struct error *target_get_pc(struct thread *thread, uint64_t *pc, uint64_t *sp)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->tid, sizeof(info), &info) <
	    0)
		return ptrace_error(thread, "the pc");
	*pc = info.instruction_pointer;
	*sp = info.stack_pointer;
	return NULL;
}

/* Make the error for memory that no process uses any more. */
static struct error *memory_gone(const struct process *process)
{
	return error_create(ERROR_GONE, "process %d is gone", process->pid);
}

struct error *memory_is_there(const struct process *process)
{
	char byte;

	return pread(process->mem, &byte, 1, 0) == 0 ? memory_gone(process)
						     : NULL;
}

struct error *target_read(struct process *process, uint64_t address,
			  void *buffer, size_t size)
{
	ssize_t got = kept_read(process, address, buffer, size);

	if (got == (ssize_t)size)
		return NULL;
	if (got == 0 || process_is_ending(process))
		return memory_gone(process);
	return error_create(ERROR_EVALUATE, "cannot read memory at 0x%" PRIx64,
			    address);
}

struct error *cannot_write(const struct process *process, uint64_t address,
			   ssize_t put)
{
	int why = put < 0 ? errno : EFAULT;

	/* While SIGKILL ends the process, a part of the bytes may still be
	 * written. */
	if (put == 0 || process_is_ending(process))
		return memory_gone(process);
	return error_system(why, "cannot write memory at 0x%" PRIx64, address);
}

struct error *target_write(struct process *process, uint64_t address,
			   const void *buffer, size_t size)
{
	ssize_t put = kept_write(process, address, buffer, size);

	return put == (ssize_t)size ? NULL
				    : cannot_write(process, address, put);
}

bool target_read_callback(void *process, uint64_t address, void *buffer,
			  size_t size)
{
	return kept_read(process, address, buffer, size) == (ssize_t)size;
}

bool target_thread_read(void *thread, uint64_t address, void *buffer,
			size_t size)
{
	const struct thread *of = thread;

	return target_read_callback(of->process, address, buffer, size);
}

bool target_thread_vectors(void *thread, struct user_fpregs_struct *out)
{
	struct error *error = target_get_fpregs(thread, out);
	bool done = !error;

	error_destroy(error);
	return done;
}

struct error *target_get_signal_mask(struct thread *thread, uint64_t *mask)
{
	if (ptrace(PTRACE_GETSIGMASK, thread->tid, sizeof(*mask), mask) < 0)
		return ptrace_error(thread, "signal mask");
	return NULL;
}

struct error *target_set_signal_mask(struct thread *thread, uint64_t mask)
{
	if (ptrace(PTRACE_SETSIGMASK, thread->tid, sizeof(mask), &mask) < 0)
		return ptrace_error(thread, "set the signal mask");
	return NULL;
}

struct error *target_get_siginfo(struct thread *thread, siginfo_t *info)
{
	if (ptrace(PTRACE_GETSIGINFO, thread->tid, 0, info) < 0)
		return ptrace_error(thread, "signal information");
	return NULL;
}

struct error *target_set_siginfo(struct thread *thread, const siginfo_t *info)
{
	if (ptrace(PTRACE_SETSIGINFO, thread->tid, 0, info) < 0)
		return ptrace_error(thread, "set signal information");
	return NULL;
}

/*
 * debug_registers.c - the debug registers of a thread, in which the processor
 * watches memory
 *
 * Rules: Intel's Software Developer's Manual, volume 3, "Debug Registers"; the
 * kernel gives a tracer these registers as a part of struct user (ptrace(2),
 * PTRACE_POKEUSER). The processor reports a write or an access behind the
 * instruction that makes it. The kernel begins each new thread, and each
 * program that is executed, with registers that watch nothing, but it leaves
 * them as they are when the tracer goes.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/user.h>

#include "perftool/target/target_events.h"
#include "target_state.h"

#define STATUS 6
#define WRITES 1u
#define READS 3u

size_t debug_register(unsigned number)
{
	return offsetof(struct user, u_debugreg) +
	       number * sizeof(((struct user *)NULL)->u_debugreg[0]);
}

static struct error *poke(struct thread *thread, unsigned number,
			  uint64_t value)
{
	if (ptrace(PTRACE_POKEUSER, thread->tid, debug_register(number),
		   value) < 0)
		return ptrace_error(thread, "set a debug register");
	return NULL;
}

uint64_t watch_control(unsigned index, const struct target_watch *watch)
{
	/* The length is coded as 0, 1, 3 for 1, 2, 4 bytes, and 2 for 8. */
	uint64_t length = watch->size == 8 ? 2 : watch->size - 1u;
	uint64_t bits = (watch->reads ? READS : WRITES) | length << 2;

	return (UINT64_C(1) << (2 * index)) | bits << (16 + 4 * index);
}

struct error *target_set_watches(struct thread *thread,
				 const struct target_watch *watches,
				 size_t count)
{
	uint64_t control = 0;

	TRY(poke(thread, DEBUG_CONTROL, 0));
	for (unsigned i = 0; i < count && i < TARGET_WATCHES; i++) {
		if (!watches[i].size)
			continue;
		TRY(poke(thread, i, watches[i].address));
		control |= watch_control(i, &watches[i]);
	}
	thread->is_watching = control != 0;
	return control ? poke(thread, DEBUG_CONTROL, control) : NULL;
}

struct error *target_take_watched(struct thread *thread, unsigned *which)
{
	long status;

	*which = 0;
	if (!thread->is_watching)
		return NULL;
	errno = 0;
	status =
		ptrace(PTRACE_PEEKUSER, thread->tid, debug_register(STATUS), 0);
	if (status == -1 && errno)
		return ptrace_error(thread, "read a debug register");
	*which = (unsigned)status & ((1u << TARGET_WATCHES) - 1);
	return *which ? poke(thread, STATUS, 0) : NULL;
}

void watch_nothing(pid_t tid)
{
	/* The thread may have been killed; then there is nothing to do. */
	if (ptrace(PTRACE_PEEKUSER, tid, debug_register(DEBUG_CONTROL), 0) > 0)
		ptrace(PTRACE_POKEUSER, tid, debug_register(DEBUG_CONTROL), 0);
}

void target_forget_watches(struct thread *thread)
{
	watch_nothing(thread->tid);
	thread->is_watching = false;
}

/*
 * remote_call.c - lets a stopped thread make system calls for the tool
 *
 * The thread makes the calls by a script: code (arch.h) that the tool writes
 * into zero bytes of the process (script_space.c). Whenever the tool dies, the
 * thread goes on correctly by itself. The table shows for each step what
 * happens if the tool dies after it:
 *
 *	script written            no thread uses the script, and it stays
 *	registers set             the script runs with the program's mask
 *	all signals masked        the script runs, and restores the mask
 *	system calls made         the same
 *	mask restored by the tool the rest of the script changes nothing
 *	registers restored        nothing is left to do
 *	script zeroed             nothing is left to do
 *
 * Some scripts create a thread, the helper, which makes the calls and ends
 * (arch_script_build()). If the tool dies, the helper makes the rest of its
 * calls by itself, and the thread that has created it does not wait for it.
 *
 * If the tool masked the signals before it set the registers, or restored the
 * registers before the mask, a death at that moment would leave a thread that
 * blocks all signals for ever.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "perftool/target/remote_calls.h"
#include "remote.h"
#include "target/target_state.h"

/* The address for which the tool builds a script first, to learn how much room
 * the script needs. The address is as far from all code as possible, so the
 * instructions that contain an address have their greatest length. In a script
 * near the code, a jump is shorter by up to JUMP_SLACK bytes. */
#define HIGH_ADDRESS 0x7fffffff0000
#define JUMP_SLACK 16

/* Let the thread go on to its next stop, which it makes for its next system
 * call or within it. */
static struct error *step(struct thread *thread, int *status)
{
	/* If the first request fails, the thread has not gone on, and the
	 * script has not made all its calls. The last of these calls closes a
	 * file. So the tool makes the request once more. */
	for (int i = 0; i < 2; i++)
		if (ptrace(PTRACE_SYSCALL, thread->tid, 0, 0) == 0)
			return wait_for_thread(thread, status);
	return ptrace_error(thread, "remote call");
}

/* Do what step_to_call() does. If the thread creates a thread meanwhile, `born`
 * gets the tid of the new thread. */
static struct error *step_on(struct thread *thread, pid_t *born)
{
	int status;

	TRY(target_settle(thread->process->target));
	for (;;) {
		TRY(step(thread, &status));
		if (status >> 8 == (SIGTRAP | 0x80))
			return NULL;
		if (born &&
		    status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
			unsigned long message;

			if (ptrace(PTRACE_GETEVENTMSG, thread->tid, 0,
				   &message) < 0)
				return ptrace_error(thread, "remote call");
			*born = (pid_t)message;
			continue;
		}
		if (status >> 16 != PTRACE_EVENT_STOP)
			return error_create(ERROR_OTHER,
					    "remote call: thread %d stopped "
					    "with status 0x%x",
					    thread->tid, (unsigned)status);
		note_event_stop(thread, WSTOPSIG(status));
	}
}

/* ---- helpers ------------------------------------------------------------- */

/* Begin to control a helper, a thread that a script has created. */
static struct error *begin_helper(const struct thread *creator, pid_t tid,
				  struct thread **out)
{
	int status;

	*out = thread_create(creator->process, tid);
	TRY(wait_for_thread(*out, &status));
	(*out)->state = THREAD_STOPPED;
	return NULL;
}

/*
 * Let the helper, which is at the entry of exit(2), begin to end. Since Linux
 * 5.17 a process whose threads end one by one has the exit status of the last
 * one that begins to end. If the helper began to end after the threads of the
 * program, the process would have the helper's status. So the tool waits until
 * the helper has begun to end.
 */
static void await_exit(struct thread *helper)
{
	const long options =
		trace_options(helper->process) | PTRACE_O_TRACEEXIT;
	const pid_t tid = helper->tid;
	int status = 0;

	/* the filters of the program stay suspended, if they are */
	if (ptrace(PTRACE_SETOPTIONS, tid, 0,
		   options | PTRACE_O_SUSPEND_SECCOMP) != 0 &&
	    ptrace(PTRACE_SETOPTIONS, tid, 0, options) != 0)
		return;
	while (status >> 8 != (SIGTRAP | PTRACE_EVENT_EXIT << 8)) {
		struct error *error = step(helper, &status);
		bool failed = error != NULL;

		error_destroy(error);
		if (failed)
			return;
	}
}

/* Let the helper go. `ends`: it is at the entry of exit(2); else something has
 * failed. */
static void end_helper(struct thread *helper, bool ends)
{
	if (ends)
		await_exit(helper);
	ptrace(PTRACE_DETACH, helper->tid, 0, 0);
	thread_unlink(helper);
	free(helper);
}

/* A tool that died has left the helper in its script. Let the helper make the
 * rest of its calls, up to the entry of exit(2). */
static struct error *lead_to_exit(struct thread *helper)
{
	struct user_regs_struct regs;

	for (int i = 0; i < 2 * ARCH_SCRIPT_CALLS; i++) {
		TRY(step_on(helper, NULL));
		TRY(target_get_regs(helper, &regs));
		if (regs.orig_rax == SYS_exit)
			return NULL;
	}
	return error_create(ERROR_OTHER, "remote call: thread %d does not end",
			    helper->tid);
}

struct error *step_to_call(struct thread *thread)
{
	struct thread *helper;
	struct error *error;
	pid_t born = 0;

	error = step_on(thread, &born);
	if (!born)
		return error;
	error = error_first(error, begin_helper(thread, born, &helper));
	if (!error)
		error = lead_to_exit(helper);
	end_helper(helper, !error);
	return error_unless(error, ERROR_GONE);
}

/* ---- the calls ----------------------------------------------------------- */

/* Read the registers after a call. After a failure the tool tries once more,
 * because the result may be memory that must be unmapped. */
static struct error *read_result(struct thread *thread,
				 struct user_regs_struct *regs)
{
	struct error *error = target_get_regs(thread, regs);

	if (!error || error_code(error) != ERROR_SYSTEM)
		return error;
	error_destroy(error);
	return target_get_regs(thread, regs);
}

/* A script that is executed. */
struct execution {
	const struct script_call *calls;
	const struct arch_script *script;
	size_t count;
	const struct remote_look *look;
	int64_t *results;
	/* a helper may still execute the script, so it must stay in memory */
	bool stays;
};

static struct error *run_calls(struct thread *thread, size_t first, size_t end,
			       struct execution *run);

/* Let a helper make the calls from `first` on. */
static struct error *run_helper(const struct thread *creator, pid_t tid,
				size_t first, struct execution *run)
{
	struct thread *helper;
	struct error *error, *left;

	error = begin_helper(creator, tid, &helper);
	if (!error)
		error = run_calls(helper, first, run->count, run);
	/* At the entry of exit(2) it executes nothing of the script any more.
	 */
	left = step_on(helper, NULL);
	run->stays = left && error_code(left) != ERROR_GONE;
	end_helper(helper, !left);
	return error_first(error, left);
}

/* Let the thread make the calls [first, end) of the script. If one of them
 * creates a helper, the helper makes those behind it. */
static struct error *run_calls(struct thread *thread, size_t first, size_t end,
			       struct execution *run)
{
	struct error *found = NULL;
	struct user_regs_struct regs;

	/* If a result cannot be read, or if `look` fails, the thread still
	 * makes the rest of the calls. */
	for (size_t i = first; i < end; i++) {
		pid_t born = 0;
		struct error *error = step_on(thread, NULL);

		if (!error)
			error = step_on(thread, &born);
		if (error)
			return error_first(found, error);
		error = read_result(thread, &regs);
		if (!error && regs.rip != run->script->returns[i])
			return error_first(
				found, error_create(ERROR_OTHER,
						    "remote call: pc is 0x%llx",
						    regs.rip));
		if (!error)
			run->results[i] = (int64_t)regs.rax;
		found = error_first(found, error);
		if (born) {
			/* the number of the thread as the tool knows it */
			run->results[i] = born;
			return error_first(
				found, run_helper(thread, born, i + 1, run));
		}
		if (found)
			continue;
		if (i + 1 < end && !run->calls[i].by_helper &&
		    run->calls[i + 1].by_helper)
			return NULL; /* clone(2) has failed */
		if (run->look && run->look->after == i)
			found = run->look->run(run->look->context,
					       run->results);
	}
	return found;
}

/*
 * A thread that is in a restartable sequence (rseq(2)) must leave it by its
 * abort handler, as the kernel would make it do after a preemption. The tool
 * must do this, because the kernel forgets the sequence when it finds the
 * thread in the script.
 */
static void abort_sequence(struct thread *thread, struct user_regs_struct *regs)
{
	struct __ptrace_rseq_configuration config;
	struct process *process = thread->process;
	struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} sequence;
	uint64_t at;

	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, sizeof(config),
		   &config) != sizeof(config) ||
	    !config.rseq_abi_pointer)
		return;
	/* struct rseq begins with two numbers of the CPU; the address of the
	 * sequence follows */
	if (target_read_callback(process, config.rseq_abi_pointer + 8, &at,
				 sizeof(at)) &&
	    at &&
	    target_read_callback(process, at, &sequence, sizeof(sequence)) &&
	    regs->rip - sequence.start < sequence.length)
		regs->rip = sequence.abort;
}

/* Write a script to a place that has room for it. `address` and `script` get
 * the result. */
static struct error *place_script(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const struct user_regs_struct *regs,
				  uint64_t mask, const void *data,
				  size_t data_size, uint64_t *address,
				  struct arch_script *script)
{
	struct process *process = thread->process;
	struct script_call copy[ARCH_SCRIPT_CALLS];
	size_t room = 0;

	if (count > ARCH_SCRIPT_CALLS)
		return error_create(ERROR_OTHER, "too many remote calls");
	/* The length of the script depends a little on its address, and the
	 * address depends on the room that the script needs. So the first
	 * address is a guess. */
	for (*address = HIGH_ADDRESS;;) {
		for (size_t i = 0; i < count; i++) {
			copy[i] = calls[i];
			if (copy[i].use_data)
				copy[i].args[copy[i].use_data - 1] +=
					*address + SCRIPT_DATA;
			copy[i].use_data = 0;
		}
		TRY(arch_script_build(*address, copy, count, regs, mask, data,
				      data_size, script));
		if (script->length <= room)
			break;
		room = script->length + JUMP_SLACK;
		TRY(target_find_script_room(process, room, address));
	}
	return target_write(process, *address, script->code, script->length);
}

/* Lead the thread out of the script, and zero the script. The order of the
 * steps is that of the table at the top of this file. */
static struct error *leave_script(struct thread *thread,
				  const struct user_regs_struct *regs,
				  uint64_t mask, uint64_t address,
				  size_t length)
{
	static const uint8_t zeros[ARCH_SCRIPT_SIZE];

	TRY(settle_after_event(thread));
	TRY(target_set_signal_mask(thread, mask));
	TRY(target_set_regs(thread, regs));
	return target_write(thread->process, address, zeros, length);
}

struct error *remote_calls(struct thread *thread,
			   const struct script_call *calls, size_t count,
			   const void *data, size_t data_size,
			   const struct remote_look *look, int64_t *results)
{
	struct user_regs_struct regs, start;
	struct arch_script script = {0};
	struct execution run = {calls, &script, count, look, results, false};
	uint64_t mask, address;
	struct error *error, *restored;
	bool suspended, ticking;

	/* Memory may have to be mapped first, by remote calls. */
	TRY(target_settle(thread->process->target));
	TRY(target_get_regs(thread, &regs));
	TRY(target_get_signal_mask(thread, &mask));
	abort_sequence(thread, &regs);
	TRY(suspend_filters(thread, &suspended));
	error = place_script(thread, calls, count, &regs, mask, data, data_size,
			     &address, &script);
	if (error) {
		if (suspended)
			resume_filters(thread);
		return error;
	}
	start = regs;
	start.rip = script.start;
	start.rax = 0;
	/* The kernel must not take the thread for one whose system call was
	 * interrupted, and restart this call. */
	start.orig_rax = UINT64_MAX;
	/* a thread that single-steps itself must not step through the script */
	start.eflags &= ~(unsigned long long)ARCH_TRAP_FLAG;
	/* Make the timer of ticks once, and not for each of the waits. */
	ticking = thread->process->target->has_tick;
	target_arm_tick(thread->process->target);
	error = target_set_regs(thread, &start);
	if (!error)
		error = target_set_signal_mask(thread, UINT64_MAX);
	if (!error)
		error = run_calls(thread, 0, count, &run);
	if (!ticking)
		target_disarm_tick(thread->process->target);
	if (run.stays)
		script.length = 0;
	/* also after a failure the thread must leave the script */
	restored = leave_script(thread, &regs, mask, address, script.length);
	if (restored && error_code(restored) == ERROR_SYSTEM) {
		error = error_first(error, restored);
		restored = leave_script(thread, &regs, mask, address,
					script.length);
	}
	if (suspended)
		resume_filters(thread);
	if (!error)
		return restored;
	error_destroy(restored);
	return error;
}

struct error *target_remote_calls(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const void *data, size_t data_size,
				  int64_t *results)
{
	return remote_calls(thread, calls, count, data, data_size, NULL,
			    results);
}

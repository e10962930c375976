/*
 * signal_stack.c - the stack on which a thread's signal handlers run
 *
 * The kernel calls a handler with the address of a ucontext, which lies behind
 * the return address, where the CFA of the handler's frame is. It says which
 * alternate stack the thread has (sigaltstack(2)). The return address leads to
 * the code that calls rt_sigreturn(2), which call frame information marks as
 * that of a signal frame.
 */
#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "call_profile.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/probe/loaded_modules.h"
#include "session/run/run.h"

enum { RETURNS_TO_CODE = 1, RETURNS_FROM_SIGNAL };

static bool returns_from_signal(struct session *session,
				struct process *process, uint64_t caller)
{
	const struct module *module =
		probe_module_at(session->probe, process, caller);
	struct debugfile *file = module ? module_file(module) : NULL;

	return file &&
	       debugfile_is_signal_frame(file, caller - module_bias(module));
}

/* The same, as far as it is known from earlier calls. */
static bool is_handler(struct session *session, struct process *process,
		       uint64_t caller)
{
	struct map *returns = &session->calls->returns;
	uint64_t key = (uint64_t)(uint32_t)process->pid << 48 ^ caller;
	uint64_t known = map_get_number(returns, key);

	if (!known) {
		known = returns_from_signal(session, process, caller)
				? RETURNS_FROM_SIGNAL
				: RETURNS_TO_CODE;
		map_set_number(returns, key, known);
	}
	return known == RETURNS_FROM_SIGNAL;
}

static void read_stack(struct process *process, struct call_counter *counter,
		       uint64_t context)
{
	stack_t stack;

	if (!target_read_callback(process,
				  context + offsetof(ucontext_t, uc_stack),
				  &stack, sizeof(stack)))
		return;
	counter->signal_low = (uintptr_t)stack.ss_sp;
	counter->signal_high = counter->signal_low + stack.ss_size;
}

static bool is_within(const struct call_counter *counter, uint64_t frame)
{
	return frame > counter->signal_low && frame <= counter->signal_high;
}

bool is_on_signal_stack(struct session *session, struct call_counter *counter,
			const struct hit *hit, bool is_entry)
{
	const struct followed *followed;

	if (is_within(counter, hit->frame))
		return true;
	if (!is_entry)
		return false;
	followed = find_followed(session, hit->pid);
	if (!followed || !is_handler(session, followed->process, hit->value.u))
		return false;
	read_stack(followed->process, counter, hit->frame);
	return is_within(counter, hit->frame);
}

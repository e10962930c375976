/*
 * pending_trap.c - a SIGTRAP that was pending when its thread reached a site
 *
 * The same signal is never pending twice in a thread. If a thread blocks
 * SIGTRAP, and a SIGTRAP that was sent to the thread is pending, the int3 of a
 * site does not cause a second one. The thread stops with the signal that was
 * sent, at the pc behind the int3. The tool treats this stop as the hit that it
 * is, and sends the signal again. Then the tool is the sender of the signal; so
 * what the original sender had said (its siginfo) is kept until the program
 * gets the signal.
 */
#include <unistd.h>

#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "trap_action.h"

void forget_merged(struct probe *probe, const struct thread *thread)
{
	for (size_t i = probe->merged.count; i-- > 0;)
		if (probe->merged.data[i].thread == thread->serial)
			vec_remove(&probe->merged, i);
}

void forget_merged_of(struct probe *probe, const struct process *process)
{
	for (size_t i = probe->merged.count; i-- > 0;)
		if (probe->merged.data[i].pid == process->pid)
			vec_remove(&probe->merged, i);
}

struct error *send_merged(struct probe *probe, struct thread *thread,
			  const siginfo_t *info)
{
	struct merged merged = {thread->serial, thread->process->pid, *info};

	forget_merged(probe, thread);
	TRY(target_send(thread, info->si_signo));
	vec_push(&probe->merged, merged);
	return NULL;
}

struct error *keep_merged(struct probe *probe, struct thread *thread)
{
	siginfo_t info;

	if (!has_handler(thread))
		return NULL;
	TRY(target_get_siginfo(thread, &info));
	return is_of_instruction(&info) ? NULL
					: send_merged(probe, thread, &info);
}

struct error *give_merged(struct probe *probe, struct thread *thread)
{
	siginfo_t info;

	for (size_t i = probe->merged.count; i-- > 0;) {
		struct merged merged = probe->merged.data[i];

		if (merged.thread != thread->serial)
			continue;
		TRY(target_get_siginfo(thread, &info));
		if (info.si_code != SI_TKILL || info.si_pid != getpid())
			/* A signal of another sender has arrived before the one
			 * that the tool has sent. */
			return NULL;
		vec_remove(&probe->merged, i);
		return target_set_siginfo(thread, &merged.info);
	}
	return NULL;
}

/*
 * own_stop.c - stops of all threads for the tool's own work, and the time that
 * they take
 *
 * To change sites, the tool stops all threads. Such an update takes
 * milliseconds, in which a thread that would have run does nothing. So this is
 * overhead, like the time for which a thread is held at an int3, and is in no
 * leg. A thread that waits in a system call is not held: what it waits for goes
 * on meanwhile.
 */
#include "perftool/base/clock.h"
#include "probe/process/process.h"
#include "probe_state.h"
#include "stop.h"

struct error *stop_for_us(struct probe *probe)
{
	probe->own_stop = true;
	return target_stop_all(probe->target);
}

void own_stop_begin(struct probe *probe, uint64_t time)
{
	probe->own_stop_since = probe->own_stop ? time : 0;
	probe->own_stop = false;
}

void probe_stop_is_kept(struct probe *probe)
{
	probe->own_stop_since = 0;
}

/* Was the thread stopped while it waited in a system call? */
static bool is_waiting(struct thread *thread)
{
	struct user_regs_struct regs;
	struct error *error = target_get_regs(thread, &regs);
	bool waits = error || may_restart(&regs);

	error_destroy(error);
	return waits;
}

static void tell_thread(struct probe *probe, struct thread *thread,
			uint64_t until)
{
	const struct holder holder = {thread->serial, thread->process->pid,
				      thread->tid};

	if (thread->state != THREAD_STOPPED || is_waiting(thread))
		return;
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_HELD,
					 .holder = &holder,
					 .from = probe->own_stop_since,
					 .to = until});
	calls_held(probe, thread->ring,
		   (double)(until - probe->own_stop_since));
	switches_resumed(probe, &holder, probe->own_stop_since, until);
}

void own_stop_end(struct probe *probe)
{
	uint64_t now = clock_now(probe->clock);

	for (size_t i = 0; probe->own_stop_since && i < probe->spaces.count;
	     i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0;
		     space->process && j < space->process->threads.count; j++)
			tell_thread(probe, space->process->threads.data[j],
				    now);
	}
	probe->own_stop_since = 0;
}

/*
 * own_stop.c - stops of all threads for the tool's own work, and the time that
 * they take
 *
 * To change sites, the tool stops all threads. Such an update takes
 * milliseconds, in which a thread that would have run does nothing. So this is
 * overhead, like the time for which a thread is held at an int3, and is in no
 * leg. A thread that waits in a system call is not held, unless the wait takes
 * longer by the stop (activity.c).
 */
#include "activity.h"
#include "perftool/base/clock.h"
#include "perftool/target/target_events.h"
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

static void tell_thread(struct probe *probe, struct thread *thread,
			uint64_t until)
{
	const struct holder holder = {thread->serial, thread->process->pid,
				      thread->tid};

	emit(probe, (struct probe_event){.kind = PROBE_EVENT_HELD,
					 .holder = &holder,
					 .from = probe->own_stop_since,
					 .to = until});
	calls_held(probe, thread->ring,
		   (double)(until - probe->own_stop_since));
	switches_resumed(probe, &holder, probe->own_stop_since, until);
}

static void tell_process(struct probe *probe, const struct process *process,
			 uint64_t until)
{
	const bool closed = activity_is_closed(process);

	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];

		if (thread->state == THREAD_STOPPED &&
		    (closed || activity_of(thread) == ACTIVITY_RUNS))
			tell_thread(probe, thread, until);
	}
}

void own_stop_end(struct probe *probe)
{
	uint64_t now = clock_now(probe->clock);

	for (size_t i = 0; probe->own_stop_since && i < probe->spaces.count;
	     i++) {
		const struct space *space = probe->spaces.data[i];

		if (space->process)
			tell_process(probe, space->process, now);
	}
	probe->own_stop_since = 0;
}

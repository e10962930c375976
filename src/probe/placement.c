/*
 * placement.c - when tool and program share a CPU
 *
 * auto: while the program has one thread, from its first hit on, so that a
 * program that is not measured yet sees the machine as it is. A second thread
 * ends it. What calibration found in one placement does not hold in another.
 */
#include "internal.h"

static void unpin(struct probe *probe, struct process *process)
{
	if (!probe->pinned)
		return;
	target_unpin(process);
	probe->pinned = false;
}

static void pin(struct probe *probe, struct process *process)
{
	struct error *error;

	if (probe->pinned)
		return;
	/* a program that may not be pinned is measured where it is */
	error = target_pin(process);
	probe->pinned = !error;
	error_destroy(error);
}

static bool wanted(const struct probe *probe, const struct process *process)
{
	return probe->affinity == AFFINITY_ON ||
	       (probe->affinity == AFFINITY_AUTO &&
		process->threads.count == 1);
}

void placement_hit(struct probe *probe, struct process *process)
{
	if (probe->pinned || probe->unpinnable)
		return;
	if (wanted(probe, process))
		pin(probe, process);
	/* asked once per process: the answer changes with its threads */
	probe->unpinnable = !probe->pinned;
	probe->was_pinned |= probe->pinned;
	probe->was_unpinned |= !probe->pinned;
	if (!probe->pinned)
		calibrate_invalidate(probe);
}

void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin)
{
	if (begin && wanted(probe, process))
		pin(probe, process);
	else if (!begin && probe->affinity == AFFINITY_AUTO)
		unpin(probe, process);
}

void placement_new_thread(struct probe *probe, struct process *process)
{
	if (probe->affinity != AFFINITY_AUTO || process->threads.count < 2)
		return;
	if (probe->pinned) {
		unpin(probe, process);
		calibrate_invalidate(probe);
	}
}

void placement_stopped(struct probe *probe)
{
	/* at a stop the tool does other things, which want the whole machine;
	 * the next hit asks again */
	if (probe->affinity == AFFINITY_AUTO && probe->space &&
	    probe->space->process)
		unpin(probe, probe->space->process);
	probe->unpinnable = false;
}

void placement_end(struct probe *probe)
{
	target_unpin_tool(probe->target);
	probe->pinned = probe->unpinnable = false;
}

void probe_set_affinity(struct probe *probe, enum affinity affinity)
{
	probe->affinity = affinity;
	if (probe->space && probe->space->process)
		unpin(probe, probe->space->process);
	probe->unpinnable = false;
	calibrate_invalidate(probe);
}

const char *probe_placement(const struct probe *probe)
{
	if (probe->was_pinned && probe->was_unpinned)
		return "tool and program on one CPU while it had one thread";
	if (probe->was_pinned)
		return "tool and program on one CPU";
	return probe->was_unpinned ? "tool and program on any CPU" : NULL;
}

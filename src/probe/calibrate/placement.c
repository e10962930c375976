/*
 * placement.c - when the tool and the program share a CPU
 *
 * With AFFINITY_AUTO, they share a CPU while all hits come from a single
 * process that has a single thread. They begin to share it at the first hit of
 * the process, so that a program that is not measured yet sees the machine as
 * it is. They cease to share it at the second thread, or at a hit in a second
 * process. A hit of a jump does not make them share a CPU, because no thread
 * waits for the tool at a jump. A process to which the tool attached stays on
 * its CPUs, because nobody would undo the change if the tool died. What
 * calibration has found while they share a CPU is not valid while they do not.
 */
#include "calibrate.h"
#include "probe/arrival/arrival.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"

static void unpin(struct probe *probe)
{
	if (probe->placement.pinned)
		target_unpin(probe->placement.pinned);
	probe->placement.pinned = NULL;
}

static void pin(struct probe *probe, struct process *process)
{
	struct error *error;

	if (probe->placement.pinned)
		return;
	/* If the tool may not pin the program to a CPU, the program is measured
	 * on the CPUs that it has. */
	error = target_pin(process);
	if (!error)
		probe->placement.pinned = process;
	error_destroy(error);
}

static bool others_were_hit(const struct probe *probe,
			    const struct process *process)
{
	for (size_t i = 0; i < probe->spaces.count; i++)
		if (probe->spaces.data[i]->was_hit &&
		    probe->spaces.data[i] != process->owner)
			return true;
	return false;
}

static bool wanted(const struct probe *probe, const struct process *process)
{
	return probe->placement.affinity == AFFINITY_ON ||
	       (probe->placement.affinity == AFFINITY_AUTO &&
		!process->survives && process->threads.count == 1 &&
		!others_were_hit(probe, process));
}

void placement_hit(struct probe *probe, struct process *process)
{
	if (probe->placement.pinned == process)
		return;
	if (probe->placement.pinned &&
	    probe->placement.affinity == AFFINITY_AUTO) {
		unpin(probe);
		probe->placement.unpinnable = false;
	}
	if (probe->placement.unpinnable)
		return;
	space_of(process)->was_hit = true;
	if (wanted(probe, process))
		pin(probe, process);
	/* Whether to pin is not determined at each hit, but only once, and
	 * again after an event such as a stop of all threads. The answer
	 * depends on the threads of the process. */
	probe->placement.unpinnable = !probe->placement.pinned;
	probe->placement.was_pinned |= probe->placement.pinned != NULL;
	probe->placement.was_unpinned |= !probe->placement.pinned;
	if (!probe->placement.pinned)
		cost_invalidate(probe);
}

void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin)
{
	if (begin && wanted(probe, process))
		pin(probe, process);
	else if (!begin && probe->placement.affinity == AFFINITY_AUTO)
		unpin(probe);
}

void placement_new_thread(struct probe *probe, struct process *process)
{
	if (probe->placement.affinity == AFFINITY_AUTO &&
	    probe->placement.pinned == process && process->threads.count > 1) {
		unpin(probe);
		cost_invalidate(probe);
	}
}

void placement_new_process(struct probe *probe, struct process *child)
{
	if (probe->placement.pinned)
		target_unpin_child(child);
}

void placement_stopped(struct probe *probe)
{
	/* While all threads are stopped the tool does other work, for which it
	 * should have all CPUs. At the next hit it is determined again whether
	 * to pin the process. */
	if (probe->placement.affinity == AFFINITY_AUTO)
		unpin(probe);
	probe->placement.unpinnable = false;
}

void placement_end(struct probe *probe, struct process *process)
{
	if (probe->placement.pinned == process) {
		target_unpin_tool(probe->target);
		probe->placement.pinned = NULL;
	}
	probe->placement.unpinnable = false;
}

void placement_leave(struct probe *probe, struct process *process)
{
	if (probe->placement.pinned == process)
		unpin(probe);
	probe->placement.unpinnable = false;
}

void probe_set_affinity(struct probe *probe, enum affinity affinity)
{
	probe->placement.affinity = affinity;
	unpin(probe);
	probe->placement.unpinnable = false;
	cost_invalidate(probe);
}

const char *probe_placement(const struct probe *probe)
{
	if (probe->placement.was_pinned && probe->placement.was_unpinned)
		return "tool and program on one CPU while the program had one "
		       "thread";
	if (probe->placement.was_pinned)
		return "tool and program on one CPU";
	return probe->placement.was_unpinned || probe->fast.had_jumps
		       ? "tool and program on any CPU"
		       : NULL;
}

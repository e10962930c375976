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
 *
 * The program is not to notice that it was moved to one CPU: it would create as
 * many threads as it has CPUs, or its own choice of CPUs would be lost later,
 * or the kernel would refuse it a deadline. So while they share a CPU, threads
 * stop at the functions of the C library that ask for the CPUs, or set them. At
 * the first such stop the program gets its CPUs back, and keeps them. A program
 * in which these functions are not found is not moved.
 */
#include "calibrate.h"
#include "probe/arrival/arrival.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"

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

/* ---- the program's own view of its CPUs -----------------------------------
 */

/* sysconf() and sched_getcpu() need no site of their own: the first calls
 * get_nprocs(), and the second tells nothing about other CPUs. syscall() may
 * make any call. */
static const char *const asking[] = {
	"sched_getaffinity",      "sched_setaffinity", "pthread_getaffinity_np",
	"pthread_setaffinity_np", "get_nprocs",        "sched_setscheduler",
	"sched_setattr",          "syscall",
};

/* Will the tool be told before the program asks for its CPUs? */
static bool is_watched(struct probe *probe, struct space *space)
{
	bool found = false;

	if (space->own_cpus != PLACEMENT_UNWATCHED)
		return space->own_cpus == PLACEMENT_WATCHED;
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++) {
		struct error *error = stop_in_libcs(probe, space, asking[i],
						    SITE_PLACEMENT, &found);

		error_destroy(error); /* the end of the process is told later */
	}
	if (found)
		space->own_cpus = PLACEMENT_WATCHED;
	return found;
}

void placement_asked(struct probe *probe, struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	if (probe->placement.pinned &&
	    probe->placement.pinned->owner == space &&
	    probe->placement.affinity == AFFINITY_AUTO) {
		unpin(probe);
		cost_invalidate(probe);
	}
	space->own_cpus = PLACEMENT_ITS_OWN;
	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->purpose == SITE_PLACEMENT) {
			site->purpose = SITE_USER;
			note_error(probe, site_update(space, site));
		}
}

/* ---- what happens to the process ------------------------------------------
 */

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
	if (wanted(probe, process) &&
	    (probe->placement.affinity == AFFINITY_ON ||
	     is_watched(probe, space_of(process))))
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
		return "tool and program on one CPU for a part of the time";
	if (probe->placement.was_pinned)
		return "tool and program on one CPU";
	return probe->placement.was_unpinned || probe->fast.had_jumps
		       ? "tool and program on any CPU"
		       : NULL;
}

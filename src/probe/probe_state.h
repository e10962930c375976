/*
 * probe_state.h - the state of the layer: what its folders have in common, and
 * an object of each folder
 *
 *	breakpoint ──resolve──► places ──► sites (one per address, shared)
 *	                                    │ attachments: breakpoints there
 *	                                    └ slot in an area near the module
 *
 * The folders, from those that know least to those that know most:
 *
 *	process ──► site ──► arrival ──► fast ──► rings ──► calibrate
 *	                 │           └► request     │
 *	                 └► survive ────────────────┘
 *
 * Each folder includes the folders before it, and this header. What the layer's
 * own folder offers to its subfolders is declared here, in space.h, in
 * mechanism.h and in stop.h.
 */
#ifndef PROBE_PROBE_STATE_H
#define PROBE_PROBE_STATE_H

#include "breakpoint.h"
#include "mechanism.h"
#include "perftool/arch.h"
#include "perftool/base/map.h"
#include "perftool/probe.h"
#include "probe/arrival/arrival.h"
#include "probe/calibrate/calibrate.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "space.h"
#include "stop.h"

/* The remarks that the user was told: see note.c. */
struct remarks {
	struct strmap noted; /* the texts of the remarks that were made */
	/* probe_begin_many() was called, and probe_end_many() was not called
	 * yet */
	bool is_many;
	/* no command of the user has caused the remarks since
	 * probe_begin_many() */
	bool is_unasked;
	/* the number of remarks since probe_begin_many() */
	size_t many;
};

struct probe {
	struct target *target;
	const struct clock *clock;
	struct probe_client client;
	struct remarks remarks;

	/* what the user asked for */
	/* all breakpoints, the oldest first; NULL: it was forgotten */
	VEC(struct breakpoint *) breakpoints;
	struct map by_number;     /* the same, by number (`id`) */
	uint32_t numbered, apart; /* how many numbers of each kind are used */
	/* the functions of breakpoints of probe_add_calls() */
	struct called_functions called;
	/* The breakpoint that probe_add() is adding, so that errors at its
	 * places are errors of probe_add(); NULL if there is none. */
	struct breakpoint *adding;
	/* the attachments that it has got */
	struct attachment_list added;
	/* the numbers of the breakpoints whose expressions were bound at new
	 * places, until note_unbound() */
	VEC(uint32_t) bound_anew;
	struct search search;
	enum condition_meaning conditions;
	bool is_suspended; /* probe_suspend() */
	/* hits of all breakpoints report which goroutine makes them */
	bool wants_goroutines;
	struct module *program; /* the file that the user has named */

	/* the processes */
	/* One space per process that has memory of its own. While there is no
	 * process, the list has a single space without a process. */
	struct space_list spaces;
	/* the process of the last probe_adopt(); the others were forked or
	 * joined later */
	pid_t main;
	bool follow_fork, follow_exec;
	struct open_files files;
	VEC(struct kernel_image *) kernel_images;
	/* The exits of functions, while breakpoints get their places
	 * (known_exits.c). */
	struct map known_exits;
	/* probe_add_calls() is at work, both of whose breakpoints need them. */
	bool keeps_exits;
	uint64_t module_changes; /* see probe_module_changes() */
	uint64_t next_watch; /* when to check the handlers of SIGTRAP again */
	/* when to check again that all sites are in memory */
	uint64_t next_look;

	/* the stop of one thread, or of all threads */
	/* the layer itself has asked for the stop of all threads */
	bool own_stop;
	/* When all threads had stopped because the layer had asked for it, ns
	 * of the tool's clock. 0: the threads run, or the client keeps them
	 * stopped. */
	uint64_t own_stop_since;
	struct finished_stop finished;
	struct stop_in_hand in_hand;
	struct stepping stepping;
	VEC(struct interrupted) interrupted;
	VEC(struct amid) amid;
	VEC(struct merged) merged;

	/* hits */
	/* the values of the hit that is being made */
	struct hit_values hit_values;
	struct tails tails;
	struct costs costs;
	struct fast_nodes fast;
	struct rings rings;
	struct switches switches;

	struct calibration calibration;
	struct placement placement;
	struct cliff cliff;
};

/* note.c: Tell the user one line. The same line is told only once, unless a
 * command of the user that adds a breakpoint causes it again. */
void note(struct probe *probe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Tell the user about an error that does not end the operation. The user is not
 * told of ERROR_GONE, nor if `error` is NULL. Takes the error over and destroys
 * it. */
void note_error(struct probe *probe, struct error *error);
/* Tell the client how far an operation has come that works at `count` places:
 * `working` of struct probe_client. */
void probe_working(const struct probe *probe, const char *what, size_t done,
		   size_t count);

/* Does a hit count, or stop the program, only when the breakpoint's condition
 * is true? A breakpoint that stops the program is an ordinary conditional one,
 * whatever its condition means for a node (Mesa memo, "Monitor"). */
static inline bool condition_filters(const struct probe *probe,
				     const struct breakpoint *breakpoint)
{
	if (!breakpoint->condition)
		return false;
	if (probe->client.stops &&
	    probe->client.stops(probe->client.context, breakpoint))
		return true;
	if (probe->conditions == CONDITIONS_NAME)
		return false;
	return probe->conditions == CONDITIONS_FILTER ||
	       !breakpoint->only_names;
}

/* Pass an event to the caller of the layer. */
static inline void emit(const struct probe *probe, struct probe_event event)
{
	probe->client.event(probe->client.context, &event);
}

/* Pass a hit of a breakpoint of probe_add_calls() to the caller of the layer.
 * `at` is the attachment at which it was made; NULL: the frame has ended in
 * another function. */
static inline void tell_call(const struct probe *probe,
			     struct breakpoint *breakpoint,
			     const struct attachment *at, bool is_by_jump,
			     struct hit *hit)
{
	bool is_end = at && at->role == ROLE_PROCESS_END;

	hit->node = breakpoint->id;
	emit(probe, (struct probe_event){
			    .kind = PROBE_EVENT_CALL,
			    .breakpoint = breakpoint,
			    .is_entry = breakpoint->kind == REQUEST_ENTRY,
			    .is_unwind = breakpoint->kind == REQUEST_UNWINDS &&
					 !is_end,
			    .is_process_end = is_end,
			    .is_by_jump = is_by_jump,
			    .function = at ? at->called : 0,
			    .hit = hit});
}

/* Pass a hit to the caller of the layer. Returns true if the hit stops the
 * program. */
static inline bool tell_hit(const struct probe *probe,
			    struct breakpoint *breakpoint, struct hit *hit)
{
	if (breakpoint->is_of_calls) {
		tell_call(probe, breakpoint, NULL, false, hit);
		return false;
	}
	hit->node = breakpoint->id;
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_HIT,
					 .breakpoint = breakpoint,
					 .is_conditional =
						 breakpoint->condition != NULL,
					 .hit = hit});
	return probe->client.stops_thread(probe->client.context, breakpoint,
					  hit->pid, hit->tid);
}

/* Is a process measured at present? */
static inline bool probe_is_live(const struct probe *probe)
{
	return probe->spaces.count && probe->spaces.data[0]->process;
}

/* ---- questions at every int3 hit --------------------------------------------
 *
 * These functions are inline, so that a hit enters only files that have
 * something to do for it.
 */

/* Divide the unseen cost of an int3 into the parts before and after the thread
 * is held. */
static inline struct unseen cost_unseen(const struct probe *probe)
{
	const struct costs *costs = &probe->costs;
	double after = costs->is_told ? costs->fast.cost / 2 : costs->cost / 2;

	/* Calibration has not found the cost of a jump, or that of an int3,
	 * yet. */
	if (after > costs->cost)
		after = 0;
	return (struct unseen){costs->cost - after, after};
}

/* The stop of the thread that the tool has seen at this time: what begin_hold()
 * has found out, or what calibration has. */
static inline struct stop_in_hand
stop_of(const struct probe *probe, const struct thread *thread, uint64_t seen)
{
	const struct stop_in_hand *stop = &probe->in_hand;

	return stop->thread == thread->serial && stop->seen == seen
		       ? *stop
		       : (struct stop_in_hand){.arrival = seen,
					       .cost = cost_unseen(probe)};
}

/* Has the tool a handler of its own for SIGTRAP in the memory of this thread,
 * which the kernel may have reset? (trap_action.c) */
static inline bool has_handler(const struct thread *thread)
{
	const struct space *space = thread->process->owner;

	return space && space->process == thread->process &&
	       space->trap.action.handler;
}

/* Does a hit of the process change where the tool and the program run?
 * (placement.c) */
static inline bool is_placement_open(const struct probe *probe,
				     const struct process *process)
{
	const struct placement *placement = &probe->placement;

	return placement->pinned ? placement->pinned != process
				 : !placement->unpinnable;
}

/* Does the tool's own breakpoint, which follows frames, have a part in what
 * happens at the site? (tails.h) */
static inline bool follows_tails(const struct site *site)
{
	for (size_t i = 0; i < site->attachments.count; i++)
		if (is_of_tails(site->attachments.data[i]))
			return true;
	return false;
}

#endif

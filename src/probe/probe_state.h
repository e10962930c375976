/*
 * probe_state.h - the state of the layer: what the folders have in common, and
 * an object of each
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
 * Each includes those before it, and this header. What the layer's own folder
 * offers to the folders is declared here, in space.h, in mechanism.h and in
 * stop.h.
 */
#ifndef PROBE_PROBE_STATE_H
#define PROBE_PROBE_STATE_H

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

/* What was said to the user: see note.c. */
struct remarks {
	struct strmap noted; /* those that were made */
	bool is_many;        /* the same is done with many functions, */
	bool is_unasked;     /* and not for a command */
	size_t many;         /* remarks on these */
};

struct probe {
	struct target *target;
	const struct clock *clock;
	struct probe_client client;
	struct remarks remarks;

	/* what was asked for */
	VEC(struct breakpoint *) breakpoints; /* index: number - 1 */
	struct breakpoint *adding; /* its errors are those of probe_add() */
	struct search search;
	enum condition_meaning conditions;
	bool wants_goroutines;  /* of all breakpoints */
	struct module *program; /* the file that the user has named */

	/* the processes */
	struct space_list spaces; /* of processes; else one without */
	pid_t main;               /* the process that was adopted first */
	bool follow_fork, follow_exec;
	struct open_files files;
	uint64_t next_watch; /* when to look after the handlers again */
	uint64_t next_look;  /* and after the sites */

	/* the stop of a thread, or of all */
	bool own_stop; /* the stop of all threads was asked for here */
	struct finished_stop finished;
	struct stepping stepping;
	VEC(struct interrupted) interrupted;
	VEC(struct amid) amid;
	VEC(struct merged) merged;

	/* hits */
	struct hit_values hit_values; /* of the one being made */
	struct tails tails;
	struct costs costs;
	struct fast_nodes fast;
	struct rings rings;
	struct switches switches;

	struct calibration calibration;
	struct placement placement;
	struct cliff cliff;
};

/* note.c: one line for the user */
void note(struct probe *probe, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The same of an error that is no reason to give up; NULL and ERROR_GONE are
 * nothing. Destroys it. */
void note_error(struct probe *probe, struct error *error);

/* Does a hit count only when the breakpoint's condition is true? */
static inline bool condition_filters(const struct probe *probe,
				     const struct breakpoint *breakpoint)
{
	if (!breakpoint->condition || probe->conditions == CONDITIONS_NAME)
		return false;
	return probe->conditions == CONDITIONS_FILTER ||
	       !breakpoint->only_names;
}

/* Tell the owner. */
static inline void emit(const struct probe *probe, struct probe_event event)
{
	probe->client.event(probe->client.context, &event);
}

/* The same of a hit; true: it stops the program. */
static inline bool tell_hit(const struct probe *probe,
			    struct breakpoint *breakpoint, struct hit *hit)
{
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_HIT,
					 .breakpoint = breakpoint,
					 .hit = hit});
	return probe->client.stops_thread(probe->client.context, breakpoint,
					  hit->pid, hit->tid);
}

/* Is there a process? */
static inline bool probe_is_live(const struct probe *probe)
{
	return probe->spaces.count && probe->spaces.data[0]->process;
}

#endif

/*
 * measure_state.h - the tables of a measurement, and what is in them
 *
 *	measure --- nodes --- each: the legs that end and that start there
 *	        --- legs  --- each: the activations it or its keys hold
 *	        --- threads -- each: the activations it holds, by leg
 *
 * An activation is in exactly one list, that of its owner (a thread, the leg,
 * or a key), innermost first; `open` of its leg counts it there.
 *
 * What is done at each hit of a busy node is inline: fast nodes make tens of
 * millions of hits a second, and a program waits for them to be counted.
 */
#ifndef PERFTOOL_MEASURE_INTERNAL_H
#define PERFTOOL_MEASURE_INTERNAL_H

#include <math.h>

#include "measure/timekeeping/timekeeping.h"
#include "measure/values/values.h"
#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "process_shares.h"

struct leg;

struct node {
	struct measure_node public;
	struct {
		struct leg **data;
		size_t count, capacity;
	} ending, starting;               /* the legs that are tracked */
	uint64_t last_count, last_errors; /* see interval.c */
};

/* The activations that the keys of one process hold in one leg. */
struct key_table {
	struct map by_value[VALUE_CLASSES]; /* to the innermost activation */
};

/* The executions since measure_since_last() was called last: what the
 * difference of two sums does not tell. Counted after
 * measure_count_intervals(). */
struct recent {
	uint64_t count;
	double mean, m2;            /* of signed durations; Welford */
	struct measure_range range; /* of those that were not interrupted */
};

/* What intervals need beside the counts of a leg, or of a share of one. */
struct past {
	/* as they were the last time, without what they point to; NULL: never
	 */
	struct measure_leg *last;
	struct recent recent;
};

struct leg {
	struct measure_leg public;
	struct activation *own; /* OWNER_LEG: its innermost activation */
	struct map processes; /* of keys and frames: pid to struct key_table */
	struct past past;
	/* the one that has executed it, as long as there is no other one, and
	 * then what each has: process_shares.h */
	struct process *only;
	struct shares *shares;
};

/* One thread at one moment, in measured ns. */
struct moment {
	int64_t at;    /* arrival */
	int64_t own;   /* arrival, less the holds of the thread's earlier breaks
			*/
	double cost;   /* what else it spent on us until it reached the place */
	double before; /* of that, for this break */
	enum hit_mechanism mechanism;
	uint32_t epoch; /* of `waited': see struct cpu_account; 0: not known */
	double waited;  /* of `own' less `cost', how much it was on no CPU */
};

/* How long something took. */
struct span {
	int64_t elapsed;
	bool interrupted; /* the clock was stopped meanwhile */
	bool has_waiting; /* it is known how much of that is waiting: */
	int64_t waiting;
};

/*
 * When a thread was on a CPU, as its context switches tell: cpu_account.c. What
 * was counted in one epoch is one count; an epoch ends where it is not known
 * what became of the thread. No two are the same, of whatever threads.
 */
struct cpu_account {
	bool is_watched;
	bool is_off;     /* it is on no CPU */
	uint32_t epoch;  /* 0: what the thread does is not known */
	int64_t since;   /* that it is off, measured ns */
	int64_t resumed; /* when we last let it go, measured ns */
	double waited;   /* for how long it was off, `since` not counted, less
			    what of that its breaks took */
};

/*
 * When the thread was resumed that made an activation: only then does the leg
 * start, for whoever closes it in another thread. Shared by the activations of
 * one break; they may outlive the thread.
 */
struct resumption {
	size_t references;
	bool known;   /* else the thread is still held */
	int64_t at;   /* measured ns */
	double after; /* ns until the program went on */
};

struct activation {
	struct activation *below; /* the next outer one of the same owner */
	struct leg *leg;
	struct moment from;
	struct resumption *resumption; /* where another thread may close it */
	struct value key;              /* OWNER_KEY */
	/* where it will count, in the leg's split of that serial number */
	struct measure_row *row;
	uint32_t split;
	uint64_t frame, stack, sp; /* as in struct hit */
	uint64_t depth; /* how many inner ones are ignored; for outermost */
	uint32_t back;  /* how many below are of this frame: see `back` of a hit
			 */
	uint64_t thread; /* serial number of what `from` is a moment of */
	/*
	 * The frames from here down are known and none is deeper than one
	 * above it. Searches by frame stop at such an activation early: what
	 * is below one that is shallower than the hit is shallower, too.
	 */
	bool ordered;
};

VEC_STRUCT(activation_list, struct activation *);

/* Where a leg would count that the thread's last hit may have begun. */
struct begun {
	uint32_t leg, split; /* numbers */
	struct measure_row *row;
};

/*
 * A thread, or a goroutine, which has an account of its own with the tool: what
 * its hits cost was taken from it alone, on whichever threads they were. Both
 * are in the map of threads; serial numbers of goroutines are beyond those of
 * threads. See goroutine.c.
 */
struct thread {
	uint64_t serial;
	int32_t pid;
	struct process *process;
	uint64_t goroutine;  /* of a goroutine: its number; else 0 */
	bool is_recent;      /* of a goroutine: it has had a hit of late */
	struct thread *runs; /* the goroutine that the last hit was of, or NULL
			      */
	int64_t stalled; /* measured ns that it waited before its next hit */
	struct activation_list open; /* by leg number: the innermost one, or
					NULL; may be shorter */
	int64_t held; /* measured ns that its breaks took so far */
	double cost;  /* calibrated ns beside that */
	struct cpu_account cpu;
	struct resumption *resumption; /* of the break it is in, if needed */
	struct moment now;             /* of the hit that is being counted */
	struct moment last;      /* of the one before it, for successors */
	uint32_t last_node;      /* of that one */
	bool has_last;           /* there is one that may begin a leg */
	VEC(struct begun) begun; /* under track successor */
};

VEC_STRUCT(node_list, struct node *);
VEC_STRUCT(leg_list, struct leg *);

struct measure {
	struct stopwatch watch;
	bool monitor, running;
	enum measure_track track;
	bool add_successor, compensation;
	struct leg_spec successor_spec; /* all but the nodes */
	int32_t pid, tid;               /* tracked; 0: all */
	struct measure_calibration calibration[HIT_MECHANISMS];
	double clock_resolution; /* ns */
	/* A break that holds its thread: for how long of what it costs the
	 * thread is on a CPU, ns, and what share of it on none. */
	double cpu_cost, wait_share;
	bool has_cpu_cost;
	uint32_t last_epoch;

	struct node_list nodes;       /* in order of number */
	struct node_list nodes_by_id; /* NULL: there is none */
	struct leg_list legs;         /* in order of number */
	struct map legs_by_nodes;     /* *from* and *to* to leg */
	uint32_t next_leg, next_split;
	size_t legs_owning; /* legs of OWNER_LEG */

	struct map processes;  /* those that are there, by pid */
	uint32_t last_process; /* for their numbers */
	size_t share_count;

	struct map threads;       /* by serial number */
	struct thread *recent;    /* the thread looked up last, or NULL */
	struct map goroutines;    /* pid to a map of them, by their numbers */
	struct thread *goroutine; /* the one looked up last, or NULL */
	size_t goroutine_count, goroutine_limit;
	uint32_t last_goroutine;  /* for serial numbers */
	struct activation *spare; /* a list of unused ones */

	int64_t zero; /* measured ns at the last zero */
	struct overhead overhead;
	uint64_t breaks, passed, followed; /* since the last zero */

	bool counts_intervals;       /* see interval.c */
	struct measure_summary last; /* as told for all intervals so far */

	measure_execution_fn *observe;
	void *observe_context;
	measure_mixed_fn *mixed;
	void *mixed_context;
};

/* ---- node_table.c, leg_table.c -------------------------------------- */

static inline struct node *find_node(const struct measure *measure, uint32_t id)
{
	return id < measure->nodes_by_id.count ? measure->nodes_by_id.data[id]
					       : NULL;
}

struct node *create_node(struct measure *measure, uint32_t id);

static inline struct node *enter_node(struct measure *measure, uint32_t id)
{
	struct node *node = find_node(measure, id);

	return node ? node : create_node(measure, id);
}

void clear_nodes(struct measure *measure);

struct leg *find_leg(const struct measure *measure, uint32_t from, uint32_t to);
struct leg *enter_leg(struct measure *measure, const struct leg_spec *spec);
void clear_legs(struct measure *measure);

/* It is not tracked any more; what is open is discarded. */
void leg_stop(struct measure *measure, struct leg *leg);

/* An execution of the leg has ended, begun at `start`, by that thread; `key`:
 * of OWNER_KEY. */
void record_execution(struct measure *measure, struct leg *leg,
		      const struct thread *thread, const struct hit *hit,
		      const struct moment *start, const struct span *span,
		      const struct value *key, struct measure_row *row);
/* Count an execution in a leg, or in a share; `mechanisms': of its ends, as in
 * by_mechanisms. */
void count_execution(const struct measure *measure, struct measure_leg *leg,
		     struct past *past, const struct span *span,
		     unsigned mechanisms);

/* Where an execution of the leg counts that begins, or that ends, at this hit;
 * NULL: it is not split, or not there. */
static inline struct measure_row *row_at_from(const struct leg *leg,
					      const struct hit *hit)
{
	struct measure_split *split = leg->public.split;

	return split && !split->spec.at_to ? split_row(split_of(split), hit)
					   : NULL;
}

static inline struct measure_row *row_at_to(const struct leg *leg,
					    const struct hit *hit)
{
	struct measure_split *split = leg->public.split;

	return split && split->spec.at_to ? split_row(split_of(split), hit)
					  : NULL;
}

/* The row chosen at *from*, if the split is still the one it was chosen in. */
static inline struct measure_row *
row_begun(const struct leg *leg, uint32_t split, struct measure_row *row)
{
	if (!leg->public.split || split_of(leg->public.split)->serial != split)
		return NULL;
	return row;
}

/* ---- measure.c ------------------------------------------------------ */

/* The figures that come of the others. */
void summary_finish(struct measure_summary *summary);

/* ---- interval.c ----------------------------------------------------- */

/* The counts that it is about have become 0: an interval begins there, too. */
void forget_past(struct past *past);

/* What a leg, or a share, has counted since the last time. */
struct measure_leg counts_since_last(const struct measure_leg *counts,
				     struct past *past);

/* ---- successor.c ---------------------------------------------------- */

/* What a hit means for the leg that it ends and the one that it may begin. */
void track_successor(struct measure *measure, const struct node *node,
		     struct thread *thread, const struct hit *hit);

/* The leg from the thread's last node to this one: if it is not in the table,
 * it is entered, with one execution. */
void enter_successor(struct measure *measure, const struct thread *thread,
		     const struct hit *hit);

#endif

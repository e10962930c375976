/*
 * measure_state.h - the tables of a measurement, and what they contain
 *
 *	measure --- nodes --- each: the legs that end and that start there
 *	        --- legs  --- each: the activations it or its keys hold
 *	        --- threads -- each: the activations it holds, by leg
 *
 * Invariant: an activation is in exactly one list, the list of its owner (a
 * thread, a goroutine, the leg, or a key). The innermost activation is first in
 * the list. The member `open` of the leg is the number of its activations in
 * all lists.
 *
 * The functions that run at each hit of a busy node are inline, because fast
 * nodes make tens of millions of hits a second, and the program waits until the
 * tool has counted them.
 */
#ifndef PERFTOOL_MEASURE_INTERNAL_H
#define PERFTOOL_MEASURE_INTERNAL_H

#include <math.h>

#include "measure/timekeeping/timekeeping.h"
#include "measure/values/values.h"
#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/origin.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "perftool/measure/measured_legs.h"
#include "process_shares.h"

struct leg;

struct node {
	struct measure_node public;
	/* the legs that count the hits of this node: as their *to* (ending), or
	 * as their *from* (starting) */
	struct {
		struct leg **data;
		size_t count, capacity;
	} ending, starting;
	/* `count` and `errors` of the node at the end of the last interval: see
	 * interval.c */
	uint64_t last_count, last_errors;
};

/* The activations that the keys of one process hold in one leg. The frames
 * that holding_find_frame() finds are kept in the same way, with the CFA as
 * the key. */
struct key_table {
	/* One map for each class of values (value_key.h). A map leads from the
	 * bits of the value to the innermost activation that the value
	 * holds. */
	struct map by_value[VALUE_CLASSES];
};

/* Figures of the executions since the last call of measure_since_last() that
 * cannot be had as the difference of two sums. They are kept only after
 * measure_count_intervals(). */
struct recent {
	uint64_t count;
	/* Of the signed durations, by Welford's method. */
	double mean, m2;
	struct measure_range range; /* Without interrupted executions. */
};

/* What intervals need besides the counts of a leg, or besides the counts of a
 * share of a leg. */
struct past {
	/* The counts at the end of the last interval, without what their
	 * pointers lead to. NULL: no interval has ended since the leg was made
	 * or zeroed. */
	struct measure_leg *last;
	struct recent recent;
};

struct leg {
	struct measure_leg public;
	/* OWNER_LEG: the innermost activation that the leg holds. */
	struct activation *own;
	/* For keys and for frames: leads from a pid to a struct key_table. */
	struct map processes;
	struct past past;
	/* `only` is the process that has executed the leg, as long as there is
	 * no second one. `shares` has the share of each process after that. See
	 * process_shares.h. */
	struct process *only;
	struct shares *shares;
};

/* One thread at one moment. Times are in measured ns: ns of the clock of the
 * measurements, which stands still while the program is stopped
 * (stopwatch.h). */
struct moment {
	int64_t at; /* the arrival */
	/* The arrival, less all holds of the thread by earlier breaks. */
	int64_t own;
	/* What else the tool has cost the thread until the thread reached the
	 * site: the sum of the calibrated costs. */
	double cost;
	double before; /* the part of `cost` that belongs to this break */
	enum hit_mechanism mechanism;
	/* The epoch of `waited`, see struct cpu_account. 0: it is not known how
	 * long the thread waited. */
	uint32_t epoch;
	/* How much of its own time (`own` less `cost`) the thread has spent on
	 * no CPU. */
	double waited;
};

/* How long an execution took, in ns. */
struct span {
	int64_t elapsed;
	bool interrupted; /* the clock was stopped during the execution */
	bool has_waiting; /* is the time of waiting known? */
	int64_t waiting;
	/* What was subtracted for the hits inside the execution, ns. */
	double inside;
};

/*
 * When a thread was on a CPU, as its context switches show; see cpu_account.c.
 * An epoch is a time during which the tool knows of all context switches of the
 * thread. The values of `waited` within one epoch can be compared: the
 * difference of two of them is the time that the thread waited between two
 * moments. If the tool does not know what the thread did, the epoch ends. No
 * two epochs have the same number, not even those of different threads.
 */
struct cpu_account {
	bool is_watched;
	bool is_off;    /* the thread is on no CPU */
	uint32_t epoch; /* 0: what the thread does is not known */
	int64_t since;  /* moment of the last switch, measured ns */
	/* when the tool last resumed the thread, measured ns */
	int64_t resumed;
	/* For how long the thread was off its CPU, without the time from
	 * `since` on, and without the part of that time that its breaks
	 * took. */
	double waited;
};

/* The moment at which the tool resumed a thread from the break in which the
 * thread began activations. If another thread ends such an activation, the time
 * of the leg begins only at this moment. The activations of one break share
 * this struct, and may outlive the thread. */
struct resumption {
	size_t references;
	bool known;   /* false: the tool still holds the thread */
	int64_t at;   /* measured ns */
	double after; /* ns from `at` until the program went on */
};

struct activation {
	/* The next outer activation of the same owner. In the list of unused
	 * activations: the next one. */
	struct activation *below;
	struct leg *leg;
	struct moment from;
	/* Used if another thread may end the activation; otherwise NULL. */
	struct resumption *resumption;
	/* OWNER_KEY: the key. For a goroutine: its number. Otherwise there
	 * is no value. */
	struct value key;
	/* The row of the leg's split in which the execution will count, and the
	 * serial number of this split. */
	struct measure_row *row;
	uint32_t split;
	uint64_t frame, stack, sp; /* as in struct hit */
	/* `logged` of the thread when the activation began: what the thread
	 * has recorded since has this number, or a larger one */
	uint64_t logged;
	struct origin *origin; /* of the hit of *from*, or NULL */
	/* Match `outermost`: the number of inner hits of *from* that were
	 * ignored and are not yet matched by a *to*. */
	uint64_t depth;
	/* The number of activations below this one that are of the same frame:
	 * see `back` of struct hit. */
	uint32_t back;
	/* The serial number of the thread, or of the goroutine, that `from` is
	 * a moment of. */
	uint64_t thread;
	/*
	 * The frames of this activation and of all activations below it in the
	 * list are known, and no frame is deeper than the frame above it in the
	 * list. A search by frame can then stop early: if such an activation is
	 * shallower than the hit, all activations below it are shallower, too.
	 */
	bool ordered;
};

VEC_STRUCT(activation_list, struct activation *);

/* The thread's last hit may have begun an execution of this leg, and this is
 * the row in which the execution would count. */
struct begun {
	uint32_t leg, split; /* number of the leg, and of its split */
	struct measure_row *row;
};

/* The account of a thread at a moment of the past. A thread that counts by
 * itself tells of an execution when it ends, so the account at its beginning
 * must still be known. An entry is valid from its time to that of the next
 * one. */
struct past_moment {
	uint64_t time; /* ns of the tool's clock */
	int64_t at;    /* the measured time at `time`, ns */
	int64_t held;  /* as in struct thread */
	double stops;  /* as in struct thread */
	/* as in struct cpu_account, but 0 if the thread is off its CPU */
	uint32_t epoch;
	double waited;
};

/* Something that a thread has recorded: an execution, or a hit of a node that
 * belongs to no leg (see thread_log.c). */
struct logged {
	uint64_t serial;
	bool is_hit;
	uint32_t id;        /* of the leg, or of the node */
	struct moment from; /* of the hit of *from* */
	int64_t to;         /* measured ns */
	int64_t duration;
	struct value value;
};

/*
 * A thread or a goroutine. A goroutine has an account of its own with the tool,
 * because the cost of its hits was taken from this goroutine alone, on
 * whichever threads it ran. The map of threads contains both. The serial
 * numbers of goroutines are larger than those of all threads. See goroutine.c.
 */
struct thread {
	uint64_t serial;
	int32_t pid;
	struct process *process;
	uint64_t goroutine; /* of a goroutine: its number; else 0 */
	/* Of a goroutine: the goroutine has made a hit since the last search
	 * for idle goroutines. */
	bool is_recent;
	/* Of a thread: the goroutine that made the last hit, or NULL. */
	struct thread *runs;
	/* How long the thread has waited, since its last hit, for room to
	 * record its next hit; measured ns. */
	int64_t stalled;
	/* The index is the number of a leg, and the entry is the innermost
	 * activation or NULL. The list may be shorter than the table of
	 * legs. */
	struct activation_list open;
	int64_t held; /* how long all breaks held it, measured ns */
	double cost;  /* calibrated costs of the breaks, ns */
	double stops; /* the part of `cost` for breaks that held the thread */
	struct cpu_account cpu;
	VEC(struct past_moment) history; /* see account_history.c */
	/* The thread has counted by itself. */
	bool counts_itself;
	/* The index is the number of a leg: how many activations of the leg the
	 * thread has open by its own count. */
	VEC(int64_t) counted_open;
	/* What hits that the thread has counted by itself have cost it since
	 * the last measure_counted_until(), ns. */
	double spread;
	/* The resumption of the thread from the break that it is in. NULL: no
	 * activation needs it. */
	struct resumption *resumption;
	struct moment now; /* the hit that is being counted */
	/* The hit before `now`, for legs between successive hits. */
	struct moment last;
	uint32_t last_node;      /* node of the last hit */
	bool has_last;           /* the last hit may begin a leg */
	VEC(struct begun) begun; /* with TRACK_SUCCESSOR */
	/* What the thread has recorded lately, and how much it has ever
	 * recorded: the serial number of the next entry. Both are used only
	 * while `inside` of struct measure is not 0. */
	VEC(struct logged) log;
	uint64_t logged;
};

/* An execution that is kept, and still has to be told what lies in it. */
struct kept_inside {
	const struct thread *thread;
	uint32_t leg;
	uint64_t since;
	struct inside *inside;
};

VEC_STRUCT(node_list, struct node *);
VEC_STRUCT(leg_list, struct leg *);

struct measure {
	struct stopwatch watch;
	bool monitor, running;
	enum measure_track track;
	bool add_successor, compensation;
	struct leg_spec successor_spec; /* without the two nodes */
	int32_t pid, tid;               /* what is tracked; 0: all */
	measure_chosen_fn *chosen;      /* see measure_set_chosen() */
	void *chosen_context;
	struct measure_calibration calibration[HIT_MECHANISMS];
	double clock_resolution; /* ns */
	/* Of a break that holds its thread: `cpu_cost` is the part of its cost
	 * for which the thread is on a CPU, in ns, and `wait_share` is the
	 * share of the cost for which the thread is on no CPU. */
	double cpu_cost, wait_share;
	bool has_cpu_cost;
	uint32_t last_epoch;

	struct node_list nodes; /* in the order of their numbers */
	/* the index is the number; NULL: no such node */
	struct node_list nodes_by_id;
	struct leg_list legs;     /* in the order of their numbers */
	struct map legs_by_nodes; /* from the pair of nodes to the leg */
	uint32_t next_leg, next_split;
	size_t legs_owning; /* number of legs with OWNER_LEG */

	struct map processes;  /* by pid; the processes that exist now */
	uint32_t last_process; /* the number given last */
	size_t share_count;

	struct map threads;       /* by serial number; goroutines too */
	struct thread *recent;    /* the thread found last, or NULL */
	struct map goroutines;    /* pid to a map of goroutines by number */
	struct thread *goroutine; /* the goroutine found last, or NULL */
	size_t goroutine_count, goroutine_limit;
	/* the low half of the serial number that the last goroutine got */
	uint32_t last_goroutine;
	struct activation *spare; /* list of unused activations */

	int64_t zero; /* when the tables were zeroed last, measured ns */
	struct overhead overhead;
	uint64_t breaks, passed, followed, followed_int3; /* since `zero` */

	/* Threads count by themselves, or have done so: the layer keeps their
	 * histories. */
	bool keeps_histories;
	/* the sum of `spread` of threads that have ended */
	double ended_spread;
	bool counts_intervals;       /* see interval.c */
	struct measure_summary last; /* the sum of all intervals so far */

	/* How many executions of each leg keep what is inside them. */
	size_t inside;
	/* the executions that the hit that is being counted has ended, and that
	 * keep it */
	VEC(struct kept_inside) kept;

	measure_execution_fn *observe;
	void *observe_context;
	measure_keep_fn *keep;
	void *keep_context;
	measure_mixed_fn *mixed;
	void *mixed_context;
};

/* ---- node_table.c, leg_table.c -------------------------------------- */

static inline struct node *find_node(const struct measure *measure, uint32_t id)
{
	return id < measure->nodes_by_id.count ? measure->nodes_by_id.data[id]
					       : NULL;
}

/* Creates the node and puts it in the table. There is no node `id` yet. */
struct node *create_node(struct measure *measure, uint32_t id);

static inline struct node *enter_node(struct measure *measure, uint32_t id)
{
	struct node *node = find_node(measure, id);

	return node ? node : create_node(measure, id);
}

/* Frees all nodes. No leg is left. */
void clear_nodes(struct measure *measure);

/* Returns the leg from one node to the other, or NULL. */
struct leg *find_leg(const struct measure *measure, uint32_t from, uint32_t to);
/* Returns the leg of this number, or NULL. */
struct leg *leg_of_id(const struct measure *measure, uint32_t id);
/* Creates the leg. Both nodes are in the table, and there is no such leg
 * yet. */
struct leg *enter_leg(struct measure *measure, const struct leg_spec *spec);
/* Frees all legs, which hold nothing open. The numbers of legs begin at 0
 * again. */
void clear_legs(struct measure *measure);

/* From now on the leg counts no hits. Its open activations are discarded. */
void leg_stop(struct measure *measure, struct leg *leg);
/* The leg, which counts no hits, counts them from now on. Neither of its nodes
 * is deleted. */
void leg_resume(struct measure *measure, struct leg *leg);

/* ---- leg_executions.c ----------------------------------------------- */

/* Makes the list of a leg's slowest executions empty. */
void clear_slowest(struct execution_list *slowest);

/* `since` of struct opening, if it is not known what lies in the
 * execution. */
#define NOT_LOGGED UINT64_MAX

/* What is known of an execution that ends, beside its length. */
struct opening {
	const struct moment *start;
	const struct value *key; /* of the activation */
	/* the row of the leg's split in which it counts, or NULL */
	struct measure_row *row;
	/* what the thread has logged from this number on lies in it */
	uint64_t since;
	struct origin *origin; /* or NULL */
};

/* Counts an execution of the leg, which `hit` of `thread` ends. */
void record_execution(struct measure *measure, struct leg *leg,
		      struct thread *thread, const struct hit *hit,
		      const struct span *span, const struct opening *opening);
/* All executions that a hit ends are recorded: those that keep what is inside
 * them get it now. */
void fill_kept(struct measure *measure);
/* Counts an execution in a leg, or in a share of a leg. `mechanisms` is the set
 * of the mechanisms of its two hits, as in `by_mechanisms`. */
void count_execution(const struct measure *measure, struct measure_leg *leg,
		     struct past *past, const struct span *span,
		     unsigned mechanisms);

/* Does the same for executions that a thread has added up by itself. `has_cpu`:
 * the thread was on a CPU all the time. */
void count_executions(const struct measure *measure, struct measure_leg *leg,
		      struct past *past, const struct counted *counted,
		      bool has_cpu);

/* Return the row of an execution that begins, or that ends, at this hit. NULL:
 * the leg is not split, or its split is not by this end of the leg. */
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

/* Returns the row that was chosen at *from*, if the split that it belongs to
 * still exists. Otherwise returns NULL. */
static inline struct measure_row *
row_begun(const struct leg *leg, uint32_t split, struct measure_row *row)
{
	if (!leg->public.split || split_of(leg->public.split)->serial != split)
		return NULL;
	return row;
}

/* ---- measure.c ------------------------------------------------------ */

/* Computes the figures that depend on other figures of the summary. */
void summary_finish(struct measure_summary *summary);

/* ---- interval.c ----------------------------------------------------- */

/* The counts that `past` belongs to have become 0, so an interval begins
 * here. */
void forget_past(struct past *past);

/* Returns what a leg, or a share of a leg, has counted since the last interval
 * ended, and begins a new interval for it. The caller frees the histograms and
 * the split of the result. */
struct measure_leg counts_since_last(const struct measure_leg *counts,
				     struct past *past);

/* ---- successor.c ---------------------------------------------------- */

/* Counts a hit under `track successor`: the leg that the hit ends gets an
 * execution, and the hit is remembered for the leg that it may begin. */
void track_successor(struct measure *measure, const struct node *node,
		     struct thread *thread, const struct hit *hit);

/* If the leg from the thread's last node to this node is missing, enters it in
 * the table with one execution. */
void enter_successor(struct measure *measure, struct thread *thread,
		     const struct hit *hit);

#endif

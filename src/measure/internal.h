/*
 * internal.h - what the files of the measure layer share
 *
 *	measure --- nodes --- each: the legs that end and that start there
 *	        --- legs  --- each: the activations it or its keys hold
 *	        --- threads -- each: the activations it holds, by leg
 *
 * An activation is in exactly one list, that of its owner (a thread, the leg,
 * or a key), innermost first; `open` of its leg counts it there.
 */
#ifndef PERFTOOL_MEASURE_INTERNAL_H
#define PERFTOOL_MEASURE_INTERNAL_H

#include "overhead.h"
#include "perftool/base/map.h"
#include "perftool/histogram.h"
#include "perftool/measure.h"
#include "split.h"
#include "stopwatch.h"
#include "value_key.h"

struct leg;

struct node {
	struct measure_node public;
	struct {
		struct leg **data;
		size_t count, capacity;
	} ending, starting; /* the legs that are tracked */
};

/* The activations that the keys of one process hold in one leg. */
struct key_table {
	struct map by_value[VALUE_CLASSES]; /* to the innermost activation */
};

struct leg {
	struct measure_leg public;
	struct map own;       /* OWNER_LEG: its activations, under key 0 */
	struct map processes; /* OWNER_KEY: pid to struct key_table */
};

/* One thread at one moment, in measured ns. */
struct moment {
	int64_t at;    /* arrival */
	int64_t own;   /* arrival, less the holds of the thread's earlier breaks
			*/
	double cost;   /* what else it spent on us until it reached the place */
	double before; /* of that, for this break */
	enum hit_mechanism mechanism;
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
	struct resumption *resumption; /* OWNER_KEY */
	struct value key;              /* OWNER_KEY */
	/* where it will count, in the leg's split of that serial number */
	struct measure_row *row;
	uint32_t split;
	uint64_t frame, stack; /* as in struct hit */
	uint64_t depth;        /* outermost: how many inner ones are ignored */
	uint32_t thread;
	/*
	 * The frames from here down are known and none is deeper than one
	 * above it. Searches by frame stop at such an activation early: what
	 * is below one that is shallower than the hit is shallower, too.
	 */
	bool ordered;
};

/* Where a leg would count that the thread's last hit may have begun. */
struct begun {
	uint32_t leg, split; /* numbers */
	struct measure_row *row;
};

struct thread {
	uint32_t serial;
	int32_t pid;
	struct map open; /* leg number to its innermost activation */
	int64_t held;    /* measured ns that its breaks took so far */
	double cost;     /* calibrated ns beside that */
	struct resumption *resumption; /* of the break it is in, if needed */
	bool has_last;                 /* the node it hit last, and when */
	uint32_t last_node;
	struct moment last;
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

	struct node_list nodes; /* in order of number */
	struct map nodes_by_id;
	struct leg_list legs;     /* in order of number */
	struct map legs_by_nodes; /* *from* and *to* to leg */
	uint32_t next_leg, next_split;
	size_t legs_owning; /* legs of OWNER_LEG */

	struct map threads;       /* by serial number */
	struct thread *recent;    /* the thread looked up last, or NULL */
	struct activation *spare; /* a list of unused ones */

	int64_t zero; /* measured ns at the last zero */
	struct overhead overhead;

	measure_execution_fn *observe;
	void *observe_context;
};

/* ---- node_table.c, leg_table.c -------------------------------------- */

struct node *find_node(const struct measure *measure, uint32_t id);
struct node *enter_node(struct measure *measure, uint32_t id);
void clear_nodes(struct measure *measure);

struct leg *find_leg(const struct measure *measure, uint32_t from, uint32_t to);
struct leg *enter_leg(struct measure *measure, const struct leg_spec *spec);
void clear_legs(struct measure *measure);

/* It is not tracked any more; what is open is discarded. */
void leg_stop(struct measure *measure, struct leg *leg);

/* An execution of the leg has ended. */
void record_execution(struct measure *measure, struct leg *leg,
		      const struct hit *hit, const struct moment *start,
		      int64_t duration, struct value key,
		      struct measure_row *row);

/* Where an execution of the leg counts that begins, or that ends, at this hit;
 * NULL: it is not split, or not there. */
struct measure_row *row_at_from(const struct leg *leg, const struct hit *hit);
struct measure_row *row_at_to(const struct leg *leg, const struct hit *hit);

/* The row chosen at *from*, if the split is still the one it was chosen in. */
struct measure_row *row_begun(const struct leg *leg, uint32_t split,
			      struct measure_row *row);

/* As measure_leg_quantile(). */
bool stopped_quantile(const struct histogram *record, int64_t min, int64_t max,
		      double q, double *result);

/* ---- thread.c ------------------------------------------------------- */

struct thread *find_thread(struct measure *measure, uint32_t serial);
struct thread *enter_thread(struct measure *measure, const struct hit *hit);
struct moment thread_moment(const struct measure *measure,
			    const struct thread *thread, const struct hit *hit);

/* The own time between two moments of one thread, ns. */
int64_t moment_difference(const struct measure *measure,
			  const struct moment *from, const struct moment *to);

/* Note that the thread's resumption from this break will be wanted. */
struct resumption *thread_resumption(struct thread *thread);
void resumption_release(struct resumption *resumption);

bool is_tracked(const struct measure *measure, int32_t pid, int32_t tid);

/* Forget all threads, after their activations. */
void clear_threads(struct measure *measure);

/* ---- owner.c: where activations are held ---------------------------- */

/* The list of one owner: the value of `key` in `map`. */
struct holding {
	struct map *map;
	uint64_t key;
	struct activation *top; /* innermost, or NULL */
};

/*
 * The list that the owner of the leg holds at this hit; false when there is
 * none (no value for the key). `create`: make room for one, at a *from*.
 */
bool holding_find(struct leg *leg, struct thread *thread, const struct hit *hit,
		  bool create, struct holding *holding, struct value *key);
void holding_store(const struct holding *holding);

struct activation *activation_create(struct measure *measure, struct leg *leg);

/* Return it to the spare ones; it is in no list any more. */
void activation_release(struct measure *measure, struct activation *activation);

void discard_thread(struct measure *measure, struct thread *thread);
void discard_process_keys(struct measure *measure, int32_t pid);
void discard_leg(struct measure *measure, struct leg *leg);

/* Everything that is open, and what threads hit last. */
void discard_all(struct measure *measure);

/* ---- match.c: a hit at a leg's nodes -------------------------------- */

void match_to(struct measure *measure, struct leg *leg, struct thread *thread,
	      const struct hit *hit, const struct moment *now);
void match_from(struct measure *measure, struct leg *leg, struct thread *thread,
		const struct hit *hit, const struct moment *now);

#endif

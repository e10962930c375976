/*
 * measured_legs.h - legs and their executions
 */
#ifndef PERFTOOL_MEASURE_MEASURED_LEGS_H
#define PERFTOOL_MEASURE_MEASURED_LEGS_H

#include "perftool/measure.h"

/*
 * What an activation belongs to. A hit of *to* ends only an activation of the
 * same owner.
 *
 * OWNER_THREAD: the thread that made the hit of *from*.
 *
 * OWNER_LEG: the leg, and in it the thread that hit *from*. If another thread
 * hits *from* while an activation is open, the match decides. With `last` and
 * `nested` the other thread takes the leg over, and each open activation counts
 * as an ignored *from*. With `first` and `outermost` the new *from* is ignored.
 *
 * OWNER_KEY: the value of a key expression.
 *
 * OWNER_GOROUTINE: the goroutine that makes the hit, no matter which thread
 * executes it. A hit that no goroutine makes belongs to its thread.
 *
 * Rule: doc/RULES.md, "Matching from with to".
 */
enum leg_owner { OWNER_THREAD, OWNER_LEG, OWNER_KEY, OWNER_GOROUTINE };
enum leg_match { MATCH_LAST, MATCH_FIRST, MATCH_NESTED, MATCH_OUTERMOST };

struct leg_spec {
	uint32_t from, to; /* numbers of nodes */
	enum leg_owner owner;
	/* The owner is OWNER_THREAD because the user chose none. The first hit
	 * that a goroutine makes then changes the owner to OWNER_GOROUTINE. */
	bool adapts;
	enum leg_match match;
	/*
	 * `by_frame`: both nodes are in one function, the match is `nested` or
	 * `outermost`, and *from* and *to* are matched by frame.
	 *
	 * `from_enters`: *from* is the entry of the function. If *from* is
	 * reached again in a frame with the same CFA, a new activation has
	 * begun and the frame of the old activation is gone. Without
	 * `from_enters` only a shallower CFA shows that a frame is gone.
	 *
	 * Legs with keys and legs that match by `last` or `first` match by
	 * order, whatever these members say.
	 */
	bool by_frame, from_enters;
	/*
	 * *to* is a place where the function is left, or where its frame ends,
	 * so that one execution is one frame. A frame on a stack that is not
	 * its thread's own may continue in another thread (coroutines). On such
	 * a stack a nested leg therefore finds the activation by its CFA,
	 * unless the user chose OWNER_THREAD.
	 */
	bool whole_frame;
	/* OWNER_KEY: the indexes of the key among the keys of the hit, at
	 * *from* and at *to*. */
	uint32_t key_from, key_to;
};

/* Sets how the legs that `add successor` enters are matched. All members of
 * `spec` but its two nodes apply. At first the spec is zero: the owner is the
 * thread and the match is `last`. */
void measure_set_successor_spec(struct measure *measure,
				const struct leg_spec *spec);

/* One execution of a leg, for `trace` and `print slowest`. */
struct execution {
	uint32_t leg;
	int32_t pid, tid; /* of the thread that hit *to* */
	uint64_t start;   /* measured ns since the clock first ran */
	int64_t duration; /* ns, compensated: may be below 0 */
	bool has_cpu;     /* is the time on a CPU known? */
	int64_t cpu;      /* time on a CPU, ns */
	bool interrupted; /* the clock was stopped during the execution */
	/* OWNER_KEY: the key. OWNER_GOROUTINE: the number of the goroutine. */
	struct value key;
	struct value value; /* value of the node *to* */
	/*
	 * The row of the leg's split in which the execution was counted. It is
	 * NULL if the leg is not split, or if its split is by *from* and was
	 * made after the execution began. The row is valid as long as the split
	 * exists.
	 */
	const struct measure_row *row;
	/* What else the thread recorded during the execution (inside.h). NULL:
	 * that was not kept. The leg owns it. */
	struct inside *inside;
	/* How the thread came to *from* (perftool/base/origin.h). NULL: the hit
	 * of *from* did not say. */
	struct origin *origin;
};

VEC_STRUCT(execution_list, struct execution);

struct measure_leg {
	uint32_t id;
	struct leg_spec spec;

	/*
	 * Under `track all` these rules hold at all times:
	 *
	 *	from_hits = count + ignored_from + unwound + discarded + open
	 *	to_hits   = count + ignored_to
	 *
	 * They are the invariant of doc/RULES.md, "Matching from with to".
	 */
	uint64_t from_hits, to_hits;
	uint64_t count, ignored_from, ignored_to, unwound, discarded, open;
	/* How often *to* was hit in a leg n->n while the leg had nothing open,
	 * as the first hit does. Such a hit is in `ignored_to`, but it is no
	 * sign of trouble. */
	uint64_t self_first;

	/*
	 * The number of executions during which the clock was stopped. They are
	 * included in `count`, `total`, `mean` and `m2` with the time for which
	 * the program ran. They are in no other figure, because what such an
	 * execution waited for may have gone on while the clock stood still, so
	 * that its time says little.
	 */
	uint64_t interrupted;

	__int128 total; /* sum of signed durations, ns */
	/* Executions by the mechanisms of their two hits. The index is a set of
	 * mechanisms, with one bit for each enum hit_mechanism. */
	uint64_t by_mechanisms[1 << HIT_MECHANISMS];
	/* What was subtracted from all executions for hits inside them, ns.
	 * What threads have added up by themselves is not included. */
	double inside;
	/* The number of executions that threads have matched by themselves, and
	 * the number of those that are only known in sums. */
	uint64_t matched_by_threads, added_up;
	/* ns. A duration below 0 counts as 0. There is no min and no max while
	 * all executions are interrupted. */
	int64_t min, max;
	/* Of the signed durations, by Welford's method: `m2` is the sum of the
	 * squared differences from the mean. */
	double mean, m2;
	/* The hdr histogram that percentiles are read from. Every leg has
	 * one. */
	struct histogram *record;
	/*
	 * The number of executions whose time on a CPU is not known, and the
	 * part of `total` that belongs to them. `waiting` is the time that the
	 * other executions spent on no CPU. Both times are signed ns: see
	 * measure_leg_cpu().
	 */
	uint64_t cpu_unknown;
	__int128 cpu_unknown_total, waiting;
	struct histogram *histogram; /* made by a command; NULL: none */
	struct measure_split *split; /* NULL: not split; see split.h */
	/* The slowest executions, the slowest first, at most LEG_SLOWEST. */
	struct execution_list slowest;
};

#define LEG_SLOWEST 100

/*
 * Enters a leg. If there is already a leg with the same *from* and *to*, that
 * leg is not changed, `*existed` becomes true, and `*id` is the number of that
 * leg. Returns an error, which the caller frees, if one of the nodes is not in
 * the table or is deleted.
 */
struct error *measure_add_leg(struct measure *measure,
			      const struct leg_spec *spec, uint32_t *id,
			      bool *existed);
/* Removes a leg with its counts. Its number is not used again before
 * measure_initialize(). Returns an error, which the caller frees, if there is
 * no such leg. */
struct error *measure_delete_leg(struct measure *measure, uint32_t id);
/* Undoes the last measure_add_leg() that entered a leg. The leg is removed, and
 * its number is free for the next leg. For a command that fails after it has
 * added a leg. */
void measure_take_back_leg(struct measure *measure);
/* Returns the leg with the number `id`, or NULL. The leg lives until it is
 * deleted, or until measure_initialize(). */
const struct measure_leg *measure_leg(const struct measure *measure,
				      uint32_t id);
/* Returns the leg from one node to the other, or NULL. */
const struct measure_leg *measure_leg_between(const struct measure *measure,
					      uint32_t from, uint32_t to);
/* Returns the leg at `index` in the order of the numbers, or NULL if there are
 * no more. The first index is 0. */
const struct measure_leg *measure_leg_at(const struct measure *measure,
					 size_t index);
/* Gives a leg a histogram of its time. A new histogram replaces the old one.
 * The caller frees the error that is returned: there is no such leg, or
 * histogram_create() refuses `spec`. */
struct error *measure_leg_add_histogram(struct measure *measure, uint32_t id,
					const struct histogram_spec *spec);
/*
 * The user asks for a histogram of class hdr, and the leg has such a histogram,
 * which the command `time` made. The histogram then counts as one that the user
 * asked for, and keeps its values. Returns false if the leg has no histogram
 * that `time` made.
 */
bool measure_leg_claim_histogram(struct measure *measure, uint32_t id);
struct error *measure_leg_delete_histogram(struct measure *measure,
					   uint32_t id);

/* Returns how many of the discarded activations are a sign that an execution
 * was lost. For a leg n->n the result is 0, because the last hit of such a leg
 * always begins an execution that no hit ends. */
uint64_t measure_leg_lost(const struct measure_leg *leg);
/* Does a table show the memo's `~` after the count of the leg? Rule:
 * doc/RULES.md, "Matching from with to". */
bool measure_leg_is_marked(const struct measure_leg *leg);

/* Returns the standard deviation in ns, or 0 if there are fewer than two
 * executions. */
double measure_leg_stddev(const struct measure_leg *leg);

/* Stores the quantile `q` (0 to 1) of the leg's time in `*result`, in ns and
 * not below 0. Returns false if the leg has no executions. */
bool measure_leg_quantile(const struct measure_leg *leg, double q,
			  double *result);

/* The time on a CPU and the time on no CPU, as sums of signed ns. `count` is
 * the number of executions for which these times are known. Only those
 * executions are in the sums. */
struct measure_cpu {
	uint64_t count;
	__int128 cpu, waiting;
};
struct measure_cpu measure_leg_cpu(const struct measure_leg *leg);

/* By which part of itself the cost of hits may be off that are inside an
 * execution. A processor works on the code of a hit and on that of the program
 * at the same time, more or less of it, so that no calibration can tell what a
 * hit costs in all programs. */
#define MEASURE_UNCERTAIN 0.15

/*
 * Returns how far the mean of the leg may be off, in ns. The result is the mean
 * of the possible errors of all executions. The possible error of an execution
 * is the spread of the calibration, but at least the tick of the clock. If the
 * execution began and ended by different mechanisms, the larger spread applies.
 * What was subtracted for hits inside the execution may be off by
 * MEASURE_UNCERTAIN of its size. The result is 0 if nothing was subtracted.
 */
double measure_leg_resolution(const struct measure *measure,
			      const struct measure_leg *leg);
/* Is the mean of the leg smaller than its resolution, so that the mean says
 * nothing? Rule: doc/RULES.md, "Overhead". */
bool measure_leg_below_resolution(const struct measure *measure,
				  const struct measure_leg *leg);

#endif

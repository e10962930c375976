/*
 * measure.h - counts hits and turns them into tables: nodes, legs, owners,
 * histograms, and the overhead of the tool
 *
 * The layer is pure: it knows no process, no ELF file and no clock of its own.
 * The caller reports hits and other events, and reads tables. All times are
 * nanoseconds of one clock, which the caller keeps. The functions that have a
 * parameter `now` expect that `now` never decreases.
 *
 * The words: a node is a breakpoint that is measured, and a hit is the arrival
 * of a thread at a node. A leg is a pair of nodes, *from* and *to*; an
 * execution of the leg begins with a hit of *from* and ends with a hit of *to*.
 * An execution that has not ended is an open activation, and its owner (a
 * thread, a key...) is what it belongs to. A break is one stop of a thread at
 * an int3, or one way of a thread through the jump of a fast node; a fast node
 * is a node where the tool has placed a jump instead of an int3. A hold is the
 * time for which the tool stopped a thread.
 *
 * A pointer to a node, a leg or an entry of a table belongs to the `struct
 * measure`. The caller does not free it. In parameters, `thread` is the serial
 * number of a thread (see struct hit), `pid` and `tid` are the numbers that the
 * kernel uses, and `id` is the number of a node or of a leg.
 *
 * Rules: doc/RULES.md, "Matching from with to", "Time", "Overhead".
 */
#ifndef PERFTOOL_MEASURE_H
#define PERFTOOL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/counted.h"
#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/vec.h"

struct measure;

struct measure *measure_create(void);
void measure_destroy(struct measure *measure);

/* ---- the clock of the measurements ---------------------------------- */

/*
 * Turns the monitor on or off. The clock of the measurements runs while the
 * monitor is on and the program runs. When the monitor is turned off, all open
 * activations are discarded.
 *
 * Hits and breaks that the caller reports while the monitor is off are ignored.
 * So the caller must report the earlier hits and breaks before it turns the
 * monitor off. Hits that the caller reports while the program is stopped still
 * count, but a time after the stop is moved back to the moment of the stop. An
 * execution during which the program was stopped is interrupted, also if the
 * stop is at its first or its last moment.
 */
void measure_set_monitor(struct measure *measure, bool on, uint64_t now);
bool measure_monitor(const struct measure *measure);
void measure_set_running(struct measure *measure, bool running, uint64_t now);

/* The tool held the whole program from `from` to `to`, for work of its own.
 * This time does not count. No execution is interrupted by it, because nothing
 * in the program went on during this time. */
void measure_skip(struct measure *measure, uint64_t from, uint64_t to);

/* The program may have made hits that the caller will not report. All open
 * activations are discarded, as when the monitor is turned off. */
void measure_discard_open(struct measure *measure);

/* ---- modes ---------------------------------------------------------- */

enum measure_track { TRACK_NONE, TRACK_SUCCESSOR, TRACK_ALL };

/* Sets which legs a hit can end and begin: none, only the leg from the thread's
 * last node to this node, or all legs of the node. A change discards all open
 * activations. */
void measure_set_track(struct measure *measure, enum measure_track track);
enum measure_track measure_track(const struct measure *measure);
/* If `on`, the leg from the thread's last node to this node is added to the
 * table when a hit shows that it is missing. A change discards nothing. */
void measure_set_add_successor(struct measure *measure, bool on);
bool measure_add_successor(const struct measure *measure);

/* From now on only the hits of process `pid` count and, if `tid` is not 0, only
 * those of thread `tid`. If `pid` is 0, the hits of all processes count. A
 * change discards all open activations. */
void measure_set_tracked(struct measure *measure, int32_t pid, int32_t tid);

/* From now on the hits of a thread count only if `chosen` (NULL: all) returns
 * true for it. A change of what the function returns must be told by another
 * call, because it discards all open activations. */
typedef bool measure_chosen_fn(void *context, int32_t pid, int32_t tid);
void measure_set_chosen(struct measure *measure, measure_chosen_fn *chosen,
			void *context);

/* If compensation is off, the time of a leg is the time from one arrival to the
 * other, and nothing is subtracted. The setting applies to all executions that
 * end from now on. */
void measure_set_compensation(struct measure *measure, bool on);

/*
 * What a calibration has found, in ns: `cost` is the part of a break's cost
 * that the tool cannot see, and `spread` is how much this figure varies. The
 * header of a table shows both. The spread also decides whether the mean of a
 * leg is below the resolution.
 */
struct measure_calibration {
	double cost, spread; /* 0: there was no calibration */
};
void measure_set_calibration(struct measure *measure,
			     enum hit_mechanism mechanism, double cost,
			     double spread);
/* Sets the length of one tick of the clock, in ns. The calibrations were made
 * with this clock, so no spread counts as smaller than a tick. */
void measure_set_clock_resolution(struct measure *measure, double ns);

/* ---- histograms ----------------------------------------------------- */

enum histogram_class { HISTOGRAM_LINEAR, HISTOGRAM_LOG, HISTOGRAM_HDR };

struct histogram_spec {
	enum histogram_class class;
	uint32_t buckets; /* 0: default of the class, 8 or 48; hdr has none */
	/* How a value is scaled down: a node's value is divided by the scale, a
	 * leg's time is shifted right by it. A negative number means the
	 * default, which is 1 for a node and 0 for a leg. */
	int64_t scale;
	int64_t base;
	/* The command `time` made the histogram, and the user did not ask for
	 * it. */
	bool is_implied;
};

struct histogram; /* histogram.h has the functions that read one */
struct measure_split;
struct measure_row;

/* The smallest and the largest of `count` times, in ns. While `count` is 0,
 * `min` and `max` are not set. */
struct measure_range {
	uint64_t count;
	int64_t min, max;
};

static inline void range_add(struct measure_range *range, int64_t ns)
{
	if (!range->count || ns < range->min)
		range->min = ns;
	if (!range->count || ns > range->max)
		range->max = ns;
	range->count++;
}

/* ---- nodes ---------------------------------------------------------- */

struct measure_node {
	uint32_t id; /* the number of the breakpoint */
	uint64_t count;
	/* How often the condition, the value, a key or a split expression could
	 * not be evaluated. */
	uint64_t errors;
	char *first_error; /* the first reason; NULL: there was no error */
	bool deleted;      /* the breakpoint is deleted; the row stays */
	struct histogram *histogram; /* NULL: the node has none */
	struct measure_split *split; /* NULL: not split; see split.h */
};

/* Enters a node in the table. If the node is there already, nothing changes. */
void measure_add_node(struct measure *measure, uint32_t id);

/* Removes the row of a node that was entered by mistake. Returns false, and
 * changes nothing, if the node has counted a hit or has legs. */
bool measure_take_back_node(struct measure *measure, uint32_t id);

/* The breakpoint of the node was deleted. The node keeps its row, its hits no
 * longer count, and its legs stop counting: their open activations are
 * discarded. */
void measure_node_deleted(struct measure *measure, uint32_t id);
/* Notes that the breakpoints of these nodes, which were deleted, are there
 * again. The nodes and their legs count from now on. */
void measure_nodes_restored(struct measure *measure, const uint32_t *ids,
			    size_t count);

/*
 * The caller does not report the hits of the node from now on, or has not
 * reported them until now, because the breakpoint was disabled or enabled. The
 * open activations of the node's legs are discarded, because the caller may not
 * have reported the hit that ended them.
 */
void measure_node_missed(struct measure *measure, uint32_t id);

/* Returns the node with the number `id`, or NULL. The node lives until
 * measure_initialize(). */
const struct measure_node *measure_node(const struct measure *measure,
					uint32_t id);

/* Returns the node at `index` in the order of the numbers, or NULL if there are
 * no more. The first index is 0. */
const struct measure_node *measure_node_at(const struct measure *measure,
					   size_t index);

/*
 * Give a node a histogram of its value, or take the histogram away. A new
 * histogram replaces the old one. The caller frees the error that is returned:
 * there is no such node (or no histogram to delete), or histogram_create()
 * refuses `spec`.
 */
struct error *measure_node_add_histogram(struct measure *measure, uint32_t id,
					 const struct histogram_spec *spec);
struct error *measure_node_delete_histogram(struct measure *measure,
					    uint32_t id);

/* ---- legs ----------------------------------------------------------- */

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

/* ---- what happens --------------------------------------------------- */

/* Counts a hit whose condition the caller has evaluated as true. The caller
 * reports the hits of one thread in the order in which they happened. If the
 * node is not in the table, the function enters it. */
void measure_hit(struct measure *measure, const struct hit *hit);

/*
 * Counts the last hit of a break at a fast node. This is measure_hit() and
 * measure_hold() in one call. The break held the thread for no time, and it
 * cost the thread `cost_before` of the hit twice: once before the time of the
 * hit and once after.
 */
void measure_fast_hit(struct measure *measure, const struct hit *hit);

/* The account of a thread at a hit that somebody else counts. */
struct measure_arrival {
	int64_t at; /* measured time, ns */
	/* the thread's own time: measured ns, less all that the tool has taken
	 * of it until the thread reached the site. The parts are apart, because
	 * calibrated costs are fractions of a nanosecond. */
	int64_t own;
	double cost;
	/* The epoch of `waited`: two values of it can be compared if they have
	 * the same epoch. 0: not known. */
	uint32_t epoch;
	double waited; /* how much of `own` the thread was off its CPU, ns */
};
/* Look up the account of the thread that makes the hit. No table changes. The
 * caller reports what the break costs, as for any other hit. Returns false if
 * the hit does not count, because the monitor is off or another thread is
 * tracked. */
bool measure_arrive(struct measure *measure, const struct hit *hit,
		    struct measure_arrival *out);

/* The condition of the node, its value, a key or a split expression could not
 * be evaluated. `reason` is copied. */
void measure_node_error(struct measure *measure, uint32_t id,
			const char *reason);

/*
 * The tool held a thread from `arrival` to `resume`. This time is overhead and
 * belongs to no leg. Either the thread was stopped for a break, and the caller
 * has reported all hits of the break before; or it was stopped for another
 * reason (a false condition, a signal that the tool passes on, a library that
 * was loaded).
 *
 * `before` and `after` are the calibrated costs, in ns, that the tool cannot
 * see: between the site and `arrival`, and between `resume` and the moment at
 * which the program goes on. If `resume` equals `arrival`, the thread was not
 * stopped, but has reached a fast node.
 */
void measure_hold(struct measure *measure, uint32_t thread, int32_t pid,
		  int32_t tid, uint64_t arrival, uint64_t resume, double before,
		  double after);

/* A thread waited from `from` to `to` until there was room to record its next
 * hit. This is a measure_hold() that is also charged to the goroutine that
 * makes this hit. */
void measure_stall(struct measure *measure, uint32_t thread, int32_t pid,
		   int32_t tid, uint64_t from, uint64_t to);

/* A thread was stopped at a node whose condition was false. (At a fast node the
 * tool does not learn of a false condition.) */
void measure_pass(struct measure *measure, int32_t pid, int32_t tid);

/* A thread reached a place that is no node. If a timed function leaves by a
 * tail jump into another function, its frame ends where that function returns.
 * The tool watches these returns, too, and they are no nodes. */
void measure_follow(struct measure *measure, int32_t pid, int32_t tid);

/* ---- what threads count by themselves ------------------------------- */

/*
 * A thread can match the hits of a leg, and add up its executions, without a
 * report of each hit. The caller then reports sums. A leg can be counted in
 * this way if measure_is_countable() says so. The caller reports what a
 * thread has counted before it reports that the thread has ended, and before
 * anything that discards open activations.
 */

/* A thread has counted this of the leg. */
void measure_counted(struct measure *measure, uint32_t thread, int32_t pid,
		     int32_t tid, uint32_t leg, const struct counted *counted);

/* One execution of a leg that a thread has matched, and that is too long to be
 * in the sums: something may have happened meanwhile. */
struct measure_told {
	uint32_t leg;
	uint32_t thread;
	int32_t pid, tid;
	/* ns of the tool's clock. The caller has reported everything that the
	 * thread did before `to`. */
	uint64_t from, to;
	double taken;   /* what hits at jumps cost the thread meanwhile, ns */
	bool shares_to; /* as in struct counted */
};
void measure_told(struct measure *measure, const struct measure_told *told);

/* A thread has counted hits, which have cost it `cost` ns. The caller reports
 * this before it reports the thread's next hit. */
void measure_counted_hits(struct measure *measure, uint32_t thread, int32_t pid,
			  int32_t tid, double cost);
/* The same hits are overhead, and `followed` hits were at places that are no
 * nodes (measure_follow()). The caller may report this at any time. */
void measure_counted_overhead(struct measure *measure, uint32_t thread,
			      int32_t pid, int32_t tid, double cost,
			      uint64_t followed);
/* All reports by measure_counted_overhead() since the last call are about the
 * time from `from` to `to`, in ns of the tool's clock. The hits of several
 * threads have overlapped by chance. */
void measure_counted_until(struct measure *measure, uint64_t from, uint64_t to);

/* The activations that the thread has open began at these times, in ns of the
 * tool's clock, or at some of them. The layer forgets what it needs for no
 * other time. The caller may sort `times`, and does not need them after the
 * call. */
void measure_open_since(struct measure *measure, uint32_t thread,
			uint64_t *times, size_t count);

/* A thread has an open activation of a leg, which it has matched by itself
 * until now. From now on its hits are reported. The caller reports the
 * outermost activation first, after all that the thread has counted and after
 * the cost of all its hits. `from` and `taken` are as in struct measure_told.
 */
void measure_hand_over(struct measure *measure, const struct measure_told *told,
		       uint64_t frame);

/* From `now` on, in ns of the tool's clock, threads may count by themselves:
 * the layer keeps what it needs to know of their past. The caller has reported
 * everything that happened before. */
void measure_keep_histories(struct measure *measure, uint64_t now);

/* The leg that begins at a node. */
struct measure_countable {
	uint32_t leg, from, to; /* the numbers of the leg and of its nodes */
	/* activations of it are open that a hit was reported for */
	bool is_open;
	/* It matches by order, by `first` if `keeps_first`, else by `last`. */
	bool by_order, keeps_first;
	/* Another leg ends at `from`, or begins at `to`, or the leg itself
	 * does: threads can count this leg only if they count that leg, too. */
	bool from_ends, to_begins;
};
/* Can threads count the leg that begins at this node by themselves? They can if
 * its two nodes belong to no other leg and have neither values nor rows, if the
 * frame alone, or the order alone, matches a *from* with a *to*, and if nobody
 * needs to know each execution. A leg that matches by order may begin where
 * another such leg ends. */
bool measure_is_countable(const struct measure *measure, uint32_t node,
			  struct measure_countable *out);

/* ---- time on the CPU ------------------------------------------------ */

/*
 * Rule: the time of a leg consists of the time on a CPU and of waiting, which
 * is the rest (doc/RULES.md, "Time"). When a thread stands at an int3 that it
 * has hit, it is off its CPU. Before and after this time the thread is on a CPU
 * for a part of the break's cost; measure_set_cpu_cost() sets this part. The
 * caller must report all that it knows of a thread's context switches before a
 * hit, before it reports that hit.
 */

/* The caller reports the context switches of the thread from `time` on. At
 * `time` the thread is off its CPU. The caller may call this again for a thread
 * that it has watched before. */
void measure_watch(struct measure *measure, uint32_t thread, int32_t pid,
		   uint64_t time);
/* At `time` the thread was given a CPU (`on`), or was taken off its CPU. */
void measure_switch(struct measure *measure, uint32_t thread, uint64_t time,
		    bool on);
/* Context switches of the thread were lost. Until the next switch nobody knows
 * whether the thread is on a CPU. The time on a CPU stays unknown for all
 * executions of the thread that are open now. */
void measure_switches_lost(struct measure *measure, uint32_t thread);
/* Sets for which part of the cost of one break, in ns, the thread is on a CPU.
 * A calibration has found this part. It concerns a break that holds the thread.
 * The cost of any other break is time on a CPU as a whole. */
void measure_set_cpu_cost(struct measure *measure, double cost);

/* The thread has ended, by exit or exec. The activations that it holds open are
 * discarded. */
void measure_thread_gone(struct measure *measure, uint32_t thread);

/* The process has ended, or has replaced its program by exec. The activations
 * that its threads and its keys hold open are discarded. Keys belong to a
 * process: equal values in two processes are different keys. */
void measure_process_gone(struct measure *measure, int32_t pid);

/* ---- tables --------------------------------------------------------- */

struct measure_summary {
	uint64_t elapsed;        /* Total Elapsed Time of Measurements, ns */
	uint64_t overhead;       /* length of the union of all holds, ns */
	uint64_t added_overhead; /* sum of the holds of all threads, ns */
	uint64_t breaks;         /* hits that counted, of all nodes */
	/* How often a thread was held although the hit did not count, because
	 * the condition was false. */
	uint64_t passed;
	uint64_t followed;       /* number of calls of measure_follow() */
	double average_overhead; /* overhead / breaks, ns */
	double overhead_percent; /* overhead in percent of elapsed */
	struct measure_calibration calibration[HIT_MECHANISMS];
	bool compensated;
};

/* Stores the figures of a table's header as they are at the time `now`. */
void measure_get_summary(const struct measure *measure, uint64_t now,
			 struct measure_summary *summary);
/* Returns the time that was measured until `now`, in ns. This is the member
 * `elapsed` of the summary alone. */
uint64_t measure_elapsed(const struct measure *measure, uint64_t now);

/* Returns the measured time until `now`, in ns, on the scale of `start` in
 * struct execution. */
int64_t measure_now(const struct measure *measure, uint64_t now);

/* The observer is called for each execution when the execution ends. NULL: no
 * observer is called. `execution` is valid only during the call. */
typedef void measure_execution_fn(void *context,
				  const struct execution *execution);
void measure_set_observer(struct measure *measure,
			  measure_execution_fn *observe, void *context);

/* The function is called when an execution with an origin has become one of the
 * slowest of its leg. The origin is then kept; most others are not. NULL: no
 * function is called. */
typedef void measure_keep_fn(void *context, struct origin *origin);
void measure_set_keeper(struct measure *measure, measure_keep_fn *keep,
			void *context);

/* Does a leg begin at the node? */
bool measure_begins_leg(const struct measure *measure, uint32_t node);

/*
 * The function is called when a thread begins a leg on one stack while the leg
 * is open on another stack. If a program switches between stacks (coroutines),
 * a leg that matches by order alone, or by `outermost`, may take the hits of
 * one stack for those of another. NULL: no function is called.
 */
typedef void measure_mixed_fn(void *context, const struct measure_leg *leg,
			      int32_t tid);
void measure_set_mixed(struct measure *measure, measure_mixed_fn *mixed,
		       void *context);

/* `initialize tables`: removes all nodes, legs, histograms and counters. Rule:
 * doc/RULES.md, "Tables". */
void measure_initialize(struct measure *measure, uint64_t now);

/* `zero tables`: sets counts, sums, times and the contents of histograms to 0,
 * and keeps the nodes, the legs and the histograms. Open activations are
 * discarded. Rule: doc/RULES.md, "Tables". */
void measure_zero(struct measure *measure, uint64_t now);

#endif

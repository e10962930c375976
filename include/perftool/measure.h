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

struct execution;
struct measure_leg;

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
 * table when a hit shows that it is missing. A change discards nothing.
 * Under `track all` the node of a hit from before the mode was turned on begins
 * no such leg. */
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
void measure_follow(struct measure *measure, int32_t pid, int32_t tid,
		    enum hit_mechanism mechanism);

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
	uint64_t followed_int3;  /* of them, those at int3s */
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

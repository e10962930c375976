/*
 * measure.h - what the numbers mean: nodes, legs, owners, histograms, overhead
 *
 * Pure: no process, no ELF file, no clock of its own. Hits go in, tables come
 * out. All times are nanoseconds of one clock, whoever keeps it; the functions
 * that take `now` expect it not to go back.
 */
#ifndef PERFTOOL_MEASURE_H
#define PERFTOOL_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"
#include "perftool/base/hit.h"
#include "perftool/base/vec.h"

struct measure;

struct measure *measure_create(void);
void measure_destroy(struct measure *measure);

/* ---- the clock of the measurements ---------------------------------- */

/*
 * The clock runs while the monitor is on and the program runs. Turning the
 * monitor off discards what is open. Hits and breaks told of while the monitor
 * is off are ignored, so those from before must be told of first. While the
 * program is stopped they still count, clamped to the moment it stopped.
 * An execution that spans a stop, or touches it, is interrupted.
 */
void measure_set_monitor(struct measure *measure, bool on, uint64_t now);
bool measure_monitor(const struct measure *measure);
void measure_set_running(struct measure *measure, bool running, uint64_t now);

/* The time `from` .. `to`, that the tool held the whole program for, does not
 * count. No execution is interrupted by that: nothing went on meanwhile. */
void measure_skip(struct measure *measure, uint64_t from, uint64_t to);

/* Hits that are not told of may have been made: what is open is discarded, as
 * when the monitor is turned off. */
void measure_discard_open(struct measure *measure);

/* ---- modes ---------------------------------------------------------- */

enum measure_track { TRACK_NONE, TRACK_SUCCESSOR, TRACK_ALL };

/* Changing any of these but `add` discards what is open. */
void measure_set_track(struct measure *measure, enum measure_track track);
enum measure_track measure_track(const struct measure *measure);
void measure_set_add_successor(struct measure *measure, bool on);
bool measure_add_successor(const struct measure *measure);

/* Only hits of this process, and of this thread if not 0, count; 0: all. */
void measure_set_tracked(struct measure *measure, int32_t pid, int32_t tid);

/* Off: a leg's time is arrival to arrival, nothing subtracted. From now on. */
void measure_set_compensation(struct measure *measure, bool on);

/*
 * What calibration found: the unseen cost of one break, and its spread, in ns.
 * For the header, and for telling a mean below the resolution.
 */
struct measure_calibration {
	double cost, spread; /* 0: none */
};
void measure_set_calibration(struct measure *measure,
			     enum hit_mechanism mechanism, double cost,
			     double spread);
/* The tick of the clock that this was found with: no spread is less. */
void measure_set_clock_resolution(struct measure *measure, double ns);

/* ---- histograms ----------------------------------------------------- */

enum histogram_class { HISTOGRAM_LINEAR, HISTOGRAM_LOG, HISTOGRAM_HDR };

struct histogram_spec {
	enum histogram_class class;
	uint32_t buckets; /* 0: the class's default, 8 or 48; unused by hdr */
	int64_t scale;    /* node: divisor; leg: shift. < 0: default, 1 or 0 */
	int64_t base;
	bool is_implied; /* by `time'; the user did not ask for a histogram */
};

struct histogram; /* see histogram.h for reading one */
struct measure_split;
struct measure_row;

/* The least and the greatest of some times, ns; none while `count' is 0. */
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
	uint32_t id; /* the breakpoint's number */
	uint64_t count;
	uint64_t errors;   /* conditions, values, keys and split expressions
			      that could not be evaluated */
	char *first_error; /* why, the first time; NULL: none */
	bool deleted;      /* the breakpoint is gone, the row stays */
	struct histogram *histogram; /* or NULL */
	struct measure_split *split; /* see split.h; or NULL */
};

/* Enter a node; one that is there already is not affected. */
void measure_add_node(struct measure *measure, uint32_t id);

/* Its breakpoint was deleted: keep the row, stop its legs. */
void measure_node_deleted(struct measure *measure, uint32_t id);

/* Its hits are not told of from now on, or have not been until now: discards
 * what its legs hold open, whose end nobody will have seen. */
void measure_node_missed(struct measure *measure, uint32_t id);

/* By number, or NULL. */
const struct measure_node *measure_node(const struct measure *measure,
					uint32_t id);

/* In order of number, index from 0; NULL: no more. */
const struct measure_node *measure_node_at(const struct measure *measure,
					   size_t index);

struct error *measure_node_add_histogram(struct measure *measure, uint32_t id,
					 const struct histogram_spec *spec);
struct error *measure_node_delete_histogram(struct measure *measure,
					    uint32_t id);

/* ---- legs ----------------------------------------------------------- */

/*
 * OWNER_LEG: the activations belong to the thread that made them. A *from* by
 * another thread takes over with `last` and `nested` (what was open is an
 * ignored *from*), and is ignored itself with `first` and `outermost`.
 * OWNER_GOROUTINE: the goroutine that makes the hit, whichever thread executes
 * it; the thread, for hits that no goroutine makes.
 */
enum leg_owner { OWNER_THREAD, OWNER_LEG, OWNER_KEY, OWNER_GOROUTINE };
enum leg_match { MATCH_LAST, MATCH_FIRST, MATCH_NESTED, MATCH_OUTERMOST };

struct leg_spec {
	uint32_t from, to; /* nodes */
	enum leg_owner owner;
	/* nobody asked for OWNER_THREAD: the first hit that a goroutine makes
	 * turns it into OWNER_GOROUTINE */
	bool adapts;
	enum leg_match match;
	/*
	 * Both nodes are in one function and the match is nested or outermost:
	 * match by frame. `from_enters`: *from* is the function's entry, so
	 * that reaching it in a frame of equal CFA is a new activation;
	 * otherwise only a shallower CFA shows a frame to be gone.
	 * Keys, `last` and `first` match by order whatever is said here.
	 */
	bool by_frame, from_enters;
	/*
	 * *to* is where that function is left, or its frame ends: an execution
	 * is a frame. On a stack that is not its thread's own, a frame may go
	 * on in another thread (coroutines): unless OWNER_THREAD was asked for,
	 * a nested leg knows it there by its CFA.
	 */
	bool whole_frame;
	/* OWNER_KEY: which of the hit's keys, at *from* and at *to*. */
	uint32_t key_from, key_to;
};

/*
 * How the legs that `add successor` enters are matched: all of `spec` but its
 * nodes. Zero, as it is at first: by thread, last.
 */
void measure_set_successor_spec(struct measure *measure,
				const struct leg_spec *spec);

/* One execution of a leg, for `trace` and `print slowest`. */
struct execution {
	uint32_t leg;
	int32_t pid, tid;   /* of the thread that reached *to* */
	uint64_t start;     /* ns of measured time since the clock first ran */
	int64_t duration;   /* ns, compensated, so possibly below 0 */
	bool has_cpu;       /* it is known how much of it was on a CPU: */
	int64_t cpu;        /* ns */
	bool interrupted;   /* the clock was stopped during it */
	struct value key;   /* of OWNER_KEY; of OWNER_GOROUTINE: which one */
	struct value value; /* the *to* node's value */
	/* Where it was counted in the leg's split; NULL: there was none when
	 * it began. Valid as long as the split. */
	const struct measure_row *row;
};

VEC_STRUCT(execution_list, struct execution);

struct measure_leg {
	uint32_t id;
	struct leg_spec spec;

	/* from_hits = count + ignored_from + unwound + discarded + open
	 * to_hits   = count + ignored_to        (under track all) */
	uint64_t from_hits, to_hits;
	uint64_t count, ignored_from, ignored_to, unwound, discarded, open;
	/* the first *to* of a leg n->n is ignored but no sign of trouble */
	uint64_t self_first;

	/*
	 * Executions during which the clock was stopped. They are in `count',
	 * `total', `mean' and `m2', with the time that the program ran, and
	 * nowhere else: what they waited for may have gone on meanwhile, so
	 * their times say little.
	 */
	uint64_t interrupted;

	__int128 total; /* ns, sum of signed durations */
	/* executions by the mechanisms of their ends: bit by hit_mechanism */
	uint64_t by_mechanisms[1 << HIT_MECHANISMS];
	/* ns; of durations stopped at 0; none while all are interrupted */
	int64_t min, max;
	double mean, m2;          /* of signed durations; Welford */
	struct histogram *record; /* hdr, always there: percentiles */
	/* Executions of which it is not known how long they were on a CPU, and
	 * what of `total` is theirs; and of the others, the time on none. ns,
	 * signed: see measure_leg_cpu() */
	uint64_t cpu_unknown;
	__int128 cpu_unknown_total, waiting;
	struct histogram *histogram;   /* what the user asked for, or NULL */
	struct measure_split *split;   /* see split.h; or NULL */
	struct execution_list slowest; /* descending, at most LEG_SLOWEST */
};

#define LEG_SLOWEST 100

/*
 * Enter a leg. One with the same *from* and *to* that is there already is not
 * affected; `*id` is its number then, `*existed` says so. Fails when a node is
 * not in the table or is deleted.
 */
struct error *measure_add_leg(struct measure *measure,
			      const struct leg_spec *spec, uint32_t *id,
			      bool *existed);
struct error *measure_delete_leg(struct measure *measure, uint32_t id);
/* The one that was added last is no more, and its number is free again. */
void measure_take_back_leg(struct measure *measure);
const struct measure_leg *measure_leg(const struct measure *measure,
				      uint32_t id);
/* The one between two nodes, or NULL. */
const struct measure_leg *measure_leg_between(const struct measure *measure,
					      uint32_t from, uint32_t to);
const struct measure_leg *measure_leg_at(const struct measure *measure,
					 size_t index);
struct error *measure_leg_add_histogram(struct measure *measure, uint32_t id,
					const struct histogram_spec *spec);
/* The user asks for the hdr histogram that `time' made, which keeps its values.
 * False: the leg has none that `time' made. */
bool measure_leg_claim_histogram(struct measure *measure, uint32_t id);
struct error *measure_leg_delete_histogram(struct measure *measure,
					   uint32_t id);

/* How many discarded starts are a sign of something left out: not that of the
 * last hit of a leg n->n, which has no end. */
uint64_t measure_leg_lost(const struct measure_leg *leg);
/* Does the leg carry the memo's `~`? */
bool measure_leg_is_marked(const struct measure_leg *leg);

/* Standard deviation in ns; 0 for fewer than two executions. */
double measure_leg_stddev(const struct measure_leg *leg);

/* The `q` quantile (0 .. 1) in ns, >= 0; fails for a leg of no executions. */
bool measure_leg_quantile(const struct measure_leg *leg, double q,
			  double *result);

/* The time on a CPU and the rest, of the executions where that is known: sums
 * of signed ns. */
struct measure_cpu {
	uint64_t count;
	__int128 cpu, waiting;
};
struct measure_cpu measure_leg_cpu(const struct measure_leg *leg);

/* How far its mean may be off, in ns: the mean of what its executions may be.
 * That is the spread of the calibration, the larger one where an execution has
 * begun and ended by different mechanisms, and at least the clock's tick. 0:
 * nothing was subtracted. */
double measure_leg_resolution(const struct measure *measure,
			      const struct measure_leg *leg);
/* A mean smaller than that says nothing. */
bool measure_leg_below_resolution(const struct measure *measure,
				  const struct measure_leg *leg);

/* ---- what happens --------------------------------------------------- */

/*
 * A hit, in the order in which they happened within each thread. The caller
 * has evaluated the condition. Enters the node if it is not in the table.
 */
void measure_hit(struct measure *measure, const struct hit *hit);

/*
 * The same for the last hit of a break that held the thread no time, and that
 * cost it `cost_before` once before and once after the hit's time:
 * measure_hit() and measure_hold() in one. That is a hit of a fast node.
 */
void measure_fast_hit(struct measure *measure, const struct hit *hit);

/* The condition of a node, or its value, a key or a split expression, could
 * not be evaluated. */
void measure_node_error(struct measure *measure, uint32_t id,
			const char *reason);

/*
 * A thread was stopped from `arrival` to `resume`: for a break, of which all
 * hits have been told before, or for something else (a condition that is false,
 * a signal passed on, a library that was loaded). That is overhead and no leg's
 * time. `before` and `after` are the calibrated costs that the tool cannot see,
 * in ns: between the place and `arrival`, and between `resume` and the program
 * going on. Where `resume` is `arrival` it was not stopped: it has reached a
 * fast node.
 */
void measure_hold(struct measure *measure, uint32_t thread, int32_t pid,
		  int32_t tid, uint64_t arrival, uint64_t resume, double before,
		  double after);

/* A thread waited for room before it made its next hit: a measure_hold() that
 * is about whatever goroutine makes that hit. */
void measure_stall(struct measure *measure, uint32_t thread, int32_t pid,
		   int32_t tid, uint64_t from, uint64_t to);

/* A thread was stopped at a node whose condition was false. (At a fast node
 * nobody learns of it.) */
void measure_pass(struct measure *measure, int32_t pid, int32_t tid);

/* A thread reached a place where no node is. The tool watches such places where
 * a timed function goes on in another one by a tail jump, to learn when that
 * call returns. */
void measure_follow(struct measure *measure, int32_t pid, int32_t tid);

/* ---- time on the CPU ------------------------------------------------ */

/*
 * Rule: what a leg takes is its time on a CPU and the rest, waiting. Where a
 * thread stands at a hit of an int3 it is off its CPU; what it spends on the
 * break before and after that is what measure_set_cpu_cost() says. All that is
 * known of a thread's switches before a hit is to be told before the hit.
 */

/* From `time` on, when the thread is off its CPU, its switches are told of.
 * It may begin anew. */
void measure_watch(struct measure *measure, uint32_t thread, int32_t pid,
		   uint64_t time);
/* It was given a CPU, or was taken off it. */
void measure_switch(struct measure *measure, uint32_t thread, uint64_t time,
		    bool on);
/* Some switches were lost: what it does is not known until the next one, and
 * the time on a CPU of no leg that is open. */
void measure_switches_lost(struct measure *measure, uint32_t thread);
/* What calibration found for the part of a break's cost that the thread is on a
 * CPU for, ns: when it is one that holds the thread. Of others it is all. */
void measure_set_cpu_cost(struct measure *measure, double cost);

/* The thread is no more (exit, exec): discards what it holds open. */
void measure_thread_gone(struct measure *measure, uint32_t thread);

/*
 * The process, or the program it ran, is no more (exit, exec): also what its
 * keys hold open is discarded. Keys belong to a process: equal values in two
 * processes are different keys.
 */
void measure_process_gone(struct measure *measure, int32_t pid);

/* ---- tables --------------------------------------------------------- */

struct measure_summary {
	uint64_t elapsed;        /* Total Elapsed Time of Measurements, ns */
	uint64_t overhead;       /* union of the held intervals, ns */
	uint64_t added_overhead; /* the same of all threads added up, ns */
	uint64_t breaks;         /* hits that counted: the sum of all nodes' */
	uint64_t passed;         /* hits that held a thread for nothing: their
				    condition was false */
	uint64_t followed;       /* hits of no node: measure_follow() */
	double average_overhead; /* overhead / breaks, ns */
	double overhead_percent; /* overhead / elapsed */
	struct measure_calibration calibration[HIT_MECHANISMS];
	bool compensated;
};

void measure_get_summary(const struct measure *measure, uint64_t now,
			 struct measure_summary *summary);
/* The time that was measured so far, ns: `elapsed' of the summary alone. */
uint64_t measure_elapsed(const struct measure *measure, uint64_t now);

/* Called for every execution as it ends; NULL: no one. */
typedef void measure_execution_fn(void *context,
				  const struct execution *execution);
void measure_set_observer(struct measure *measure,
			  measure_execution_fn *observe, void *context);

/*
 * Called when a thread begins a leg on one stack while the leg is open on
 * another. Where stacks take turns (coroutines) a leg that matches by order
 * alone, or is outermost, takes what belongs to one for what belongs to
 * another. NULL: no one.
 */
typedef void measure_mixed_fn(void *context, const struct measure_leg *leg,
			      int32_t tid);
void measure_set_mixed(struct measure *measure, measure_mixed_fn *mixed,
		       void *context);

/* `initialize tables`: nodes, legs, histograms and counters go. */
void measure_initialize(struct measure *measure, uint64_t now);

/* `zero tables`: counts, sums, times and histogram contents become 0. */
void measure_zero(struct measure *measure, uint64_t now);

#endif

/*
 * thread_counts.h - what threads count by themselves, and their time on the CPU
 */
#ifndef PERFTOOL_MEASURE_THREAD_COUNTS_H
#define PERFTOOL_MEASURE_THREAD_COUNTS_H

#include "perftool/measure.h"

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

#endif

/*
 * context_switches.h - when the measured threads were on a CPU:
 * context_switches.c
 */
#ifndef PROBE_CONTEXT_SWITCHES_H
#define PROBE_CONTEXT_SWITCHES_H

#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "perftool/switches.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"

struct ring;

/* A thread whose context switches the tool gets, or has tried to get: the watch
 * of the thread. */
struct watch {
	struct holder holder;
	struct thread *thread; /* NULL if the thread has ended */
	/* the log is not open if the tool cannot get the switches */
	struct perf_log log;
	/* the next record of the log, if it was read already, with its time on
	 * the tool's clock */
	bool has_next;
	struct switch_record next;
	/* Switches of the thread before this time are not reported, because the
	 * tool has caused them and not the program. */
	uint64_t held_until;
	/* Since when the thread is off its CPU, by the switches that were
	 * reported; 0: it is on one, or that is not known. */
	uint64_t off_since;
};
VEC_STRUCT(watch_list, struct watch *);

struct switches {
	struct watch_list watches;
	struct clock_raw raw;
	/* when the logs of all threads were last read, on the tool's clock */
	uint64_t last_feed;
	/* How long a thread is on a CPU during one stop at an int3, in ns: one
	 * sample for each pair of int3s that a thread has passed in a
	 * calibration. */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count;
	/* what the calibrations have made of the samples last; 0: nothing yet
	 */
	double on_cpu;
	/* the reason why some threads have no log; NULL if all have one */
	struct error *problem;
};

/* Open a log of the thread's context switches, if the caller of the layer wants
 * switches and the thread has no log yet. If the thread is running, it is not
 * known before its next switch whether it is on a CPU. */
void switches_watch(struct probe *probe, struct thread *thread);
/* Call switches_watch() for all threads that have rings. If the caller of
 * the layer does not want switches any more, close all logs. */
void switches_watch_all(struct probe *probe);

/* A thread has arrived at an int3 and is AT_TRAP: report all its switches until
 * now. */
void switches_arrive(struct probe *probe, struct thread *thread);
/* The tool has seen at `*arrival` that a thread has stopped. Report its
 * switches until then. If they show when the kernel took the thread off its
 * CPU, and the part of the cost is known for which a thread is on a CPU, the
 * thread arrived at that moment, and that part is the unseen cost before.
 * Otherwise the function returns false. (On a busy machine, much time may pass
 * until the tool gets a CPU to see the stop.) */
bool switches_see_stop(struct probe *probe, struct thread *thread,
		       uint64_t *arrival, struct unseen *cost);
/* Corrects the end of a stop for which switches_see_stop() has returned true,
 * if the thread itself has not recorded when it went on. If the thread's
 * switches show when it got a CPU after `*resume`, the thread was held until
 * then;
 * `*after` gets the unseen cost that follows. */
void switches_see_resumption(struct probe *probe, const struct holder *holder,
			     uint64_t *resume, double *after);
/* Report the switches of a thread until the time `until` (ns of the tool's
 * clock). */
void switches_tell(struct probe *probe, struct watch *watch, uint64_t until);
/* Report the switches of all threads, but not those after a hit that was not
 * reported yet, if it is time for that; and open logs for new threads. */
void switches_tell_all(struct probe *probe, const struct event *event);
/* A stop of a thread by the tool is over. The switch off the CPU with which the
 * stop began is reported, and no switch from then until the end of the stop. */
void switches_resumed(struct probe *probe, const struct holder *holder,
		      uint64_t arrival, uint64_t resume);
/* Like switches_resumed(), for a stop whose end the thread will record itself
 * (resumption.c). */
void switches_will_tell(struct probe *probe, struct watch *watch,
			uint64_t arrival);
/* The thread has recorded that it went on at that time: the end of the stop of
 * switches_will_tell(). In this function, in switches_will_tell() and in
 * switches_stalled(), `watch` may be NULL. */
void switches_told(struct probe *probe, struct watch *watch, uint64_t time);
/* The thread waited for room in its ring from `from` to `to`. It counts as off
 * its CPU. */
void switches_stalled(struct probe *probe, struct watch *watch, uint64_t from,
		      uint64_t to);

/* How long a thread was on a CPU, summed up from records of its switches. The
 * thread is off its CPU when the first record begins. */
struct on_cpu {
	/* time on a CPU before this moment does not count; 0: all time
	 * counts */
	uint64_t went_on;
	/* since when the thread is on a CPU; 0: it is on none */
	uint64_t since;
	uint64_t sum; /* ns */
	/* a record of a switch is missing, so `sum` is not right */
	bool is_unknown;
};
void on_cpu_add(struct on_cpu *on, const struct switch_record *next);

/* Called for the thread that calibrates, when it reaches the first int3 of a
 * pair (`is_from`) or the second one. */
void switches_calibrate(struct probe *probe, bool is_from);
/* How long a thread is on a CPU during one stop at an int3, as the calibrations
 * have found it, ns. Returns false if nothing is known. */
bool switches_calibrated(const struct probe *probe, double *cost);

/* Some or all threads of the process have ended. What their logs hold can still
 * be reported. */
void switches_orphan(struct probe *probe, const struct process *process);
void switches_forget(struct probe *probe, struct thread *thread);
/* Close the logs of a process. Some of the process's struct threads may have
 * been freed. */
void switches_forget_process(struct probe *probe, struct process *process);
void switches_free(struct probe *probe);

/* Report the switches of a ring's thread before the hit at `time`. Called
 * before that hit is reported. */
static inline void switches_before(struct probe *probe, struct watch *watch,
				   uint64_t time)
{
	if (watch && (watch->has_next ? watch->next.time <= time
				      : switch_log_has_more(&watch->log)))
		switches_tell(probe, watch, time);
}

#endif

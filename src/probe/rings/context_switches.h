/*
 * context_switches.h - when the measured threads were on a CPU:
 * context_switches.c
 */
#ifndef PROBE_CONTEXT_SWITCHES_H
#define PROBE_CONTEXT_SWITCHES_H

#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "perftool/switches.h"
#include "probe/arrival/arrival.h"

struct ring;

/* A thread whose context switches the tool gets, or has tried to get. */
struct watch {
	struct holder holder;
	struct thread *thread; /* NULL if the thread has ended */
	struct switch_log log; /* not open if the switches cannot be had */
	/* the next record, if it was read already, with its time on the tool's
	 * clock */
	bool has_next;
	struct switch_record next;
	/* Switches before this time are not reported, because they are the
	 * tool's doing and not the program's. */
	uint64_t held_until;
};
VEC_STRUCT(watch_list, struct watch *);

struct switches {
	struct watch_list watches;
	struct clock_raw raw;
	uint64_t last_feed; /* when the logs of all threads were last read */
	/* How long an int3's break has its thread on a CPU, from the pairs of
	 * the calibration. */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count;
	/* the reason why some threads have no log; NULL if there is none */
	struct error *problem;
};

/* Open a log of the thread's switches, if the owner wants switches and there is
 * no log yet. If the thread is running, its account begins with its next
 * switch. */
void switches_watch(struct probe *probe, struct thread *thread);
/* Do the same for all threads that have rings. If the owner does not want
 * switches any more, close all logs. */
void switches_watch_all(struct probe *probe);

/* A thread has arrived at an int3 and is AT_TRAP: report all its switches until
 * now. */
void switches_arrive(struct probe *probe, struct thread *thread);
/* Report the switches of a thread until then (ns of the tool's clock). */
void switches_tell(struct probe *probe, struct watch *watch, uint64_t until);
/* Report the switches of all threads, as far as their hits have been reported,
 * if it is time for that; and open logs for new threads. */
void switches_tell_all(struct probe *probe, const struct event *event);
/* A stop by the tool is over: the switch off the CPU with which it began is
 * reported, and no switch from then until the end of the stop. */
void switches_resumed(struct probe *probe, const struct holder *holder,
		      uint64_t arrival, uint64_t resume);
/* The same for a stop whose end the thread will record itself (resumption.c).
 */
void switches_will_tell(struct probe *probe, struct watch *watch,
			uint64_t arrival);
/* The thread went on at that time. In this function and the ones around it,
 * `watch` may be NULL. */
void switches_told(struct probe *probe, struct watch *watch, uint64_t time);
/* The thread waited for the tool from `from` to `to`. */
void switches_stalled(struct probe *probe, struct watch *watch, uint64_t from,
		      uint64_t to);

/* How long a thread was on a CPU, summed up from records that begin while it is
 * off its CPU. */
struct on_cpu {
	/* time before this moment does not count; 0: all time counts */
	uint64_t went_on;
	/* the thread is on a CPU since then; 0: it is on none */
	uint64_t since;
	uint64_t sum;    /* ns */
	bool is_unknown; /* a record is missing */
};
void on_cpu_add(struct on_cpu *on, const struct switch_record *next);

/* Called for the thread that calibrates, when a pair of breaks begins or ends.
 */
void switches_calibrate(struct probe *probe, bool is_from);
/* How long an int3's break has its thread on a CPU according to the
 * calibration, ns. Returns false if nothing is known. */
bool switches_calibrated(const struct probe *probe, double *cost);

/* The threads of the process have ended, or some have. What their logs hold can
 * still be reported. */
void switches_orphan(struct probe *probe, const struct process *process);
void switches_forget(struct probe *probe, struct thread *thread);
/* Close the logs of a process. Some of its struct threads may have been freed.
 */
void switches_forget_process(struct probe *probe, struct process *process);
void switches_free(struct probe *probe);

/* Called before a hit of a ring's thread at `time`: reports the thread's
 * switches before the hit. */
static inline void switches_before(struct probe *probe, struct watch *watch,
				   uint64_t time)
{
	if (watch && (watch->has_next ? watch->next.time <= time
				      : switch_log_has_more(&watch->log)))
		switches_tell(probe, watch, time);
}

#endif

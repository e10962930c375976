/*
 * context_switches.h - when the threads that are measured were on a CPU:
 * context_switches.c
 */
#ifndef PROBE_CONTEXT_SWITCHES_H
#define PROBE_CONTEXT_SWITCHES_H

#include "perftool/base/vec.h"
#include "perftool/probe.h"
#include "perftool/switches.h"
#include "probe/arrival/arrival.h"

struct ring;

/* A thread whose switches are heard of, or cannot be. */
struct watch {
	struct holder holder;
	struct thread *thread; /* NULL: it is no more */
	struct switch_log log; /* not open: they cannot be */
	/* the next record, if it was looked at; of the tool's clock */
	bool has_next;
	struct switch_record next;
	uint64_t held_until; /* what it did before is not the program's doing */
};
VEC_STRUCT(watch_list, struct watch *);

struct switches {
	struct watch_list watches;
	struct clock_raw raw;
	uint64_t last_feed; /* when all were looked at */
	/* what a break costs a thread on a CPU: of pairs of a calibration */
	double samples[CALIBRATION_WINDOW];
	size_t sample_count;
	struct error *problem; /* why some cannot be heard of; NULL: none */
};

/* Hear of the switches of a thread, if that is wanted and it is not heard of
 * yet: if it runs, from its next one on. */
void switches_watch(struct probe *probe, struct thread *thread);
/* The same of all threads that have rings; or of nobody any more, if it is not
 * wanted. */
void switches_watch_all(struct probe *probe);

/* A thread has arrived at an int3: tell of all its switches until then, it is
 * AT_TRAP now. */
void switches_arrive(struct probe *probe, struct thread *thread);
/* Tell of those of a thread until then (ns of the tool's clock). */
void switches_tell(struct probe *probe, struct watch *watch, uint64_t until);
/* Tell of all threads' as far as their hits have been told of, if it is time
 * for that, and look who is to be heard of. */
void switches_tell_all(struct probe *probe, const struct event *event);
/* That stop of ours is over: the switch off that it began with is told of, and
 * none from then to its end. */
void switches_resumed(struct probe *probe, const struct holder *holder,
		      uint64_t arrival, uint64_t resume);
/* The same of one whose end the thread will tell itself (resumption.c). */
void switches_will_tell(struct probe *probe, struct watch *watch,
			uint64_t arrival);
/* It went on then. Each may be of nobody who is watched. */
void switches_told(struct probe *probe, struct watch *watch, uint64_t time);
/* It waited for us all of that time. */
void switches_stalled(struct probe *probe, struct watch *watch, uint64_t from,
		      uint64_t to);

/* What a thread has spent on a CPU, of records from where it was off one. */
struct on_cpu {
	uint64_t went_on; /* what it did before is not to count; 0: all is */
	uint64_t since;   /* it is on one since then; 0: it is on none */
	uint64_t sum;     /* ns */
	bool is_unknown;  /* a record is missing */
};
void on_cpu_add(struct on_cpu *on, const struct switch_record *next);

/* Of the thread that calibrates: a pair of breaks begins, or ends. */
void switches_calibrate(struct probe *probe, bool is_from);
/* How much of a break it found to be on a CPU, ns; false: nothing. */
bool switches_calibrated(const struct probe *probe, double *cost);

/* They are no more, or some are not; what they did can still be told. */
void switches_orphan(struct probe *probe, const struct process *process);
void switches_forget(struct probe *probe, struct thread *thread);
/* Of threads of which some may be no more. */
void switches_forget_process(struct probe *probe, struct process *process);
void switches_free(struct probe *probe);

/* Before a hit at `time` of the thread of a ring. */
static inline void switches_before(struct probe *probe, struct watch *watch,
				   uint64_t time)
{
	if (watch && (watch->has_next ? watch->next.time <= time
				      : switch_log_has_more(&watch->log)))
		switches_tell(probe, watch, time);
}

#endif

/*
 * calibrate.h - what a break costs, and on which CPU: calibrate.c,
 * placement.c
 */
#ifndef PROBE_CALIBRATION_H
#define PROBE_CALIBRATION_H

#include "probe/arrival/cost.h"
#include "perftool/probe.h"

struct site;
struct space;

/* A calibration under way: see calibrate.c. */
struct calibration {
	struct thread *thread; /* NULL: none is under way */
	struct process *process;
	uint64_t script; /* that leads the thread back */
	size_t script_length;
	struct user_regs_struct regs;
	uint64_t mask;
	uint64_t arrival; /* of the break in which it began; 0: no break */
	uint64_t began;
	uint32_t wanted, done;
	uint64_t from_resume; /* of the pair under way */
};

/* calibrate.c */
struct error *calibrate_prepare(struct probe *probe, struct space *space);
/* Begin in a thread that is STOPPED or AT_TRAP and would go on at `pc`; if it
 * can be, it is resumed. `arrival`: of the break to be reported in the end, or
 * 0. */
struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs,
			      bool *begun);
/* The same in a thread of a process that has stopped, before it goes on. */
struct error *calibrate_first(struct probe *probe, struct space *space);
/* Before all go on: if there are jumps, and nothing is known of their cost. */
struct error *calibrate_jumps(struct probe *probe);
/* The same of a thread that goes on alone, perhaps the only one. */
struct error *calibrate_and_resume(struct probe *probe, struct thread *thread);
bool calibrate_is_due(const struct probe *probe, const struct space *space,
		      uint64_t now);
struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site);
/* All threads are stopped, the one that calibrates perhaps half-way. */
struct error *calibrate_stopped(struct probe *probe);

/* placement.c: tool and program on one CPU */
void placement_hit(struct probe *probe, struct process *process);
void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin);
void placement_new_thread(struct probe *probe, struct process *process);
void placement_stopped(struct probe *probe);
void placement_new_process(struct probe *probe, struct process *child);
/* It is no more, or goes on without us. */
void placement_end(struct probe *probe, struct process *process);
void placement_leave(struct probe *probe, struct process *process);

#endif

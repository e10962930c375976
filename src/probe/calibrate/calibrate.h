/*
 * calibrate.h - what a break costs, on which CPU it happens, and which
 * breakpoint costs too much
 *
 * This folder drives a thread of the program through empty pairs of sites, in
 * the same run, to find what the tool cannot see of a break (calibration.c).
 * What it finds is in cost.h of the folder arrival, as each hit is told with
 * its cost. It keeps the tool and a program with one thread on one CPU
 * (placement.c), and names a breakpoint that slows the program down (cliff.c).
 *
 * It uses the folders process, site, arrival, survive, fast and rings; only the
 * layer's own folder uses it.
 */
#ifndef PROBE_CALIBRATE_H
#define PROBE_CALIBRATE_H

#include "perftool/probe.h"

struct finished_stop;
struct site;
struct space;

/* A calibration under way: see calibration.c. */
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

/* Where the tool and the program are executed: see placement.c. */
struct placement {
	enum affinity affinity;
	struct process *pinned;        /* shares a CPU with the tool */
	bool unpinnable;               /* asked, and it is not wanted now */
	bool was_pinned, was_unpinned; /* at hits: for the header */
};

/* What int3s have cost one process since cliff.c began to look at it. */
struct cliff {
	pid_t process;  /* 0: none yet */
	uint64_t began; /* ns of the tool's clock */
	uint64_t used;  /* its processor time then, ns */
	double held;    /* ns that its threads were held since */
	double around;  /* ns that their int3s took before and after that */
	double stops;   /* how often they were */
	unsigned told;  /* breakpoints that were named in this run */
};

/* calibration.c */
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

/* cliff.c: a thread was held. */
void cliff_held(struct probe *probe, const struct finished_stop *finished);
/* An int3 of the user's was hit; name the breakpoint that slows the program
 * down, if one does. */
void cliff_hit(struct probe *probe, const struct site *site, pid_t process,
	       uint64_t time);

#endif

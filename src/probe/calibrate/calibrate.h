/*
 * calibrate.h - what a break costs, on which CPU it happens, and which
 * breakpoint costs too much
 *
 * This folder drives a thread of the program through empty pairs of sites, in
 * the same run, to find the part of a break's cost that the tool cannot observe
 * (calibration.c). It stores the result in cost.h of the folder arrival,
 * because each hit is reported with its cost. The folder keeps the tool and a
 * program with one thread on one CPU (placement.c), and it names a breakpoint
 * that slows the program down (cliff.c).
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
	struct thread *thread; /* NULL if none is under way */
	struct process *process;
	/* the script that gives the thread its registers back */
	uint64_t script;
	size_t script_length;
	struct user_regs_struct regs;
	uint64_t mask;
	/* when the break began in which the calibration takes place; 0: it is
	 * in no break */
	uint64_t arrival;
	uint64_t began;
	uint32_t wanted, done;
	/* when the thread went on from the first site of the current pair */
	uint64_t from_resume;
};

/* Where the tool and the program are executed: see placement.c. */
struct placement {
	enum affinity affinity;
	/* this process shares a CPU with the tool */
	struct process *pinned;
	/* it was asked whether to pin, and the answer was no for now */
	bool unpinnable;
	/* how it was at hits, for the heading of the tables */
	bool was_pinned, was_unpinned;
};

/* What int3s have cost one process since cliff.c began to look at it. */
struct cliff {
	pid_t process;  /* 0: no process yet */
	uint64_t began; /* ns of the tool's clock */
	uint64_t used;  /* the process's CPU time when `began` was noted, ns */
	double held;    /* for how long its threads were held since then, ns */
	/* the time that int3s took before and after their threads were held, ns
	 */
	double around;
	double stops; /* how often its threads were held */
	/* the number of breakpoints that were named in this run */
	unsigned told;
};

/* calibration.c */
struct error *calibrate_prepare(struct probe *probe, struct space *space);
/* Begin a calibration in a thread that is STOPPED or AT_TRAP and would go on at
 * `pc`. If the calibration can begin, the thread is resumed, and `*begun` is
 * set. `arrival`: when the break began that is to be reported at the end, or 0.
 */
struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs,
			      bool *begun);
/* Begin a calibration in a thread of a process whose threads have stopped,
 * before they go on. */
struct error *calibrate_first(struct probe *probe, struct space *space);
/* Called before all threads go on: calibrates jumps, if there are jumps and
 * their cost is not known. */
struct error *calibrate_jumps(struct probe *probe);
/* The same for a thread that goes on alone; it may be the only one. The
 * function resumes the thread. */
struct error *calibrate_and_resume(struct probe *probe, struct thread *thread);
bool calibrate_is_due(const struct probe *probe, const struct space *space,
		      uint64_t now);
struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site);
/* All threads are stopped, and a calibration may be incomplete: end it. */
struct error *calibrate_stopped(struct probe *probe);

/* placement.c: the tool and the program on one CPU */
void placement_hit(struct probe *probe, struct process *process);
void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin);
void placement_new_thread(struct probe *probe, struct process *process);
void placement_stopped(struct probe *probe);
void placement_new_process(struct probe *probe, struct process *child);
/* The process has ended, or it goes on without the tool. */
void placement_end(struct probe *probe, struct process *process);
void placement_leave(struct probe *probe, struct process *process);

/* cliff.c: A thread was held. */
void cliff_held(struct probe *probe, const struct finished_stop *finished);
/* An int3 of the user was hit. If a breakpoint slows the program down, name it.
 */
void cliff_hit(struct probe *probe, const struct site *site, pid_t process,
	       uint64_t time);

#endif

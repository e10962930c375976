/*
 * calibrate.h - calibration: what a break costs; the CPUs on which the tool and
 * the program are executed; and a breakpoint that costs too much
 *
 * A break is one stop of a thread at a site (a patched address), or one way of
 * a thread through the jump there. This folder drives a thread of the program
 * through empty pairs of sites, in the same run, to find the part of a break's
 * cost that the tool cannot observe (calibration.c). It stores the result in
 * cost.h of the folder arrival, because each hit is reported with its cost. The
 * folder keeps the tool and a program with one thread on one CPU (placement.c),
 * and it tells the user the name of a breakpoint that slows the program down
 * (cliff.c).
 *
 * It uses the folders process, site, arrival, survive, fast and rings; only the
 * layer's own folder uses it.
 */
#ifndef PROBE_CALIBRATE_H
#define PROBE_CALIBRATE_H

#include "perftool/probe.h"
#include "perftool/target/target_events.h"
#include "probe/rings/rings.h"
#include "probe/stop.h"

struct finished_stop;
struct site;
struct space;

/* A calibration under way: see calibration.c. */
struct calibration {
	/* the thread that calibrates; NULL if there is none */
	struct thread *thread;
	struct process *process;
	/* the address of the script (code that the tool puts into the program)
	 * that gives the thread its registers back after the calibration */
	uint64_t script;
	size_t script_length;
	struct user_regs_struct regs;
	uint64_t mask;
	/* the arrival of the hit during whose break the calibration takes
	 * place; 0: it takes place in no break */
	uint64_t arrival;
	struct stop_in_hand hold; /* that break */
	uint64_t began;
	uint32_t wanted, done;
	/* when the thread went on from the first site of the current pair */
	uint64_t from_resume;
	/* what the thread had counted by itself before, if it has a ring */
	struct counts_kept counts;
	struct calls_kept calls;
};

/* On which CPUs the tool and the program are executed: see placement.c. */
struct placement {
	enum affinity affinity;
	/* the process that shares a CPU with the tool; NULL if none does */
	struct process *pinned;
	/* The tool has examined whether to pin the process to its own CPU, and
	 * the answer was no. It does not examine this again until something
	 * changes. */
	bool unpinnable;
	/* whether hits were made while tool and program shared a CPU, and while
	 * they did not; for the heading of the tables */
	bool was_pinned, was_unpinned;
};

/* What int3s have cost one process since a look of cliff.c began. */
struct cliff_share {
	uint64_t look; /* number of the look; 0: none yet */
	pid_t process;
	uint64_t used; /* the process's CPU time when the look began, ns */
	/* how long its threads were held since then, all together, ns */
	double held;
	/* the time that int3s cost its threads before and after they were held,
	 * ns */
	double around;
};

/* The look of cliff.c at all processes. */
struct cliff {
	uint64_t look;  /* its number */
	uint64_t began; /* ns of the tool's clock; 0: no look yet */
	double stops;   /* how often threads were held since then */
	/* the number of breakpoints that were named in this run */
	unsigned told;
};

/* calibration.c */
struct error *calibrate_prepare(struct probe *probe, struct space *space);
/* Threads count calls by themselves from now on: the same for that. */
struct error *calibrate_prepare_calls(struct probe *probe, struct space *space);
/* Threads count by themselves from now on: have the calibration measure that,
 * too. All threads are STOPPED, and all sites are updated next. */
struct error *calibrate_prepare_counting(struct probe *probe,
					 struct space *space);
/* Begin a calibration in a thread that is STOPPED or AT_TRAP and would go on at
 * `pc`. If the calibration can begin, the thread is resumed, and `*begun` is
 * set. `arrival`: the arrival of the hit whose break ends with the calibration,
 * or 0. `pairs`: how often the thread passes the pair of int3s. */
struct error *calibrate_begin(struct probe *probe, struct thread *thread,
			      uint64_t pc, uint64_t arrival, uint32_t pairs,
			      bool *begun);
/* Begin a calibration in one thread of the process, all of whose threads have
 * stopped, before they go on. */
struct error *calibrate_first(struct probe *probe, struct space *space);
/* Called before all threads go on: calibrates jumps, if there can be jumps and
 * their cost is not known. */
struct error *calibrate_jumps(struct probe *probe);
/* Resume a thread that goes on alone. If the thread is the only one that uses
 * the memory, jumps are calibrated first, as in calibrate_jumps(). */
struct error *calibrate_and_resume(struct probe *probe, struct thread *thread);
bool calibrate_is_due(const struct probe *probe, const struct space *space,
		      uint64_t now);
struct error *calibrate_trap(struct probe *probe, const struct event *event,
			     struct site *site);
/* All threads are stopped. If a calibration has begun and is not complete, end
 * it. */
struct error *calibrate_stopped(struct probe *probe);

/* placement.c: whether the tool and the program share one CPU. Each function is
 * told an event that may change this: a hit, the beginning or end of a
 * calibration, a new thread, the stop of all threads, a new process. */
void placement_hit(struct probe *probe, struct process *process);
void placement_calibrate(struct probe *probe, struct process *process,
			 bool begin);
void placement_new_thread(struct probe *probe, struct process *process);
void placement_stopped(struct probe *probe);
void placement_new_process(struct probe *probe, struct process *child);
/* The site SITE_PLACEMENT was reached. */
void placement_asked(struct probe *probe, struct space *space);
/* The process has ended, or it goes on without the tool. */
void placement_end(struct probe *probe, struct process *process);
void placement_leave(struct probe *probe, struct process *process);

/* cliff.c: Take into account a stop of a thread that is over. */
void cliff_held(struct probe *probe, const struct finished_stop *finished);
/* A thread of the space has hit an int3 of the user. If a breakpoint slows the
 * program down, tell the user its name. */
void cliff_hit(struct probe *probe, const struct site *site,
	       struct space *space, uint64_t time);

#endif

/*
 * sampler_state.h - the state of a sampler, and what the files of this folder
 * offer to each other
 *
 * Each thread that is sampled is watched in one of these ways:
 *
 *	WATCH_COPIES    the kernel takes the ticks (or tells the faults), and
 *	                copies the registers and the stack
 *	WATCH_STOPS     the kernel takes the ticks; the stack is too deep to be
 *	                copied, so the tool stops the thread at each of them
 *	WATCH_TOOL      the kernel does not take ticks for the tool; the tool
 *	                looks for how long the thread has run, and stops it
 *
 * A thread goes from WATCH_COPIES to WATCH_STOPS and back as its stack becomes
 * deeper and shallower. With `tid`, no thread is watched in this sense: the
 * tool looks at the one thread at ticks of its own (thread_ticks.c).
 */
#ifndef PERFTOOL_SAMPLE_SAMPLER_STATE_H
#define PERFTOOL_SAMPLE_SAMPLER_STATE_H

#include "perftool/perf_log.h"
#include "thread_activity.h"
#include "unwinder.h"

enum watch_mode { WATCH_COPIES, WATCH_STOPS, WATCH_TOOL };

/* What happens when a thread has stopped for the tool to look at it. */
enum glance_purpose {
	GLANCE_NONE,
	GLANCE_TICK,     /* its stack is told as that of a tick */
	GLANCE_COMPLETE, /* the rest of a stack that was copied in part */
	GLANCE_WAIT,     /* the registers of a thread that waits */
};

/* The shortest and the longest period of ticks, in mean ones. */
#define SHORTEST_PERIOD 0.75
#define LONGEST_PERIOD 1.25

/* When the kernel's ticks fall due, until another period is set: see
 * tick_periods.c. Times are those by which the kernel counts the thread's CPU
 * time, in ns. */
struct tick_schedule {
	uint64_t kernel_period; /* that the kernel repeats */
	uint64_t step;          /* from one tick to the next one */
	uint64_t due;           /* the next tick */
	/* What the kernel repeats is the time until the first tick. Most of
	 * what comes is no tick. */
	bool is_short;
	bool has_ticked;
};

struct watched {
	pid_t pid, tid;
	uint32_t serial;
	enum watch_mode mode;
	/* the ticks or the minor faults, and the major faults */
	struct perf_log log, major;
	/* bytes of stack that the kernel copies, and the most for which the log
	 * has room */
	size_t copied, most_copy;
	/* ns from when the last tick fell due to when the next falls due */
	uint64_t period;
	/* WATCH_TOOL: CPU time in ns at the last tick, and at which the next
	 * falls due. Faults: the number of the last one. */
	uint64_t count, due;
	/* The kernel's ticks: the schedule, the one before it, and the CPU time
	 * at which the one was set after the other. */
	struct tick_schedule now, before;
	uint64_t set_at;
	/* The CPU time of the last tick, and how many had the present period.
	 */
	uint64_t last_tick;
	unsigned same_period;
	/* how many more ticks there were than mean periods, from 0 of the
	 * kernel's CPU time on */
	double surplus;
	/* ticks without a record since the last one: those that fell due before
	 * `set_at`, and those that the kernel had no room for */
	uint64_t gap, lost;
	/* The log had no room for more after the last tick. (The kernel tells
	 * what it has lost only when it has room for another record.) */
	bool was_full;
	uint64_t left; /* after a log was closed: ns until the next tick */
	/* The tool need not see each record as soon as it is there. */
	bool is_settled;
	/* The kernel sends no signals; the tool reads the log by its clock. */
	bool is_read_by_clock;
	bool was_found; /* a record, since the last reading by the clock */
	unsigned quiet; /* readings in a row that found none */
	/* Faults: the times of the last one, and of those that were told from
	 * an earlier log. */
	uint64_t last, told_until;
	/* bytes of stack that were used at most: so far, or of late (ticks) */
	size_t needed;
	/* stacks in a row that did not fit, and that would fit again */
	unsigned cut, fits;
	/* Ticks: how many stacks `needed` is of, and how often a smaller copy
	 * has turned out to be too small. */
	unsigned tried, regretted;
	/* the way in which the thread is to be watched from now on */
	bool wants_change;
	enum watch_mode wanted_mode;
	size_t wanted_copy;
	/* WATCH_TOOL: the time of the tool's clock at which to look again */
	uint64_t next_look;
	unsigned idle; /* WATCH_TOOL: looks in a row at which it had not run */
	enum glance_purpose purpose;
	uint64_t asked_at;   /* the time of the tick */
	uint64_t asked_late; /* how late it was taken by then */
	bool is_delayed;
	/* `tid`: ticks that wait for the glance, those of them at which the
	 * thread still ran, and what it waits for; NULL: it is found out */
	uint64_t pending, ran;
	/* `tid`: of those ticks, the last ones, at which the thread had been
	 * asked to stop while it ran, and was ready without a CPU */
	uint64_t starved;
	const char *wait;
};

/* What the one thread of `tid` was doing when it was last seen waiting. */
struct seen_wait {
	bool is_valid, is_broken;
	bool was_stopped; /* the tool has stopped the thread since */
	uint64_t sp, pc;
	uint64_t runs; /* how often it had been given a CPU */
	long call;
	const char *name;
	struct sampled_frame_list frames;
};

struct sampler {
	struct target *target;
	const struct clock *clock;
	struct sampler_host host;
	struct map rules; /* pid -> struct code_rules */
	/* for stacks that the kernel has copied, and those of threads that have
	 * stopped; a thread may stop while the tool has a copied stack */
	struct stack_reader copy, live;
	struct sampled_frame_list frames, live_frames;
	struct clock_raw raw;

	bool is_on;
	struct sampling how;
	sampled_fn *tell;
	void *context;
	VEC(struct watched *) threads;
	struct map by_tid;
	uint64_t random;
	bool sees_kernel; /* the kernel tells ticks inside the kernel, too */
	void *buffer;     /* for a record that is not in one piece */
	struct sampler_account account;
	char *why;
	/* the time of the next tick of the tool's own, or at which to read the
	 * logs of faults; 0: none */
	uint64_t next_tick;
	/* the time at which to read logs of ticks by the clock; 0: there is no
	 * need */
	uint64_t next_reading;
	bool was_woken; /* by what is read now */
	/* `tid` */
	struct watched one;
	struct perf_log switches;
	enum activity activity; /* since its last context switch */
	struct seen_wait seen;
	/* GLANCE_COMPLETE: where unwinding goes on, and the bytes of the stack
	 * at `low`, which must still be there */
	struct unwind_place place;
	enum unwind_result result;
	uint64_t region_low;
	size_t region_size;
	uint8_t region[1024];
};

/* sampler.c */

/* The rules of a process; they are made if there are none. */
struct code_rules *sampler_rules(struct sampler *sampler,
				 struct process *process);
/* The period until the next tick, in ns. */
uint64_t sampler_period(struct sampler *sampler);
/* The time until the first tick of a thread, in ns: any part of a period, so
 * that threads that end before a period is over have their share of the ticks.
 */
uint64_t sampler_first_period(struct sampler *sampler);
/* Note why the kernel does not do all that is wanted. The first reason counts.
 */
void sampler_set_why(struct sampler *sampler, const char *why);
/* Note that the tool takes ticks because of this error. */
void sampler_refused(struct sampler *sampler, const struct error *error);
/* Count a tick that was taken `late` ns after it fell due. */
void sampler_count_delay(struct sampler *sampler, uint64_t late);
/* Tell a stack with these frames. The other members are those of `stack`. */
void sampler_tell(struct sampler *sampler,
		  const struct sampled_frame_list *frames,
		  struct sampled_stack *stack);
/* Set the pc of a place that is made of a thread's registers to the instruction
 * at which the thread is: see `stands_at` of struct sampler_host. */
void sampler_settle(const struct sampler *sampler, struct process *process,
		    bool in_kernel, struct unwind_place *place);
/* Append to `frames` those from `place` on, and count the time. */
enum unwind_result sampler_walk(struct sampler *sampler,
				struct process *process,
				struct stack_reader *reader,
				struct unwind_place *place,
				struct sampled_frame_list *frames);
/* Have the thread stopped for its `purpose`: see target_glance(). */
struct error *sampler_ask(struct sampler *sampler, struct thread *thread);
/* The stack of a stopped thread is told as that of a tick. */
void sampler_tell_live(struct sampler *sampler, struct watched *watched,
		       struct thread *thread,
		       const struct user_regs_struct *regs);

/* kernel_log.c: the kernel's ticks and faults */

/* Begin to watch a thread with the help of the kernel. */
struct error *kernel_log_open(struct sampler *sampler, struct watched *watched);
void kernel_log_close(struct sampler *sampler, struct watched *watched);
/* Tell what the log has. `process` is NULL if the thread or its process has
 * ended. */
void kernel_log_drain(struct sampler *sampler, struct watched *watched,
		      struct thread *thread, struct process *process);
/* Tell all that the log has, and count what has no record. The log is then
 * closed. */
void kernel_log_finish(struct sampler *sampler, struct watched *watched,
		       struct thread *thread, struct process *process);
/* How many bytes of the log a record of the thread takes. */
size_t kernel_log_record(const struct watched *watched);
/* After how many ns the logs of faults are to be read again. */
uint64_t kernel_log_pause(const struct sampler *sampler);
/* A glance for GLANCE_COMPLETE. */
void kernel_log_complete(struct sampler *sampler, struct thread *thread,
			 const struct user_regs_struct *regs);

/* stack_copies.c: how much of a stack the kernel copies */

/* The size of the largest copy (a multiple of 8, and so are its halves). */
#define MOST_COPY 64512

/* A stack did not fit in the copy. `has_left`: it goes on elsewhere. */
void stack_copies_cut(const struct sampler *sampler, struct watched *watched,
		      bool has_left);
/* A stack was in the copy, and has used so many bytes of it. */
void stack_copies_fit(const struct sampler *sampler, struct watched *watched,
		      size_t used);
/* A stack was unwound in WATCH_STOPS; it had `size` bytes. */
void stack_copies_stopped(struct watched *watched, uint64_t size);

/* kernel_events.c: the events that the kernel logs */

/* The registers that the kernel copies (asm/perf_regs.h). */
#define KERNEL_REGISTERS 0xff01ffULL

/* Open the logs for the way in which the thread is watched. */
struct error *kernel_events_open(struct sampler *sampler,
				 struct watched *watched);
void kernel_events_close(struct watched *watched);
/* Choose how much of the stack is copied at first. */
void kernel_events_first_copy(const struct sampler *sampler,
			      struct watched *watched);

/* tick_periods.c: when the kernel's ticks fall due */

/* Choose when the first tick of a thread falls due. */
void tick_periods_begin(struct sampler *sampler, struct watched *watched);
/* A tick was taken when the thread had used `count` ns of CPU time. Returns how
 * late that was, in ns, and counts how many ticks before it have no record.
 * False: it is one too many. Until the tool sets another period, the kernel
 * repeats the one that it has, and that may be much shorter. */
bool tick_periods_judge(struct sampler *sampler, struct watched *watched,
			uint64_t count, uint64_t *out);
/* Set the last period: the log's file is about to be closed. */
void tick_periods_fix(const struct sampler *sampler, struct watched *watched);
/* Set another period if it is time. All records have been judged. */
void tick_periods_next(struct sampler *sampler, struct watched *watched);
/* The log ends, and all its records have been judged. Count the ticks that have
 * no record. */
void tick_periods_end(struct sampler *sampler, struct watched *watched);
/* After that: another log of the thread begins. */
void tick_periods_again(struct sampler *sampler, struct watched *watched);

/* log_readings.c: when the logs of ticks are read */

/* A log has been read; `has_records`: there was something in it. */
void log_readings_note(struct sampler *sampler, struct watched *watched,
		       bool has_records);
/* Is it time to read the logs by the clock? */
bool log_readings_are_due(const struct sampler *sampler);
/* All logs have been read by the clock. */
void log_readings_next(struct sampler *sampler);

/* tool_ticks.c: ticks of the tool's own for threads that run */
void tool_ticks_begin(struct sampler *sampler, struct watched *watched);
void tool_ticks_take(struct sampler *sampler);

/* thread_ticks.c: ticks of one thread, by the wall clock */
void thread_ticks_begin(struct sampler *sampler);
void thread_ticks_take(struct sampler *sampler);
void thread_ticks_end(struct sampler *sampler);
/* A glance at the thread. */
void thread_ticks_glance(struct sampler *sampler, struct thread *thread,
			 const struct user_regs_struct *regs,
			 enum glance_purpose purpose);

#endif

/*
 * sample.h - the stacks of threads: unwound quickly, at ticks of a clock, at
 * page faults, or when the caller asks
 *
 * A sampler belongs to a session. It produces stacks of code addresses, and the
 * caller gives them names (perftool/profile/stack_log.h). The kernel takes the
 * ticks and copies the stack where perf_event_open(2) is allowed; elsewhere the
 * tool stops the threads at ticks of its own.
 *
 * Rules: doc/RULES.md, "Profiles".
 */
#ifndef PERFTOOL_SAMPLE_H
#define PERFTOOL_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "perftool/base/error.h"
#include "perftool/base/vec.h"
#include "perftool/debuginfo.h"
#include "perftool/target.h"

struct sampler;

/* The module that a run-time address of a process is in. */
struct sampled_module {
	uint32_t number;        /* not 0; unique in the session */
	struct debugfile *file; /* NULL: it cannot be read */
	uint64_t bias;
	uint64_t begin, end; /* run-time addresses of the mapping */
};

/* One frame of a stack; `module` 0: in no module, `address` is the run-time
 * address. Else it is an address of the module's file. A stack that has nothing
 * but the address 0 in no module is that of a thread in code of the tool that
 * stands for no place of the program. */
struct sampled_frame {
	uint32_t module;
	bool is_exact; /* not a return address */
	uint64_t address;
};
VEC_STRUCT(sampled_frame_list, struct sampled_frame);

/* Is the stack that of a thread in code of the tool? */
static inline bool sampled_in_tool(const struct sampled_frame *frames,
				   size_t depth)
{
	return depth == 1 && !frames->module && !frames->address;
}

/* What a sampler asks its caller. */
struct sampler_host {
	void *context;
	/* False: no module is mapped at this address. */
	bool (*find_module)(void *context, struct process *process,
			    uint64_t address, struct sampled_module *out);
	/* The vdso's image is at [low, end). False, or NULL: its functions have
	 * no names, and stacks end there. */
	bool (*find_vdso)(void *context, struct process *process, uint64_t low,
			  uint64_t end, struct sampled_module *out);
	/* Modules come and go: this number changes when they do, and what the
	 * sampler remembers of the process's addresses is then forgotten. */
	uint64_t (*generation)(void *context, struct process *process);
	/* Is there code of the tool at this run-time address (a trampoline, an
	 * out-of-line slot)? `place` gets the address of the program's code for
	 * which the thread is there, with the program's registers in `regs`.
	 * May be NULL. */
	bool (*own_code)(void *context, struct process *process,
			 uint64_t address, struct user_regs_struct *regs,
			 uint64_t *place);
	/* At which instruction is a thread whose registers have this pc? An
	 * int3 of the tool leaves the pc behind itself. `in_kernel`: the thread
	 * executed the kernel. May be NULL. */
	uint64_t (*stands_at)(void *context, struct process *process,
			      uint64_t pc, bool in_kernel);
};

struct sampler *sampler_create(struct target *target, const struct clock *clock,
			       const struct sampler_host *host);
void sampler_destroy(struct sampler *sampler);

/* ---- unwinding ----------------------------------------------------------- */

/*
 * Append the frames of a thread whose registers these are, innermost first. The
 * memory is read through /proc/PID/mem, a page at a time; the thread must stand
 * still. `*is_broken`: the outermost frames could not be found. What the call
 * frame information of an address says is remembered, so a stack of 30 frames
 * costs microseconds once each of its addresses has been seen. The number of
 * frames is not limited.
 */
void sampler_unwind(struct sampler *sampler, struct process *process,
		    const struct user_regs_struct *regs,
		    struct sampled_frame_list *frames, bool *is_broken);

/* ---- ticks and faults -----------------------------------------------------
 */

enum sampled_event { SAMPLED_TICKS, SAMPLED_FAULTS };

struct sampling {
	enum sampled_event event;
	/* ticks a second of each thread's CPU time; with `tid`, of the wall
	 * clock. Each tick comes up to a quarter of the period earlier or
	 * later. */
	double rate;
	/* Only this thread is sampled, whatever it does; 0: all threads of the
	 * followed processes. */
	pid_t tid;
	/* Tell for each tick whether it was delayed: taken in the kernel, or
	 * later than half a period after it fell due. */
	bool tells_delay;
};

/* A sample that the sampler tells. What it points to is valid until the
 * function returns. */
struct sampled_stack {
	struct process *process;
	uint32_t thread; /* the thread's serial */
	pid_t pid, tid;
	uint64_t time; /* ns of the tool's clock */
	/* a tick that the kernel has taken: ns of CPU time that the thread has
	 * used since the kernel began to take its ticks; else 0 */
	uint64_t cpu;
	bool is_delayed;
	bool is_major; /* a page fault that read from a file */
	bool is_broken;
	const char *wait; /* as in struct logged_stack; NULL: it runs */
	const struct sampled_frame *frames;
	size_t depth;
};
typedef void sampled_fn(void *context, const struct sampled_stack *stack);

/* What the sampler did since sampler_start(). */
struct sampler_account {
	uint64_t ticks;  /* ticks or faults that were told */
	uint64_t missed; /* ticks that fell due and were not taken */
	/* With `tid`, of these: what the thread did then, as far as known. */
	uint64_t missed_running, missed_waiting, missed_preempted;
	/* records for which the kernel had no room, and samples of threads that
	 * were not there any more */
	uint64_t lost;
	/* Faults: the bytes of the smallest log of a thread, and how many it
	 * would have had without a limit. */
	size_t least_log, wanted_log;
	uint64_t frames, broken;
	uint64_t wakeups;  /* how often the tool woke up for them */
	double unwind_ns;  /* the tool's time for unwinding */
	double stopped_ns; /* for how long threads stood still for ticks */
	/* the tool's CPU time for all that, unwinding included */
	double spent_ns;
	/* delays of ticks: below 10 us, 100 us, 1 ms, 10 ms, and longer */
	uint64_t delays[5];
	/* The kernel takes the ticks and copies the stacks. False: the tool
	 * stops the threads, or some of them. */
	bool by_kernel;
	/* Why the tool stops the threads, or what the kernel does not show; the
	 * sampler owns the text. NULL: the kernel shows all. */
	const char *why;
};

/*
 * Begin to sample the followed processes, and those that come later. Samples
 * are told by sampler_drain(), in the order of time for each thread. Faults
 * that cannot be had are an error, which says why. One sampling is active at a
 * time.
 */
struct error *sampler_start(struct sampler *sampler,
			    const struct sampling *sampling, sampled_fn *tell,
			    void *context);
/* The rest is told, and sampling ends. */
void sampler_stop(struct sampler *sampler);
bool sampler_is_on(const struct sampler *sampler);

/* Tell what has been sampled so far. The session calls this after each event
 * and at each tick of target_wait(). Threads may be stopped for a moment if the
 * kernel does not take the ticks. */
void sampler_drain(struct sampler *sampler);

/* A thread or a process has come, or is about to go. The session calls these
 * whether or not sampling is on, because the sampler keeps what it has learnt
 * of each process. sampler_process_changed() is also for a process that has a
 * new program. */
void sampler_thread_came(struct sampler *sampler, struct thread *thread);
void sampler_thread_goes(struct sampler *sampler, struct thread *thread);
void sampler_process_changed(struct sampler *sampler, struct process *process);
void sampler_process_goes(struct sampler *sampler, struct process *process);
/* The same for a process that has gone already, and of which no thread was
 * sampled. */
void sampler_forget(struct sampler *sampler, pid_t pid);

void sampler_get_account(const struct sampler *sampler,
			 struct sampler_account *out);

#endif

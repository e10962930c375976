/*
 * target_state.h - the state of a target, and what the files that wait for
 * threads, resume them and stop them offer to each other and to the folders
 */
#ifndef TARGET_INTERNAL_H
#define TARGET_INTERNAL_H

#include <sys/ptrace.h>
#include <time.h>

#include "perftool/target.h"
#include "target/memory/memory.h"

/* An end that was consumed where a stop was expected: to be reported. */
struct found_end {
	pid_t tid;
	int status;
};

struct target {
	const struct clock *clock;
	struct interrupt interrupt;
	struct map threads;   /* tid -> struct thread */
	struct map processes; /* pid -> struct process */
	struct map early;     /* tid -> stop signal: stopped before its creator
				 told us of it */
	struct map leaving;   /* tid -> anything: let go of when it stops */
	struct thread_list ring; /* all threads, looked at in turn */
	size_t turn;             /* the next one of the ring */
	unsigned unfair;         /* reports taken as the kernel orders them */
	uint32_t next_serial;
	VEC(struct found_end) ends;
	bool consumed;       /* the report at hand is one of them */
	bool stopping;       /* target_stop_all() is under way */
	uint64_t stop_since; /* since then */
	uint64_t next_stuck_look;
	target_event_fn *tell_bystander; /* or NULL */
	void *bystander_context;
	struct thread *last; /* of the last trap: usually the next one's too */
	struct thread *dead_thread;   /* to be freed with the next wait */
	struct process *dead_process; /* the same */
	struct kept kept;             /* pages of one process */
	timer_t tick, deadline_timer;
	bool has_tick, has_deadline_timer;
	uint64_t deadline; /* UINT64_MAX: none */
	uint64_t tick_ns;
	pid_t launched; /* the last one that was, and its end, once reaped */
	bool has_launched_end;
	int launched_end;
	bool pinned; /* target_pin(): what the affinities were and are */
	cpu_set_t own_affinity, program_affinity, pinned_to;
};

/* What every traced thread reports. */
#define TRACE_OPTIONS                                                          \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |      \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

/* Of a process that may outlive the tool, or must not. */
long trace_options(const struct process *process);

struct process *process_create(struct target *target, pid_t pid);
/* (Re)open /proc/PID/mem: the descriptor belongs to one memory, and exec makes
 * another. */
struct error *process_open_memory(struct process *process);

/* The same in the middle of a run, of a stopped process: without the file it is
 * measured by other ways (memory_access.c), or not at all if files are what is
 * scarce.
 */
struct error *process_open_new_memory(struct process *process);
/* Is it one that should be closed soon? (A process that is measured keeps its
 * memory open, and its stat if it can; the tool may open only so many files.)
 */
bool takes_free_file(int file);
void process_destroy(struct process *process);

struct thread *thread_create(struct process *process, pid_t tid);
/* Take it out of all tables; the caller frees it. */
void thread_unlink(struct thread *thread);

/*
 * Wait until this thread, which was told to go on, reports. Its stop is
 * consumed unless it is a signal stop; `status` as of wait(2). One that does
 * not report in time (stuck_check()) is RUNNING and stuck after that.
 */
struct error *wait_for_thread(struct thread *thread, int *status);

/* The same for one that may take as long as it wants, before it executes the
 * program; ERROR_INTERRUPTED when the user asks. */
struct error *wait_for_start(struct thread *thread, int *status);

/* overdue_stops.c: may what was killed at `since` still end, or has it had its
 * time? */
bool stuck_may_end(const struct target *target, uint64_t since);

/* Wait for the end of a process that was killed, but not for ever: false then.
 */
bool reap_soon(const struct target *target, pid_t pid);

/* overdue_stops.c: all threads have been asked to stop; */
void stuck_begin(struct target *target);
/* find those that cannot; why one of a process has not, or NULL; and what is
 * said of one. */
void stuck_look(struct target *target);
/* The same of one thread that is waited for alone: before that, and while it
 * is. An error says that it has had its time: ten seconds; or, once the user
 * has asked to end, one second for a thread that is in the kernel. */
void stuck_begin_one(struct thread *thread);
struct error *stuck_check(struct thread *thread, uint64_t since);
struct error *stuck_error(const struct process *process);
void stuck_describe(const struct thread *thread, struct str *out);

/* Make a thread that is inside the kernel at an event (exec) come to where
 * its registers are those of the program: STOPPED, no instruction executed. */
struct error *settle_after_event(struct thread *thread);

/* The same of one that has reported `status`: a signal is delivered first. */
struct error *settle_thread(struct thread *thread, int status);

/* birth.c: the stack a program or thread begins on, as seen before it executes
 * anything. */
struct error *note_first_sp(struct thread *thread);

/* A thread of nobody has stopped by `stop_signal`: its maker's report, which
 * comes later, tells whose it is. */
void note_early(struct target *target, pid_t tid, int stop_signal);

/* `parent` has reported by this PTRACE_EVENT_... that it has made a process or
 * a thread: the event is its birth. */
struct error *on_clone(struct thread *parent, int ptrace_event,
		       struct event *event);

/*
 * A child whose maker was killed before it could tell of it: with its process,
 * or by the exec of another thread. `status` is that of the end or the exec.
 * 0: there is none.
 */
pid_t find_orphan(struct target *target, const struct process *maker,
		  int status);

/* The event is the orphan's birth; what `status` reported of its maker comes
 * after it. */
struct error *tell_of_orphan(struct thread *maker, pid_t orphan, int status,
			     struct event *event);

/*
 * Is there nothing to wait for from this thread, while all are to stop? It is
 * STOPPED; or it cannot report: the leader that has ended before its threads,
 * a thread in vfork(2), whose child is to be STOPPED itself then.
 */
bool thread_is_quiet(const struct thread *thread);

/* Signals that an instruction itself can raise: if such a one were blocked, the
 * kernel would reset its disposition. */
#define SIGNAL_BIT(signal) (1ULL << ((signal)-1))
#define SYNCHRONOUS                                                            \
	(SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) |      \
	 SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS))

/*
 * Has its last instruction raised a signal that waits? Stops are reported
 * before signals. After an int3 its pc is behind that, and nobody knows why;
 * after a fault it is the one that the handler is to be told: it must neither
 * be moved nor make calls for us before it has been.
 */
bool has_queued_fault(const struct thread *thread);

/* Let go of a thread whatever it is doing, its signal delivered; `restored`:
 * an int3 it has just executed is no more. */
void release_thread(struct thread *thread, bool restored);

/*
 * A thread is in an event stop by `stop_signal` (SIGTRAP, or that of a group
 * stop): note what kind it is, and have a system call that was interrupted by
 * it restarted when the thread goes on.
 */
void note_event_stop(struct thread *thread, int stop_signal);

/* The same for a stop by any signal: should it have no handler, the system
 * call goes on. */
void restart_call(struct thread *thread);

/* PTRACE_CONT; for one that tells of returns, to its next system call. */
long thread_continue(const struct thread *thread, int signal);
/* The same, but it executes nothing if all are to stop. */
struct error *thread_go_on(struct thread *thread, int signal);

/* An error for a ptrace request that failed; ERROR_GONE for ESRCH. */
struct error *ptrace_error(const struct thread *thread, const char *what);

/* SIGALRM interrupts a wait from now on, and does nothing else. */
void target_catch_tick(void);
void target_arm_tick(struct target *target);
void target_disarm_tick(struct target *target);

/* Is it a stop by a signal, which is not to be consumed? */
bool is_signal_stop(int status);

/* Consume what was peeked at; *status is what it was. False: it is not there
 * any more. */
bool consume(pid_t tid, int *status);

/*
 * The next report of the kernel, peeked at, or an end consumed earlier. *got:
 * false when the wait was interrupted.
 */
struct error *next_report(struct target *target, pid_t *tid, int *status,
			  bool *got);

#endif

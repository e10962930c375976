/*
 * target_state.h - the state of a target, and the functions that the files of
 * this folder offer to each other and to the subfolders: to wait for threads,
 * to resume them and to stop them
 */
#ifndef TARGET_INTERNAL_H
#define TARGET_INTERNAL_H

#include <sys/ptrace.h>
#include <time.h>

#include "perftool/target.h"
#include "perftool/target/target_events.h"
#include "target/memory/memory.h"

/* The end of a thread, which the tool consumed while it waited for the thread
 * to stop. target_wait() must still report this end. */
struct found_end {
	pid_t tid;
	int status;
};

/* A time at which a wait is interrupted (wait.c). */
struct wait_limit {
	uint64_t time; /* UINT64_MAX: none */
	timer_t timer;
	bool has_timer;
};

/* target_set_alarm(): a time that an owner has set. */
struct owned_alarm {
	const void *owner;
	uint64_t time;
};

struct glance {
	pid_t tid;
	uint32_t serial;
	target_glance_fn *look;
	void *context;
};

struct target {
	const struct clock *clock;
	struct interrupt interrupt;
	struct map threads;   /* tid -> struct thread */
	struct map processes; /* pid -> struct process */
	/* tid -> stop signal, for each thread that has stopped before its
	 * creator has reported it. */
	struct map early;
	/* the tids of the threads from which the tool will detach as soon as
	 * they stop; a tid leads to any pointer but NULL */
	struct map leaving;
	/* all threads, in the order in which the tool asks them for reports */
	struct thread_list ring;
	size_t turn; /* index in `ring` of the thread that the tool asks next */
	/* how many reports the tool has taken in the kernel's order since it
	 * last asked threads in turn (wait.c) */
	unsigned unfair;
	uint32_t next_serial;
	/* how many times the tool has let a thread run */
	uint64_t resumptions;
	VEC(struct found_end) ends;
	/* the system calls that are told, a bit for each number */
	bool tells_calls;
	struct call_stops call_stops;
	uint64_t told_calls[TARGET_MOST_CALLS / 64];
	bool consumed;       /* the current report is one of `ends` */
	bool stopping;       /* a stop of all threads is under way */
	uint64_t stop_since; /* begin of this stop; tool's clock */
	uint64_t next_stuck_look;
	size_t not_quiet; /* the index of a thread that was not quiet yet */
	/* watch_support.c */
	enum {
		WATCHING_UNKNOWN,
		WATCHING_WORKS,
		WATCHING_REPORTS_NOTHING
	} watching;
	/* robust_word.c; NULL: there is no such word yet */
	struct robust_words *robust;
	/* set by target_set_bystander(); may be NULL */
	target_event_fn *tell_bystander;
	void *bystander_context;
	/* The thread of the last trap. Usually the next trap is of the same
	 * thread. */
	struct thread *last;
	struct thread *dead_thread;   /* freed by the next target_wait() */
	struct process *dead_process; /* freed by the next target_wait() */
	/* the pages of one process that the tool keeps (page_cache.h) */
	struct kept kept;
	timer_t tick;
	bool has_tick;
	bool notes_ends; /* target_note_ends() */
	struct wait_limit deadline, alarm;
	VEC(struct owned_alarm) alarms; /* those that are set */
	VEC(struct glance) glances;     /* that are still to come (glance.c) */
	uint64_t tick_ns;
	/* The process that was launched last, and its end if the tool has
	 * already consumed it. */
	pid_t launched;
	bool has_launched_end;
	int launched_end;
	/* target_pin() was called. The affinities of the tool and of the
	 * program before the call, and of both after it: */
	bool pinned;
	cpu_set_t own_affinity, program_affinity, pinned_to;
};

/* The events that every traced thread reports. */
#define TRACE_OPTIONS                                                          \
	(PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |      \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD)

/* The ptrace options for the threads of a process. The kernel kills the process
 * if the tool dies, unless the process survives. */
long trace_options(const struct process *process);

/* Create a process without threads, and enter it in the table of the target. */
struct process *process_create(struct target *target, pid_t pid);
/* Open /proc/PID/mem, or open it again after an exec: a descriptor belongs to
 * one memory, and an exec creates a new memory. ERROR_GONE: the process has
 * ended. */
struct error *process_open_memory(struct process *process);

/* Do what process_open_memory() does, for a stopped process in the middle of a
 * run. If the file cannot be opened, this is no error: the tool accesses the
 * memory in other ways (memory_access.c). If the cause is a lack of file
 * descriptors, the process becomes `is_too_many` and is not measured. */
struct error *process_open_new_memory(struct process *process);
/* Is `file` one of the last file descriptors that the tool may open, so that
 * the caller should close it soon? The number of files that the tool may have
 * open is limited, and for each measured process the tool keeps /proc/PID/mem
 * open, and the stat of a thread if possible. */
bool takes_free_file(int file);
/* Free a process and its threads. The caller has removed the process from the
 * table of the target. NULL is allowed. */
void process_destroy(struct process *process);

/* Create a RUNNING thread, and enter it in all tables. */
/* debug_registers.c: Where is the debug register of this number, in struct
 * user?
 */
size_t debug_register(unsigned number);
#define DEBUG_CONTROL 7 /* the number of the control register */
/* debug_registers.c: The bits of the control register for one watched object:
 * it is enabled for this thread, what is watched for, and the length. */
uint64_t watch_control(unsigned index, const struct target_watch *watch);
/* debug_registers.c: Have a stopped thread watch nothing, of which nothing else
 * is known any more. */
void watch_nothing(pid_t tid);

struct thread *thread_create(struct process *process, pid_t tid);
/* Remove a thread from all tables. The caller frees the thread. */
void thread_unlink(struct thread *thread);

/*
 * Wait until a thread that was told to go on reports a stop or its end. The
 * stop is consumed unless it is a signal stop. `status` is as of wait(2). If
 * the thread does not report in time (stuck_check()), it is RUNNING and stuck
 * afterwards, and the function fails. ERROR_GONE: the thread has ended;
 * target_wait() will report the end.
 */
struct error *wait_for_thread(struct thread *thread, int *status);

/* Wait until a thread that was told to stop has something to report. The report
 * is left for target_wait(), and the thread stays RUNNING. The function gives
 * up if the thread is seen to be stuck, or if it has gone. */
void await_any_report(struct thread *thread);

/* Do what wait_for_thread() does, for a thread that has not executed the
 * program yet. Such a thread may take any time until it reports.
 * ERROR_INTERRUPTED: the user asks to stop. */
struct error *wait_for_start(struct thread *thread, int *status);

/* robust_word.c: Release the words of target_show_life(). */
void robust_words_deinit(struct target *target);

/* overdue_stops.c: May a process that was killed at `since` (time of the tool's
 * clock) still need time to end? False: the process has had enough time, which
 * is ten seconds, or one second if the user asks to stop. */
bool stuck_may_end(const struct target *target, uint64_t since);

/* Wait for the end of a process that was killed, for ten seconds at most, or
 * for one second if the user asks to stop. False: the process has not ended in
 * this time. */
bool reap_soon(const struct target *target, pid_t pid);

/* overdue_stops.c: note that the tool has just asked all threads to stop. */
void stuck_begin(struct target *target);
/* stuck_look() finds the threads that cannot stop, and sets their `is_stuck`.
 * stuck_error() returns an error that says why a thread of the process has not
 * stopped, or NULL if no thread is stuck. stuck_describe() appends the
 * description of one stuck thread. */
void stuck_look(struct target *target);
/* Do what stuck_look() does, for one thread, which the tool has asked to stop
 * at the time `since` of its clock. */
void stuck_look_at(struct thread *thread, uint64_t since);
/*
 * stuck_begin_one() and stuck_check() do for one thread what stuck_begin() and
 * stuck_look() do for all threads. The tool calls stuck_begin_one() before it
 * waits for the thread alone, and stuck_check() during this wait. stuck_check()
 * fails if the thread has not stopped within ten seconds after `since`, or
 * within one second if the user has asked to stop and the thread is in the
 * kernel.
 */
void stuck_begin_one(struct thread *thread);
struct error *stuck_check(struct thread *thread, uint64_t since);
struct error *stuck_error(const struct process *process);
void stuck_describe(const struct thread *thread, struct str *out);

/* A thread at an event (for example exec) is inside the kernel. Let the thread
 * go on to the point where its registers are those of the program. The thread
 * is then STOPPED, and has executed no instruction. */
struct error *settle_after_event(struct thread *thread);

/* Do what settle_after_event() does, for a thread that has reported `status`.
 * If `status` is a signal stop, the tool delivers the signal first. */
struct error *settle_thread(struct thread *thread, int status);

/* birth.c: note the stack pointer with which a program or a thread begins,
 * before the thread executes anything. */
struct error *note_first_sp(struct thread *thread);

/* Note that an unknown thread has stopped by `stop_signal`. Its creator will
 * report it later, and this report says to which process the thread belongs. */
void note_early(struct target *target, pid_t tid, int stop_signal);

/* `parent` has reported with this PTRACE_EVENT_... that it has created a
 * process or a thread. Handle the birth of that process or thread, and describe
 * the birth in `event`. */
struct error *on_clone(struct thread *parent, int ptrace_event,
		       struct event *event);

/*
 * Find an orphan: a process whose creator was killed before the creator could
 * report the birth. The creator was killed together with its process, or by the
 * exec of another thread. `status` is the status with which the end or the exec
 * was reported. Returns the pid of the orphan; 0: there is no orphan.
 */
pid_t find_orphan(struct target *target, const struct process *maker,
		  int status);

/* Describe in `event` the birth of the orphan. The tool keeps the `status` that
 * the creator has reported, and handles it as the next report. */
struct error *tell_of_orphan(struct thread *maker, pid_t orphan, int status,
			     struct event *event);

/*
 * Does a stop of all threads not have to wait for this thread? This is so if
 * the thread is STOPPED and not inside a system call, or if the thread cannot
 * report anything: it is a leader that has ended before its threads, it is
 * stuck in the kernel, or it waits in vfork(2) for a child that is to be
 * STOPPED itself.
 */
bool thread_is_quiet(const struct thread *thread);

/* Signals that an instruction can raise. If an instruction raises such a
 * signal while the signal is blocked, the kernel resets the disposition of
 * the signal. */
#define SIGNAL_BIT(signal) (1ULL << ((signal)-1))
#define SYNCHRONOUS                                                            \
	(SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) |      \
	 SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSYS))

/*
 * Has the last instruction of the thread raised a signal that the thread has
 * not reported yet? The kernel reports event stops before signals. If the
 * instruction was an int3, the pc is behind the int3, and nothing else shows
 * that the int3 was executed. If the instruction has faulted, the pc is the one
 * that the signal handler must be told. So until the signal has been reported,
 * the tool must not move the thread and must not use it for remote calls.
 */
bool has_queued_fault(const struct thread *thread);

/* Detach from a thread in any state. A signal that the thread has reported is
 * delivered. `restored`: the tool has replaced the int3s by the original bytes,
 * so a thread that has just executed an int3 must execute the original
 * instruction. */
void release_thread(struct thread *thread, bool restored);
/* Detach from threads of the process that the tool still traces although it
 * does not know them any more, as far as they have reported something. */
void release_threads_left(pid_t pid);

/*
 * Note in the thread why it is in an event stop. `stop_signal` is SIGTRAP if
 * the tool has interrupted the thread; otherwise it is the signal of a group
 * stop. If the stop has interrupted a system call, the call is restarted when
 * the thread goes on.
 */
void note_event_stop(struct thread *thread, int stop_signal);

/* event.c: handle a stop by PTRACE_INTERRUPT or by job control, whose report
 * was consumed. */
void on_event_stop(struct thread *thread, int stop_signal);

/* glance.c: the thread has stopped. Look at it if that was asked for. */
void glance_at(struct thread *thread);

/* Have an interrupted system call restarted after a stop by any signal. The
 * kernel restarts the call if the signal has no handler. */
void restart_call(struct thread *thread);

/* Let a thread go on with PTRACE_CONT. If the thread has `tells_return` set, it
 * goes on only to its next system call. */
long thread_continue(const struct thread *thread, int signal);
/* Do what thread_continue() does, after target_settle(). While a stop of all
 * threads is under way, the thread executes nothing. */
struct error *thread_go_on(struct thread *thread, int signal);

/* Make the error for a ptrace request that has failed with the current errno.
 * ERROR_GONE: the thread has ended (ESRCH). */
struct error *ptrace_error(const struct thread *thread, const char *what);

/* Do all threads of the process exit, or does SIGKILL end one that the tool
 * controls? SIGKILL ends all threads, or all but one, which executes another
 * program: the memory of the process goes away in both cases. */
bool process_is_ending(const struct process *process);

/* From now on the wake signal (target_wake_signal()) interrupts a wait, and
 * does nothing else. */
void target_catch_tick(void);
void wait_limit_deinit(struct wait_limit *limit);
void target_arm_tick(struct target *target);
void target_disarm_tick(struct target *target);

/* Is `status` that of a signal stop? The layer must not consume a signal
 * stop. */
bool is_signal_stop(int status);

/* Consume the report at which peek() has looked. *status is the status of the
 * report. False: the report is not there any more. */
bool consume(pid_t tid, int *status);
/* wait.c: the end of the thread is reported, and the report not yet taken. */
void note_end(struct target *target, pid_t tid);

/*
 * Return the next report: an end that was consumed earlier, or a report of the
 * kernel, which is not consumed. *got is false if the wait was interrupted.
 */
struct error *next_report(struct target *target, pid_t *tid, int *status,
			  bool *got);

#endif

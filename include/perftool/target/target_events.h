/*
 * target_events.h - waiting for what happens to the threads
 */
#ifndef PERFTOOL_TARGET_TARGET_EVENTS_H
#define PERFTOOL_TARGET_TARGET_EVENTS_H

#include "perftool/target.h"

enum event_kind {
	/* Nothing happened. A tick or a signal to the tool ended the wait. */
	EVENT_NONE,
	/* A SIGTRAP has stopped `thread`, which is AT_TRAP. `pc` and `sp` are
	 * the values of the thread. The caller resumes the thread with
	 * target_resume_at(), or with target_deliver() if the tool has not
	 * caused the trap. */
	EVENT_TRAP,
	/* The signal `signal` has stopped `thread`, which is AT_TRAP. The
	 * caller resumes the thread with target_deliver(). */
	EVENT_SIGNAL,
	/* `thread` is new and STOPPED, and so is the thread `parent` that
	 * created it. The caller calls target_resume() for both, also while a
	 * stop of all threads is under way. */
	EVENT_THREAD_NEW,
	/* `thread`, whose `tells_return` is set, has returned from a signal
	 * handler to `pc` and is STOPPED there. */
	EVENT_RETURN,
	/* `thread` has returned from a system call that target_tell_calls()
	 * names, `thread->call`, and is STOPPED. */
	EVENT_CALL,
	/*
	 * A process was forked. `thread` of the new process is STOPPED, and so
	 * is the thread `parent` that created it. `process->shares_memory` says
	 * whether it was a vfork. If `is_guess` is set, the creator may also be
	 * another process that runs the same program at the same addresses.
	 *
	 * The caller calls target_resume() for both, or target_detach() for the
	 * child, also while a stop of all threads is under way. (If the parent
	 * was killed meanwhile, it is not STOPPED.)
	 */
	EVENT_FORK,
	/* `process` has executed a new program. It has one thread, which is
	 * STOPPED and has executed no instruction of the program. The process
	 * has a new memory. */
	EVENT_EXEC,
	/* `thread` has ended. It is freed with the next call of target_wait():
	 * the caller must not keep pointers to it. */
	EVENT_THREAD_GONE,
	/* `process` has ended, with `status` as of wait(2). It is freed with
	 * the next call of target_wait(). */
	EVENT_PROCESS_GONE,
	/* All threads are STOPPED, as target_stop_all() has asked. No thread
	 * has executed an int3 that has not been reported. The threads that
	 * execute nothing anyway may stay RUNNING (target_is_at_rest()): for
	 * example a thread that waits in the kernel for its vfork child, which
	 * is STOPPED. */
	EVENT_ALL_STOPPED,
	/* The target has no more processes. */
	EVENT_EMPTY,
};

struct event {
	enum event_kind kind;
	uint64_t time; /* time of the tool's clock when the wait returned */
	struct process *process;
	struct thread *thread, *parent;
	uint64_t pc, sp;
	int signal, status;
	bool is_guess; /* EVENT_FORK: `parent` is a guess */
	/* EVENT_TRAP: `regs` holds all registers, read together with the pc. */
	bool has_regs;
	/* Not set unless `has_regs` is true. This must be the last member,
	 * because target_wait() sets only those before it to zero. */
	struct user_regs_struct regs;
};

/* From now on EVENT_CALL tells of each of these system calls that a thread
 * makes after it has stopped once more; a count of 0 ends this. All threads
 * must be STOPPED. Each system call then stops its thread twice. The numbers
 * are those of SYS_..., below TARGET_MOST_CALLS. */
#define TARGET_MOST_CALLS 512
void target_tell_calls(struct target *target, const int *numbers, size_t count);
/* The stops of threads at system calls while calls are told: how many there
 * were so far, and for how many ns the tool has handled those that were no
 * event. */
struct call_stops {
	uint64_t count, ns;
};
void target_get_call_stops(const struct target *target, struct call_stops *out);

/* Set the length of a tick: target_wait() returns with EVENT_NONE at least once
 * in this time. Without a call, a tick is a tenth of a second. */
void target_set_tick(struct target *target, uint64_t ns);

/* Have the kernel interrupt the waits of the calling thread, as a tick does, as
 * soon as the file can be read or written. The file becomes non-blocking. A
 * signal that comes just before a wait begins is noticed at the next tick. */
void target_wake_at(int fd);

/* The signal that interrupts the waits of the calling thread, and that the tool
 * sends to itself: SIGALRM on the main thread of a process, SIGSTKFLT on any
 * other thread. target_catch_wake_signal() also installs its handler, so that
 * others may send it to the thread. */
int target_wake_signal(void);
int target_catch_wake_signal(void);

/* Set a time of the tool's clock at which target_wait() and
 * target_await_child() return, too. From this time on they return again and
 * again, until another time or UINT64_MAX (no deadline) is set. */
void target_set_deadline(struct target *target, uint64_t time);

/* Set a time at which target_wait() returns with EVENT_NONE; UINT64_MAX: none.
 * Each owner has a time of its own. The owner sets another time soon after
 * that, because until then the wait is interrupted each millisecond. */
void target_set_alarm(struct target *target, const void *owner, uint64_t time);

/*
 * Wait for the next event. The function returns EVENT_NONE when a tick is over,
 * and whenever the tool gets a signal whose handler does not restart system
 * calls. The threads are served fairly: no thread waits for ever because other
 * threads report all the time. The event's pointers are valid until the next
 * call.
 */
struct error *target_wait(struct target *target, struct event *event);

/* How many objects in memory the processor can watch for one thread. */
#define TARGET_WATCHES 4

/* An object that is watched. */
struct target_watch {
	uint64_t address; /* a multiple of the size */
	uint8_t size;     /* 1, 2, 4 or 8 bytes; 0: nothing is watched */
	bool reads;       /* report reads, too */
};

/* Does the processor report what it watches? The first call finds out, by a
 * child that writes to watched memory. ERROR_OTHER: it does not. If that cannot
 * be found out, it is taken to report. */
struct error *target_check_watching(struct target *target);

/*
 * From now on the thread, which is stopped, has an EVENT_TRAP behind each
 * instruction that writes to one of these objects (or reads it, if that is
 * asked for), and watches nothing else. At most TARGET_WATCHES objects count.
 * What the kernel writes in a system call of the thread is not reported.
 * ERROR_SYSTEM: the kernel refuses an address, or has no free register.
 */
struct error *target_set_watches(struct thread *thread,
				 const struct target_watch *watches,
				 size_t count);
/* Which of its objects has the thread, which has had an EVENT_TRAP, touched
 * since the last call? One bit for each index in `watches`. */
struct error *target_take_watched(struct thread *thread, unsigned *which);
/* Have a stopped thread watch nothing, whoever has set its debug registers. */
void target_forget_watches(struct thread *thread);

/* Let a thread that is AT_TRAP go on at `pc`. `resumed` (may be NULL) gets the
 * time just before the thread goes on. */
struct error *target_resume_at(struct thread *thread, uint64_t pc,
			       uint64_t *resumed);

/* Make a thread that is AT_TRAP STOPPED. The thread will go on at `pc`
 * later. */
struct error *target_hold(struct thread *thread, uint64_t pc);

/* Let a thread that is AT_TRAP go on, and deliver `signal` to it; 0: deliver no
 * signal. `resumed` is as for target_resume_at(). */
struct error *target_deliver(struct thread *thread, int signal,
			     uint64_t *resumed);

/* Let a STOPPED thread go on. While a stop of all threads is under way, the
 * function resumes only a thread that is inside a system call (`in_call`). */
struct error *target_resume(struct thread *thread);

/* Let the threads go on that are STOPPED inside a system call because their
 * event could not be handled. A stop of all threads waits until these threads
 * have left the call. */
void target_finish_calls(struct target *target);

/* Ask all threads to stop. target_wait() returns EVENT_ALL_STOPPED when they
 * have stopped. */
struct error *target_stop_all(struct target *target);
/* Is a stop of all threads under way? */
bool target_is_stopping(const struct target *target);

/* Is the thread the leader of a process, and has it ended before the other
 * threads? The state of such a leader is RUNNING until the other threads have
 * ended, too, but the leader reports nothing and executes nothing. */
bool target_is_dead_leader(const struct thread *thread);

/* Is it certain that the thread executes nothing as long as the STOPPED threads
 * stay STOPPED? This is true for a thread that is STOPPED, for a thread that is
 * stuck in the kernel, for a leader that has ended (target_is_dead_leader()),
 * and for a thread that waits in the kernel for its vfork child. */
bool target_is_at_rest(const struct thread *thread);

/* Is a thread of the process STOPPED? */
bool target_is_any_stopped(const struct process *process);

/* Let all STOPPED threads go on. This also ends a stop of all threads that is
 * under way. */
struct error *target_resume_all(struct target *target);

/*
 * Let a thread that is STOPPED or AT_TRAP execute one instruction, with its
 * signals blocked. Every other thread that uses the same memory must be
 * STOPPED. The thread is STOPPED afterwards.
 */
struct error *target_step(struct thread *thread);

/* From now on the tool looks, before it takes the report of the end of a
 * thread, how the kernel scheduled the thread: EVENT_THREAD_GONE and
 * EVENT_PROCESS_GONE have it in `end` of the thread or threads. */
void target_note_ends(struct target *target);

/*
 * A glance at a thread: the thread stops for a moment, a function looks at its
 * registers and at the memory of its process, and the thread goes on at once.
 * The function may not resume or stop threads. It is called by target_glance()
 * if the thread is not RUNNING. Otherwise target_await_glances() or
 * target_wait() calls it as soon as the thread has stopped. A thread that
 * sleeps in a system call is woken up, and its call is restarted as after
 * target_attach(). ERROR_GONE: the thread has ended. (If it ends later, the
 * function is not called.)
 */
typedef void target_glance_fn(void *context, struct thread *thread,
			      const struct user_regs_struct *regs);
struct error *target_glance(struct thread *thread, target_glance_fn *look,
			    void *context);
/* Wait, for `ns` at most, until the threads that were asked have stopped. Those
 * that have not are still asked. Other reports of the threads are left to
 * target_wait(). */
void target_await_glances(struct target *target, uint64_t ns);
/* Call no function with this context any more. */
void target_forget_glances(struct target *target, const void *context);

/* Is the signal pending, either for the thread or for its process? The thread
 * takes a pending signal as soon as the thread does not block the signal. */
bool target_is_pending(const struct thread *thread, int signal);

/* Send a signal to a thread, as tgkill(2) does. ERROR_GONE: the thread has
 * ended. */
struct error *target_send(struct thread *thread, int signal);

/* Read and write the siginfo of the signal by which a thread is AT_TRAP. */
struct error *target_get_siginfo(struct thread *thread, siginfo_t *info);
struct error *target_set_siginfo(struct thread *thread, const siginfo_t *info);

#endif

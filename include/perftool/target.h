/*
 * target.h - processes under ptrace; this layer is the only caller of ptrace(2)
 * and wait(2)
 *
 * Only target_wait() waits for events. It returns one event at a time. The
 * kinds of events are a closed set, and the comment on each kind says how the
 * caller resumes the thread. The layer looks at a signal stop without consuming
 * it, so that the signal is not lost if the tool dies (doc/RULES.md, "The
 * target outlives the tool", 1).
 *
 * A thread is in one of these states:
 *
 *	          target_wait()                 target_wait()
 *	RUNNING ----------------> AT_TRAP   <---------------- RUNNING
 *	   ^   \                     | target_resume_at(), target_deliver()
 *	   |    \ (stop asked)       v
 *	   |     +--------------> STOPPED
 *	   +--------------------------+ target_resume(), target_resume_all()
 *
 * The caller must resume a thread that is AT_TRAP before the next
 * target_wait(). The tool has only looked at the stop of such a thread, so the
 * kernel would report this stop again and again. A STOPPED thread is in a
 * ptrace event stop whose report the tool has consumed, so the thread may stay
 * STOPPED for any time. While a stop of all threads is under way
 * (target_stop_all()), a thread that is resumed from AT_TRAP executes nothing
 * and becomes STOPPED.
 *
 * A function that fails because its thread or its process has ended returns
 * ERROR_GONE. target_wait() reports the end later. The functions that let a
 * thread go on do not fail in this case.
 *
 * A script, in this layer, is code that the tool puts into a process so that a
 * thread of the process makes system calls for the tool (remote calls). The
 * thread completes a script without further help of the tool.
 */
#ifndef PERFTOOL_TARGET_H
#define PERFTOOL_TARGET_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "perftool/arch.h"
#include "perftool/base/clock.h"
#include "perftool/base/error.h"
#include "perftool/base/inherited.h"
#include "perftool/base/interrupt.h"
#include "perftool/base/map.h"
#include "perftool/base/str.h"
#include "perftool/base/string_list.h"
#include "perftool/base/vec.h"
#include "perftool/scheduling.h"

struct target;
struct process;

enum thread_state { THREAD_RUNNING, THREAD_STOPPED, THREAD_AT_TRAP };

/* A system call that a thread has made. */
struct thread_call {
	int number; /* SYS_... */
	uint64_t args[6];
	int64_t result; /* below 0: the negative errno */
};

struct thread {
	pid_t tid;
	/* unique: a serial is never used again, but a tid may be */
	uint32_t serial;
	struct process *process;
	enum thread_state state;
	/* If job control has stopped the thread: the stop signal. Such a thread
	 * stays stopped when the tool resumes it. 0: job control has not
	 * stopped the thread. */
	int stopped_by;
	/* The thread is STOPPED at an event inside a system call. Its registers
	 * are not the registers with which it will go on in the program. */
	bool in_call;
	/* Set by the caller: target_wait() reports EVENT_RETURN when the thread
	 * has returned from a signal handler. */
	bool tells_return;
	bool in_return; /* the thread is inside rt_sigreturn(2) */
	/* the thread is inside the system call `call`, which is to be told */
	bool in_told_call;
	struct thread_call call;
	/* Set by the code that handles the events. Not 0: each EVENT_TRAP of
	 * the thread has all registers in `regs`. */
	uint8_t regs_wanted;
	/* The process for which the thread waits in vfork(2), if that process
	 * still exists; 0: none. */
	pid_t vfork_child;
	/* The tool has asked the thread to stop, but the thread does not leave
	 * the kernel. The thread will stop before it executes an instruction of
	 * the program. See overdue_stops.c. */
	bool is_stuck;
	/* target_next_stuck() has described the thread to the user */
	bool is_stuck_told;
	/* target_glance() has asked the thread to stop for a moment, and it has
	 * not stopped since. */
	bool is_glanced_at;
	/* The processor time, in clock ticks, that the thread had used when the
	 * tool asked the thread to stop. */
	uint64_t stop_ticks;
	/* stack pointer at the birth of the thread; 0: not known */
	uint64_t first_sp;
	/* The lowest address of the stack on which the thread was born; 0: not
	 * looked up yet. */
	uint64_t stack_low;
	/* how the kernel scheduled the thread until its end, if
	 * target_note_ends() has asked for that and it was still known */
	bool has_end;
	struct thread_scheduling end;
	void *ring, *watch; /* data of the code that handles the events */
	/* The debug registers of the thread watch memory
	 * (target_set_watches()). */
	bool is_watching;
	/* set by the code that handles the events: what it has the thread
	 * watch */
	uint32_t watches;
};

VEC_STRUCT(thread_list, struct thread *);

struct process {
	pid_t pid;
	struct target *target;
	struct thread_list threads;
	int mem; /* file descriptor of /proc/PID/mem */
	/* file descriptor of /proc/PID/task/TID/stat of one thread; -1: not
	 * open */
	int stat;
	/* The process uses the memory of another process: it is a child of
	 * vfork or of clone(CLONE_VM). The flag is also set for a process
	 * that shared the memory of a process when the tool attached to the
	 * latter. */
	bool shares_memory;
	uint64_t start_brk; /* start of the heap when `mem` was opened */
	bool had_threads;   /* the process has had more than one thread */
	/* The process, or its parent, existed before the tool attached. In the
	 * end the tool lets the process go and does not kill it. */
	bool attached;
	bool survives; /* the process must go on if the tool dies */
	/* To measure this process, the tool would need file descriptors that it
	 * must keep for its other work (RLIMIT_NOFILE). */
	bool is_too_many;
	/* address and size of the memory for scripts, see
	 * target_set_scripts() */
	uint64_t scripts;
	size_t scripts_size;
	/* The thread that was last chosen to make system calls for the tool,
	 * whether it is under no seccomp filter that matters, and the number of
	 * `resumptions` of the target at that time; NULL: none. */
	struct thread *caller;
	bool caller_is_free;
	uint64_t caller_at;
	void *owner; /* data of the code that handles the events */
};

/* Create a target without processes. The clock must outlive the target. The
 * caller frees the target with target_destroy(). */
struct target *target_create(const struct clock *clock);

/* Describe in `out` a thread that is stuck (`is_stuck`) and that this function
 * has not described before: "thread 1 of process 2 does not stop: ...". False:
 * there is no such thread. */
bool target_next_stuck(struct target *target, struct str *out);

/* Kill the launched processes that still run, let the attached processes go,
 * and free the target. NULL is allowed. */
void target_destroy(struct target *target);

/* ---- launching -------------------------------------------------------- */

struct launch {
	const char *path;        /* the file to execute */
	const char *const *argv; /* with argv[0], NULL-terminated */
	const char *const *envp; /* NULL-terminated */
	/* paths to which stdin and stdout are redirected, or NULL */
	const char *input, *output;
	/* the program gets its own process group */
	bool own_group;
	/* false: the kernel kills the program if the tool dies */
	bool survives;
	/* The inherited settings that the tool has changed for itself. The
	 * program gets them back before its exec. NULL: the tool has changed
	 * nothing. */
	const struct inherited *inherited;
};

/*
 * List the libraries with which a program will be linked when it is started in
 * this environment (NAME=VALUE strings, NULL-terminated). `linker` is the
 * run-time linker of the program (its ELF interpreter); the list contains what
 * the run-time linker finds, and the run-time linker itself. The caller frees
 * the list with string_list_deinit(). False: the libraries are not known,
 * because the run-time linker cannot be asked, or because one of the libraries
 * does not exist; the list is empty.
 */
bool target_linked_libraries(const char *linker, const char *program,
			     const char *const *env, struct string_list *out);

/*
 * Start a program. The function returns when the program has been loaded by
 * exec but has executed no instruction. Its only thread is STOPPED. If the exec
 * fails, the error is ERROR_NO_PROGRAM if the file or its interpreter does not
 * exist, else ERROR_NOT_EXECUTABLE. The target owns the process.
 */
struct error *target_launch(struct target *target, const struct launch *launch,
			    struct process **out);

/*
 * Attach to a running process. The tool seizes all threads of the process,
 * including those that are born meanwhile, and all of them are STOPPED. The
 * tool also seizes and stops all other processes that use the same memory
 * (mostly vfork children). target_next_process() lists these processes, and
 * their `shares_memory` is set. A thread that waits for such a vfork child
 * stays RUNNING.
 *
 * If the only thread of the process waits for a vfork child, the tool waits for
 * that thread, for ten seconds at most. A system call that was interrupted by
 * the attach goes on when its thread goes on, as if nothing had happened. This
 * is also true for the calls that the kernel makes fail with EINTR.
 *
 * The error says why the process cannot be measured, as far as /proc shows the
 * reason: the process does not exist, the number is that of a thread, the
 * process is a zombie, a kernel thread or a 32-bit program, another process
 * traces it (the error names the tracer), it belongs to another user, it is not
 * dumpable, ptrace_scope forbids it, or the number is a pid of another
 * namespace. After an error nothing has been changed.
 *
 * No thread of another process may be RUNNING when this is called. If something
 * happens to the other processes meanwhile (for example, one is killed), the
 * tool calls the function that was set by target_set_bystander().
 */
struct error *target_attach(struct target *target, pid_t pid,
			    struct process **out);

/* While the tool attaches to a process, it calls the function `tell` with each
 * event of a process whose `owner` is set. The event is valid until the
 * function returns, as an event of target_wait() is. */
struct event;
typedef void target_event_fn(void *context, const struct event *event);
void target_set_bystander(struct target *target, target_event_fn *tell,
			  void *context);

/* Set how target_attach() learns that the user wants to stop. In this case
 * target_attach() lets the process go and fails with ERROR_INTERRUPTED. */
void target_set_interrupt(struct target *target, struct interrupt interrupt);

/* Find out why target_attach() would fail, as far as this can be seen without
 * trying. NULL: no reason was found. */
struct error *target_check_attach(pid_t pid);

/* Send SIGKILL to the process. target_wait() reports the end of the process as
 * usual. */
void target_kill(struct process *process);

/* Has a process that was killed at `since` (time of the tool's clock, ns) had
 * enough time to end? If so, the function returns an error that names a thread
 * that still exists; else NULL. Enough time is ten seconds, or one second if
 * the user asks to stop. */
struct error *target_check_end(const struct process *process, uint64_t since);

/* Send a signal to the process as kill(2) does. */
void target_signal(struct process *process, int signal);

/* Detach from all threads of the process, which must all be STOPPED, and free
 * the process. A group-stopped process stays stopped. The tool detaches from a
 * thread that waits for its vfork child as soon as possible: in target_wait(),
 * in target_release_waiting(), or when the tool ends. */
void target_detach(struct process *process);

/* Wait for the end of a child process that the tool does not trace.
 * target_wait() consumes the end of any child, so the end of this child may
 * already have been consumed; this is no error. */
void target_reap(pid_t pid);

/*
 * Wait for the end of a launched process from which the tool has detached; this
 * process is still a child of the tool. The function waits for one tick at
 * most, or until the tool gets a signal. `*ended` says whether the process has
 * ended; `status` is then as of wait(2).
 */
struct error *target_await_child(struct target *target, pid_t pid, bool *ended,
				 int *status);

/* target_detach() and target_let_go() cannot detach from a thread that has not
 * stopped yet. Detach from those of these threads that have stopped by now.
 * False: none of these threads is left. */
bool target_release_waiting(struct target *target);

/* Detach from a process whose threads may be RUNNING, and free the process. The
 * memory of the process must have its original bytes again. */
void target_let_go(struct process *process);

/* If no thread of the process is STOPPED, wait for the threads that wait for a
 * vfork child from which the tool has detached. The child usually leaves the
 * memory within a second, and then its parent thread becomes STOPPED. If a
 * thread of the process is STOPPED, the function waits for no thread. */
void target_await_parents(struct process *process);

/* Return the processes of the target one after the other. The caller sets the
 * cursor to 0 at first. NULL: there are no more processes. During the iteration
 * no process may be added, and only the process that was returned last may be
 * removed. */
struct process *target_next_process(const struct target *target,
				    size_t *cursor);

/* Find a process by its pid, or a thread by its tid. NULL: the target has no
 * such process or thread. */
struct process *target_find_process(const struct target *target, pid_t pid);
struct thread *target_find_thread(const struct target *target, pid_t tid);

/* ---- events ----------------------------------------------------------- */

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

/* ---- registers and memory --------------------------------------------- */

/* Read and write the general registers of a stopped thread. */
struct error *target_get_regs(struct thread *thread,
			      struct user_regs_struct *regs);
struct error *target_set_regs(struct thread *thread,
			      const struct user_regs_struct *regs);
/* Read and write one register. `offset` is the offset in struct
 * user_regs_struct. */
struct error *target_get_reg(struct thread *thread, size_t offset,
			     uint64_t *value);
struct error *target_set_reg(struct thread *thread, size_t offset,
			     uint64_t value);

/* Read the pc and the stack pointer with one system call. */
struct error *target_get_pc(struct thread *thread, uint64_t *pc, uint64_t *sp);

/* Read the x87 and vector registers, in the format of the fxsave
 * instruction. */
struct error *target_get_fpregs(struct thread *thread,
				struct user_fpregs_struct *regs);

/* Read or write `size` bytes, or fail. A write ignores the protection of the
 * page. */
struct error *target_read(struct process *process, uint64_t address,
			  void *buffer, size_t size);
struct error *target_write(struct process *process, uint64_t address,
			   const void *buffer, size_t size);

/*
 * Read those pages of [address, address + size) for which the kernel holds
 * data; `address` and `size` are multiples of the page size. `populated[i]`
 * says whether page i was read. The function changes nothing of the other
 * pages, neither in the process nor in `buffer`.
 */
struct error *target_read_populated(struct process *process, uint64_t address,
				    uint8_t *buffer, size_t size,
				    bool *populated);

/*
 * From now on, keep copies of the pages of a process in the tool, so that the
 * tool reads each page only once and writes it only once. The tool can keep the
 * pages of one process at a time, and only while no thread that uses the memory
 * executes anything.
 *
 * The kept data are written into the process before another process is read or
 * written, and before the tool sets the registers of a thread, lets a thread go
 * on or step, or makes a remote call. target_write_kept() also writes them, and
 * may fail as target_write() does; target_settle() has the tool read all pages
 * anew, too, as it does after each of these but a change of registers. The data
 * are written page by page: pages of a lower rank first, and among pages of the
 * same rank those of higher addresses first. `rank` returns the rank of a page.
 * What target_map_within() has left to be mapped is mapped before all of them,
 * and its pages are zeros until then.
 */
typedef unsigned (*page_rank_fn)(void *context, uint64_t page);
void target_keep(struct process *process, page_rank_fn rank, void *context);
struct error *target_write_kept(struct target *target);
struct error *target_settle(struct target *target);
/* Write the kept data as target_settle() does, and keep no more pages. */
struct error *target_keep_no_more(struct process *process);

/* Read the memory of a process to which the tool need not be attached. False:
 * the memory cannot be read. */
bool target_peek(pid_t pid, uint64_t address, void *buffer, size_t size);

/* Read memory for the arch layer (this is an arch_read_fn). The context,
 * `process`, is a struct process. */
bool target_read_callback(void *process, uint64_t address, void *buffer,
			  size_t size);

/* target_thread_read() is target_read_callback() with a struct thread as the
 * context: it reads the memory of the thread's process. target_thread_vectors()
 * reads the x87 and vector registers of the thread. */
bool target_thread_read(void *thread, uint64_t address, void *buffer,
			size_t size);
bool target_thread_vectors(void *thread, struct user_fpregs_struct *out);

/* Read and write the signal mask of a stopped thread. */
struct error *target_get_signal_mask(struct thread *thread, uint64_t *mask);
struct error *target_set_signal_mask(struct thread *thread, uint64_t mask);

/* What a process does with a signal, according to /proc. */
enum disposition {
	DISPOSITION_DEFAULT,
	DISPOSITION_IGNORED,
	DISPOSITION_CAUGHT
};
/* ERROR_GONE: no thread of the process is left. */
struct error *target_get_disposition(struct process *process, int signal,
				     enum disposition *out);
/* Return the first thread that blocks the signal, or NULL. */
struct thread *target_find_blocking(struct process *process, int signal);
/* Return the first thread that is under a seccomp filter (not strict mode)
 * which the tool itself is not under, or NULL. The function reads /proc for
 * each thread, stopped or not. */
struct thread *target_find_filtered(struct process *process);

/* ---- maps -------------------------------------------------------------- */

struct mapping {
	uint64_t low, high, offset, inode;
	/* The device as /proc/PID/maps shows it. For some file systems, stat(2)
	 * shows another device. */
	uint64_t device;
	bool readable, writable, executable, shared;
	char *path; /* "" (no path), "[heap]", "/lib/x.so"; never NULL */
};
VEC_STRUCT(mapping_list, struct mapping);

/* Read /proc/PID/maps. The caller frees the list with mapping_list_deinit(). */
struct error *target_read_maps(pid_t pid, struct mapping_list *out);
void mapping_list_deinit(struct mapping_list *list);
/* Return the index of the first mapping that ends above an address. The result
 * is `list->count` if there is no such mapping. */
size_t mapping_list_above(const struct mapping_list *list, uint64_t address);

/*
 * Return a path by which the tool can open the file of a mapping. This is the
 * path of the mapping; or a path through /proc/PID/root if the process sees
 * other files than the tool does; or /proc/PID/exe or a path in
 * /proc/PID/map_files if the file was deleted or replaced. NULL: the tool
 * cannot open the file, and `problem` (may be NULL) gets the reason. The caller
 * frees both strings.
 */
char *target_file_of_mapping(pid_t pid, const struct mapping *mapping,
			     char **problem);

/* ---- remote calls ------------------------------------------------------- */

/*
 * Choose the STOPPED thread of a process in which remote calls disturb the
 * program least: a thread that is in no system call, does not wait for a
 * signal, and is not under a seccomp filter. If there is none, the error says
 * why: no thread is STOPPED, or every thread is under a filter that might kill
 * the thread for a remote call. A filter that the tool itself is under does not
 * count. Where PTRACE_O_SUSPEND_SECCOMP is allowed, the tool uses it.
 */
struct error *target_calling_thread(struct process *process,
				    struct thread **out);

/*
 * Make system calls in a STOPPED thread. The calls are made by a script that
 * completes by itself (arch.h). `data` is placed next to the script. The script
 * is placed in zero bytes: in the memory that target_set_scripts() has set,
 * else at the end of the vdso. The tool never writes over a script that an
 * earlier tool, which died, has left there. `results[i]` gets what call i
 * returned, which may be a negative errno value.
 */
struct error *target_remote_calls(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const void *data, size_t data_size,
				  int64_t *results);

/* Set executable memory that the tool has mapped into the process. From now on
 * scripts are placed there. */
void target_set_scripts(struct process *process, uint64_t address, size_t size);

/* Find the addresses behind the end of the vdso's file, up to the end of its
 * mapping. Scripts may be there. */
struct error *target_vdso_room(struct process *process, uint64_t *low,
			       uint64_t *high);

/* Find at least `size` zero bytes, aligned to 16, in the memory for scripts (or
 * at the end of the vdso if none is set). */
struct error *target_find_script_room(struct process *process, size_t size,
				      uint64_t *address);

/*
 * A tool that died may have left scripts in [low, high) or behind the end of
 * the vdso, and threads may be in the middle of such a script. Lead these
 * threads through their scripts, including threads of other processes that
 * share the memory. Afterwards they are STOPPED again, and have executed no
 * instruction of the program beyond the one to which the script leads. Then the
 * function fills this memory with zeros, except the scripts to which the frame
 * of a signal handler may still lead back.
 */
struct error *target_finish_scripts(struct process *process, uint64_t low,
				    uint64_t high);

/*
 * Map `size` bytes of private memory, readable and executable, into the process
 * of `thread`, which must be STOPPED. /proc/PID/maps shows the memory as a
 * memfd named `name`. All of the memory is within `reach` bytes of all of [low,
 * high), and is not within 1 GiB above the heap. The function fails if there is
 * no room, or if the process may not have such memory.
 */
struct error *target_map_near(struct thread *thread, uint64_t low,
			      uint64_t high, uint64_t reach, uint64_t size,
			      const char *name, uint64_t *address);

/* The room that the tool leaves free above the heap, so that brk(2) can enlarge
 * the heap: as a rule, and where memory is scarce. If a heap of malloc(3)
 * cannot grow any more, malloc(3) takes memory elsewhere; a program that calls
 * sbrk(3) itself fails. */
#define TARGET_HEAP_ROOM (1024UL * 1024 * 1024)
#define TARGET_HEAP_LEAST (128UL * 1024 * 1024)

/* Map memory as target_map_near() does, but all of it within [low, high], and
 * not within `heap_room` bytes above the heap, which begins at `start_of_heap`
 * (target_start_of_heap()). While pages of the process are kept
 * (target_keep()), the memory is mapped before they are written. `maps` lists
 * the mappings of the process. The function reads the list if it is empty, and
 * enters the new mapping in it, because a process may have thousands of these
 * mappings. */
struct error *target_map_within(struct thread *thread, uint64_t low,
				uint64_t high, uint64_t size,
				uint64_t start_of_heap, uint64_t heap_room,
				const char *name, struct mapping_list *maps,
				uint64_t *address);
/* Would target_map_within() find room in [low, high]? `start_of_heap` is the
 * result of target_start_of_heap(). The function maps nothing. */
bool target_has_room(const struct mapping_list *maps, uint64_t start_of_heap,
		     uint64_t heap_room, uint64_t low, uint64_t high,
		     uint64_t size);
/* The address at which the heap of brk(2) begins for a thread; 0: the address
 * cannot be read, or there is no heap. */
uint64_t target_start_of_heap(pid_t pid, pid_t tid);

/* Map memory as target_map_near() does, but at `address`, where nothing may be
 * mapped yet. */
struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name);

/* Memory that the tool shares with a process, and with the forked children of
 * the process, which have it at the same address. The process and the tool can
 * read and write it. It is zero at first. The tool's mapping lasts until
 * shared_memory_deinit(). */
struct shared_memory {
	uint64_t address; /* the address in the process */
	uint8_t *memory;  /* the address in the tool */
	size_t size;
	/* as /proc/PID/maps shows it in every process that has the memory */
	uint64_t inode;
};
/* Map shared memory of `size` bytes into the process of `thread`, which is
 * STOPPED: far from the program's code, where there are free addresses, because
 * those near the code are wanted for targets of jumps. The caller frees `out`
 * with shared_memory_deinit(). The error says which step has failed. */
struct error *target_map_shared(struct thread *thread, const char *name,
				size_t size, struct shared_memory *out);
void shared_memory_deinit(struct shared_memory *shared);

/*
 * Store in the shared memory, at `offset` (the beginning of a page), a word of
 * 32 bits by which the process can see whether the tool lives: the bits
 * TARGET_LIFE_MASK are not all 0 as long as the calling thread, which traces
 * the process, lives. When this thread ends, in whatever way, the kernel clears
 * these bits before the process goes on without the tool. `*number` identifies
 * the word for target_hide_life(). The errors are those of set_robust_list(2)
 * and mremap(2); there are at most 256 such words.
 */
#define TARGET_LIFE_MASK 0x3fffffffU
struct error *target_show_life(struct target *target,
			       const struct shared_memory *shared,
			       size_t offset, unsigned *number);
/* Clear the word. The shared memory may then be unmapped. `number` may be 0. */
void target_hide_life(struct target *target, unsigned number);

/* ---- placement --------------------------------------------------------- */

/*
 * Move the tool and the thread of the process to the CPU on which the thread is
 * now. On one CPU, a stop costs several times less. target_unpin() gives the
 * tool and the threads of the process their former affinities back, but does
 * not touch an affinity that the program has changed itself meanwhile.
 */
struct error *target_pin(struct process *process);
void target_unpin(struct process *process);
/* target_unpin_tool() undoes target_pin() only for the tool, when the process
 * has ended. target_unpin_child() undoes it for a child process that has
 * inherited the affinity at its fork. */
void target_unpin_tool(struct target *target);
void target_unpin_child(struct process *child);

/* ---- what /proc knows -------------------------------------------------- */

/*
 * Lines of /proc/PID/status (proc(5)). A member is 0 if the kernel does not
 * show the line. This depends on the version and the configuration of the
 * kernel.
 */
struct proc_status {
	char name[64]; /* escaped as /proc escapes it */
	char state;
	pid_t pid; /* the process of the thread */
	pid_t parent, tracer;
	uid_t uid[3]; /* real, effective, saved */
	gid_t gid[3];
	unsigned threads;
	/* Sets of signals. Bit 0 is signal 1. */
	uint64_t pending, shared_pending, blocked, ignored, caught;
	uint64_t permitted, effective, bounding; /* capabilities, by number */
	unsigned no_new_privs;
	unsigned seccomp; /* SECCOMP_MODE_... of linux/seccomp.h */
	unsigned filters; /* number of filters; 0 before Linux 5.9 */
	/* The kernel shows the processor features that the thread uses.
	 * `shadow_stack` is one of them. */
	bool tells_features;
	bool shadow_stack;
	pid_t inner;    /* the pid in its innermost pid namespace */
	unsigned depth; /* depth of that namespace; 1: the namespace of /proc */
};

/* Does the process execute a 32-bit program? */
bool target_is_32_bit(pid_t pid);

/* Read a soft limit of a process. `name` is the name in /proc/PID/limits ("Max
 * file size"). UINT64_MAX: unlimited. (The tool does not use prlimit(2),
 * because prlimit(2) needs CAP_SYS_RESOURCE for a process of another user.) */
struct error *target_read_limit(pid_t pid, const char *name, uint64_t *soft);

/* Read the status of a process, whether or not the tool is attached to it.
 * False: the process does not exist. */
bool target_read_status(pid_t pid, struct proc_status *out);

/* List the children of a process, and in turn their children, as far as /proc
 * lists them. /proc does not list a process whose parent has ended. The caller
 * frees the list. */
VEC_STRUCT(pid_list, pid_t);
void target_find_children(pid_t pid, struct pid_list *out);

/* Does the process exist, and is it neither a zombie nor about to end? */
bool target_is_alive(pid_t pid);

/* The state letter and the name of a thread from /proc, to be shown to the
 * user; '?' and "?" if /proc does not tell. */
void target_thread_info(const struct thread *thread, char *state,
			char name[static 17]);
/* Where does a thread, which need not be stopped, wait in the kernel? Returns
 * false if it does not wait, or if the kernel does not say. */
bool target_waiting_pc(const struct thread *thread, uint64_t *pc);

#endif

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

struct mapping_list;
struct proc_status;
struct shared_memory;

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
	struct served_pages *served; /* target/memory/served_pages.h; or NULL */
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
	/* Set by the code that handles the events: the pid of the parent that
	 * is to trace this process when it has executed a program; 0: none. */
	pid_t asks_parent;
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

/* Do what target_detach() does, for a process that has just executed a program
 * (EVENT_EXEC) and that has asked its parent to trace it (`asks_parent`): its
 * parent traces it from now on, and it stops for its parent before the first
 * instruction. If this fails, the process goes on untraced; it is freed in any
 * case. */
struct error *target_detach_to_parent(struct process *process);

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
/* Return the first thread that blocks the signal, or NULL. Threads for which
 * the C library blocks all signals for a moment are left out. */
struct thread *target_find_blocking(struct process *process, int signal);
/* Return the first thread that is under a seccomp filter (not strict mode)
 * which the tool itself is not under, or NULL. The function reads /proc for
 * each thread, stopped or not. */
struct thread *target_find_filtered(struct process *process);

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

#endif

/*
 * target.h - processes under ptrace: the only caller of ptrace and wait
 *
 * One owner of waits: target_wait() hands out one event at a time, from a
 * closed set whose comments say how the thread concerned is resumed. Signal
 * stops are peeked at and never consumed, so that a signal is not lost should
 * the tool die (spec of probes, "The target outlives the tool", 1).
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
 * AT_TRAP must be left before the next target_wait(): a peeked stop left as it
 * is would be reported again and again. STOPPED (a consumed event stop) may
 * last as long as one likes. While a stop of all threads is asked for
 * (target_stop_all), a thread resumed from AT_TRAP executes nothing and
 * becomes STOPPED.
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
#include "perftool/base/vec.h"

struct target;
struct process;

enum thread_state { THREAD_RUNNING, THREAD_STOPPED, THREAD_AT_TRAP };

struct thread {
	pid_t tid;
	uint32_t serial; /* never reused, unlike tid */
	struct process *process;
	enum thread_state state;
	int stopped_by;      /* STOPPED by job control, by this signal: it stays
				so when resumed; 0: not */
	bool in_call;        /* STOPPED at an event within a system call: its
				registers are not those it goes on with */
	bool tells_return;   /* it reports EVENT_RETURN */
	bool in_return;      /* it is in rt_sigreturn(2) */
	uint8_t regs_wanted; /* not 0: its EVENT_TRAPs are to have `regs`; set
				by their handler */
	pid_t vfork_child;   /* it waits for this one, if that is still there */
	bool is_stuck;       /* it was asked to stop, and does not leave the
				kernel: it will stop before it executes
				anything; stuck.c */
	bool is_stuck_told;  /* target_next_stuck() has told of it */
	uint64_t stop_ticks; /* of processor time, when it was asked to stop */
	uint64_t first_sp;   /* stack pointer at birth; 0: not known */
	uint64_t stack_low;  /* of the stack it was born on, once looked up */
	void *ring, *watch;  /* of whoever handles the events */
};

VEC_STRUCT(thread_list, struct thread *);

struct process {
	pid_t pid;
	struct target *target;
	struct thread_list threads;
	int mem;            /* /proc/PID/mem */
	int stat;           /* that of one of its threads, or -1 */
	bool shares_memory; /* its memory is another's: child of vfork, or of
			       clone(CLONE_VM), or it was so when another was
			       attached to */
	uint64_t start_brk; /* where its heap began when it was made */
	bool had_threads;   /* more than one, at some time */
	bool attached;      /* it, or its parent, was there before us: it is
			       let go in the end, not killed */
	bool survives;      /* it is to go on should the tool die */
	bool is_too_many;   /* measuring it would take the files that the tool
			       needs for the others (RLIMIT_NOFILE) */
	uint64_t scripts;   /* room for scripts, see target_set_scripts() */
	size_t scripts_size;
	void *owner; /* of whoever handles the events */
};

struct target *target_create(const struct clock *clock);

/* A thread that is stuck and has not been told of: "thread 1 of process 2 does
 * not stop: ...". False: there is none. */
bool target_next_stuck(struct target *target, struct str *out);

/* Kills what was launched and still runs, and lets go of what was attached. */
void target_destroy(struct target *target);

/* ---- launching -------------------------------------------------------- */

struct launch {
	const char *path;           /* the file to execute */
	const char *const *argv;    /* with argv[0], NULL-terminated */
	const char *const *envp;    /* NULL-terminated */
	const char *input, *output; /* files to redirect to, or NULL */
	bool own_group;             /* a process group of its own */
	bool survives;              /* else it is killed with the tool */
	/* what it gets back of what the tool changed for itself; NULL: the
	 * tool changed nothing */
	const struct inherited *inherited;
};

/*
 * Start a program; returns when it has executed its file but no instruction of
 * it: its one thread is STOPPED. A failure of the exec is ERROR_NO_PROGRAM
 * where something is not there, else ERROR_NOT_EXECUTABLE.
 */
struct error *target_launch(struct target *target, const struct launch *launch,
			    struct process **out);

/*
 * Attach to a running process: all its threads are seized, those born
 * meanwhile too, and STOPPED. So are those of all other processes that have its
 * memory (those that were vforked mostly): target_next_process() tells of them,
 * `shares_memory` is set. A thread of it that waits for such a vfork child is
 * RUNNING. A program whose only thread does that is waited for, ten seconds at
 * most. A system call that was interrupted goes on, when the thread does, as if
 * it had not been (also one that the kernel would have fail with EINTR). An
 * error says why it cannot be had, as far as /proc knows: no such process, a
 * thread's number, a zombie, a kernel thread, a 32-bit program, traced by
 * another (which), another user's, not dumpable, ptrace_scope, a pid of another
 * namespace; nothing has been changed then. No thread of other processes may be
 * RUNNING; what happens to those meanwhile (they are killed) is told to whoever
 * target_set_bystander() has named.
 */
struct error *target_attach(struct target *target, pid_t pid,
			    struct process **out);

/* Called with each event of a process that somebody owns, while another one is
 * attached to; as of target_wait(), it is valid until it returns. */
struct event;
typedef void target_event_fn(void *context, const struct event *event);
void target_set_bystander(struct target *target, target_event_fn *tell,
			  void *context);

/* Has the user asked to stop? Then target_attach() fails with
 * ERROR_INTERRUPTED, the process having been let go. */
void target_set_interrupt(struct target *target, struct interrupt interrupt);

/* The same reasons, where they can be seen beforehand; NULL: none was. */
struct error *target_check_attach(pid_t pid);

/* SIGKILL; the end is reported by target_wait() as usual. */
void target_kill(struct process *process);

/* An error once a process that was killed at `since` has had its time: ten
 * seconds, or one if the user asks to end. It says which thread is still there.
 */
struct error *target_check_end(const struct process *process, uint64_t since);

/* Send a signal to the process as kill(2) does. */
void target_signal(struct process *process, int signal);

/* Let go of all its threads (all STOPPED) and forget it. What is group-stopped
 * stays so. A thread that waits for its vfork child goes when it can: in
 * target_wait(), target_release_waiting(), or at the end of the tool. */
void target_detach(struct process *process);

/* Wait for the end of a child that is nobody's target. A wait for events, which
 * takes every child's, may have taken it. */
void target_reap(pid_t pid);

/*
 * A launched process that was let go of is still a child of the tool. Wait for
 * its end, but no longer than a tick, or until a signal to the tool: `*ended`
 * says whether it came, with `status` as of wait(2).
 */
struct error *target_await_child(struct target *target, pid_t pid, bool *ended,
				 int *status);

/* Let those go that can by now. False: none waits any more. */
bool target_release_waiting(struct target *target);

/* target_detach() for one that runs and whose memory has the original bytes
 * again. */
void target_let_go(struct process *process);

/* Threads that wait for a vfork child which was let go of, in a process that
 * has no other: when it leaves the memory within a second, as it mostly does,
 * they are STOPPED. Where another one is STOPPED nobody is waited for. */
void target_await_parents(struct process *process);

/* All of them, one after the other: the cursor begins as 0; NULL: no more.
 * Meanwhile none may be added, and none but the one just returned let go of. */
struct process *target_next_process(const struct target *target,
				    size_t *cursor);

struct process *target_find_process(const struct target *target, pid_t pid);
struct thread *target_find_thread(const struct target *target, pid_t tid);

/* ---- events ----------------------------------------------------------- */

enum event_kind {
	/* Nothing happened: a tick, or a signal to the tool interrupted the
	 * wait. */
	EVENT_NONE,
	/* `thread` is AT_TRAP by a SIGTRAP; `pc` and `sp` are its own. Resume
	 * with target_resume_at(), or target_deliver() if the trap is not
	 * ours. */
	EVENT_TRAP,
	/* `thread` is AT_TRAP by `signal`. Resume with target_deliver(). */
	EVENT_SIGNAL,
	/* `thread` was born STOPPED; its creator `parent` is STOPPED too.
	 * target_resume() both, also while all are to stop. */
	EVENT_THREAD_NEW,
	/* `thread`, which has `tells_return` set, has returned from a signal
	 * handler to `pc` and is STOPPED there. */
	EVENT_RETURN,
	/* A process was forked: `thread` of it is STOPPED, its creator
	 * `parent` too; `process->shares_memory` says whether by vfork. Where
	 * `is_guess`, another process that runs the same program, at the same
	 * addresses, may have made it.
	 * target_resume() both, or target_detach() the child; also while all
	 * are to stop. (A parent killed meanwhile is not STOPPED.) */
	EVENT_FORK,
	/* `process` executed a new program: one thread, STOPPED, no
	 * instruction executed. Its memory is another one. */
	EVENT_EXEC,
	/* `thread` is about to be forgotten: do not keep it. */
	EVENT_THREAD_GONE,
	/* `process` has ended: `status` as of wait(2). It is forgotten with
	 * the next call. */
	EVENT_PROCESS_GONE,
	/* All threads are STOPPED, as target_stop_all() asked, and none has
	 * executed an int3 that was not reported. But one that waits in the
	 * kernel for its vfork child, which is STOPPED, stays RUNNING. */
	EVENT_ALL_STOPPED,
	/* No process is left. */
	EVENT_EMPTY,
};

struct event {
	enum event_kind kind;
	uint64_t time; /* of the tool's clock, as the wait returned */
	struct process *process;
	struct thread *thread, *parent;
	uint64_t pc, sp;
	int signal, status;
	bool is_guess; /* of EVENT_FORK: who the creator is */
	bool has_regs; /* of EVENT_TRAP: all of them, read with the pc */
	struct user_regs_struct regs;
};

/* How often target_wait() returns with EVENT_NONE at least; a tenth of a
 * second unless set. */
void target_set_tick(struct target *target, uint64_t ns);

/* When target_wait() and target_await_child() are to return, too, by the tool's
 * clock: as soon as that time has come, and again and again until another time,
 * or UINT64_MAX (none), is set. */
void target_set_deadline(struct target *target, uint64_t time);

/*
 * The next event. Returns with EVENT_NONE when a tick is over, and whenever
 * the tool got a signal whose handler does not restart. Threads are served
 * fairly: none waits for ever because others report all the time.
 */
struct error *target_wait(struct target *target, struct event *event);

/* Let a thread AT_TRAP go on at `pc`; `resumed` (may be NULL) gets the time
 * just before it did. */
struct error *target_resume_at(struct thread *thread, uint64_t pc,
			       uint64_t *resumed);

/* Make a thread AT_TRAP STOPPED, to go on at `pc` later. */
struct error *target_hold(struct thread *thread, uint64_t pc);

/* Let a thread AT_TRAP go on with its signal delivered; 0: without. `resumed`
 * as above. */
struct error *target_deliver(struct thread *thread, int signal,
			     uint64_t *resumed);

/* Let a STOPPED thread go on. */
struct error *target_resume(struct thread *thread);

/* Let threads go on that are STOPPED within a call and whose event could not be
 * handled: a stop of all waits until they have left the call. */
void target_finish_calls(struct target *target);

/* Ask all threads to stop; EVENT_ALL_STOPPED comes when they have. */
struct error *target_stop_all(struct target *target);
bool target_is_stopping(const struct target *target);

/* A leader that has ended before the other threads of its process is RUNNING
 * until they have ended, too: it reports nothing, and executes nothing. */
bool target_is_dead_leader(const struct thread *thread);

/* Does it execute nothing, as long as those that are STOPPED stay so? It is
 * such a leader, or waits in the kernel for its vfork child, or is STOPPED. */
bool target_is_at_rest(const struct thread *thread);

/* Is one of its threads STOPPED? */
bool target_is_any_stopped(const struct process *process);

/* Let all STOPPED threads go on. */
struct error *target_resume_all(struct target *target);

/*
 * Execute one instruction of a STOPPED or AT_TRAP thread, signals blocked,
 * every other thread of its memory being STOPPED; it is STOPPED afterwards.
 */
struct error *target_step(struct thread *thread);

/* Is a signal pending that the thread would take, were it not blocked? */
bool target_is_pending(const struct thread *thread, int signal);

/* Send a signal to a thread, as tgkill(2) does; ERROR_GONE: it has ended. */
struct error *target_send(struct thread *thread, int signal);

/* The siginfo of the signal a thread is AT_TRAP by. */
struct error *target_get_siginfo(struct thread *thread, siginfo_t *info);
struct error *target_set_siginfo(struct thread *thread, const siginfo_t *info);

/* ---- registers and memory --------------------------------------------- */

struct error *target_get_regs(struct thread *thread,
			      struct user_regs_struct *regs);
struct error *target_set_regs(struct thread *thread,
			      const struct user_regs_struct *regs);
/* One register, by its offset in struct user_regs_struct. */
struct error *target_get_reg(struct thread *thread, size_t offset,
			     uint64_t *value);
struct error *target_set_reg(struct thread *thread, size_t offset,
			     uint64_t value);

/* The pc and the stack pointer, in one go. */
struct error *target_get_pc(struct thread *thread, uint64_t *pc, uint64_t *sp);

/* The x87 and vector registers, as fxsave has them. */
struct error *target_get_fpregs(struct thread *thread,
				struct user_fpregs_struct *regs);

/* Reads or writes all of it or fails; writing ignores page protection. */
struct error *target_read(struct process *process, uint64_t address,
			  void *buffer, size_t size);
struct error *target_write(struct process *process, uint64_t address,
			   const void *buffer, size_t size);

/*
 * Read those pages of [address, address + size), both of whole pages, that hold
 * anything: `populated` of each, the others are left as they are.
 */
struct error *target_read_populated(struct process *process, uint64_t address,
				    uint8_t *buffer, size_t size,
				    bool *populated);

/*
 * Have the pages of a process read once, and written together: while none of
 * the threads that use its memory executes anything, and for one process at a
 * time. What was written is there before another process is read or written,
 * registers of a thread are set, or it goes on, makes a call for us or is
 * stepped; and after target_settle(), which may fail as target_write() does. It
 * comes there page by page: those of a smaller rank first, of one rank those of
 * higher addresses.
 */
typedef unsigned (*page_rank_fn)(void *context, uint64_t page);
void target_keep(struct process *process, page_rank_fn rank, void *context);
struct error *target_settle(struct target *target);
/* The same, and that was it. */
struct error *target_keep_no_more(struct process *process);

/* Read the memory of a process that is not attached to; false: not to be had.
 */
bool target_peek(pid_t pid, uint64_t address, void *buffer, size_t size);

/* An arch_read_fn; the context is the struct process. */
bool target_read_callback(void *process, uint64_t address, void *buffer,
			  size_t size);

/* The same of a struct thread: the memory of its process; and its x87 and
 * vector registers. */
bool target_thread_read(void *thread, uint64_t address, void *buffer,
			size_t size);
bool target_thread_vectors(void *thread, struct user_fpregs_struct *out);

/* A thread's saved signal mask. */
struct error *target_get_signal_mask(struct thread *thread, uint64_t *mask);
struct error *target_set_signal_mask(struct thread *thread, uint64_t mask);

/* What the process does with a signal, as /proc shows it. */
enum disposition {
	DISPOSITION_DEFAULT,
	DISPOSITION_IGNORED,
	DISPOSITION_CAUGHT
};
struct error *target_get_disposition(struct process *process, int signal,
				     enum disposition *out);
/* The first thread that blocks the signal, or NULL. */
struct thread *target_find_blocking(struct process *process, int signal);
/* The first thread under a seccomp filter (not strict mode) that the tool is
 * not under, too, or NULL. Reads /proc for each, stopped or not. */
struct thread *target_find_filtered(struct process *process);

/* ---- maps -------------------------------------------------------------- */

struct mapping {
	uint64_t low, high, offset, inode;
	uint64_t device; /* as maps has it: for some file systems another than
			    stat(2) has */
	bool readable, writable, executable, shared;
	char *path; /* never NULL; "" for none, "[heap]", "/lib/x.so" */
};
VEC_STRUCT(mapping_list, struct mapping);

struct error *target_read_maps(pid_t pid, struct mapping_list *out);
void mapping_list_deinit(struct mapping_list *list);
/* The first of them that ends above an address; `count`: none does. */
size_t mapping_list_above(const struct mapping_list *list, uint64_t address);

/*
 * How the tool can open the file of a mapping: by its path, through
 * /proc/PID/root if the process sees other files than the tool, /proc/PID/exe
 * or map_files if the file was deleted or replaced. NULL: not at all, and
 * `problem` (may be NULL) says why. The caller frees both.
 */
char *target_file_of_mapping(pid_t pid, const struct mapping *mapping,
			     char **problem);

/* ---- remote calls ------------------------------------------------------- */

/*
 * The STOPPED thread of a process in which remote calls disturb least: one
 * that is in no system call, waits for no signal and is not held by a seccomp
 * filter. An error says why there is none: nobody is STOPPED, or every thread
 * is under a filter that might kill it for a call of ours (a filter the tool
 * itself lives under is none; where PTRACE_O_SUSPEND_SECCOMP is allowed it is
 * used).
 */
struct error *target_calling_thread(struct process *process,
				    struct thread **out);

/*
 * Make system calls in a STOPPED thread, as a script that completes by itself
 * (arch.h), with `data` beside it. The script is placed in zero bytes: of the
 * room set by target_set_scripts(), else at the end of the vdso; what a tool
 * that died has left there is never written over. `results` gets what each
 * call returned: negative errno values included.
 */
struct error *target_remote_calls(struct thread *thread,
				  const struct script_call *calls, size_t count,
				  const void *data, size_t data_size,
				  int64_t *results);

/* Executable memory of ours in the process: scripts go there from now on. */
void target_set_scripts(struct process *process, uint64_t address, size_t size);

/* Zero bytes of that room (or the vdso's), at least `size`, aligned to 16. */
struct error *target_find_script_room(struct process *process, size_t size,
				      uint64_t *address);

/*
 * Threads (also of processes that share the memory) that are in the middle of a
 * script which a tool that died has left in [low, high), or behind the vdso,
 * are led through it: STOPPED again, no instruction of the program executed
 * beyond where the script leads. Then that memory is zeroed, unless something
 * looks like a way back into it (the frame of a signal handler).
 */
struct error *target_finish_scripts(struct process *process, uint64_t low,
				    uint64_t high);

/*
 * A private, readable and executable mapping of `size` bytes in the process of
 * `thread` (STOPPED), named `name` in /proc/PID/maps as a memfd is, such that
 * all of it is within `reach` bytes of all of [low, high), not within 1 GiB
 * above the heap. Fails when there is no room or the process may not have such
 * memory.
 */
struct error *target_map_near(struct thread *thread, uint64_t low,
			      uint64_t high, uint64_t reach, uint64_t size,
			      const char *name, uint64_t *address);

/* The same with all of it in [low, high]. `maps`: what is mapped, read if it is
 * empty, and brought up to date; a process may have thousands of these. */
struct error *target_map_within(struct thread *thread, uint64_t low,
				uint64_t high, uint64_t size, const char *name,
				struct mapping_list *maps, uint64_t *address);
/* Would target_map_within() find room there? `start_of_heap` is that of
 * target_start_of_heap(). Nothing is mapped. */
bool target_has_room(const struct mapping_list *maps, uint64_t start_of_heap,
		     uint64_t low, uint64_t high, uint64_t size);
/* Where brk(2) begins for a thread; 0: that cannot be read, or there is none.
 */
uint64_t target_start_of_heap(pid_t pid, pid_t tid);

/* The same at an address, where there is nothing yet. */
struct error *target_map_at(struct thread *thread, uint64_t address,
			    uint64_t size, const char *name);

/* Memory that a process (and its forked children, at the same address) shares
 * with the tool: readable and writable for both, zero at first. The tool's
 * side lasts until shared_memory_deinit(). */
struct shared_memory {
	uint64_t address; /* in the process */
	uint8_t *memory;  /* here */
	size_t size;
	uint64_t inode; /* as maps has it, of whoever has the same memory */
};
struct error *target_map_shared(struct thread *thread, const char *name,
				size_t size, struct shared_memory *out);
void shared_memory_deinit(struct shared_memory *shared);

/* ---- placement ------------------------------------------------------------
 */

/*
 * Put the tool and the thread's process on the CPU where the thread is now,
 * which makes a stop several times cheaper; undone by target_unpin(), which
 * leaves alone an affinity that the program has changed itself meanwhile.
 */
struct error *target_pin(struct process *process);
void target_unpin(struct process *process);
/* The same for the tool alone, when the process is no more, and for a child
 * that inherited the affinity at its fork. */
void target_unpin_tool(struct target *target);
void target_unpin_child(struct process *child);

/* ---- what /proc knows ----------------------------------------------------
 */

/*
 * Lines of /proc/PID/status (proc(5)). What the kernel does not say is 0: it
 * depends on its version and on how it was built.
 */
struct proc_status {
	char name[64]; /* escaped as /proc does */
	char state;
	pid_t pid; /* of the thread's process */
	pid_t parent, tracer;
	uid_t uid[3]; /* real, effective, saved */
	gid_t gid[3];
	unsigned threads;
	/* sets of signals: bit 0 is signal 1 */
	uint64_t pending, shared_pending, blocked, ignored, caught;
	uint64_t permitted, effective, bounding; /* capabilities, by number */
	unsigned no_new_privs;
	unsigned seccomp;    /* SECCOMP_MODE_... of linux/seccomp.h */
	unsigned filters;    /* how many; 0 before Linux 5.9 */
	bool tells_features; /* of the processor, of which one is: */
	bool shadow_stack;
	pid_t inner;    /* its number in the innermost pid namespace */
	unsigned depth; /* of that namespace; 1: it is the one of /proc */
};

/* Does a process execute a 32-bit program? */
bool target_is_32_bit(pid_t pid);

/* A soft limit of a process, by its name in /proc/PID/limits ("Max file size");
 * UINT64_MAX: unlimited. (prlimit(2) takes CAP_SYS_RESOURCE where the process
 * is another user's.) */
struct error *target_read_limit(pid_t pid, const char *name, uint64_t *soft);

/* That of a process, attached to or not; false: it is not there. */
bool target_read_status(pid_t pid, struct proc_status *out);

/* The children of a process, theirs too, as far as /proc lists them: one whose
 * parent has ended is not. The caller frees the list. */
VEC_STRUCT(pid_list, pid_t);
void target_find_children(pid_t pid, struct pid_list *out);

/* Is it there, and neither a zombie nor about to end? */
bool target_is_alive(pid_t pid);

/* What /proc knows of a thread, for people: its state letter and name. */
void target_thread_info(const struct thread *thread, char *state,
			char name[static 17]);

#endif

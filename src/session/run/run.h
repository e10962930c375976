/*
 * run.h - the program while it is measured: starting it, attaching to it, the
 * loop that handles its events, its processes, and how the run ends
 *
 * This folder uses requests, because a library that the program loads may have
 * functions that a pending request names.
 */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include "module_numbers.h"

#include "perftool/base/origin.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/sample.h"
#include "perftool/target/target_events.h"
#include "session/session_state.h"

/* One run of the event loop: what ends it, and what it has found. */
struct run {
	struct session_stop *stop;
	/* `deadline`: when the run ends, on the tool's clock; UINT64_MAX:
	 * never. `still_ns`: the value of session->still_ns when the run began,
	 * so that the time for which the program has stood still since does not
	 * count. */
	uint64_t deadline;
	uint64_t still_ns;
	/* Does the user wait for the program? Then Ctrl-C and the deadline end
	 * the run. */
	bool foreground;
	/* The event loop calls this function often. If it returns true, the run
	 * ends. NULL: there is no such function. */
	session_enough_fn *enough;
	void *context;
	uint64_t next_question;
	/* all threads were asked to stop, and the run ends when they have
	 * stopped */
	bool stopping;
	/* all threads were asked to stop, so that the tool can be suspended */
	bool suspending;
	bool over;
};

/* probe_events.c. note_uncounted() tells the user how many hits were not
 * counted because the user did not want to wait for the count, if there were
 * any. session_probe_client() fills in the callbacks of the probe layer. */
void note_uncounted(struct session *session);
void session_probe_client(struct session *session, struct probe_client *out);
/* Tells the user that the order of the hits does not show which beginning and
 * which end of a leg belong to the same execution. `context` is the session. */
void note_mixed(void *context, const struct measure_leg *leg, int32_t tid);

/* Would a hit of this breakpoint by this thread stop the program now? */
bool hit_stops(const struct session *session,
	       const struct breakpoint *breakpoint, pid_t pid, pid_t tid);

/* stack_sampler.c. session_sampler() returns the sampler of the session, which
 * is made when it is first asked for. sampler_for() makes another one, which
 * the caller destroys. The modules of frames have the numbers of
 * session->modules. The session calls sampler_forget_process() when a process
 * has gone, and sampler_end() before it destroys the probe layer. */
struct sampler *session_sampler(struct session *session);
struct sampler *sampler_for(struct session *session);
void sampler_forget_process(struct session *session, pid_t pid);
void sampler_end(struct session *session);

/* origins.c. Do hits of the node begin executions whose origins are wanted?
 * origin_take() looks at the thread that has made a hit: its arguments and its
 * stack. Returns NULL if that is not wanted, or if the thread does not stand at
 * an int3; the caller releases the result. origin_keep() names the frames of an
 * origin (it is a measure_keep_fn). origins_forget_places() frees what is known
 * of parameters. */
bool origins_are_wanted(const struct session *session, uint32_t node);
struct origin *origin_take(struct session *session,
			   const struct breakpoint *breakpoint,
			   const struct hit *hit);
void origin_keep(void *context, struct origin *origin);
void origins_forget_places(struct session *session);

void follow(struct session *session, struct process *process);
struct followed *find_followed(struct session *session, pid_t pid);

/* Finds a thread of the measured processes. NULL: no measured process has this
 * thread, or the thread is ending. */
struct thread *followed_thread(struct session *session, pid_t tid);

/* Notes that a measured process has ended. `status` is the status that wait(2)
 * returns. */
void process_ended(struct session *session, struct process *process,
		   int status);

/* process_names.c. read_process_name() reads the name of a process from the
 * kernel. tell_process_name() passes the name to the measure layer.
 * renew_process_names() does both for all followed processes. */
void read_process_name(struct followed *followed);
void tell_process_name(struct session *session,
		       const struct followed *followed);
void renew_process_names(struct session *session);
void followed_deinit(struct followed *followed);

/* Calls `holds` of struct session_ui: tells the user interface whether the tool
 * is attached to a process. */
void tell_holding(const struct session *session, bool on);

/* Notes the end of the main process that went on without the tool, and that the
 * tool has waited for (`awaited`). `status` is the status that wait(2) returns.
 */
void awaited_ended(struct session *session, int status);

/* The tool is about to detach from a process without having been told to. If it
 * is the main process, and the tool has launched it, the tool will wait for its
 * end, unless the user is at a prompt: there the tool does not wait, as after
 * `detach`. */
void await_if_main(struct session *session, const struct process *process);

/* Tells the user that the tool cannot measure a process any more, once. */
void note_unmeasured(struct session *session, const struct process *process,
		     const char *why);

/* Notes that the tool has detached from a process, which goes on without the
 * tool. The target layer may have freed the process already: this function uses
 * only the address `process` and the pid. */
void process_left(struct session *session, const struct process *process,
		  pid_t pid);

/* Describes in `end` how the run ended, after all processes have ended or the
 * tool has detached from them. */
void describe_last_end(const struct session *session,
		       struct session_stop *stop);

/* Returns the pid that a process has in its innermost pid namespace. Returns 0
 * if the process belongs to no other namespace than the namespace whose pids
 * the tool sees. */
pid_t inner_pid(pid_t pid);

/* Appends "7 in its pid namespace", with `before` before it and `after` after
 * it. Appends nothing if the process has no pid namespace of its own. */
void describe_inner_pid(pid_t pid, const char *before, const char *after,
			struct str *out);

/* Returns the only CPU that a process may use (pid 0: that the tool may use),
 * or -1 if there are several. */
int only_cpu(pid_t pid);

/* Begins the measurement of a new program, whose main process is `process`:
 * forgets how the last program ended, and adds the process to `followed`. */
void begin_program(struct session *session, struct process *process);

/* Starts or stops the clock of the measurements. */
void run_clock(struct session *session, bool runs, uint64_t time);

/* Returns an error if the program needs rights that its file gives to it
 * (set-user-ID, set-group-ID) and would not get them. The kernel does not give
 * these rights to a traced process, so the tool would in effect measure another
 * program. */
struct error *check_rights(const char *path);

/* leak_sanitizer.c. Tells the user if the program that is about to be launched
 * has LeakSanitizer, which fails in a traced program. */
void note_leak_checker(struct session *session);

/* Tells the user if a process has lost rights because it is traced. The caller
 * calls this function directly after the process's execve(2), before the
 * process executes the first instruction of the new file: only then do the
 * rights of the process tell what the kernel has left out. */
void note_lost_rights(struct session *session, pid_t pid);

/* Sends SIGKILL to all measured processes. */
void kill_followed(struct session *session);

/* Handles events until the run is over. If the function fails, no process is
 * measured any more: the tool has detached from the processes that it attached
 * to, and killed the processes that it launched. */
struct error *run_events(struct session *session, struct run *run);

/* Returns when the duration of the run is over, on the tool's clock, without
 * the time for which the program stood still. UINT64_MAX: never. */
uint64_t deadline_of(const struct session *session, const struct run *run);
/* Sets the time at which the target layer ends its wait for events: the
 * deadline of the run, or the moment when the next tables are due. */
void set_deadline(struct session *session, const struct run *run, uint64_t now);
/* Has the user interface write tables if they are due or if the user asks for
 * them. Returns the time after the writing. The caller must treat later events
 * as not earlier than this time, because the tables tell of everything up to
 * then. */
uint64_t look_at_reports(struct session *session, uint64_t now);

/* Handles the end of a thread or of a measured process while the tool attaches
 * to another process. `context` is the session. See target_set_bystander(). */
void bystander_event(void *context, const struct event *event);

/* Takes the next stop from `pending_stops`, the breakpoints that other threads
 * reached while the tool was stopping all threads. Breakpoints that stop the
 * program no longer are left out. Returns false if no stop is left. */
bool take_pending_stop(struct session *session, struct session_stop *stop);

/* Runs the event loop while the user waits for a stop. `duration` is in ns; 0:
 * no limit. */
struct error *run_in_foreground(struct session *session, uint64_t duration,
				struct session_stop *stop);

/* Stops all threads and waits until they have stopped. Hits count as usual
 * meanwhile. */
struct error *stop_everything(struct session *session);

/* Appends what the user reads after an attach: "Attached to process 7 (name), 2
 * threads". */
void describe_attached(const struct process *process, struct str *out);
/* Gives the user a remark if a signal such as SIGSTOP has stopped the process,
 * so that it does not run after the attach. */
void note_stopped(struct session *session, const struct process *process);

/* attached_processes.c. Attaches to a process beside the processes that are
 * measured already. */
struct error *attach_another(struct session *session, pid_t pid,
			     struct str *out);

/* Detaches from all processes, whose threads must all be stopped before the
 * call. Errors become remarks to the user. */
void release_everything(struct session *session);

/* Returns an error if no process is measured. */
struct error *need_process(struct session *session);
/* Returns an error if the limit of open files (RLIMIT_NOFILE) is too low to
 * measure anything. */
struct error *need_files(void);

/* Frees the words of a command line, a list that ends with NULL. `words` may be
 * NULL. */
void free_words(char **words);
/* Returns the build ID of the module with this path, which may be a symbolic
 * link. NULL: the module has none. */
const char *build_id_of(struct session *session, const char *path);

/* Stores what the tables say of the program from now on, until the next program
 * begins. All texts are copied. `args` NULL: the arguments are not known. */
void remember_program(struct session *session, const char *path,
		      const char *build_id, const char *const *args,
		      size_t count);

/* ---- session/standstill.c ------------------------------------------------ */

/* Has the caller of the session wait (session_set_wait()). An error says that
 * the wait had to end before `enough`. */
struct error *wait_elsewhere(struct session *session, session_enough_fn *enough,
			     void *context);

#endif

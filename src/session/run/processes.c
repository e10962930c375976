/*
 * processes.c - the processes whose hits count: the program, and the children
 * that are followed
 *
 * Invariant: `followed` holds the processes that the probe layer measures. A
 * process is in the list from its birth (or its start) until it has ended or
 * the tool has detached from it. `session->process` is one of these processes
 * or NULL: it is the main process. The pid, the arguments and the exit status
 * that the tables show are those of the main process.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "perftool/base/alloc.h"
#include "perftool/base/rank.h"
#include "perftool/command_line.h"
#include "perftool/measure/thread_counts.h"
#include "perftool/target/process_status.h"
#include "run.h"

void run_clock(struct session *session, bool runs, uint64_t time)
{
	session->clock_runs = runs;
	recorded_clock(session, runs, time);
	measure_set_running(session->measure, runs, time);
	profile_set_running(session, runs, time);
}

struct followed *find_followed(struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->followed.count; i++)
		if (session->followed.data[i].pid == pid)
			return &session->followed.data[i];
	return NULL;
}

pid_t session_process_at(const struct session *session, size_t index)
{
	return index < session->followed.count
		       ? session->followed.data[index].pid
		       : 0;
}

struct thread *followed_thread(struct session *session, pid_t tid)
{
	struct thread *thread = target_find_thread(session->target, tid);

	for (size_t i = 0; thread && i < session->followed.count; i++)
		if (session->followed.data[i].process == thread->process)
			return thread;
	return NULL;
}

void follow(struct session *session, struct process *process)
{
	struct followed followed = {.process = process,
				    .pid = process->pid,
				    .borrowed = process->shares_memory};

	read_process_name(&followed);
	vec_push(&session->followed, followed);
	recorded_process_came(session, process);
	if (session->state == RUN_KILLING)
		target_kill(process);
}

void tell_holding(const struct session *session, bool on)
{
	if (session->ui.holds)
		session->ui.holds(session->ui.context, on);
}

/* Takes a process out of `followed`. Returns false if the process was not
 * followed. */
static bool unfollow(struct session *session, const struct process *process,
		     pid_t pid)
{
	bool found = false;

	for (size_t i = session->followed.count; i-- > 0;) {
		struct followed *at = &session->followed.data[i];

		if (at->process != process)
			continue;
		tell_process_name(session, at);
		followed_deinit(at);
		vec_remove(&session->followed, i);
		found = true;
	}
	if (!found)
		return false;
	if (session->selected && session->selected->process == process)
		session->selected = NULL;
	measure_process_gone(session->measure, pid);
	profile_process_gone(session, pid);
	sampler_forget_process(session, pid);
	if (!session->followed.count) {
		vec_clear(&session->pending_stops);
		vec_clear(&session->given_up);
		tell_holding(session, false);
	}
	return true;
}

static void describe_end(const struct session_stop *stop, struct str *out)
{
	if (stop->reason == STOP_EXITED)
		str_printf(out, "Process %d exited with status %d", stop->pid,
			   stop->status);
	else
		str_printf(out, "Process %d was killed by signal %d, %s",
			   stop->pid, stop->signal, strsignal(stop->signal));
}

/* Tells the user that the main process has ended and that the other processes
 * go on. Without this remark a user at a prompt would wonder why the program
 * still runs. */
static void tell_of_others(struct session *session)
{
	struct str text = {0};
	size_t others = session->followed.count;

	if (!others || !session->ui.interactive ||
	    session->state == RUN_KILLING)
		return;
	describe_end(&session->end, &text);
	session_note(session, "%s; %zu other%s on", str_text(&text), others,
		     others == 1 ? " goes" : "s go");
	str_deinit(&text);
}

/* Stores how the main process has ended. */
static void note_end(struct session *session, pid_t pid, int status)
{
	struct session_stop end = {.pid = pid, .tid = pid};

	if (WIFEXITED(status)) {
		end.reason = STOP_EXITED;
		end.status = WEXITSTATUS(status);
	} else {
		end.reason = STOP_SIGNALED;
		end.signal = WTERMSIG(status);
	}
	session->end = end;
	session->main_state = MAIN_ENDED;
	session->last_run.ended = host_time();
}

void process_ended(struct session *session, struct process *process, int status)
{
	pid_t pid = process->pid;

	recorded_process_left(session, process);
	if (!unfollow(session, process, pid) || process != session->process)
		return;
	note_end(session, pid, status);
	session->process = NULL;
	tell_of_others(session);
}

void awaited_ended(struct session *session, int status)
{
	note_end(session, session->awaited, status);
	session->awaited = 0;
}

void await_if_main(struct session *session, const struct process *process)
{
	if (process == session->process && !session->attached &&
	    !session->ui.interactive)
		session->awaited = process->pid;
}

void process_left(struct session *session, const struct process *process,
		  pid_t pid)
{
	if (!unfollow(session, process, pid) || process != session->process)
		return;
	session->process = NULL;
	session->main_state = MAIN_LEFT;
}

void describe_last_end(const struct session *session, struct session_stop *stop)
{
	*stop = session->end;
	if (session->main_state != MAIN_ENDED)
		*stop = (struct session_stop){.reason = STOP_DETACHED,
					      .pid = session->last_pid,
					      .tid = session->last_pid};
}

int only_cpu(pid_t pid)
{
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set) < 0 ||
	    CPU_COUNT(&set) != 1)
		return -1;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set))
			return (int)cpu;
	return -1;
}

void begin_program(struct session *session, struct process *process)
{
	session->shares_cpu = session->only_cpu >= 0 &&
			      only_cpu(process->pid) == session->only_cpu;
	session->process = process;
	/* Another process has left other counts. */
	if (session->last_pid != process->pid)
		forget_left_counts(session);
	session->last_pid = process->pid;
	session->last_rank = rank_of_process(process->pid);
	session->has_executed = false;
	session->last_run.ended = (struct timespec){0};
	if (!target_start_time(process->pid, &session->last_run.started))
		session->last_run.started = (struct timespec){0};
	session->main_state = MAIN_FOLLOWED;
	session->has_untold = session->must_ask = false;
	/* enter_state() cannot be used here: it refuses a transition from
	 * ENDING to STOPPED, but a new program makes exactly this transition.
	 */
	session->state = RUN_STOPPED;
	session->next_look = 0;
	session->awaited = 0;
	follow(session, process);
}

void last_run_deinit(struct last_run *run)
{
	free(run->path);
	free(run->build_id);
	string_list_deinit(&run->args);
	*run = (struct last_run){0};
}

void remember_program(struct session *session, const char *path,
		      const char *build_id, const char *const *args,
		      size_t count)
{
	struct last_run *run = &session->last_run, before = *run;

	*run = (struct last_run){.is_known = true,
				 .path = path ? xstrdup(path) : NULL,
				 .build_id =
					 build_id ? xstrdup(build_id) : NULL,
				 .has_args = args != NULL,
				 .started = before.started,
				 .ended = before.ended};
	for (size_t i = 0; i < count; i++)
		vec_push(&run->args, xstrdup(args[i]));
	last_run_deinit(&before);
	if (session->tracked_pid) {
		session_note(session, "the tracked process has ended: all "
				      "processes are tracked now");
		session->tracked_pid = session->tracked_tid = 0;
		measure_set_tracked(session->measure, 0, 0);
		profile_set_tracked(session, 0, 0);
	}
}

/* ---- telling ----------------------------------------------------------- */

bool session_has_process(const struct session *session)
{
	return session->followed.count != 0;
}

bool session_was_run(const struct session *session)
{
	return session->was_run;
}

pid_t session_pid(const struct session *session)
{
	if (session->process)
		return session->process->pid;
	return session->followed.count ? session->followed.data[0].pid : 0;
}

bool session_is_attached(const struct session *session)
{
	return session->attached;
}

bool session_last_end(const struct session *session, struct session_stop *end)
{
	if (session->main_state == MAIN_ENDED)
		*end = session->end;
	return session->main_state == MAIN_ENDED;
}

struct error *need_process(struct session *session)
{
	if (session->followed.count)
		return NULL;
	return error_create(ERROR_OTHER, "the program is not being run%s",
			    session->program ? "; `run' starts it" : "");
}

/* The tool needs open files to read what a process has mapped while it measures
 * the process. With a lower limit than this, the tool could not do that. */
#define LEAST_FILES 16

struct error *need_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
	    limit.rlim_cur >= LEAST_FILES)
		return NULL;
	return error_create(ERROR_OTHER,
			    "no more than %lu files may be open (ulimit -Hn); "
			    "perftool needs %d",
			    (unsigned long)limit.rlim_cur, LEAST_FILES);
}

pid_t inner_pid(pid_t pid)
{
	struct proc_status status;

	return target_read_status(pid, &status) && status.depth > 1
		       ? status.inner
		       : 0;
}

void describe_inner_pid(pid_t pid, const char *before, const char *after,
			struct str *out)
{
	pid_t inner = inner_pid(pid);

	if (inner)
		str_printf(out, "%s%d in its pid namespace%s", before, inner,
			   after);
}

static void list_process(struct session *session, struct process *process,
			 struct str *out)
{
	char *program = target_program_name(process->pid);
	const struct thread *selected = session->selected;
	char name[17] = "?", state = '?';

	if (process->threads.count)
		target_thread_info(process->threads.data[0], &state, name);
	str_printf(out, "%c %8d  %-16s %c  %s",
		   selected && selected->process == process ? '*' : ' ',
		   process->pid, name, state, program ? program : "?");
	describe_inner_pid(process->pid, " (", ")", out);
	str_append(out, "\n");
	free(program);
}

struct error *session_list_processes(struct session *session, struct str *out)
{
	for (size_t i = 0; i < session->followed.count; i++)
		list_process(session, session->followed.data[i].process, out);
	if (!session->followed.count)
		str_append(out, "No processes.\n");
	return NULL;
}

/* ---- what is tracked --------------------------------------------------- */

/* Returns the error for a pid that is not measured. The user may have given a
 * pid that is valid only inside of a container; the error then says the pid
 * outside. */
static struct error *not_measured(const struct session *session, pid_t pid)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		pid_t outer = session->followed.data[i].pid;

		if (inner_pid(outer) == pid)
			return error_create(
				ERROR_NOT_FOUND,
				"process %d is not measured; %d is the number "
				"of process %d in its pid namespace",
				pid, pid, outer);
	}
	return error_create(ERROR_NOT_FOUND,
			    "process %d is not measured: `list processes' "
			    "shows which are",
			    pid);
}

struct error *session_track_process(struct session *session, pid_t pid)
{
	if (pid)
		TRY(need_process(session));
	if (pid && !find_followed(session, pid))
		return not_measured(session, pid);
	TRY(discard_counts(session));
	session->tracked_pid = pid;
	session->tracked_tid = 0;
	measure_set_tracked(session->measure, pid, 0);
	profile_set_tracked(session, pid, 0);
	return NULL;
}

struct error *session_track_thread(struct session *session, pid_t tid)
{
	struct thread *thread;
	pid_t pid = 0;

	if (tid) {
		TRY(need_process(session));
		thread = followed_thread(session, tid);
		if (!thread)
			return error_create(
				ERROR_NOT_FOUND,
				"no thread %d; `list threads' lists all", tid);
		pid = thread->process->pid;
	}
	TRY(discard_counts(session));
	session->tracked_pid = pid;
	session->tracked_tid = tid;
	measure_set_tracked(session->measure, pid, tid);
	profile_set_tracked(session, pid, tid);
	return NULL;
}

void session_set_follow_fork(struct session *session, bool on)
{
	session->follow_fork = on;
	probe_set_follow(session->probe, on, session->follow_exec);
}

void session_set_follow_exec(struct session *session, bool on)
{
	session->follow_exec = on;
	probe_set_follow(session->probe, session->follow_fork, on);
}

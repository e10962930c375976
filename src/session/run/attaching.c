/*
 * attaching.c - an attached program, which ran before the tool attached to it.
 * The program runs while the user enters commands, and stands still only while
 * a command needs that
 *
 * Rules for the code of this layer and its callers:
 *
 *   - Code that reads or changes the program's memory or registers calls
 *     stand_still() first.
 *   - The code that carries out commands calls session_go_on() after each
 *     command.
 *   - Code that waits for anything else calls session_serve().
 *
 * While the program stands still, the clock of the measurements stands, too.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perftool/base/alloc.h"
#include "perftool/base/duration.h"
#include "perftool/command_line.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/process_status.h"
#include "run.h"
#include "session/requests/requests.h"

/* ---- attaching --------------------------------------------------------- */

void free_words(char **words)
{
	for (size_t i = 0; words && words[i]; i++)
		free(words[i]);
	free(words);
}

/* Makes the file that the process executes the program of the session: `break`
 * looks names up in this file, and `run` would run it. */
static void choose_program(struct session *session, pid_t pid)
{
	char *program = target_program_path(pid);

	if (!program)
		return;
	if (!session->program || !str_equal(session->program, program))
		/* If the process has another root directory, the path may not
		 * lead to the file here. The tool then attaches without
		 * choosing a program. */
		error_destroy(session_set_program(session, program));
	free(program);
}

const char *build_id_of(struct session *session, const char *path)
{
	CLEANUP(free_pointer) char *file = realpath(path, NULL);
	const struct module *module;
	struct debugfile *debugfile;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++) {
		if (!str_equal(module_path(module), path) &&
		    !(file && str_equal(module_path(module), file)))
			continue;
		debugfile = module_file(module);
		if (debugfile)
			return debugfile_facts(debugfile)->build_id;
	}
	return NULL;
}

/* Stores, for the tables, the path, the build ID and the arguments of what the
 * process executes. */
static void remember_attached(struct session *session, pid_t pid)
{
	CLEANUP(free_pointer) char *path = target_program_path(pid);
	char **args = target_arguments(pid);
	size_t count = 0;

	while (args && args[count])
		count++;
	remember_program(session, path,
			 path ? build_id_of(session, path) : NULL,
			 (const char *const *)args, count);
	free_words(args);
}

/* Sets the breakpoints and continues the program. All threads are stopped
 * before this call. */
static struct error *begin(struct session *session, struct process *process)
{
	TRY(probe_adopt(session->probe, process));
	session_time_pending(session);
	enter_state(session, RUN_BACKGROUND);
	run_clock(session, true, clock_now(&session->clock));
	return probe_resume_all(session->probe);
}

void note_stopped(struct session *session, const struct process *process)
{
	int signal = 0;

	for (size_t i = 0; !signal && i < process->threads.count; i++)
		signal = process->threads.data[i]->stopped_by;
	if (signal)
		session_note(session,
			     "process %d is stopped, by SIG%s: nothing in it "
			     "is reached until SIGCONT lets it go on",
			     process->pid, sigabbrev_np(signal));
}

void describe_attached(const struct process *process, struct str *out)
{
	size_t threads = process->threads.count;
	char name[17], state;

	target_thread_info(process->threads.data[0], &state, name);
	str_printf(out, "Attached to process %d (%s", process->pid, name);
	describe_inner_pid(process->pid, "; ", "", out);
	str_printf(out, "), %zu thread%s", threads, threads == 1 ? "" : "s");
}

static struct error *attach_first(struct session *session, pid_t pid,
				  struct str *out)
{
	struct process *process;
	uint64_t since, pause;
	struct error *error;

	TRY(target_check_attach(pid));
	choose_program(session, pid);
	clock_settle(&session->clock);
	session->is_abandonable = true;
	probe_preload(session->probe, pid);
	error = check_interrupt(session);
	session->is_abandonable = false;
	if (error)
		return error;
	since = clock_now(&session->clock);
	tell_holding(session, true);
	error = target_attach(session->target, pid, &process);
	if (error) {
		tell_holding(session, false);
		return error;
	}
	begin_program(session, process);
	session->attached = true;
	session->group = 0;
	note_stopped(session, process);
	error = begin(session, process);
	if (error) {
		error_destroy(stop_everything(session));
		release_everything(session);
		return error;
	}
	pause = clock_now(&session->clock) - since;
	remember_attached(session, pid);
	describe_attached(process, out);
	str_append(out, "; it stood still for ");
	duration_describe(pause, out);
	str_append(out, "\n");
	return NULL;
}

struct error *session_attach(struct session *session, pid_t pid,
			     struct str *out)
{
	TRY(need_files());
	if (session->followed.count)
		return attach_another(session, pid, out);
	return attach_first(session, pid, out);
}

/* ---- detaching --------------------------------------------------------- */

/* Returns the process to detach from next. A process that owns its memory comes
 * before the processes that borrow the memory (vfork), because the probe layer
 * detaches from the borrowers together with the owner. */
static struct process *next_to_release(const struct session *session)
{
	for (size_t i = 0; i < session->followed.count; i++)
		if (!session->followed.data[i].process->shares_memory)
			return session->followed.data[i].process;
	return session->followed.data[0].process;
}

/* Removes from `followed` the processes that the probe layer has detached from
 * together with the owner of their memory. */
static void forget_released(struct session *session)
{
	for (size_t i = session->followed.count; i-- > 0;) {
		struct followed *at = &session->followed.data[i];

		if (target_find_process(session->target, at->pid) !=
		    at->process)
			process_left(session, at->process, at->pid);
	}
}

void release_everything(struct session *session)
{
	session->selected = NULL;
	while (session->followed.count) {
		struct process *process = next_to_release(session);
		pid_t pid = process->pid;
		struct error *error;

		recorded_process_left(session, process);
		error = probe_release(session->probe, process);

		if (error)
			session_note(session, "process %d: %s", pid,
				     error_message(error));
		error_destroy(error);
		process_left(session, process, pid);
		forget_released(session);
	}
	enter_state(session, RUN_NOTHING);
}

static void describe_detach(const struct session *session, pid_t pid,
			    size_t count, uint64_t pause, struct str *out)
{
	if (!out)
		return;
	str_printf(out, "Detached from process %d", pid);
	if (count > 1)
		str_printf(out, " and %zu other%s", count - 1,
			   count == 2 ? "" : "s");
	if (pause) {
		str_printf(out, "; %s stood still for ",
			   count > 1 ? "they" : "it");
		duration_describe(pause, out);
	} else if (!session->attached) {
		str_printf(out, "; %s by %s",
			   count > 1 ? "they go on" : "it goes on",
			   count > 1 ? "themselves" : "itself");
	}
	str_append(out, "\n");
}

struct error *session_detach(struct session *session, struct str *out)
{
	bool ran = session->state == RUN_BACKGROUND;
	uint64_t since = clock_now(&session->clock);
	size_t count;
	pid_t pid;

	TRY(need_process(session));
	if (ran)
		TRY(stop_everything(session));
	if (!session->followed.count) {
		keep_end(session);
		return NULL;
	}
	pid = session_pid(session);
	count = session->followed.count;
	session->was_run = true;
	release_everything(session);
	describe_detach(session, pid, count,
			ran ? clock_now(&session->clock) - since : 0, out);
	return NULL;
}

void session_check_files(struct session *session)
{
	probe_check_files(session->probe);
}

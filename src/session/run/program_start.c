/*
 * program_start.c - starts the program, with its arguments and environment
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "run.h"

extern char **environ;

static struct error *launch(struct session *session, const char *const *args,
			    size_t count, const char *input, const char *output,
			    struct process **process)
{
	VEC(const char *) argv = {0};
	struct environment env;
	struct launch launch = {.path = session->program,
				.input = input,
				.output = output,
				.own_group = session->ui.interactive,
				.inherited = &session->inherited,
				.survives = !session->exit_kill};
	struct error *error;

	vec_push(&argv, session->program_word);
	for (size_t i = 0; i < count; i++)
		vec_push(&argv, args[i]);
	vec_push(&argv, NULL);
	launch_environment(session, &env);
	if (!input && session->ui.stdin_is_commands)
		launch.input = "/dev/null";
	launch.argv = argv.data;
	launch.envp = env.data;
	error = target_launch(session->target, &launch, process);
	vec_free(&argv);
	vec_free(&env);
	return error;
}

static void remember_launched(struct session *session, const char *const *args,
			      size_t count)
{
	static const char *const none[] = {NULL};
	CLEANUP(free_pointer) char *path = program_path(session);

	remember_program(session, path, program_build_id(session),
			 args ? args : none, count);
}

/* Says why the program is not started, and what else the user may want: one
 * whose program stands still often means that it shall go on. */
static struct error *refuse_start(const struct session *session)
{
	bool stands = session->state == RUN_STOPPED || session->holds_start;

	if (session->attached && stands)
		return error_create(ERROR_OTHER,
				    "process %d is being measured, and stands "
				    "still; `continue' lets it go on, `detach' "
				    "lets go of it",
				    session->last_pid);
	if (session->attached)
		return error_create(ERROR_OTHER,
				    "process %d is being measured; `detach' "
				    "first",
				    session->last_pid);
	if (stands)
		return error_create(ERROR_OTHER,
				    "the program is being run already, and "
				    "stands still; `continue' lets it go on, "
				    "`kill' ends it");
	return error_create(ERROR_OTHER,
			    "the program is being run already; `kill' ends it");
}

static struct error *replace_running(struct session *session)
{
	if (!session->followed.count)
		return NULL;
	if (session->attached ||
	    !session->ui.confirm(session->ui.context,
				 "The program is being run already. Start it "
				 "from the beginning?"))
		return refuse_start(session);
	return session_kill(session);
}

/* Sets the breakpoints in a launched program, whose only thread is stopped
 * before its first instruction. */
static struct error *begin(struct session *session, struct process *process)
{
	struct thread *thread = process->threads.data[0];

	TRY(probe_adopt(session->probe, process));
	if (session->state != RUN_STARTING || thread->state != THREAD_STOPPED)
		return NULL;
	if (session->holds_start) {
		enter_state(session, RUN_STOPPED);
		return NULL;
	}
	/* The probe layer has not let the thread run for a calibration (the
	 * measurement of what a hit costs), so no event will say that the
	 * program begins. The program begins here. */
	enter_state(session, RUN_FOREGROUND);
	run_clock(session, true, clock_now(&session->clock));
	return probe_resume_all(session->probe);
}

/* Has somebody killed the process while the tool prepared it? Its only thread
 * stood still, so the kernel lets the tool read its registers until then. */
static bool was_killed(struct process *process)
{
	uint64_t pc;
	struct error *error =
		target_get_reg(process->threads.data[0],
			       offsetof(struct user_regs_struct, rip), &pc);
	bool is_gone = error && error_code(error) == ERROR_GONE;

	error_destroy(error);
	return is_gone;
}

/* Launches the program, and sets its breakpoints. If this succeeds, the state
 * is STARTING, FOREGROUND, or STOPPED if the program is held. */
static struct error *start(struct session *session, const char *const *args,
			   size_t arg_count, const char *input,
			   const char *output)
{
	struct process *process;
	struct error *error;

	if (!session->program)
		return error_create(
			ERROR_OTHER,
			"no program: name it on the command line, or "
			"with `file PROGRAM`");
	TRY(need_files());
	TRY(check_rights(session->program));
	TRY(replace_running(session));
	/* Somebody may have built the program's file again since the tool read
	 * it. */
	TRY(probe_set_program_again(session->probe));
	if (!args && session->args.count) {
		args = (const char *const *)session->args.data;
		arg_count = session->args.count;
	}
	note_leak_checker(session);
	TRY(launch(session, args, arg_count, input, output, &process));
	remember_launched(session, args, arg_count);
	begin_program(session, process);
	session->attached = false;
	session->group = session->ui.interactive ? process->pid : 0;
	session->was_run = true;
	enter_state(session, RUN_STARTING);
	note_lost_rights(session, process->pid);
	clock_settle(&session->clock);
	session->ui.program_runs(session->ui.context, session->group);
	error = begin(session, process);
	/* If the program was killed, that is how it has ended. The event loop
	 * tells the user. */
	if (error && session->followed.count && was_killed(process)) {
		error_destroy(error);
		error = NULL;
	}
	if (!error)
		return NULL;
	session->ui.program_stopped(session->ui.context);
	if (session->followed.count)
		error_destroy(session_kill(session));
	else
		enter_state(session, RUN_NOTHING);
	return error;
}

struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop)
{
	TRY(start(session, args, arg_count, input, output));
	return run_in_foreground(session, duration_ns, stop);
}

/* Has the program begun? */
static bool has_begun(void *context)
{
	const struct session *session = context;

	return session->state != RUN_STARTING;
}

/* Handles events until the program begins, or, if it is held, until it stands
 * still before its first instruction. */
static struct error *await_begin(struct session *session, bool held,
				 struct session_stop *stop)
{
	struct run run = {.stop = stop,
			  .deadline = UINT64_MAX,
			  .stopping = held,
			  .enough = held ? NULL : has_begun,
			  .context = session};

	if (session->state == RUN_STOPPED)
		return NULL;
	session->started = clock_now(&session->clock);
	return run_events(session, &run);
}

struct error *session_start(struct session *session, bool held, bool *stopped,
			    struct session_stop *stop)
{
	struct error *error;

	*stop = (struct session_stop){0};
	session->holds_start = held;
	error = start(session, NULL, 0, NULL, NULL);
	if (!error)
		error = await_begin(session, held, stop);
	if (error) {
		session->holds_start = false;
		return error;
	}
	if (held && session->state == RUN_STOPPED && session->followed.count) {
		session->still_since = clock_now(&session->clock);
		enter_state(session, RUN_HELD);
	} else if (session->state == RUN_FOREGROUND) {
		enter_state(session, RUN_BACKGROUND);
	}
	*stopped = !goes_on(session);
	if (*stopped)
		session->stop = *stop;
	return NULL;
}

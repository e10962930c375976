/*
 * program_start.c - starts the program, with its arguments and environment
 */
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

static struct error *replace_running(struct session *session)
{
	if (!session->followed.count)
		return NULL;
	if (session->attached)
		return error_create(ERROR_OTHER,
				    "process %d is being measured; `detach' "
				    "first",
				    session->last_pid);
	if (!session->ui.confirm(session->ui.context,
				 "The program is being run already. Start it "
				 "from the beginning?"))
		return error_create(ERROR_OTHER,
				    "the program is being run already; `kill` "
				    "ends it");
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
	/* The probe layer has not let the thread run for a calibration (the
	 * measurement of what a hit costs), so no event will say that the
	 * program begins. The program begins here. */
	enter_state(session, RUN_FOREGROUND);
	run_clock(session, true, clock_now(&session->clock));
	return probe_resume_all(session->probe);
}

struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop)
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
	if (!error)
		return run_in_foreground(session, duration_ns, stop);
	session->ui.program_stopped(session->ui.context);
	if (session->followed.count)
		error_destroy(session_kill(session));
	else
		enter_state(session, RUN_NOTHING);
	return error;
}

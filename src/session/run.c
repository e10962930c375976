/*
 * run.c - run control: from a start or a continue to a stop
 *
 * The loop waits for an event, has the probe layer handle it, and looks after
 * the user ten times a second. A stop is asked for once; until all threads
 * have stopped, hits go on being handled as ever.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"
#include "perftool/base/alloc.h"

extern char **environ;

#define LOOK_INTERVAL 100000000u /* ns */
#define LAST_WORDS 2000000000u   /* ns a program has to end after SIGINT */

struct run {
	struct session_stop *stop;
	uint64_t deadline; /* UINT64_MAX: none */
	bool stopping, over;
	bool killing; /* nothing but its end ends this */
};

static void ended(struct session *session, int status, struct run *run)
{
	struct session_stop *stop = run->stop;

	measure_process_gone(session->measure, session->process->pid);
	*stop = (struct session_stop){.pid = session->process->pid,
				      .tid = session->process->pid};
	if (WIFEXITED(status)) {
		stop->reason = STOP_EXITED;
		stop->status = WEXITSTATUS(status);
	} else {
		stop->reason = STOP_SIGNALED;
		stop->signal = WTERMSIG(status);
	}
	session->end = *stop;
	session->has_end = true;
	session->process = NULL;
	session->selected = NULL;
	vec_clear(&session->pending_stops);
	run->over = true;
}

static struct error *ask_to_stop(struct session *session, struct run *run,
				 enum stop_reason reason, uint64_t time)
{
	if (run->stopping)
		return NULL;
	run->stopping = true;
	run->stop->reason = reason;
	run->stop->pid = session->process->pid;
	run->stop->tid = session->process->pid;
	measure_set_running(session->measure, false, time);
	return target_stop_all(session->target);
}

/* A key typed at the terminal, not a signal somebody sent. */
static struct error *is_from_terminal(struct thread *thread, bool *result)
{
	siginfo_t info;

	TRY(target_get_siginfo(thread, &info));
	*result = info.si_code == SI_KERNEL;
	return NULL;
}

static struct error *on_signal(struct session *session, struct run *run,
			       const struct event *event)
{
	bool typed = false;

	if (event->signal == SIGINT || event->signal == SIGTSTP) {
		if (session->ui.interactive)
			TRY(is_from_terminal(event->thread, &typed));
		session->interrupted_program |= event->signal == SIGINT;
	}
	if (!typed)
		return probe_deliver(session->probe, event, event->signal);
	/* meant for the tool: the program never hears of it */
	TRY(ask_to_stop(session, run, STOP_INTERRUPTED, event->time));
	run->stop->tid = event->thread->tid;
	return probe_deliver(session->probe, event, 0);
}

static struct error *on_breakpoint(struct session *session, struct run *run,
				   const struct event *event,
				   const struct probe_outcome *outcome)
{
	struct session_stop stop = {.reason = STOP_BREAKPOINT,
				    .breakpoint = outcome->breakpoint->id,
				    .pid = event->process->pid,
				    .tid = event->thread->tid};

	if (run->stopping) {
		/* one stop at a time: this one is the next */
		vec_push(&session->pending_stops, stop);
	} else {
		measure_break(session->measure, event->thread->serial,
			      event->process->pid, event->thread->tid,
			      event->time, event->time, 0, 0);
		TRY(ask_to_stop(session, run, STOP_BREAKPOINT, event->time));
		*run->stop = stop;
	}
	return target_resume_at(event->thread, outcome->resume_pc, NULL);
}

/* The user, the live status, the time that was given. */
static struct error *look_around(struct session *session, struct run *run,
				 uint64_t now)
{
	struct session_ui *ui = &session->ui;

	if (ui->interrupted(ui->context))
		TRY(ask_to_stop(session, run, STOP_INTERRUPTED, now));
	if (now >= run->deadline)
		TRY(ask_to_stop(session, run, STOP_DURATION, now));
	if (now < session->next_look || session->starting)
		return NULL;
	session->next_look = now + LOOK_INTERVAL;
	if (ui->progress && !session->frozen) {
		struct measure_summary summary;
		struct session_progress progress = {0};
		const struct measure_node *node;

		measure_get_summary(session->measure, now, &summary);
		for (size_t i = 0;
		     (node = measure_node_at(session->measure, i)); i++)
			progress.hits += node->count;
		progress.elapsed = summary.elapsed;
		progress.breaks = summary.breaks;
		ui->progress(ui->context, &progress);
	}
	return NULL;
}

/* A thread or process killed in the middle of something is no failure: its
 * end is reported as any other. */
static struct error *unless_gone(struct error *error)
{
	if (error && error_code(error) == ERROR_GONE) {
		error_destroy(error);
		return NULL;
	}
	return error;
}

static struct error *one_event(struct session *session, struct run *run)
{
	struct probe_outcome outcome;
	struct event event;

	TRY(target_wait(session->target, &event));
	TRY(unless_gone(probe_handle(session->probe, &event, &outcome)));
	if (event.kind == EVENT_THREAD_GONE) {
		measure_thread_gone(session->measure, event.thread->serial);
		if (session->selected == event.thread)
			session->selected = NULL;
	}
	switch (outcome.action) {
	case PROBE_HANDLED:
		break;
	case PROBE_STOP:
		TRY(unless_gone(on_breakpoint(session, run, &event, &outcome)));
		break;
	case PROBE_SIGNAL:
		TRY(unless_gone(on_signal(session, run, &event)));
		break;
	case PROBE_END:
		measure_set_running(session->measure, false, event.time);
		ended(session, event.status, run);
		return NULL;
	case PROBE_STOPPED:
		if (!run->stopping)
			return target_resume_all(session->target);
		run->over = true;
		return NULL;
	}
	if (event.kind == EVENT_EMPTY) {
		run->over = true;
		return NULL;
	}
	return run->killing ? NULL : look_around(session, run, event.time);
}

static struct error *run_loop(struct session *session, uint64_t duration,
			      bool killing, struct session_stop *stop)
{
	struct run run = {
		.stop = stop, .deadline = UINT64_MAX, .killing = killing};
	struct error *error = NULL;

	*stop = (struct session_stop){0};
	if (duration)
		run.deadline = clock_now(&session->clock) + duration;
	while (!run.over && !error)
		error = one_event(session, &run);
	if (session->process && !error)
		session->selected =
			target_find_thread(session->target, stop->tid);
	session->ui.program_stopped(session->ui.context);
	session->starting = false;
	session->stop = *stop;
	return error;
}

/* ---- starting ------------------------------------------------------------ */

static bool is_overridden(const struct session *session, const char *entry)
{
	size_t length = (size_t)(strchrnul(entry, '=') - entry);

	for (size_t i = 0; i < session->env.count; i++)
		if (strncmp(session->env.data[i], entry, length) == 0 &&
		    session->env.data[i][length] == '=')
			return true;
	return false;
}

static struct error *launch(struct session *session, const char *const *args,
			    size_t count, const char *input, const char *output)
{
	VEC(const char *) argv = {0}, envp = {0};
	struct launch launch = {.path = session->program,
				.input = input,
				.output = output,
				.own_group = session->ui.interactive};
	struct error *error;

	vec_push(&argv, session->program_word);
	for (size_t i = 0; i < count; i++)
		vec_push(&argv, args[i]);
	vec_push(&argv, NULL);
	for (char **entry = environ; *entry; entry++)
		if (!is_overridden(session, *entry))
			vec_push(&envp, *entry);
	for (size_t i = 0; i < session->env.count; i++)
		vec_push(&envp, session->env.data[i]);
	vec_push(&envp, NULL);
	if (!input && session->ui.stdin_is_commands)
		launch.input = "/dev/null";
	launch.argv = argv.data;
	launch.envp = envp.data;
	error = target_launch(session->target, &launch, &session->process);
	vec_free(&argv);
	vec_free(&envp);
	return error;
}

/* For the tables: what is measured, whatever `file` and `args` say later. */
static void remember_launch(struct session *session, const char *const *args,
			    size_t count)
{
	free(session->run_program);
	session->run_program = xstrdup(session->program);
	string_list_clear(&session->run_args);
	for (size_t i = 0; i < count; i++)
		vec_push(&session->run_args, xstrdup(args[i]));
	if (session->tracked_pid) {
		session_note(session, "the tracked process is no more: all are "
				      "tracked now");
		session->tracked_pid = session->tracked_tid = 0;
		measure_set_tracked(session->measure, 0, 0);
	}
}

static struct error *replace_running(struct session *session)
{
	if (!session->process)
		return NULL;
	if (!session->ui.confirm(session->ui.context,
				 "The program is being run already. Start it "
				 "from the beginning?"))
		return error_create(ERROR_OTHER,
				    "the program is being run already; `kill` "
				    "ends it");
	return session_kill(session);
}

struct error *session_run(struct session *session, const char *const *args,
			  size_t arg_count, const char *input,
			  const char *output, uint64_t duration_ns,
			  struct session_stop *stop)
{
	struct error *error;

	if (!session->program)
		return error_create(ERROR_OTHER,
				    "no program: `file PROGRAM` names one");
	TRY(replace_running(session));
	/* it may have been built anew since */
	TRY(probe_set_program_again(session->probe));
	if (!args) {
		args = (const char *const *)session->args.data;
		arg_count = session->args.count;
	}
	TRY(launch(session, args, arg_count, input, output));
	remember_launch(session, args, arg_count);
	session->was_run = true;
	session->last_pid = session->process->pid;
	session->starting = true;
	session->frozen = session->interrupted_program = false;
	session->next_look = 0;
	clock_settle(&session->clock);
	session->ui.program_runs(session->ui.context, session->process->pid);
	error = probe_adopt(session->probe, session->process);
	if (!error && session->starting &&
	    session->process->threads.data[0]->state == THREAD_STOPPED) {
		/* there is nothing to calibrate with */
		session->starting = false;
		measure_set_running(session->measure, true,
				    clock_now(&session->clock));
		error = target_resume_all(session->target);
	}
	if (!error)
		error = run_loop(session, duration_ns, false, stop);
	else
		session->ui.program_stopped(session->ui.context);
	if (error && session->process)
		error_destroy(session_kill(session));
	return error;
}

/* A breakpoint reached during the last stop, if it still is one. */
static bool take_pending_stop(struct session *session,
			      struct session_stop *stop)
{
	while (session->pending_stops.count) {
		struct session_stop next = session->pending_stops.data[0];
		struct breakpoint *breakpoint;

		vec_remove(&session->pending_stops, 0);
		breakpoint = probe_find(session->probe, next.breakpoint);
		if (!breakpoint || !breakpoint->enabled ||
		    !target_find_thread(session->target, next.tid))
			continue;
		*stop = session->stop = next;
		session->selected =
			target_find_thread(session->target, next.tid);
		return true;
	}
	return false;
}

struct error *session_continue(struct session *session, uint64_t duration_ns,
			       struct session_stop *stop)
{
	TRY(need_process(session));
	if (take_pending_stop(session, stop))
		return NULL;
	session->next_look = 0;
	session->ui.program_runs(session->ui.context, session->process->pid);
	measure_set_running(session->measure, true, clock_now(&session->clock));
	TRY(target_resume_all(session->target));
	return run_loop(session, duration_ns, false, stop);
}

/* ---- ending -----------------------------------------------------------------
 */

struct error *session_kill(struct session *session)
{
	struct session_stop stop;

	TRY(need_process(session));
	session->frozen = true;
	measure_set_running(session->measure, false,
			    clock_now(&session->clock));
	target_kill(session->process);
	return run_loop(session, 0, true, &stop);
}

struct error *session_end_program(struct session *session,
				  struct session_stop *stop)
{
	TRY(need_process(session));
	session->frozen = true;
	if (!session->interrupted_program)
		target_signal(session->process, SIGINT);
	TRY(target_resume_all(session->target));
	TRY(run_loop(session, LAST_WORDS, false, stop));
	if (!session->process)
		return NULL;
	TRY(session_kill(session));
	*stop = session->stop;
	return NULL;
}

/* ---- telling
 * ------------------------------------------------------------------ */

void session_describe_stop(struct session *session,
			   const struct session_stop *stop, struct str *out)
{
	struct user_regs_struct regs;
	struct str place = {0};
	struct thread *thread;
	struct error *error;

	switch (stop->reason) {
	case STOP_EXITED:
		if (stop->status)
			str_printf(out, "The program exited with status %d.",
				   stop->status);
		else
			str_append(out, "The program exited normally.");
		return;
	case STOP_SIGNALED:
		str_printf(out, "The program was killed by signal %d, %s.",
			   stop->signal, strsignal(stop->signal));
		return;
	case STOP_BREAKPOINT:
		str_printf(out, "Breakpoint %u, ", stop->breakpoint);
		break;
	case STOP_INTERRUPTED:
		str_append(out, "Interrupted in ");
		break;
	case STOP_DURATION:
		str_append(out, "Time is over, in ");
		break;
	}
	thread = target_find_thread(session->target, stop->tid);
	if (!thread)
		return;
	if (session->process->threads.count > 1)
		str_printf(out, "thread %d, ", thread->tid);
	error = probe_get_regs(session->probe, thread, &regs);
	if (error) {
		str_append(out, error_message(error));
		error_destroy(error);
		return;
	}
	describe_address(session, regs.rip, &place);
	if (str_starts(str_text(&place), "??"))
		str_printf(out, "0x%llx in ", regs.rip);
	str_append(out, str_text(&place));
	str_deinit(&place);
}

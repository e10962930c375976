/*
 * library_user.c - hands on what the session layer has for the user
 *
 * The session layer calls struct session_ui. What that says becomes an event,
 * or a call of the user interface (struct perftool_user). Where there is no
 * user, every question is answered with no, and only
 * perftool_session_interrupt() interrupts.
 */
#include <string.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/session/user_interface.h"

/* ---- events -------------------------------------------------------------- */

void library_tell(struct perftool_session *session,
		  enum perftool_event_kind kind, const char *text)
{
	/* The user interface writes texts to its terminal itself. */
	bool is_shown = !session->is_here && kind != PERFTOOL_EVENT_REPORT &&
			kind != PERFTOOL_EVENT_DUMP;
	CLEANUP(free_pointer)
	char *shown = is_shown ? perftool_printable(text) : NULL;
	struct perftool_event event = {.kind = kind,
				       .text = shown ? shown : text};

	if (session->handler)
		session->handler(session->handler_context, &event);
}

/* A remark also becomes a part of the log and, if the output of a command is
 * returned to its caller, or to a front end, of this output. */
static void note(void *context, const char *text)
{
	struct perftool_session *session = context;

	if (session->interpreter)
		interpreter_log(session->interpreter, text);
	if (session->stream)
		fprintf(session->stream, "%s\n", text);
	if (session->desk)
		desk_remark(session->desk, text);
	library_tell(session, PERFTOOL_EVENT_NOTE, text);
}

void perftool_session_remark(struct perftool_session *session, const char *text)
{
	note(session, text);
}

static void progress(void *context, const struct session_progress *state)
{
	const struct perftool_session *session = context;
	struct perftool_event event = {.kind = PERFTOOL_EVENT_PROGRESS,
				       .elapsed_ns = state->elapsed,
				       .hits = state->hits};

	if (session->handler)
		session->handler(session->handler_context, &event);
}

/* ---- calls of the user interface ----------------------------------------- */

static const struct perftool_user *user_of(void *context)
{
	const struct perftool_session *session = context;

	return &session->options.user;
}

static void program_runs(void *context, pid_t group)
{
	const struct perftool_user *user = user_of(context);

	if (user->program_runs)
		user->program_runs(user->context, group);
}

static void program_stopped(void *context)
{
	const struct perftool_user *user = user_of(context);

	if (user->program_stopped)
		user->program_stopped(user->context);
}

static void working(void *context, const char *what, size_t done, size_t count)
{
	const struct perftool_user *user = user_of(context);

	user->working(user->context, what, done, count);
}

static bool report(void *context, bool due)
{
	const struct perftool_user *user = user_of(context);

	return user->report(user->context, due);
}

static bool interrupted(void *context)
{
	const struct perftool_user *user = user_of(context);
	struct perftool_session *session = context;
	bool was_set = atomic_exchange(&session->is_interrupted, false);

	return (user->interrupted && user->interrupted(user->context)) ||
	       was_set;
}

static bool interrupting(void *context)
{
	const struct perftool_user *user = user_of(context);
	struct perftool_session *session = context;

	return atomic_load(&session->is_interrupted) ||
	       (user->interrupting && user->interrupting(user->context));
}

static bool suspended(void *context)
{
	const struct perftool_user *user = user_of(context);

	return user->suspended(user->context);
}

static void suspend(void *context)
{
	const struct perftool_user *user = user_of(context);

	user->suspend(user->context);
}

static void await(void *context, int fd, short events)
{
	const struct perftool_user *user = user_of(context);

	user->await(user->context, fd, events);
}

static bool await_room(void *context, int fd, int milliseconds)
{
	const struct perftool_user *user = user_of(context);

	return user->await_room(user->context, fd, milliseconds);
}

static void holds(void *context, bool on)
{
	const struct perftool_user *user = user_of(context);

	user->holds(user->context, on);
}

static bool confirm(void *context, const char *question)
{
	const struct perftool_user *user = user_of(context);

	return user->confirm && user->confirm(user->context, question, false);
}

static bool confirm_leaving(void *context, const char *question)
{
	const struct perftool_user *user = user_of(context);

	return user->confirm(user->context, question, true);
}

static bool ask(void *context, const char *name, const char *before,
		char **answer)
{
	const struct perftool_user *user = user_of(context);

	return user->ask(user->context, name, before, answer);
}

void library_user_before_output(void *context)
{
	const struct perftool_user *user = user_of(context);

	if (user->before_output)
		user->before_output(user->context);
}

/* ---- setting up ---------------------------------------------------------- */

void library_user_begin(struct perftool_session *session)
{
	const struct perftool_options *options = &session->options;
	const struct perftool_user *user = &options->user;

	session->ui = (struct session_ui){
		.context = session,
		.note = note,
		.program_runs = program_runs,
		.program_stopped = program_stopped,
		.progress = progress,
		.working = user->working ? working : NULL,
		.report = user->report ? report : NULL,
		.interrupted = interrupted,
		.interrupting = interrupting,
		.suspended = user->suspended ? suspended : NULL,
		.suspend = user->suspend ? suspend : NULL,
		.await = user->await ? await : NULL,
		.await_room = user->await_room ? await_room : NULL,
		.holds = user->holds ? holds : NULL,
		.confirm = confirm,
		.confirm_leaving = user->confirm ? confirm_leaving : NULL,
		.ask = user->ask ? ask : NULL,
		.interactive = options->interactive,
		.stdin_is_commands = options->stdin_is_commands,
		.program_runs_on = options->program_runs_on,
	};
}

/*
 * library_session.c - the sessions of the library from their beginning to their
 * end, and the program that a session gets: launched, chosen or attached to
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/base/monotonic.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"

/* ---- the beginning and the end ------------------------------------------- */

/* Makes the stream of a session whose commands return what they print. */
static void open_stream(struct perftool_session *session)
{
	session->stream = open_memstream(&session->text, &session->length);
	if (!session->stream)
		out_of_memory(0);
	session->options.output = session->options.messages = session->stream;
}

void library_session_begin(struct perftool_session *session)
{
	const struct perftool_options *options = &session->options;
	struct interpreter_options how = {
		.ui = &session->ui,
		.interactive = options->interactive,
		.color = options->color,
		.runs_later = options->runs_later,
		.time_limit = options->time_limit_ns,
		.before_output = library_user_before_output,
		.lay_out = options->lay_out,
	};

	if (!session->is_here)
		open_stream(session);
	library_user_begin(session);
	session->session = session_create(&session->ui);
	session_set_every(session->session, options->every_ns);
	if (options->counts_intervals)
		session_count_intervals(session->session);
	how.session = session->session;
	how.output = options->output;
	how.messages = options->messages;
	session->interpreter = interpreter_create(&how);
	session->wake_signal = session_wake_signal(session->session);
	library_operations_begin(session);
}

void library_session_end(struct perftool_session *session)
{
	/* A user still reads what the end of the session has to say. */
	if (!session->is_here)
		session->handler = NULL;
	library_operations_end(session);
	error_destroy(interpreter_close(session->interpreter));
	interpreter_destroy(session->interpreter);
	session->interpreter = NULL;
	session_destroy(session->session);
	if (session->stream)
		fclose(session->stream);
	free(session->text);
}

struct perftool_error *
perftool_session_create(struct perftool_session **session)
{
	struct perftool_session *made;
	struct error *error;

	NEED(session);
	error = host_check();
	if (error)
		return library_error(error);
	made = xcalloc(1, sizeof(*made));
	error = session_thread_create(made);
	if (error) {
		free(made);
		return library_error(error);
	}
	*session = made;
	return NULL;
}

void perftool_session_create_here(const struct perftool_options *options,
				  struct perftool_session **session)
{
	struct perftool_session *made = xcalloc(1, sizeof(*made));

	made->is_here = true;
	made->thread = pthread_self();
	made->options = *options;
	library_session_begin(made);
	*session = made;
}

static struct error *close_files(struct perftool_session *session,
				 void *argument)
{
	(void)argument;
	return interpreter_close(session->interpreter);
}

struct error *perftool_session_close_files(struct perftool_session *session)
{
	return session_call(session, close_files, NULL);
}

struct perftool_error *perftool_session_close(struct perftool_session *session)
{
	NEED(session);
	return library_error(session_thread_end(session));
}

void perftool_session_destroy(struct perftool_session *session)
{
	struct error *error = NULL;

	if (!session)
		return;
	if (session->is_here)
		library_session_end(session);
	else
		error = session_thread_join(session);
	if (error) {
		/* The session's thread still uses the session. */
		error_destroy(error);
		return;
	}
	library_forget_figures(session);
	free(session);
}

void perftool_session_interrupt(struct perftool_session *session)
{
	if (!session || (!session->is_here && session->process != getpid()))
		return;
	atomic_store(&session->is_interrupted, true);
	pthread_kill(session->thread, session->wake_signal);
}

static struct error *set_handler(struct perftool_session *session,
				 void *argument)
{
	const struct perftool_session *wanted = argument;

	session->handler = wanted->handler;
	session->handler_context = wanted->handler_context;
	session->caller = (struct caller){.since = session->caller.since,
					  .gets_notices = wanted->handler &&
							  !session->is_here};
	return NULL;
}

struct perftool_error *
perftool_session_on_event(struct perftool_session *session,
			  perftool_event_fn *handler, void *context)
{
	struct perftool_session wanted = {.handler = handler,
					  .handler_context = context};

	NEED(session);
	return library_error(session_call(session, set_handler, &wanted));
}

/* ---- the program --------------------------------------------------------- */

struct launching {
	const char *path;
	char *const *argv, *const *envp;
};

/* Chooses the program, and its arguments. The first element of `argv` is not
 * one of them. */
static struct error *choose(struct session *session, const char *path,
			    char *const *argv)
{
	size_t count = 0;

	TRY(session_set_program(session, path));
	while (argv && argv[0] && argv[count + 1])
		count++;
	session_set_args(session, count ? (const char *const *)argv + 1 : NULL,
			 count);
	return NULL;
}

static struct error *launch(struct perftool_session *session, void *argument)
{
	const struct launching *launching = argument;
	struct session *of = session->session;
	struct session_stop stop;
	bool stopped;

	if (session_has_process(of))
		return error_create(ERROR_OTHER,
				    "process %d is being measured; the command "
				    "`kill' ends it, `detach' lets it go",
				    (int)session_pid(of));
	TRY(choose(of, launching->path, launching->argv));
	session_set_environment(of, (const char *const *)launching->envp);
	TRY(session_start(of, true, &stopped, &stop));
	if (stopped)
		library_tell_stop(session, &stop);
	return NULL;
}

struct perftool_error *perftool_session_launch(struct perftool_session *session,
					       const char *path,
					       char *const argv[],
					       char *const envp[])
{
	struct launching launching = {path, argv, envp};

	NEED(session);
	NEED(path);
	return library_error(session_call(session, launch, &launching));
}

static struct error *attach(struct perftool_session *session, void *argument)
{
	const pid_t *pid = argument;
	struct str text = {0};
	struct error *error = session_attach(session->session, *pid, &text);

	if (text.length) {
		text.data[strcspn(text.data, "\n")] = '\0';
		library_tell(session, PERFTOOL_EVENT_NOTE, text.data);
	}
	str_deinit(&text);
	return error;
}

struct perftool_error *perftool_session_attach(struct perftool_session *session,
					       pid_t pid)
{
	NEED(session);
	return library_error(session_call(session, attach, &pid));
}

static struct error *load(struct perftool_session *session, void *argument)
{
	const struct launching *launching = argument;

	return choose(session->session, launching->path, launching->argv);
}

struct error *perftool_session_load(struct perftool_session *session,
				    char *const argv[])
{
	struct launching launching = {.path = argv[0], .argv = argv};

	return session_call(session, load, &launching);
}

static struct error *describe(struct perftool_session *session, void *argument)
{
	session_describe_program(session->session, argument);
	return NULL;
}

void perftool_session_describe(struct perftool_session *session,
			       struct str *out)
{
	error_destroy(session_call(session, describe, out));
}

static struct error *add_debug_directory(struct perftool_session *session,
					 void *argument)
{
	return session_add_debug_directory(session->session, argument);
}

struct error *
perftool_session_add_debug_directory(struct perftool_session *session,
				     const char *directory)
{
	CLEANUP(free_pointer) char *copy = xstrdup(directory);

	return session_call(session, add_debug_directory, copy);
}

struct attaching {
	const pid_t *pids;
	size_t count;
	bool children;
	struct str *out;
};

static struct error *attach_all(struct perftool_session *session,
				void *argument)
{
	const struct attaching *to = argument;
	struct session *of = session->session;

	for (size_t i = 0; i < to->count; i++)
		TRY(session_attach(of, to->pids[i], to->out));
	for (size_t i = 0; i < to->count; i++) {
		if (to->children)
			TRY(session_attach_children(of, to->pids[i], to->out));
		else
			session_note_children(of, to->pids[i]);
	}
	return NULL;
}

struct error *perftool_session_attach_all(struct perftool_session *session,
					  const pid_t *pids, size_t count,
					  bool children, struct str *out)
{
	struct attaching attaching = {pids, count, children, out};

	return session_call(session, attach_all, &attaching);
}

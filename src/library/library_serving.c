/*
 * library_serving.c - what a session does while its caller does other things:
 * it handles the events of the processes that run
 */
#include "library_state.h"
#include "perftool/session/measurements.h"

struct serving {
	bool (*enough)(void *context);
	void *context;
	struct str *told;
};

static struct error *serve(struct perftool_session *session, void *argument)
{
	const struct serving *serving = argument;

	return interpreter_serve(session->interpreter, serving->enough,
				 serving->context, serving->told);
}

struct error *perftool_session_serve(struct perftool_session *session,
				     bool (*enough)(void *context),
				     void *context, struct str *told)
{
	struct serving serving = {enough, context, told};

	return session_call(session, serve, &serving);
}

void perftool_session_wake_at(struct perftool_session *session, int fd)
{
	session_wake_at(session->session, fd);
}

void perftool_session_expect(struct perftool_session *session)
{
	session_expect(session->session);
}

uint64_t perftool_session_events(const struct perftool_session *session)
{
	return session_events(session->session);
}

bool perftool_session_is_alive(const struct perftool_session *session)
{
	return session_is_alive(session->session);
}

bool perftool_session_is_interrupted(struct perftool_session *session)
{
	return session->ui.interrupted(session);
}

bool perftool_session_is_interrupting(struct perftool_session *session)
{
	return session->ui.interrupting(session);
}

struct error *perftool_session_keep_running(struct perftool_session *session)
{
	return session_keep_running(session->session);
}

void perftool_session_step_aside(struct perftool_session *session,
				 bool is_aside)
{
	session->depth += is_aside ? -1u : 1u;
}

/* ---- several calls as one ------------------------------------------------ */

struct together {
	void (*work)(void *context);
	void *context;
	struct str *told;
};

static struct error *do_together(struct perftool_session *session,
				 void *argument)
{
	const struct together *together = argument;
	struct session_stop stop;
	uint64_t stood;
	bool stopped;

	together->work(together->context);
	TRY(session_go_on(session->session, &stood, &stopped, &stop));
	if (stopped)
		session_describe_stop(session->session, &stop, together->told);
	return NULL;
}

struct error *perftool_session_together(struct perftool_session *session,
					void (*work)(void *context),
					void *context, struct str *told)
{
	struct together together = {work, context, told};

	return session_call(session, do_together, &together);
}

/*
 * thread_uses.c - which threads count: a choice for each thread, and one for
 * all others
 *
 * The choice is apart from `set thread`, which tracks one thread only. A thread
 * that matches the nodes of a leg by itself knows nothing of the choice, so no
 * thread does that while there is one.
 */
#include "run.h"

bool session_chooses_threads(const struct session *session)
{
	return session->ignores_threads || session->thread_uses.count;
}

bool session_uses_thread(const struct session *session, pid_t tid)
{
	switch (map_get_number(&session->thread_uses, (uint64_t)tid)) {
	case THREAD_USED:
		return true;
	case THREAD_IGNORED:
		return false;
	default:
		return !session->ignores_threads;
	}
}

static bool is_chosen(void *context, int32_t pid, int32_t tid)
{
	(void)pid;
	return session_uses_thread(context, tid);
}

/* Tells the other layers of a change. The threads stand still. */
static void tell_change(struct session *session)
{
	measure_set_chosen(session->measure,
			   session_chooses_threads(session) ? is_chosen : NULL,
			   session);
	probe_stops_changed(session->probe);
}

struct error *session_use_thread(struct session *session, pid_t tid,
				 enum thread_use use)
{
	TRY(need_process(session));
	if (!followed_thread(session, tid))
		return error_create(ERROR_NOT_FOUND,
				    "no thread %d; `list threads' lists all",
				    tid);
	TRY(discard_counts(session));
	if (use == THREAD_AS_DEFAULT)
		map_remove(&session->thread_uses, (uint64_t)tid);
	else
		map_set_number(&session->thread_uses, (uint64_t)tid, use);
	tell_change(session);
	return NULL;
}

struct error *session_use_threads(struct session *session, bool used)
{
	if (session->ignores_threads == !used)
		return NULL;
	TRY(discard_counts(session));
	session->ignores_threads = !used;
	tell_change(session);
	return NULL;
}

/*
 * count_settlement.c - what threads count by themselves, and the commands that
 * change what is counted
 *
 * As long as nothing about a leg needs more, the program's threads match its
 * hits and add up its executions (include/perftool/counting.h). What they may
 * count is decided anew when the program goes on. So a command that changes it
 * first stops the program, and has all counts told that belong to the time
 * before the command.
 */
#include "session_state.h"

struct error *settle_counts(struct session *session)
{
	bool is_settled;

	TRY(stand_still(session));
	/* While the threads stand still, they count nothing new. */
	is_settled = session->state == RUN_HELD &&
		     session->settled_in == session->still_since;
	if (!is_settled)
		probe_catch_up(session->probe);
	if (session->state == RUN_HELD)
		session->settled_in = session->still_since;
	probe_stops_changed(session->probe);
	return NULL;
}

struct error *discard_counts(struct session *session)
{
	/* An execution that a thread began between the reading of its counts
	 * and the discarding would end without a beginning. */
	TRY(stand_still(session));
	probe_discard_counts(session->probe);
	probe_stops_changed(session->probe);
	return NULL;
}

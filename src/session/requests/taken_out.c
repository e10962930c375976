/*
 * taken_out.c - functions whose nodes and legs are out of the program, and may
 * be put back
 *
 * The breakpoints are disabled, so that nothing of them is in the program, and
 * the nodes count as deleted. Nodes and legs keep their numbers: threads find
 * what they count by the number of the leg, for which there are some thousands.
 */
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "requests.h"

VEC_STRUCT(id_list, uint32_t);

static void list_nodes(const struct timed_function *timed, size_t count,
		       struct id_list *out)
{
	for (size_t i = 0; i < count; i++) {
		vec_push(out, timed[i].entry);
		vec_push(out, timed[i].exit_point);
	}
}

/* Enables or disables those of the breakpoints that the user has not deleted.
 */
static struct error *enable(struct session *session, const struct id_list *ids,
			    bool enabled)
{
	VEC(struct breakpoint *) list = {0};
	struct error *error;

	for (size_t i = 0; i < ids->count; i++) {
		struct breakpoint *at =
			probe_find(session->probe, ids->data[i]);

		if (at)
			vec_push(&list, at);
	}
	error = probe_enable_all(session->probe, list.data, list.count,
				 enabled);
	vec_free(&list);
	return error;
}

/* Stops all threads, for what they have counted until then to be settled, and
 * lists the nodes that are to come or go. */
static struct error *begin_change(struct session *session,
				  const struct timed_function *timed,
				  size_t count, struct id_list *ids)
{
	TRY(stand_still(session));
	TRY(settle_counts(session));
	list_nodes(timed, count, ids);
	return NULL;
}

struct error *session_take_out(struct session *session,
			       const struct timed_function *timed, size_t count)
{
	struct id_list ids = {0};
	struct error *error;

	if (!count)
		return NULL;
	TRY(begin_change(session, timed, count, &ids));
	for (size_t i = 0; i < ids.count; i++) {
		measure_node_deleted(session->measure, ids.data[i]);
		map_set_number(&session->taken_out, ids.data[i], 1);
	}
	error = enable(session, &ids, false);
	vec_free(&ids);
	return error;
}

struct error *session_put_back(struct session *session,
			       const struct timed_function *timed, size_t count)
{
	struct id_list ids = {0};
	struct error *error;

	if (!count)
		return NULL;
	TRY(begin_change(session, timed, count, &ids));
	measure_nodes_restored(session->measure, ids.data, ids.count);
	for (size_t i = 0; i < ids.count; i++)
		map_remove(&session->taken_out, ids.data[i]);
	error = enable(session, &ids, true);
	vec_free(&ids);
	return error;
}

bool session_is_complete(const struct session *session,
			 const struct timed_function *timed)
{
	return measure_leg(session->measure, timed->leg) &&
	       probe_find(session->probe, timed->entry) &&
	       probe_find(session->probe, timed->exit_point);
}

bool is_taken_out(const struct session *session, uint32_t node)
{
	return map_get_number(&session->taken_out, node);
}

/*
 * empty_rows.c - the rows that are left out of the tables, because they would
 * only say that something is not measured any more
 */
#include "session/requests/requests.h"
#include "tables.h"

/* Is the node out of the program, and may it come back by itself? */
static bool is_out(const struct session *session, uint32_t id)
{
	bool is_out_by_detail;

	return is_taken_out(session, id) ||
	       (recorded_made_node(session, id, &is_out_by_detail) &&
		is_out_by_detail);
}

/* Has the node counted nothing, and is it out of the program? `ends` has the
 * nodes of the legs that are shown. */
static bool is_node_empty(const struct session *session, const struct map *ends,
			  uint32_t id)
{
	const struct measure_node *node = measure_node(session->measure, id);

	if (!node)
		return is_taken_out(session, id);
	if (node->count)
		return false;
	return (is_out(session, id) || (node->deleted && !node->errors)) &&
	       !map_get_number(ends, (uint64_t)id + 1);
}

static bool is_leg_empty(const struct session *session, uint32_t id)
{
	const struct measure_leg *leg = measure_leg(session->measure, id);

	return leg && !leg->count && is_out(session, leg->spec.from) &&
	       is_out(session, leg->spec.to);
}

void leave_out_empty(struct session *session)
{
	size_t nodes = 0, legs = 0;
	struct map ends = {0};

	for (size_t i = 0; i < session->report_legs.count; i++) {
		struct report_leg *at = &session->report_legs.data[i];
		const struct leg_spec *spec = &at->stats->spec;

		if (is_leg_empty(session, at->stats->id))
			continue;
		session->report_legs.data[legs++] = *at;
		map_set_number(&ends, (uint64_t)spec->from + 1, 1);
		map_set_number(&ends, (uint64_t)spec->to + 1, 1);
	}
	for (size_t i = 0; i < session->report_nodes.count; i++) {
		struct report_node *at = &session->report_nodes.data[i];

		if (!is_node_empty(session, &ends, at->stats->id))
			session->report_nodes.data[nodes++] = *at;
	}
	map_deinit(&ends);
	session->tables.node_count = session->report_nodes.count = nodes;
	session->tables.leg_count = session->report_legs.count = legs;
}

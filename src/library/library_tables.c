/*
 * library_tables.c - the figures of legs and nodes, as copies for the callers
 * of the library
 *
 * The session's own tables change while the program runs, on the session's
 * thread. So each figure that a caller reads is a copy. A session keeps one
 * object for each leg and each node that was asked for.
 */
#include <stdlib.h>

#include "library_state.h"
#include "perftool/base/alloc.h"
#include "perftool/report.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/measurements.h"

VEC_STRUCT(bucket_list, struct perftool_bucket);

struct perftool_leg {
	/* `record` is a copy; the other pointers are NULL */
	struct measure_leg figures;
	char *name, *from, *to;
	struct bucket_list buckets;
};

struct perftool_node {
	uint32_t id, line;
	uint64_t count, errors;
	char *location, *function, *file;
	struct bucket_list buckets;
};

static void copy_buckets(const struct histogram *histogram,
			 struct bucket_list *out)
{
	struct bucket bucket;
	size_t cursor = 0;

	while (histogram && histogram_next(histogram, &cursor, &bucket))
		if (bucket.count)
			vec_push(out, (struct perftool_bucket){bucket.from,
							       bucket.to,
							       bucket.count});
}

static void leg_deinit(struct perftool_leg *leg)
{
	if (leg->figures.record)
		histogram_destroy(leg->figures.record);
	free(leg->name);
	free(leg->from);
	free(leg->to);
	vec_free(&leg->buckets);
	*leg = (struct perftool_leg){0};
}

static void node_deinit(struct perftool_node *node)
{
	free(node->location);
	free(node->function);
	free(node->file);
	vec_free(&node->buckets);
	*node = (struct perftool_node){0};
}

void library_forget_figures(struct perftool_session *session)
{
	for (size_t i = 0; i < session->legs.count; i++) {
		leg_deinit(session->legs.data[i]);
		free(session->legs.data[i]);
	}
	vec_free(&session->legs);
	for (size_t i = 0; i < session->nodes.count; i++) {
		node_deinit(session->nodes.data[i]);
		free(session->nodes.data[i]);
	}
	vec_free(&session->nodes);
}

/* ---- making the copies --------------------------------------------------- */

/* What a caller asks for: the row with the number `id`, or the row at
 * `index`. */
struct wanted {
	bool by_index;
	uint32_t id;
	size_t index;
	const struct perftool_leg *leg;
	const struct perftool_node *node;
};

static struct perftool_leg *leg_object(struct perftool_session *session,
				       uint32_t id)
{
	struct perftool_leg *leg;

	for (size_t i = 0; i < session->legs.count; i++)
		if (session->legs.data[i]->figures.id == id)
			return session->legs.data[i];
	leg = xcalloc(1, sizeof(*leg));
	vec_push(&session->legs, leg);
	return leg;
}

static struct perftool_node *node_object(struct perftool_session *session,
					 uint32_t id)
{
	struct perftool_node *node;

	for (size_t i = 0; i < session->nodes.count; i++)
		if (session->nodes.data[i]->id == id)
			return session->nodes.data[i];
	node = xcalloc(1, sizeof(*node));
	vec_push(&session->nodes, node);
	return node;
}

static const struct perftool_leg *copy_leg(struct perftool_session *session,
					   const struct report_leg *row)
{
	struct perftool_leg *leg = leg_object(session, row->stats->id);

	leg_deinit(leg);
	leg->figures = *row->stats;
	leg->figures.record =
		row->stats->record ? histogram_copy(row->stats->record) : NULL;
	leg->figures.histogram = NULL;
	leg->figures.split = NULL;
	leg->figures.slowest = (struct execution_list){0};
	leg->name = perftool_printable(row->name);
	leg->from = perftool_printable(row->from_place);
	leg->to = perftool_printable(row->to_place);
	copy_buckets(leg->figures.record, &leg->buckets);
	return leg;
}

static const struct perftool_node *copy_node(struct perftool_session *session,
					     const struct report_node *row)
{
	struct perftool_node *node = node_object(session, row->stats->id);

	node_deinit(node);
	node->id = row->stats->id;
	node->count = row->stats->count;
	node->errors = row->stats->errors;
	node->location = perftool_printable(row->location);
	node->function = perftool_printable(row->function);
	node->file = perftool_printable(row->file);
	node->line = row->line;
	copy_buckets(row->stats->histogram, &node->buckets);
	return node;
}

static struct error *find_leg(struct perftool_session *session, void *argument)
{
	const struct tables *tables = session_tables(session->session);
	struct wanted *wanted = argument;

	for (size_t i = 0; i < tables->leg_count; i++)
		if (wanted->by_index ? i == wanted->index
				     : tables->legs[i].stats->id == wanted->id)
			wanted->leg = copy_leg(session, &tables->legs[i]);
	if (wanted->leg || wanted->by_index)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "there is no leg %u", wanted->id);
}

static struct error *find_node(struct perftool_session *session, void *argument)
{
	const struct tables *tables = session_tables(session->session);
	struct wanted *wanted = argument;

	for (size_t i = 0; i < tables->node_count; i++)
		if (wanted->by_index ? i == wanted->index
				     : tables->nodes[i].stats->id == wanted->id)
			wanted->node = copy_node(session, &tables->nodes[i]);
	if (wanted->node || wanted->by_index)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "there is no node %u", wanted->id);
}

/* ---- asking for them ----------------------------------------------------- */

static struct perftool_error *get_leg(struct perftool_session *session,
				      struct wanted *wanted,
				      const struct perftool_leg **leg)
{
	struct error *error = session_call(session, find_leg, wanted);

	if (!error)
		*leg = wanted->leg;
	return library_error(error);
}

static struct perftool_error *get_node(struct perftool_session *session,
				       struct wanted *wanted,
				       const struct perftool_node **node)
{
	struct error *error = session_call(session, find_node, wanted);

	if (!error)
		*node = wanted->node;
	return library_error(error);
}

struct perftool_error *perftool_session_leg(struct perftool_session *session,
					    uint32_t id,
					    const struct perftool_leg **leg)
{
	struct wanted wanted = {.id = id};

	NEED(session);
	NEED(leg);
	return get_leg(session, &wanted, leg);
}

struct perftool_error *perftool_session_leg_at(struct perftool_session *session,
					       size_t index,
					       const struct perftool_leg **leg)
{
	struct wanted wanted = {.by_index = true, .index = index};

	NEED(session);
	NEED(leg);
	return get_leg(session, &wanted, leg);
}

struct perftool_error *perftool_session_node(struct perftool_session *session,
					     uint32_t id,
					     const struct perftool_node **node)
{
	struct wanted wanted = {.id = id};

	NEED(session);
	NEED(node);
	return get_node(session, &wanted, node);
}

struct perftool_error *
perftool_session_node_at(struct perftool_session *session, size_t index,
			 const struct perftool_node **node)
{
	struct wanted wanted = {.by_index = true, .index = index};

	NEED(session);
	NEED(node);
	return get_node(session, &wanted, node);
}

static struct error *make_json(struct perftool_session *session, void *argument)
{
	const struct report_options options = {0};
	CLEANUP(str_deinit) struct str waits = {0};
	CLEANUP(free_pointer) char *value = NULL;
	struct str *text = argument;

	report_json(session_tables(session->session), text);
	if (!session_watched_locks(session->session))
		return NULL;
	TRY(session_print_contention(session->session, FORMAT_JSON, &options,
				     &waits));
	/* without the line end */
	value = xstrndup(str_text(&waits), waits.length - 1);
	report_json_member("contention", value, text);
	return NULL;
}

struct perftool_error *perftool_session_tables(struct perftool_session *session,
					       char **json)
{
	struct str text = {0};
	struct error *error;

	NEED(session);
	NEED(json);
	error = session_call(session, make_json, &text);
	if (!error)
		*json = str_take(&text);
	str_deinit(&text);
	return library_error(error);
}

/* ---- legs ---------------------------------------------------------------- */

uint32_t perftool_leg_id(const struct perftool_leg *leg)
{
	return leg->figures.id;
}

const char *perftool_leg_name(const struct perftool_leg *leg)
{
	return leg->name;
}

const char *perftool_leg_from(const struct perftool_leg *leg)
{
	return leg->from;
}

const char *perftool_leg_to(const struct perftool_leg *leg)
{
	return leg->to;
}

uint64_t perftool_leg_count(const struct perftool_leg *leg)
{
	return leg->figures.count;
}

int64_t perftool_leg_total_ns(const struct perftool_leg *leg)
{
	const __int128 total = leg->figures.total;

	if (total > INT64_MAX)
		return INT64_MAX;
	return total < INT64_MIN ? INT64_MIN : (int64_t)total;
}

/* Executions during which the clock was stopped have no least and no longest
 * time. */
static bool has_range(const struct perftool_leg *leg)
{
	return leg->figures.count > leg->figures.interrupted;
}

int64_t perftool_leg_min_ns(const struct perftool_leg *leg)
{
	return has_range(leg) ? leg->figures.min : 0;
}

int64_t perftool_leg_max_ns(const struct perftool_leg *leg)
{
	return has_range(leg) ? leg->figures.max : 0;
}

double perftool_leg_mean_ns(const struct perftool_leg *leg)
{
	return leg->figures.count ? leg->figures.mean : 0;
}

double perftool_leg_stddev_ns(const struct perftool_leg *leg)
{
	return measure_leg_stddev(&leg->figures);
}

double perftool_leg_quantile_ns(const struct perftool_leg *leg, double q)
{
	double result = 0;

	return leg->figures.record && q >= 0 && q <= 1 &&
			       measure_leg_quantile(&leg->figures, q, &result)
		       ? result
		       : 0;
}

size_t perftool_leg_buckets(const struct perftool_leg *leg,
			    const struct perftool_bucket **buckets)
{
	*buckets = leg->buckets.data;
	return leg->buckets.count;
}

/* ---- nodes --------------------------------------------------------------- */

uint32_t perftool_node_id(const struct perftool_node *node)
{
	return node->id;
}

uint64_t perftool_node_count(const struct perftool_node *node)
{
	return node->count;
}

uint64_t perftool_node_errors(const struct perftool_node *node)
{
	return node->errors;
}

const char *perftool_node_location(const struct perftool_node *node)
{
	return node->location;
}

const char *perftool_node_function(const struct perftool_node *node)
{
	return node->function;
}

const char *perftool_node_file(const struct perftool_node *node)
{
	return node->file;
}

uint32_t perftool_node_line(const struct perftool_node *node)
{
	return node->line;
}

size_t perftool_node_buckets(const struct perftool_node *node,
			     const struct perftool_bucket **buckets)
{
	*buckets = node->buckets.data;
	return node->buckets.count;
}

/*
 * node_table.c - the table of the nodes (the breakpoints that are measured)
 *
 * Invariant: the lists `ending` and `starting` of a node contain the legs that
 * count hits at the node. These are the legs of which neither node is deleted.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "measure/threads/threads.h"
#include "measure_state.h"
#include "perftool/base/alloc.h"

struct node *create_node(struct measure *measure, uint32_t id)
{
	struct node *node = xcalloc(1, sizeof(*node));
	size_t at = measure->nodes.count;

	node->public.id = id;
	while (measure->nodes_by_id.count <= id)
		vec_push(&measure->nodes_by_id, NULL);
	measure->nodes_by_id.data[id] = node;
	vec_push(&measure->nodes, node);
	for (; at > 0 && measure->nodes.data[at - 1]->public.id > id; at--)
		measure->nodes.data[at] = measure->nodes.data[at - 1];
	measure->nodes.data[at] = node;
	return node;
}

void measure_add_node(struct measure *measure, uint32_t id)
{
	enter_node(measure, id);
}

static void node_destroy(struct node *node)
{
	histogram_destroy(node->public.histogram);
	split_destroy(split_of(node->public.split));
	free(node->public.first_error);
	vec_free(&node->ending);
	vec_free(&node->starting);
	free(node);
}

static bool has_legs(const struct measure *measure, uint32_t node)
{
	for (size_t i = 0; i < measure->legs.count; i++) {
		const struct leg_spec *spec =
			&measure->legs.data[i]->public.spec;

		if (spec->from == node || spec->to == node)
			return true;
	}
	return false;
}

bool measure_take_back_node(struct measure *measure, uint32_t id)
{
	struct node *node = find_node(measure, id);
	size_t at = 0;

	if (!node || node->public.count || node->public.errors ||
	    has_legs(measure, id))
		return false;
	while (measure->nodes.data[at] != node)
		at++;
	vec_remove(&measure->nodes, at);
	measure->nodes_by_id.data[id] = NULL;
	node_destroy(node);
	return true;
}

void measure_node_deleted(struct measure *measure, uint32_t id)
{
	struct node *node = find_node(measure, id);

	if (!node)
		return;
	node->public.deleted = true;
	while (node->starting.count)
		leg_stop(measure,
			 node->starting.data[node->starting.count - 1]);
	while (node->ending.count)
		leg_stop(measure, node->ending.data[node->ending.count - 1]);
}

static bool is_stopped(const struct measure *measure, const struct leg *leg)
{
	return find_node(measure, leg->public.spec.from)->public.deleted ||
	       find_node(measure, leg->public.spec.to)->public.deleted;
}

void measure_nodes_restored(struct measure *measure, const uint32_t *ids,
			    size_t count)
{
	VEC(struct leg *) stopped = {0};

	for (size_t i = 0; i < measure->legs.count; i++)
		if (is_stopped(measure, measure->legs.data[i]))
			vec_push(&stopped, measure->legs.data[i]);
	for (size_t i = 0; i < count; i++) {
		struct node *node = find_node(measure, ids[i]);

		if (node)
			node->public.deleted = false;
	}
	for (size_t i = 0; i < stopped.count; i++)
		if (!is_stopped(measure, stopped.data[i]))
			leg_resume(measure, stopped.data[i]);
	vec_free(&stopped);
}

void measure_node_missed(struct measure *measure, uint32_t id)
{
	struct node *node = find_node(measure, id);

	if (!node)
		return;
	for (size_t i = 0; i < node->starting.count; i++)
		discard_leg(measure, node->starting.data[i]);
	for (size_t i = 0; i < node->ending.count; i++)
		discard_leg(measure, node->ending.data[i]);
}

const struct measure_node *measure_node(const struct measure *measure,
					uint32_t id)
{
	const struct node *node = find_node(measure, id);

	return node ? &node->public : NULL;
}

const struct measure_node *measure_node_at(const struct measure *measure,
					   size_t index)
{
	return index < measure->nodes.count
		       ? &measure->nodes.data[index]->public
		       : NULL;
}

static struct error *need_node(const struct measure *measure, uint32_t id,
			       struct node **out)
{
	struct node *node = find_node(measure, id);

	if (!node)
		return error_create(ERROR_NOT_FOUND,
				    "there is no node %" PRIu32, id);
	*out = node;
	return NULL;
}

struct error *measure_node_add_histogram(struct measure *measure, uint32_t id,
					 const struct histogram_spec *spec)
{
	struct histogram *histogram = NULL;
	struct node *node = NULL;

	TRY(need_node(measure, id, &node));
	TRY(histogram_create(spec, false, &histogram));
	histogram_destroy(node->public.histogram);
	node->public.histogram = histogram;
	return NULL;
}

struct error *measure_node_delete_histogram(struct measure *measure,
					    uint32_t id)
{
	struct node *node = NULL;

	TRY(need_node(measure, id, &node));
	if (!node->public.histogram)
		return error_create(ERROR_NOT_FOUND,
				    "node %" PRIu32 " has no histogram", id);
	histogram_destroy(node->public.histogram);
	node->public.histogram = NULL;
	return NULL;
}

/* ---- splits --------------------------------------------------------- */

static struct error *need_split(const struct node *node)
{
	if (node->public.split)
		return NULL;
	return error_create(ERROR_NOT_FOUND, "node %" PRIu32 " is not split",
			    node->public.id);
}

struct error *measure_split_node(struct measure *measure, uint32_t id,
				 const struct split_spec *spec)
{
	struct node *node = NULL;

	TRY(need_node(measure, id, &node));
	split_destroy(split_of(node->public.split));
	node->public.split =
		&split_create(spec, ++measure->next_split, false)->public;
	return NULL;
}

struct error *measure_unsplit_node(struct measure *measure, uint32_t id)
{
	struct node *node = NULL;

	TRY(need_node(measure, id, &node));
	TRY(need_split(node));
	split_destroy(split_of(node->public.split));
	node->public.split = NULL;
	return NULL;
}

struct error *measure_view_node(struct measure *measure, uint32_t id,
				const struct split_view *view)
{
	struct node *node = NULL;

	TRY(need_node(measure, id, &node));
	TRY(need_split(node));
	split_set_view(split_of(node->public.split), view);
	return NULL;
}

void measure_node_error(struct measure *measure, uint32_t id,
			const char *reason)
{
	struct node *node;

	if (!measure->monitor)
		return;
	node = enter_node(measure, id);
	if (node->public.deleted)
		return;
	if (!node->public.errors++)
		node->public.first_error = xstrdup(reason);
}

void clear_nodes(struct measure *measure)
{
	for (size_t i = 0; i < measure->nodes.count; i++)
		node_destroy(measure->nodes.data[i]);
	vec_free(&measure->nodes);
	vec_free(&measure->nodes_by_id);
}

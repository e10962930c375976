/* node_sum.c - adds up nodes */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/split.h"
#include "saved_parts.h"
#include "sum_state.h"

/* The name of a node in the tables is its place, which JSON has not: it is the
 * kind and the location. */
static char *place_of(const struct saved_node *node)
{
	if (str_equal(node->kind, "entry") || str_equal(node->kind, "exit") ||
	    str_equal(node->kind, "return"))
		return xasprintf("%s %s", node->kind, node->location);
	return xstrdup(node->location);
}

static struct sum_node *create(const struct saved_node *node, uint32_t id)
{
	struct sum_node *out = xcalloc(1, sizeof(*out));

	out->stats.id = id;
	out->first = (struct saved_node){.kind = xstrdup(node->kind),
					 .location = xstrdup(node->location),
					 .function = sum_copy(node->function),
					 .file = sum_copy(node->file),
					 .module = sum_copy(node->module),
					 .condition = sum_copy(node->condition),
					 .mechanism = sum_copy(node->mechanism),
					 .line = node->line};
	out->place = place_of(node);
	return out;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

/* Adds a node. `seen` counts the nodes of each key in these tables. Returns the
 * number of the node in the sum. */
static uint32_t add_node(struct saved_sum *sum, const struct saved_node *from,
			 struct strmap *seen)
{
	CLEANUP(free_pointer)
	char *what =
		xasprintf("%s\n%s\n%s\n%s", from->kind, from->location,
			  or_empty(from->module), or_empty(from->condition));
	uintptr_t nth = (uintptr_t)strmap_get(seen, what);
	CLEANUP(free_pointer) char *key = xasprintf("%zu\n%s", nth, what);
	struct sum_node *node = strmap_get(&sum->node_of, key);

	strmap_set(seen, what, (void *)(nth + 1));
	if (!node) {
		node = create(from, (uint32_t)sum->nodes.count + 1);
		vec_push(&sum->nodes, node);
		strmap_set(&sum->node_of, key, node);
	}
	node->stats.count += from->count;
	node->stats.errors += from->errors;
	node->is_users |= from->made_by == MADE_BY_USER;
	node->is_in |= !from->deleted;
	node->stats.deleted = !node->is_in && node->is_users;
	if (!sum_add_split(&node->by, &node->stats.split, from->split, false))
		sum->unsplit = node->place;
	return node->stats.id;
}

void sum_add_nodes(struct saved_sum *sum, const struct saved_tables *from,
		   struct map *ids)
{
	struct strmap seen = {0};

	for (size_t i = 0; i < from->nodes.count; i++) {
		const struct saved_node *node = &from->nodes.data[i];

		map_set_number(ids, node->id, add_node(sum, node, &seen));
	}
	strmap_deinit(&seen);
}

void sum_fill_nodes(struct saved_sum *sum)
{
	vec_clear(&sum->report_nodes);
	for (size_t i = 0; i < sum->nodes.count; i++) {
		const struct sum_node *node = sum->nodes.data[i];

		vec_push(&sum->report_nodes,
			 (struct report_node){
				 .stats = &node->stats,
				 .kind = node->first.kind,
				 .location = node->first.location,
				 .place = node->place,
				 .function = node->first.function,
				 .file = node->first.file,
				 .line = (uint32_t)node->first.line,
				 .by_text = node->by,
				 .module = node->first.module,
				 .condition = node->first.condition,
				 .mechanism = node->first.mechanism,
				 .made_by = node->is_users ? NULL : "detail",
				 .is_out = !node->is_in && !node->is_users});
	}
	sum->tables.nodes = sum->report_nodes.data;
	sum->tables.node_count = sum->report_nodes.count;
}

void sum_node_destroy(struct sum_node *node)
{
	histogram_destroy(node->stats.histogram);
	measure_split_destroy(node->stats.split);
	saved_node_deinit(&node->first);
	free(node->place);
	free(node->by);
	free(node);
}

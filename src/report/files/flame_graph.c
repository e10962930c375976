/*
 * flame_graph.c - a flame graph as SVG, which needs no script
 *
 * A frame stands on its caller, and is as wide as its share of the weight. The
 * figure is read on paper, too: so a name is shortened to what fits into the
 * frame, and a table below has the procedures with the most weight of their
 * own. Every frame has its whole name, its weight and its share in a `title`,
 * which viewers show at the pointer, and search.
 */
#include "flame_graph.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "perftool/base/alloc.h"
#include "profile_writers.h"
#include "report/figures/figures.h"

/* ---- weights --------------------------------------------------------------
 */

const char *flame_unit(const struct flame_graph *graph)
{
	if (graph->columns.ns > 0)
		return "ticks";
	return graph->columns.count == 1 ? graph->columns.list[0].title
					 : "events";
}

void flame_weight(const struct flame_graph *graph, uint64_t weight,
		  struct str *out)
{
	const char *unit = flame_unit(graph);
	size_t length = strlen(unit);

	report_number(weight, out);
	str_append_char(out, ' ');
	str_append_n(out, unit,
		     weight == 1 && unit[length - 1] == 's' ? length - 1
							    : length);
}

void flame_share(const struct flame_graph *graph, uint64_t weight,
		 struct str *out)
{
	share_text(weight, graph->total, out);
	str_append(out, " %");
}

/* ---- frames ---------------------------------------------------------------
 */

static const char *node_text(const struct flame_graph *graph,
			     const struct flame_node *node)
{
	switch (node->kind) {
	case FLAME_THREAD:
		return graph->weights.names.data[node->number];
	case FLAME_BROKEN:
		return BROKEN_FRAME;
	case FLAME_PROCEDURE:
		return graph->names.texts[node->number];
	case FLAME_ROOT:
		break;
	}
	return "all";
}

static const char *node_color(const struct flame_graph *graph,
			      const struct flame_node *node)
{
	if (node->kind == FLAME_BROKEN)
		return "b";
	if (node->kind != FLAME_PROCEDURE)
		return "r";
	return flame_color(&graph->colors,
			   &graph->stacks->procedures.list.data[node->number]);
}

static bool is_drawn(const struct flame_graph *graph,
		     const struct flame_node *node)
{
	return (unsigned __int128)node->weight * graph->least >= graph->total;
}

/* Count the frames that are drawn and those that are not. */
static size_t count_frames(struct flame_graph *graph)
{
	size_t drawn = 0;

	graph->highest = 0;
	for (size_t i = 0; i < graph->tree.nodes.count; i++) {
		const struct flame_node *node = &graph->tree.nodes.data[i];

		if (!is_drawn(graph, node))
			continue;
		drawn++;
		if (node->level > graph->highest)
			graph->highest = node->level;
	}
	graph->left_out = graph->tree.nodes.count - drawn;
	return drawn;
}

/* Choose the narrowest frames that are drawn. They have 0.1 % of the weight; or
 * 0.2, 0.5, 1, 2 % and so on, if the figure would have too many frames. */
static void choose_frames(struct flame_graph *graph)
{
	static const unsigned parts[] = {1000, 500, 200, 100, 50, 20, 10};
	size_t most = graph->is_in_page ? FLAME_PAGE_FRAMES : FLAME_FRAMES;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		graph->least = parts[i];
		if (count_frames(graph) <= most)
			return;
	}
}

/* Where a share of the weight ends, in hundredths of a unit from the left. */
static uint64_t position(const struct flame_graph *graph, uint64_t weight)
{
	const unsigned __int128 width = (FLAME_WIDTH - 2 * FLAME_MARGIN) * 100;

	return FLAME_MARGIN * 100 + (uint64_t)(width * weight / graph->total);
}

static void write_title(const struct flame_graph *graph,
			const struct flame_node *node, struct str *out)
{
	const char *text = node_text(graph, node);

	str_append(out, "<title>");
	svg_escape(text, strlen(text), out);
	if (node->kind == FLAME_PROCEDURE) {
		const char *module =
			graph->stacks->procedures.list.data[node->number]
				.module;

		if (module && *module) {
			str_append(out, " (");
			svg_escape_name(module, out);
			str_append_char(out, ')');
		}
	}
	str_append(out, ": ");
	flame_weight(graph, node->weight, out);
	str_append(out, ", ");
	flame_share(graph, node->weight, out);
	str_append(out, "</title>");
}

/* The text inside of a frame: as much of the name as fits. */
static void write_label(const struct flame_graph *graph,
			const struct flame_node *node, uint64_t left,
			uint64_t right, int y, struct str *out)
{
	size_t room = (size_t)(right - left) / (10 * SVG_LETTER);
	struct str label = {0};

	/* half a letter stays free on both sides */
	if (room && svg_fit(node_text(graph, node), room - 1, &label)) {
		str_append(out, "<text x=\"");
		svg_length(left + 300, out);
		str_printf(out, "\" y=\"%d\">", y + 12);
		str_append_n(out, str_text(&label), label.length);
		str_append(out, "</text>\n");
	}
	str_deinit(&label);
}

static void write_frame(const struct flame_graph *graph,
			const struct flame_node *node, uint64_t offset)
{
	struct str *out = &graph->sink->text;
	uint64_t left = position(graph, offset);
	uint64_t right = position(graph, offset + node->weight);
	int y = graph->top + (int)(graph->highest - node->level) * FLAME_ROW;

	str_append(out, "<rect class=\"");
	str_append(out, node_color(graph, node));
	str_append(out, "\" x=\"");
	svg_length(left, out);
	str_printf(out, "\" y=\"%d\" width=\"", y);
	svg_length(right - left, out);
	str_printf(out, "\" height=\"%d\">", FLAME_ROW);
	write_title(graph, node, out);
	str_append(out, "</rect>\n");
	write_label(graph, node, left, right, y, out);
}

struct sibling {
	const struct flame_node *node;
	const char *text;
};

static int compare_siblings(const void *a_, const void *b_)
{
	const struct sibling *a = a_, *b = b_;
	int order = strcmp(a->text, b->text);

	if (order)
		return order;
	return (a->node->number > b->node->number) -
	       (a->node->number < b->node->number);
}

/* Write a frame, and the frames on it in the order of their names. */
static void write_subtree(const struct flame_graph *graph,
			  const struct flame_node *node, uint64_t offset)
{
	VEC(struct sibling) on_it = {0};

	write_frame(graph, node, offset);
	for (uint32_t i = node->first; i;) {
		const struct flame_node *child = &graph->tree.nodes.data[i];

		if (is_drawn(graph, child))
			vec_push(&on_it,
				 (struct sibling){child,
						  node_text(graph, child)});
		i = child->next;
	}
	if (on_it.count)
		qsort(on_it.data, on_it.count, sizeof(*on_it.data),
		      compare_siblings);
	for (size_t i = 0; i < on_it.count && profile_sink_pass(graph->sink);
	     i++) {
		write_subtree(graph, on_it.data[i].node, offset);
		offset += on_it.data[i].node->weight;
	}
	vec_free(&on_it);
}

/* ---- the figure -----------------------------------------------------------
 */

/* Return the weight of each procedure where it is innermost. The caller frees
 * the array. */
static uint64_t *own_weights(const struct flame_graph *graph)
{
	uint64_t *own = xcalloc(graph->names.count + 1, sizeof(*own));

	for (size_t i = 0; i < graph->weights.list.count; i++) {
		const struct stack_weight *at = &graph->weights.list.data[i];
		const struct call_stack *stack =
			&graph->stacks->stacks.data[at->stack];

		if (stack->depth)
			own[call_stack_procedure(graph->stacks, stack, 0)] +=
				at->weight;
	}
	return own;
}

static void draw(const struct profile *profile, bool is_in_page,
		 struct profile_sink *sink)
{
	struct flame_graph graph = {.profile = profile,
				    .stacks = profile->stacks,
				    .sink = sink,
				    .is_in_page = is_in_page};

	stack_weights_init(&graph.weights, graph.stacks, clean_name);
	graph.total = graph.weights.total;
	flame_tree_init(&graph.tree, graph.stacks, &graph.weights,
			FLAME_LEVELS);
	profile_names_init(&graph.names, &graph.stacks->procedures, clean_name);
	weight_columns_init(&graph.columns, profile);
	graph.own = own_weights(&graph);
	flame_colors_init(&graph.colors, &graph.stacks->procedures, graph.own);
	choose_frames(&graph);
	flame_begin(&graph);
	if (graph.total)
		write_subtree(&graph, &graph.tree.nodes.data[0], 0);
	flame_end(&graph);
	free(graph.own);
	flame_colors_deinit(&graph.colors);
	profile_names_deinit(&graph.names);
	flame_tree_deinit(&graph.tree);
	stack_weights_deinit(&graph.weights);
}

void write_flame_graph(const struct profile *profile, struct profile_sink *sink)
{
	draw(profile, false, sink);
}

void flame_figure(const struct profile *profile, struct str *out)
{
	struct profile_sink sink = {0};

	draw(profile, true, &sink);
	str_append_n(out, str_text(&sink.text), sink.text.length);
	/* (Without a file there is no error.) */
	error_destroy(profile_sink_end(&sink));
}

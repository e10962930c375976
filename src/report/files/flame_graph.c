/*
 * flame_graph.c - a flame graph as SVG, which needs no script
 *
 * A frame stands on its caller, and is as wide as its share of the weight. The
 * figure is read on paper, too: so a name is shortened to what fits into the
 * frame, and a table below has the procedures with the most weight of their
 * own. Every frame has its whole name, its weight and its share in a `title`,
 * which viewers show at the pointer, and search.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flame_colors.h"
#include "flame_tree.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/base/utf8.h"
#include "profile_names.h"
#include "profile_writers.h"
#include "report/figures/figures.h"
#include "weight_columns.h"

enum {
	WIDTH = 1200, /* of the figure, in user units */
	MARGIN = 10,
	ROW = 16,        /* height of a frame */
	LETTER = 66,     /* width of a letter, in tenths, at 11 units */
	LEVELS = 200,    /* of procedures that are drawn */
	FRAMES = 6000,   /* that are drawn at most */
	TABLE_ROWS = 10, /* of the table of procedures */
};

struct flame_graph {
	const struct profile *profile;
	const struct call_stacks *stacks;
	struct stack_weights weights;
	struct flame_tree tree;
	struct profile_names names;
	struct flame_colors colors;
	struct weight_columns columns;
	uint64_t total;
	uint32_t highest; /* level of the highest frame that is drawn */
	unsigned least;   /* a frame has at least this part of the weight */
	size_t left_out;  /* frames that have less */
	int top;          /* where the highest frame begins */
	struct profile_sink *sink;
};

/* ---- text -----------------------------------------------------------------
 */

/* Append a clean text (clean_name()) of at most `length` bytes as XML. */
static void escape(const char *text, size_t length, struct str *out)
{
	for (size_t i = 0; i < length && text[i]; i++) {
		switch (text[i]) {
		case '&':
			str_append(out, "&amp;");
			break;
		case '<':
			str_append(out, "&lt;");
			break;
		case '>':
			str_append(out, "&gt;");
			break;
		default:
			str_append_char(out, text[i]);
		}
	}
}

/* Append a text that is not clean. */
static void escape_name(const char *name, struct str *out)
{
	struct str clean = {0};

	clean_name(name, &clean);
	escape(str_text(&clean), clean.length, out);
	str_deinit(&clean);
}

/* The number of columns that a character takes. Letters of other alphabets than
 * those before U+1100 may be as wide as two. */
static size_t columns_of(uint32_t code)
{
	return code < 0x1100 ? 1 : 2;
}

/* The columns of a clean text. `*fitting` becomes the number of bytes that fit
 * into `room` columns. */
static size_t measure_text(const char *text, size_t room, size_t *fitting)
{
	size_t columns = 0, at = 0;

	*fitting = 0;
	while (text[at]) {
		uint32_t code = 0;
		size_t length = utf8_sequence(text + at, &code);

		columns += columns_of(code);
		at += length ? length : 1;
		if (columns <= room)
			*fitting = at;
	}
	return columns;
}

/* Append a length in hundredths of a unit. */
static void append_length(uint64_t hundredths, struct str *out)
{
	str_printf(out, "%" PRIu64, hundredths / 100);
	if (hundredths % 100)
		str_printf(out, ".%02u", (unsigned)(hundredths % 100));
}

/* What the weights are numbers of. */
static const char *unit_of(const struct flame_graph *graph)
{
	if (graph->columns.ns > 0)
		return "ticks";
	return graph->columns.count == 1 ? graph->columns.list[0].title
					 : "events";
}

/* Append a weight with its unit, such as "1 tick". */
static void append_weight(const struct flame_graph *graph, uint64_t weight,
			  struct str *out)
{
	const char *unit = unit_of(graph);
	size_t length = strlen(unit);

	report_number(weight, out);
	str_append_char(out, ' ');
	str_append_n(out, unit,
		     weight == 1 && unit[length - 1] == 's' ? length - 1
							    : length);
}

static void append_share(const struct flame_graph *graph, uint64_t weight,
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

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		graph->least = parts[i];
		if (count_frames(graph) <= FRAMES)
			return;
	}
}

/* Where a share of the weight ends, in hundredths of a unit from the left. */
static uint64_t position(const struct flame_graph *graph, uint64_t weight)
{
	const unsigned __int128 width = (WIDTH - 2 * MARGIN) * 100;

	return MARGIN * 100 + (uint64_t)(width * weight / graph->total);
}

static void write_title(const struct flame_graph *graph,
			const struct flame_node *node, struct str *out)
{
	const char *text = node_text(graph, node);

	str_append(out, "<title>");
	escape(text, strlen(text), out);
	if (node->kind == FLAME_PROCEDURE) {
		const char *module =
			graph->stacks->procedures.list.data[node->number]
				.module;

		if (module && *module) {
			str_append(out, " (");
			escape_name(module, out);
			str_append_char(out, ')');
		}
	}
	str_append(out, ": ");
	append_weight(graph, node->weight, out);
	str_append(out, ", ");
	append_share(graph, node->weight, out);
	str_append(out, "</title>");
}

/* The text inside of a frame: as much of the name as fits. */
static void write_label(const struct flame_graph *graph,
			const struct flame_node *node, uint64_t left,
			uint64_t right, int y, struct str *out)
{
	const char *text = node_text(graph, node);
	size_t room = (size_t)(right - left) / (10 * LETTER), columns, fitting;

	/* half a letter stays free on both sides */
	room -= room > 0;
	columns = measure_text(text, room, &fitting);
	if (columns > room) {
		if (room < 4)
			return;
		measure_text(text, room - 2, &fitting);
	}
	str_append(out, "<text x=\"");
	append_length(left + 300, out);
	str_printf(out, "\" y=\"%d\">", y + 12);
	escape(text, fitting, out);
	str_append(out, columns > room ? "..</text>\n" : "</text>\n");
}

static void write_frame(const struct flame_graph *graph,
			const struct flame_node *node, uint64_t offset)
{
	struct str *out = &graph->sink->text;
	uint64_t left = position(graph, offset);
	uint64_t right = position(graph, offset + node->weight);
	int y = graph->top + (int)(graph->highest - node->level) * ROW;

	str_append(out, "<rect class=\"");
	str_append(out, node_color(graph, node));
	str_append(out, "\" x=\"");
	append_length(left, out);
	str_printf(out, "\" y=\"%d\" width=\"", y);
	append_length(right - left, out);
	str_printf(out, "\" height=\"%d\">", ROW);
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

/* ---- what stands around the frames ----------------------------------------
 */

static void write_line(const char *class, int x, int y, const struct str *text,
		       struct str *out)
{
	str_printf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, y);
	str_append_n(out, str_text(text), text->length);
	str_append(out, "</text>\n");
}

/* The lines above the frames: what is shown, and what is not. They are XML. */
struct caption {
	VEC(struct str) lines;
};

static void caption_head(const struct flame_graph *graph,
			 struct caption *caption)
{
	const struct tables *tables = graph->profile->tables;
	struct str line = {0};

	if (tables && tables->program.path) {
		escape_name(path_file_name(tables->program.path), &line);
		str_append(&line, ": ");
	}
	append_weight(graph, graph->total, &line);
	if (graph->columns.ns > 0) {
		str_append(&line, " of ");
		report_duration(graph->columns.ns, &line);
	}
	vec_push(&caption->lines, line);
}

static void caption_explanation(const struct flame_graph *graph,
				struct caption *caption)
{
	struct str line = {0};

	str_printf(&line,
		   "A frame stands on its caller. Its width is its share of "
		   "the %s, with all that it called.",
		   unit_of(graph));
	vec_push(&caption->lines, line);
}

static void caption_omissions(const struct flame_graph *graph,
			      struct caption *caption)
{
	struct str line = {0};

	if (graph->left_out) {
		str_append(&line, "Left out: ");
		report_number((__int128)graph->left_out, &line);
		str_append(&line, graph->left_out == 1 ? " frame" : " frames");
		/* a part such as 1 / 500 in percent, which has no zeros */
		str_printf(&line, " of less than %s%u %%.",
			   graph->least > 100 ? "0." : "",
			   graph->least > 100 ? 1000 / graph->least
					      : 100 / graph->least);
	}
	if (graph->tree.cut) {
		str_printf(&line, "%sStacks deeper than %d frames are cut: ",
			   line.length ? " " : "", LEVELS);
		append_share(graph, graph->tree.cut, &line);
		str_printf(&line, " of the %s.", unit_of(graph));
	}
	if (line.length)
		vec_push(&caption->lines, line);
}

static void write_legend(const struct flame_graph *graph, int y)
{
	struct str *out = &graph->sink->text;
	int x = MARGIN;

	for (size_t i = 0; i < graph->colors.legend.count; i++) {
		const struct flame_legend *at = &graph->colors.legend.data[i];
		struct str text = {0};
		size_t fitting, columns;

		clean_name(at->name, &text);
		columns = measure_text(str_text(&text), 30, &fitting);
		if (columns > 30)
			columns = 32;
		if (x + (int)columns * 7 + 30 > WIDTH && x > MARGIN)
			break;
		str_printf(out,
			   "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" "
			   "height=\"12\"/>\n<text class=\"t\" x=\"%d\" "
			   "y=\"%d\">",
			   at->class, x, y, x + 17, y + 10);
		escape(str_text(&text), fitting, out);
		str_append(out,
			   fitting < text.length ? "..</text>\n" : "</text>\n");
		x += (int)columns * 7 + 36;
		str_deinit(&text);
	}
}

struct own_weight {
	uint32_t procedure;
	uint64_t weight;
};

static int compare_own(const void *a_, const void *b_)
{
	const struct own_weight *a = a_, *b = b_;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	return (a->procedure > b->procedure) - (a->procedure < b->procedure);
}

/* Return the weight of each procedure where it is innermost, the heaviest
 * first. The caller frees the array. */
static struct own_weight *rank_procedures(const struct flame_graph *graph,
					  const uint64_t *own)
{
	size_t count = graph->names.count;
	struct own_weight *ranks = xcalloc(count + 1, sizeof(*ranks));

	for (size_t i = 0; i < count; i++)
		ranks[i] = (struct own_weight){(uint32_t)i, own[i]};
	if (count)
		qsort(ranks, count, sizeof(*ranks), compare_own);
	return ranks;
}

/* The rows of the table that have a weight. */
static size_t table_rows(const struct own_weight *ranks, size_t count)
{
	size_t rows = 0;

	while (rows < count && rows < TABLE_ROWS && ranks[rows].weight)
		rows++;
	return rows;
}

static void write_table(const struct flame_graph *graph,
			const struct own_weight *ranks, size_t rows, int y)
{
	struct str line = {0};

	if (!rows)
		return;
	str_append(&line, "The most of their own, without what they called:");
	write_line("t", MARGIN, y + 12, &line, &graph->sink->text);
	str_deinit(&line);
	for (size_t i = 0; i < rows; i++) {
		const char *name = graph->names.texts[ranks[i].procedure];
		size_t fitting, room = (WIDTH - 2 * MARGIN) * 10 / LETTER - 15;
		size_t columns = measure_text(name, room, &fitting);

		y += ROW;
		append_share(graph, ranks[i].weight, &line);
		write_line("t e", MARGIN + 70, y + 12, &line,
			   &graph->sink->text);
		str_deinit(&line);
		escape(name, fitting, &line);
		if (columns > room)
			str_append(&line, "..");
		write_line("t", MARGIN + 85, y + 12, &line, &graph->sink->text);
		str_deinit(&line);
	}
}

static void write_style(struct str *out)
{
	str_append(out,
		   "<style>\n"
		   "text{font-family:monospace;font-size:11px;fill:#111;"
		   "pointer-events:none}\n"
		   ".t{fill:#222}.h{font-size:15px;font-weight:bold;fill:#111}"
		   ".e{text-anchor:end}\n"
		   "rect{stroke:#fff;stroke-width:.5}.p{fill:#fff;stroke:none}"
		   "\n" FLAME_STYLE
		   "@media screen and (prefers-color-scheme:dark){"
		   ".p{fill:#1c1c1e}.t,.h{fill:#e6e6e6}rect{stroke:#1c1c1e}}\n"
		   "</style>\n");
}

/* Begin the figure, and write what is above the frames. Returns the height of
 * that. */
static void begin_figure(struct flame_graph *graph,
			 const struct caption *caption, int height)
{
	struct str *out = &graph->sink->text;
	int y = MARGIN;

	str_printf(out,
		   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		   "height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		   WIDTH, height, WIDTH, height);
	str_append(out, "<title>Flame graph of ");
	str_append(out, str_text(&caption->lines.data[0]));
	str_append(out, "</title>\n");
	write_style(out);
	str_printf(out, "<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n",
		   WIDTH, height);
	for (size_t i = 0; i < caption->lines.count; i++) {
		y += i ? ROW : ROW + 2;
		write_line(i ? "t" : "h", MARGIN, y, &caption->lines.data[i],
			   out);
	}
}

/* ---- the figure -----------------------------------------------------------
 */

static void write_figure(struct flame_graph *graph, const uint64_t *own)
{
	struct own_weight *ranks = rank_procedures(graph, own);
	size_t rows = table_rows(ranks, graph->names.count);
	struct caption caption = {0};
	int frames = graph->total ? (int)(graph->highest + 1) * ROW : 0;
	int legend, table;

	caption_head(graph, &caption);
	if (graph->total)
		caption_explanation(graph, &caption);
	caption_omissions(graph, &caption);
	graph->top = MARGIN * 2 + (int)caption.lines.count * ROW;
	legend = graph->top + frames + MARGIN;
	table = legend + ROW + MARGIN;
	begin_figure(graph, &caption,
		     table + (rows ? (int)(rows + 1) * ROW + MARGIN : 0));
	if (graph->total)
		write_subtree(graph, &graph->tree.nodes.data[0], 0);
	write_legend(graph, legend);
	write_table(graph, ranks, rows, table);
	str_append(&graph->sink->text, "</svg>\n");
	for (size_t i = 0; i < caption.lines.count; i++)
		str_deinit(&caption.lines.data[i]);
	vec_free(&caption.lines);
	free(ranks);
}

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

void write_flame_graph(const struct profile *profile, struct profile_sink *sink)
{
	struct flame_graph graph = {
		.profile = profile, .stacks = profile->stacks, .sink = sink};
	uint64_t *own;

	stack_weights_init(&graph.weights, graph.stacks, clean_name);
	graph.total = graph.weights.total;
	flame_tree_init(&graph.tree, graph.stacks, &graph.weights, LEVELS);
	profile_names_init(&graph.names, &graph.stacks->procedures, clean_name);
	weight_columns_init(&graph.columns, profile);
	own = own_weights(&graph);
	flame_colors_init(&graph.colors, &graph.stacks->procedures, own);
	choose_frames(&graph);
	write_figure(&graph, own);
	free(own);
	flame_colors_deinit(&graph.colors);
	profile_names_deinit(&graph.names);
	flame_tree_deinit(&graph.tree);
	stack_weights_deinit(&graph.weights);
}

/*
 * flame_margins.c - what stands around the frames of a flame graph: above them
 * what is shown and what is left out, below them the names of the colours, and
 * the procedures with the most weight of their own
 */
#include <stdlib.h>

#include "flame_graph.h"
#include "perftool/base/path.h"
#include "report/figures/figures.h"

enum {
	TABLE_ROWS = 10, /* of the table of procedures */
	NAMES_LEFT = 95, /* where its names begin */
};

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
		svg_escape_name(path_file_name(tables->program.path), &line);
		str_append(&line, ": ");
	}
	flame_weight(graph, graph->total, &line);
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
		   flame_unit(graph));
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
			   line.length ? " " : "", FLAME_LEVELS);
		flame_share(graph, graph->tree.cut, &line);
		str_printf(&line, " of the %s.", flame_unit(graph));
	}
	if (line.length)
		vec_push(&caption->lines, line);
}

/* ---- below the frames -----------------------------------------------------
 */

/* Write the names of the colours, in as many rows as necessary, unless `out` is
 * NULL. Returns the number of rows. */
static int write_legend(const struct flame_graph *graph, int y, struct str *out)
{
	int x = FLAME_MARGIN, rows = 1;

	for (size_t i = 0; i < graph->colors.legend.count; i++) {
		const struct flame_legend *at = &graph->colors.legend.data[i];
		struct str clean = {0}, text = {0};
		int width;

		clean_name(at->name, &clean);
		width = (int)svg_fit(str_text(&clean), 40, &text) * 7 + 36;
		if (x + width > FLAME_WIDTH && x > FLAME_MARGIN) {
			x = FLAME_MARGIN;
			y += FLAME_ROW;
			rows++;
		}
		if (out) {
			str_printf(out,
				   "<rect class=\"%s\" x=\"%d\" y=\"%d\" "
				   "width=\"12\" height=\"12\"/>\n",
				   at->class, x, y);
			write_line("t", x + 17, y + 10, &text, out);
		}
		x += width;
		str_deinit(&clean);
		str_deinit(&text);
	}
	return rows;
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

VEC_STRUCT(own_weights, struct own_weight);

/* Find the procedures with the most weight of their own, the heaviest first. */
static void rank_procedures(const struct flame_graph *graph,
			    struct own_weights *ranks)
{
	for (uint32_t i = 0; i < graph->names.count; i++) {
		if (graph->own[i])
			vec_push(ranks, (struct own_weight){i, graph->own[i]});
	}
	if (ranks->count)
		qsort(ranks->data, ranks->count, sizeof(*ranks->data),
		      compare_own);
	if (ranks->count > TABLE_ROWS)
		ranks->count = TABLE_ROWS;
}

static void write_rank(const struct flame_graph *graph,
		       const struct own_weight *rank, int y, struct str *out)
{
	const size_t room =
		(FLAME_WIDTH - FLAME_MARGIN - NAMES_LEFT) * 10 / SVG_LETTER;
	struct str line = {0};

	flame_share(graph, rank->weight, &line);
	write_line("t e", NAMES_LEFT - 15, y, &line, out);
	str_deinit(&line);
	svg_fit(graph->names.texts[rank->procedure], room, &line);
	write_line("t", NAMES_LEFT, y, &line, out);
	str_deinit(&line);
}

static void write_ranks(const struct flame_graph *graph, int y, struct str *out)
{
	struct own_weights ranks = {0};
	struct str line = {0};

	rank_procedures(graph, &ranks);
	if (ranks.count) {
		str_append(&line,
			   "The most of their own, without what they called:");
		write_line("t", FLAME_MARGIN, y, &line, out);
		str_deinit(&line);
	}
	for (size_t i = 0; i < ranks.count; i++) {
		y += FLAME_ROW;
		write_rank(graph, &ranks.data[i], y, out);
	}
	vec_free(&ranks);
}

/* ---- the figure -----------------------------------------------------------
 */

/* Where the frames end, and the legend. */
static int frames_bottom(const struct flame_graph *graph)
{
	int frames = graph->total ? (int)(graph->highest + 1) * FLAME_ROW : 0;

	return graph->top + frames;
}

static int legend_bottom(const struct flame_graph *graph)
{
	return frames_bottom(graph) + FLAME_MARGIN +
	       write_legend(graph, 0, NULL) * FLAME_ROW;
}

/* The height of the whole figure. */
static int figure_height(const struct flame_graph *graph)
{
	struct own_weights ranks = {0};
	int height = legend_bottom(graph) + FLAME_MARGIN;

	rank_procedures(graph, &ranks);
	if (ranks.count)
		height += (int)(ranks.count + 1) * FLAME_ROW + FLAME_MARGIN;
	vec_free(&ranks);
	return height;
}

static void write_style(struct str *out)
{
	str_append(out,
		   "<style>\n"
		   ".flame text{font-family:monospace;font-size:11px;fill:#111;"
		   "pointer-events:none}\n"
		   ".flame .t{fill:#222}"
		   ".flame .h{font-size:15px;font-weight:bold;fill:#111}"
		   ".flame .e{text-anchor:end}\n"
		   ".flame rect{stroke:#fff;stroke-width:.8}"
		   ".flame .p{fill:#fff;stroke:none}\n" FLAME_STYLE
		   "@media screen and (prefers-color-scheme:dark){"
		   ".flame .p{fill:#14171c}.flame .t,.flame .h{fill:#e6e6e6}"
		   ".flame rect{stroke:#14171c}}\n"
		   "</style>\n");
}

void flame_begin(struct flame_graph *graph)
{
	struct str *out = &graph->sink->text;
	struct caption caption = {0};
	int y = FLAME_MARGIN, height;

	caption_head(graph, &caption);
	if (graph->total)
		caption_explanation(graph, &caption);
	caption_omissions(graph, &caption);
	graph->top = FLAME_MARGIN * 2 + (int)caption.lines.count * FLAME_ROW;
	height = figure_height(graph);
	if (!graph->is_in_page)
		str_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	str_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" "
		   "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n",
		   FLAME_WIDTH, height, FLAME_WIDTH, height);
	str_append(out, "<title>Flame graph of ");
	str_append(out, str_text(&caption.lines.data[0]));
	str_append(out, "</title>\n");
	write_style(out);
	str_printf(out, "<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n",
		   FLAME_WIDTH, height);
	for (size_t i = 0; i < caption.lines.count; i++) {
		y += i ? FLAME_ROW : FLAME_ROW + 2;
		write_line(i ? "t" : "h", FLAME_MARGIN, y,
			   &caption.lines.data[i], out);
		str_deinit(&caption.lines.data[i]);
	}
	vec_free(&caption.lines);
}

void flame_end(const struct flame_graph *graph)
{
	struct str *out = &graph->sink->text;

	write_legend(graph, frames_bottom(graph) + FLAME_MARGIN, out);
	write_ranks(graph, legend_bottom(graph) + FLAME_MARGIN + 12, out);
	str_append(out, "</svg>\n");
}

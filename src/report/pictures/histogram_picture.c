/*
 * histogram_picture.c - how the times of a leg are distributed, as SVG
 */
#include <math.h>
#include <stdlib.h>

#include "log_shape.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/report/plot.h"
#include "perftool/web.h"
#include "pictures.h"
#include "report/figures/figures.h"

/* Where the parts of the figure are, in user units. */
struct layout {
	bool is_alone;
	size_t bars;
	int bar;          /* width of a bar */
	int left, right;  /* margins */
	int top;          /* where the rows of marks begin */
	int row;          /* height of a row of marks */
	int upper, lower; /* the highest bar's end, and the bars' base */
	int width, height;
};

static const struct layout small = {.bars = 50,
				    .bar = 8,
				    .left = 46,
				    .right = 14,
				    .top = 0,
				    .row = 13,
				    .upper = 58,
				    .lower = 158,
				    .width = 460,
				    .height = 178};
static const struct layout large = {.is_alone = true,
				    .bars = 96,
				    .bar = 8,
				    .left = 74,
				    .right = 28,
				    .top = 76,
				    .row = 16,
				    .upper = 150,
				    .lower = 390,
				    .width = 870,
				    .height = 462};

static const struct {
	double part;
	const char *name;
} percentiles[] = {{0.5, "p50"}, {0.9, "p90"}, {0.99, "p99"}};
enum { PERCENTILES = sizeof(percentiles) / sizeof(*percentiles) };

void picture_time(double ns, struct str *out)
{
	struct str text = {0};
	const char *at;

	report_duration(ns, &text);
	at = str_text(&text);
	while (*at == '-' || *at == '.' || (*at >= '0' && *at <= '9'))
		str_append_char(out, *at++);
	if (*at)
		str_append(out, "\xe2\x80\xaf");
	if (*at == 'u')
		str_append(out, "\xc2\xb5s");
	else
		str_append(out, at);
	str_deinit(&text);
}

/* ---- words ----------------------------------------------------------------
 */

/* Appends the mean with its bounds: "492 ns, right to 0.4 ns". */
static void mean_words(const struct report_leg *leg, struct str *out)
{
	if (leg->below_resolution) {
		str_append(out, "mean below ");
		picture_time(leg->resolution, out);
		return;
	}
	str_append(out, "mean ");
	picture_time(leg->stats->mean, out);
	if (leg->resolution > 0) {
		str_append(out, " \xc2\xb1 ");
		picture_time(leg->resolution, out);
	}
}

static void percentile_words(const struct report_leg *leg, struct str *out)
{
	double value;

	for (size_t i = 0; i < PERCENTILES; i++) {
		if (!measure_leg_quantile(leg->stats, percentiles[i].part,
					  &value))
			continue;
		str_printf(out, ", %s ", percentiles[i].name);
		picture_time(value, out);
	}
}

/* What the figure shows, for those who do not see it. */
static void figure_words(const struct report_leg *leg, struct str *out)
{
	report_number(leg->stats->count, out);
	str_append(out, leg->stats->count == 1 ? " execution" : " executions");
	if (leg->stats->count <= leg->stats->interrupted)
		return;
	str_append(out, ", ");
	mean_words(leg, out);
	percentile_words(leg, out);
}

/* ---- lines and texts ------------------------------------------------------
 */

/* Appends a text element. The text is XML already. */
static void put_text(const char *class, const char *anchor, double x, int y,
		     const char *text, struct str *out)
{
	str_append(out, "<text");
	if (class)
		str_printf(out, " class=\"%s\"", class);
	if (anchor)
		str_printf(out, " text-anchor=\"%s\"", anchor);
	str_printf(out, " x=\"%.0f\" y=\"%d\">%s</text>", x, y, text);
}

/* Vertical lines at all marks of the axis, and their texts. */
static void time_marks(const struct layout *layout, const struct log_axis *axis,
		       struct str *out)
{
	double marks[LOG_AXIS_MARKS];
	size_t count = log_axis_marks(axis, marks);
	bool has_zero = axis->least < 0.75;

	str_append(out, "<path class=\"axis\" d=\"");
	for (size_t i = 0; i < count; i++)
		str_printf(out, "M%.0f %dV%d", log_axis_place(axis, marks[i]),
			   layout->upper, layout->lower + 4);
	str_append(out, "\"/><g text-anchor=\"middle\">");
	for (size_t i = 0; i < count; i++) {
		struct str text = {0};

		if (has_zero &&
		    log_axis_place(axis, marks[i]) < axis->left + 36)
			continue;
		log_axis_text(marks[i], &text);
		put_text(NULL, NULL, log_axis_place(axis, marks[i]),
			 layout->lower + (layout->is_alone ? 20 : 16),
			 str_text(&text), out);
		str_deinit(&text);
	}
	str_append(out, "</g>");
	if (has_zero)
		put_text(NULL, NULL, axis->left,
			 layout->lower + (layout->is_alone ? 20 : 16), "0",
			 out);
}

/* The step of the marks of the other axis, in percent: 1, 2 or 5 times a power
 * of 10, so that there are at most `most` of them. */
static double step_of(double largest, int most)
{
	double step = pow(10, floor(log10(largest / most)));

	while (largest / step > most) {
		double digits = step / pow(10, floor(log10(step * 1.0001)));

		step *= digits > 1.5 && digits < 3 ? 2.5 : 2;
	}
	return step;
}

/* Horizontal lines with the part of the executions in a bar. `top` is the part
 * at the upper end, in percent. */
static void part_marks(const struct layout *layout, double top, double step,
		       struct str *out)
{
	int right = layout->width - layout->right;
	int high = layout->lower - layout->upper;
	int count = (int)(top / step * 1.001);

	str_append(out, "<path class=\"axis\" d=\"");
	for (int i = 1; i <= count; i++)
		str_printf(out, "M%d %.0fH%d", layout->left,
			   layout->lower - i * step / top * high, right);
	str_append(out, "\"/><g class=\"soft\" text-anchor=\"end\">");
	for (int i = 1; i <= count; i++) {
		struct str text = {0};

		str_printf(&text, "%g\xe2\x80\xaf%%", i * step);
		put_text(NULL, NULL, layout->left - 6,
			 (int)(layout->lower - i * step / top * high) + 4,
			 str_text(&text), out);
		str_deinit(&text);
	}
	str_append(out, "</g>");
}

/* ---- the shape ------------------------------------------------------------
 */

/* The height of a bar. `top` is the part at the upper end, in percent. */
static int tall_of(const struct layout *layout, double part, double top)
{
	int tall =
		(int)lrint(100 * part / top * (layout->lower - layout->upper));

	/* rare executions are seen, too */
	return !tall && part > 0 ? 1 : tall;
}

/* One outline around all bars: relative steps make it short. */
static void put_bars(const struct layout *layout, const struct log_shape *shape,
		     double top, struct str *out)
{
	int last = 0, run = 0;

	str_printf(out, "<path class=\"bar\" d=\"M%d %d", layout->left,
		   layout->lower);
	for (size_t i = 0; i < shape->bars; i++) {
		int tall = tall_of(layout, shape->parts[i], top);

		if (tall != last) {
			if (run)
				str_printf(out, "h%d", run);
			str_printf(out, "v%d", last - tall);
			run = 0;
		}
		run += layout->bar;
		last = tall;
	}
	str_printf(out, "h%dV%dZ\"/>", run, layout->lower);
}

/* The times about which nothing is known. */
static void put_unknown(const struct layout *layout,
			const struct log_axis *axis,
			const struct report_leg *leg, struct str *out)
{
	double end = log_axis_place(axis, leg->resolution);

	if (leg->resolution <= axis->least || end - axis->left < 1)
		return;
	str_printf(out,
		   "<rect class=\"unknown\" x=\"%d\" y=\"%d\" width=\"%.0f\" "
		   "height=\"%d\"/>",
		   layout->left, layout->upper, end - axis->left,
		   layout->lower - layout->upper);
}

static void name_unknown(const struct layout *layout,
			 const struct log_axis *axis,
			 const struct report_leg *leg, struct str *out)
{
	double end = log_axis_place(axis, leg->resolution);

	if (layout->is_alone && leg->resolution > axis->least &&
	    end - axis->left > 170)
		put_text("soft", "end", end - 8, layout->upper + 16,
			 "less than the uncertainty", out);
}

/* ---- the marks above it ---------------------------------------------------
 */

/* A mark of a figure: the mean, or a percentile. */
struct mark {
	double x;
	struct str text;
	size_t row;
	bool is_mean;
	bool is_left; /* the text is left of the line */
};

enum { MARKS = PERCENTILES + 1 };

static int compare_marks(const void *a_, const void *b_)
{
	const struct mark *a = a_, *b = b_;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->is_mean - b->is_mean;
}

/* The width of a text at the size of 11 units; a byte more or less does not
 * matter. */
static double text_width(const struct mark *mark)
{
	return 6.2 * (double)mark->text.length + 6;
}

/*
 * Places the texts, so that no line crosses one: a line begins in the row of
 * its text, and goes down. If the texts are right of their lines, and the
 * leftmost mark has the highest row, each text has only lines left of it beside
 * it; the other way round, too. Only where the marks take the whole width,
 * texts may be on both sides.
 */
static void place_texts(const struct layout *layout,
			struct mark marks[static MARKS])
{
	int right = layout->width;
	bool fits_right = true, fits_left = true;

	qsort(marks, MARKS, sizeof(*marks), compare_marks);
	for (size_t i = 0; i < MARKS; i++) {
		fits_right &= marks[i].x + text_width(&marks[i]) < right;
		fits_left &= marks[i].x - text_width(&marks[i]) > 0;
	}
	for (size_t i = 0; i < MARKS; i++) {
		marks[i].row = fits_left && !fits_right ? MARKS - 1 - i : i;
		marks[i].is_left =
			!fits_right &&
			(fits_left ||
			 marks[i].x + text_width(&marks[i]) >= right);
	}
}

static void make_marks(const struct log_axis *axis,
		       const struct report_leg *leg,
		       struct mark marks[static MARKS])
{
	for (size_t i = 0; i < PERCENTILES; i++) {
		double value = 0;

		measure_leg_quantile(leg->stats, percentiles[i].part, &value);
		marks[i] = (struct mark){.x = log_axis_place(axis, value)};
		str_printf(&marks[i].text, "%s ", percentiles[i].name);
		picture_time(value, &marks[i].text);
	}
	marks[PERCENTILES] = (struct mark){
		.x = log_axis_place(axis, leg->below_resolution
						  ? leg->resolution
						  : leg->stats->mean),
		.is_mean = true};
	mean_words(leg, &marks[PERCENTILES].text);
}

/* The mean, and how far it may be off: a line with two ends. */
static void put_mean(const struct layout *layout, const struct log_axis *axis,
		     const struct report_leg *leg, int from_y, struct str *out)
{
	double mean = leg->stats->mean;
	double at = log_axis_place(axis, leg->below_resolution ? leg->resolution
							       : mean);
	double from = leg->below_resolution
			      ? axis->left
			      : log_axis_place(axis, mean - leg->resolution);
	double to = leg->below_resolution
			    ? at
			    : log_axis_place(axis, mean + leg->resolution);
	int y = layout->upper - 5;

	str_printf(out, "<path class=\"mean\" d=\"M%.0f %dV%d", at, from_y,
		   layout->upper);
	if (leg->resolution > 0)
		str_printf(out, "M%.0f %dH%.0fM%.0f %dv6M%.0f %dv6", from, y,
			   to, from, y - 3, to, y - 3);
	str_append(out, "\"/>");
}

static void put_marks(const struct layout *layout, const struct log_axis *axis,
		      const struct report_leg *leg, struct str *out)
{
	struct mark marks[MARKS];

	make_marks(axis, leg, marks);
	place_texts(layout, marks);
	str_append(out, "<path class=\"percentile\" d=\"");
	for (size_t i = 0; i < MARKS; i++)
		if (!marks[i].is_mean)
			str_printf(out, "M%.0f %dV%d", marks[i].x,
				   layout->top + 2 +
					   (int)marks[i].row * layout->row,
				   layout->lower);
	str_append(out, "\"/>");
	for (size_t i = 0; i < MARKS; i++)
		if (marks[i].is_mean)
			put_mean(layout, axis, leg,
				 layout->top + 2 +
					 (int)marks[i].row * layout->row,
				 out);
	str_printf(out, "<g class=\"second\"%s>",
		   marks[0].is_left ? " text-anchor=\"end\"" : "");
	for (size_t i = 0; i < MARKS; i++) {
		int y = layout->top + (int)(marks[i].row + 1) * layout->row - 3;
		const char *anchor = marks[i].is_left == marks[0].is_left ? NULL
				     : marks[i].is_left ? "end"
							: "start";

		put_text(marks[i].is_mean ? "main" : NULL, anchor,
			 marks[i].x + (marks[i].is_left ? -4 : 4), y,
			 str_text(&marks[i].text), out);
		str_deinit(&marks[i].text);
	}
	str_append(out, "</g>");
}

/* ---- the figure -----------------------------------------------------------
 */

static void begin(const struct layout *layout, const struct report_leg *leg,
		  struct str *out)
{
	struct str words = {0};

	figure_words(leg, &words);
	str_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		   "viewBox=\"0 0 %d %d\"",
		   layout->width, layout->height);
	if (layout->is_alone)
		str_printf(out,
			   " width=\"%d\" height=\"%d\" "
			   "aria-labelledby=\"t d\">\n<title id=\"t\">",
			   layout->width, layout->height);
	else
		str_append(out, "><title>");
	str_append(out, "Times of ");
	svg_escape_name(leg->name ? leg->name : "a leg", out);
	if (layout->is_alone)
		str_append(out, "</title>\n<desc id=\"d\">");
	else
		str_append(out, ": ");
	str_append(out, str_text(&words));
	str_append(out, layout->is_alone ? ".</desc>\n" : ".</title>");
	str_deinit(&words);
}

/* What only a figure has that stands alone. */
static void put_frame(const struct layout *layout, const struct report_leg *leg,
		      struct str *out)
{
	struct str text = {0}, clean = {0};

	str_append(out, "<style>\n");
	str_append(out, figure_style);
	str_printf(out,
		   "</style>\n<rect class=\"back\" width=\"%d\" "
		   "height=\"%d\"/>\n",
		   layout->width, layout->height);
	clean_name(leg->name ? leg->name : "a leg", &clean);
	/* (at this size, and with wide letters) */
	svg_fit(str_text(&clean), 62, &text);
	put_text("title", NULL, layout->left, 32, str_text(&text), out);
	str_deinit(&text);
	str_deinit(&clean);
	report_number(leg->stats->count, &text);
	str_append(&text,
		   leg->stats->count == 1 ? " execution, " : " executions, ");
	picture_time((double)leg->stats->total, &text);
	str_append(&text, " in all");
	put_text("soft", NULL, layout->left, 54, str_text(&text), out);
	str_deinit(&text);
}

static void name_axes(const struct layout *layout,
		      const struct log_shape *shape, struct str *out)
{
	int middle = layout->left + layout->bar * (int)layout->bars / 2;
	struct str text = {0};

	put_text(NULL, "middle", middle, layout->lower + 44,
		 "time of one execution (logarithmic axis)", out);
	str_printf(&text, "executions in a bar, which covers a factor of %.3g",
		   shape->factor);
	str_printf(out,
		   "<text text-anchor=\"middle\" transform=\"translate(16 %d) "
		   "rotate(-90)\">%s</text>",
		   (layout->upper + layout->lower) / 2, str_text(&text));
	str_deinit(&text);
}

static void put_figure(const struct layout *layout, struct log_shape *shape,
		       const struct report_leg *leg, struct str *out)
{
	double step = step_of(100 * shape->largest, layout->is_alone ? 6 : 3);
	double top = 100 * shape->largest;

	shape->axis.left = layout->left;
	shape->axis.width = layout->bar * (int)layout->bars;
	time_marks(layout, &shape->axis, out);
	part_marks(layout, top, step, out);
	put_unknown(layout, &shape->axis, leg, out);
	put_bars(layout, shape, top, out);
	str_printf(out, "<path class=\"base\" d=\"M%d %dH%d\"/>", layout->left,
		   layout->lower, layout->width - layout->right);
	put_marks(layout, &shape->axis, leg, out);
	name_unknown(layout, &shape->axis, leg, out);
	if (layout->is_alone)
		name_axes(layout, shape, out);
}

void picture_histogram(const struct report_leg *leg, bool is_alone,
		       struct str *out)
{
	const struct layout *layout = is_alone ? &large : &small;
	struct log_shape shape;

	if (is_alone)
		str_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	begin(layout, leg, out);
	if (is_alone)
		put_frame(layout, leg, out);
	if (leg->stats->record &&
	    log_shape_make(leg->stats->record, layout->bars, &shape))
		put_figure(layout, &shape, leg, out);
	else
		put_text("soft", NULL, layout->left, layout->upper,
			 "There are no times: no execution has ended.", out);
	str_append(out, is_alone ? "</svg>\n" : "</svg>");
}

void report_plot_svg(const struct report_leg *leg, struct str *out)
{
	picture_histogram(leg, true, out);
}

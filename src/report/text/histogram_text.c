/*
 * histogram_text.c - a histogram as text in the memo's form, with bars to the
 * right of the memo's columns
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grid.h"
#include "histogram_rows.h"
#include "perftool/base/alloc.h"
#include "perftool/report.h"
#include "report/figures/figures.h"
#include "report/records/records.h"

/* The least room for the longest bar, also on a narrow terminal. */
#define LEAST_BAR 10

/* The bar of a row. The bar of a row with values has at least one character. */
static char *bar(const struct histogram_row *row, double largest, size_t width)
{
	struct str text = {0};
	size_t length = 0;

	/* add a little, because rounding errors can put the quotient just
	 * below a whole number */
	if (row->count)
		length =
			(size_t)(row->density / largest * (double)width + 1e-9);
	if (row->count && !length)
		length = 1;
	for (size_t i = 0; i < length; i++)
		str_append_char(&text, '#');
	return str_take(&text);
}

/* The text that a gap has in the place of a bar. */
static char *gap_remark(const struct histogram_row *row, size_t width)
{
	struct str text = {0};

	if (!row->empty)
		return xstrdup("no values");
	report_number((__int128)row->empty, &text);
	str_append(&text, " empty");
	if (text.length + strlen(" rows") <= width)
		str_append(&text, " rows");
	return str_take(&text);
}

/* ---- the lines above ---------------------------------------------------- */

static void line_number(const char *label, char *number, struct str *out)
{
	str_printf(out, "%-24s %12s\n", label, number);
	free(number);
}

/* A text such as "< 17": an upper bound, rounded up to whole ns. */
static char *bound_cell(double ns)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_number((__int128)ceil(ns), &text);
	return str_take(&text);
}

/* The sum of the values. If it is negative and the average is below the
 * resolution, the tool knows no more about the sum than about the average, and
 * the cell is an upper bound. The leg table does the same for a leg's total. */
static char *sum_cell(const struct report_histogram *at)
{
	const struct histogram *histogram = at->histogram;
	__int128 sum;

	if (histogram_has_floats(histogram))
		return xasprintf("%.9g", histogram_sum_float(histogram));
	sum = histogram_sum(histogram);
	if (sum < 0 && histogram_below_resolution(at))
		return bound_cell(at->resolution *
				  (double)histogram_references(histogram));
	return number_cell(sum);
}

static char *average_cell(const struct report_histogram *at)
{
	const struct histogram *histogram = at->histogram;
	uint64_t references = histogram_references(histogram);

	if (histogram_below_resolution(at))
		return bound_cell(at->resolution);
	if (histogram_has_floats(histogram))
		return xasprintf("%.9g", histogram_sum_float(histogram) /
						 (double)references);
	return number_cell(references ? histogram_sum(histogram) / references
				      : 0);
}

static void heading(const struct report_histogram *at, struct str *out)
{
	const struct histogram_spec *spec = histogram_spec(at->histogram);

	str_printf(out, "Histogram for %s %" PRIu32 "\n",
		   at->of_leg ? "Leg" : "Node", at->id);
	line_number("Number of References",
		    number_cell(histogram_references(at->histogram)), out);
	line_number("Sum of Values", sum_cell(at), out);
	line_number("Average Value", average_cell(at), out);
	if (spec->class == HISTOGRAM_HDR)
		return;
	line_number(at->of_leg ? "Scale Factor (2\u2191n)" : "Scale Factor",
		    number_cell(spec->scale), out);
	/* the memo prints no base for a logarithmic distribution */
	if (spec->class == HISTOGRAM_LINEAR || spec->base)
		line_number("Base", number_cell(spec->base), out);
}

/* ---- the rows ----------------------------------------------------------- */

static void row_cells(struct grid *grid, const struct histogram_row *row,
		      bool of_leg, uint64_t cumulated, uint64_t references)
{
	grid_text(grid, row->label);
	grid_take(grid, number_cell(row->count));
	grid_take(grid, percent_cell(row->count, references));
	grid_take(grid, percent_cell(cumulated, references));
	if (of_leg)
		grid_take(grid, row->timed ? duration_cell(row->from) : NULL);
}

static void add_columns(struct grid *grid, bool of_leg)
{
	grid_column(
		grid,
		(struct column){.bottom = "Value", .minimum = 14, .key = true});
	grid_column(grid, (struct column){.bottom = "Count",
					  .right = true,
					  .minimum = 7,
					  .key = true});
	grid_column(grid, (struct column){
				  .bottom = "%", .right = true, .minimum = 6});
	grid_column(grid, (struct column){.bottom = "Cum. %", .right = true});
	if (of_leg)
		grid_column(grid, (struct column){.bottom = "From",
						  .right = true,
						  .minimum = 6});
}

/* The width of all columns before the bar, with the blanks between them. */
static size_t width_before_bar(const struct histogram_row_list *rows,
			       bool of_leg, uint64_t references)
{
	struct grid grid = {0};
	uint64_t cumulated = 0;
	size_t width = 0;

	add_columns(&grid, of_leg);
	for (size_t i = 0; i < rows->count; i++) {
		cumulated += rows->data[i].count;
		row_cells(&grid, &rows->data[i], of_leg, cumulated, references);
	}
	for (size_t i = 0; i < grid.columns.count; i++)
		width += grid.columns.data[i].width + 2;
	grid_deinit(&grid);
	return width;
}

static double largest_density(const struct histogram_row_list *rows)
{
	double largest = 0;

	for (size_t i = 0; i < rows->count; i++)
		largest = fmax(largest, rows->data[i].density);
	return largest;
}

static void table(const struct histogram *histogram,
		  const struct histogram_row_list *rows, bool of_leg,
		  const struct report_options *options, struct str *out)
{
	size_t width = options->width > 0 ? (size_t)options->width : 80;
	uint64_t references = histogram_references(histogram);
	size_t used = width_before_bar(rows, of_leg, references);
	double largest = largest_density(rows);
	struct grid grid = {0};
	uint64_t cumulated = 0;

	width = width > used + LEAST_BAR ? width - used : LEAST_BAR;
	add_columns(&grid, of_leg);
	grid_column(&grid, (struct column){.bare = true, .color = "\033[36m"});
	for (size_t i = 0; i < rows->count; i++) {
		const struct histogram_row *row = &rows->data[i];

		cumulated += row->count;
		row_cells(&grid, row, of_leg, cumulated, references);
		grid_take(&grid, row->is_gap ? gap_remark(row, width)
					     : bar(row, largest, width));
	}
	grid_fit(&grid, options->width);
	grid_print(&grid, options->color, out);
	grid_deinit(&grid);
}

/* If most values are in Overflow, the table tells little, and the user may not
 * know the remedy. Append a note that says the remedy. */
static void overflow_note(const struct histogram *histogram, struct str *out)
{
	if (2 * histogram_overflow(histogram) > histogram_references(histogram))
		str_append(out, "(Over half of the values are in Overflow: a "
				"larger scale or more buckets\n"
				"make room for them.)\n");
}

void report_histogram_text(const struct report_histogram *histogram,
			   const struct report_options *options,
			   struct str *out)
{
	struct histogram_row_list rows;

	histogram_rows(histogram->histogram, &rows);
	heading(histogram, out);
	if (rows.count) {
		table(histogram->histogram, &rows, histogram->of_leg, options,
		      out);
		overflow_note(histogram->histogram, out);
	} else {
		str_append(out, "No values.\n");
	}
	histogram_rows_deinit(&rows);
}

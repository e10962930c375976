/*
 * histogram_text.c - a histogram in the memo's form, with a bar to the right
 *
 * An hdr histogram can have thousands of buckets: they are merged to the
 * finest grouping that takes at most 40 rows.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "perftool/report.h"
#include "record.h"
#include "units.h"

#define HDR_ROWS 40

struct row {
	char *label;
	double from; /* where it begins, unadjusted; for the Time column */
	bool timed;
	uint64_t count;
};

VEC_STRUCT(row_list, struct row);

/* ---- the rows of an hdr histogram ----------------------------------- */

/*
 * A magnitude as a number that grows with it: 128 steps an octave. A group is
 * what remains of it shifted right by some bits.
 */
static int64_t step_of(double magnitude)
{
	int exponent;
	double fraction = frexp(magnitude, &exponent);

	return (int64_t)(exponent - 1) * 128 +
	       (int64_t)((fraction * 2 - 1) * 128);
}

static double magnitude_of(int64_t step)
{
	return ldexp(1 + (double)(step & 127) / 128, (int)(step >> 7));
}

struct group {
	int sign; /* -1, 0, 1 */
	int64_t step;
};

/* Whole numbers may lie at the very edge of their bucket, others do not. */
static struct group group_of(const struct bucket *bucket, bool integers,
			     int shift)
{
	double middle = bucket->from + (bucket->to - bucket->from) / 2;

	if (bucket->from == 0)
		return (struct group){0, 0};
	if (middle < 0)
		return (struct group){
			-1,
			step_of(integers ? 1 - bucket->to : -middle) >> shift};
	return (struct group){1, step_of(integers ? bucket->from : middle) >>
					 shift};
}

static double group_begin(struct group group, int shift, bool integers)
{
	double begin;

	if (group.sign == 0)
		return 0;
	if (group.sign > 0) {
		begin = magnitude_of(group.step * ((int64_t)1 << shift));
		return integers ? ceil(begin) : begin;
	}
	begin = -magnitude_of((group.step + 1) * ((int64_t)1 << shift));
	return integers ? floor(begin) + 1 : begin;
}

static void hdr_rows(const struct histogram *histogram, int shift,
		     struct row_list *rows)
{
	bool integers = !histogram_has_floats(histogram);
	struct group last = {2, 0};
	struct bucket bucket;
	size_t cursor = 0;

	while (histogram_next(histogram, &cursor, &bucket)) {
		struct group group = group_of(&bucket, integers, shift);

		if (group.sign != last.sign || group.step != last.step)
			vec_push(rows,
				 (struct row){.from = group_begin(group, shift,
								  integers),
					      .timed = true});
		rows->data[rows->count - 1].count += bucket.count;
		last = group;
	}
}

static char *float_label(double from, bool integers)
{
	struct str text = {0};

	if (integers && fabs(from) < 0x1p126)
		report_number((__int128)from, &text);
	else
		str_printf(&text, "%.6g", from);
	return str_take(&text);
}

static void group_hdr(const struct histogram *histogram, struct row_list *rows)
{
	size_t before = rows->count;

	/* 20 bits of shift make all of a double's range two groups a sign */
	for (int shift = 0; shift <= 20; shift++) {
		rows->count = before;
		hdr_rows(histogram, shift, rows);
		if (rows->count - before <= HDR_ROWS)
			break;
	}
	for (size_t i = before; i < rows->count; i++)
		rows->data[i].label = float_label(
			rows->data[i].from, !histogram_has_floats(histogram));
}

static void plain_rows(const struct histogram *histogram, struct row_list *rows)
{
	struct bucket bucket;
	size_t cursor = 0;

	while (histogram_next(histogram, &cursor, &bucket))
		vec_push(rows, (struct row){.label = number_cell(bucket.label),
					    .from = bucket.from,
					    .timed = true,
					    .count = bucket.count});
}

/* 48 octaves are more than most values have: of those that are empty at the end
 * the first stands for all. */
static void drop_empty_end(const struct histogram *histogram,
			   struct row_list *rows, size_t first)
{
	if (histogram_overflow(histogram))
		return;
	while (rows->count > first + 1 && !rows->data[rows->count - 1].count &&
	       !rows->data[rows->count - 2].count)
		free(rows->data[--rows->count].label);
}

/* ---- the text ------------------------------------------------------- */

static void add_edge(struct row_list *rows, const char *label, uint64_t count)
{
	vec_push(rows, (struct row){.label = xstrdup(label), .count = count});
}

static struct row_list all_rows(const struct histogram *histogram)
{
	enum histogram_class class = histogram_spec(histogram)->class;
	bool hdr = class == HISTOGRAM_HDR;
	uint64_t underflow = histogram_underflow(histogram);
	uint64_t overflow = histogram_overflow(histogram);
	struct row_list rows = {0};
	size_t first;

	/* an hdr histogram has no edges but for infinite values */
	if (!hdr || underflow)
		add_edge(&rows, "Underflow", underflow);
	first = rows.count;
	if (hdr)
		group_hdr(histogram, &rows);
	else
		plain_rows(histogram, &rows);
	if (class == HISTOGRAM_LOG)
		drop_empty_end(histogram, &rows, first);
	if (!hdr || overflow)
		add_edge(&rows, "Overflow", overflow);
	return rows;
}

static char *bar(uint64_t count, uint64_t largest, size_t width)
{
	struct str text = {0};
	size_t length = 0;

	if (count)
		length = (size_t)((unsigned __int128)count * width / largest);
	if (count && !length)
		length = 1;
	for (size_t i = 0; i < length; i++)
		str_append_char(&text, '#');
	return str_take(&text);
}

static void line_number(const char *label, char *number, struct str *out)
{
	str_printf(out, "%-24s %12s\n", label, number);
	free(number);
}

/* "< " and a bound in whole ns that holds. */
static char *bound_cell(double ns)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_number((__int128)ceil(ns), &text);
	return str_take(&text);
}

/* As the sum of a leg: below 0 it says no more than the average. */
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
	/* the memo has no base for a logarithmic distribution */
	if (spec->class == HISTOGRAM_LINEAR || spec->base)
		line_number("Base", number_cell(spec->base), out);
}

static void row_cells(struct grid *grid, const struct row *row, bool of_leg,
		      uint64_t cumulated, uint64_t references)
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
	grid_column(grid, (struct column){.bottom = "Value", .minimum = 14});
	grid_column(grid, (struct column){.bottom = "Count",
					  .right = true,
					  .minimum = 7});
	grid_column(grid, (struct column){
				  .bottom = "%", .right = true, .minimum = 6});
	grid_column(grid, (struct column){.bottom = "Cum. %", .right = true});
	if (of_leg)
		grid_column(grid, (struct column){.bottom = "From",
						  .right = true,
						  .minimum = 6});
}

/* How much of a line all is that stands before the bar. */
static size_t width_before_bar(const struct row_list *rows, bool of_leg,
			       uint64_t references)
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

static void table(const struct histogram *histogram,
		  const struct row_list *rows, bool of_leg,
		  const struct report_options *options, struct str *out)
{
	size_t width = options->width > 0 ? (size_t)options->width : 80;
	uint64_t references = histogram_references(histogram);
	size_t used = width_before_bar(rows, of_leg, references);
	uint64_t cumulated = 0, largest = 1;
	struct grid grid = {0};

	for (size_t i = 0; i < rows->count; i++)
		if (rows->data[i].count > largest)
			largest = rows->data[i].count;
	add_columns(&grid, of_leg);
	grid_column(&grid, (struct column){.bare = true, .color = "\033[36m"});
	for (size_t i = 0; i < rows->count; i++) {
		const struct row *row = &rows->data[i];

		cumulated += row->count;
		row_cells(&grid, row, of_leg, cumulated, references);
		grid_take(&grid, bar(row->count, largest,
				     width > used + 10 ? width - used : 10));
	}
	grid_print(&grid, options->color, out);
	grid_deinit(&grid);
}

void report_histogram_text(const struct report_histogram *histogram,
			   const struct report_options *options,
			   struct str *out)
{
	struct row_list rows = all_rows(histogram->histogram);

	heading(histogram, out);
	if (rows.count)
		table(histogram->histogram, &rows, histogram->of_leg, options,
		      out);
	else
		str_append(out, "No values.\n");
	for (size_t i = 0; i < rows.count; i++)
		free(rows.data[i].label);
	vec_free(&rows);
}

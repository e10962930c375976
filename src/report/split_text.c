/*
 * split_text.c - what a node or a leg counted by a value, as text
 */
#include <inttypes.h>
#include <stdlib.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "record.h"
#include "text.h"
#include "units.h"

static char *name_cell(const struct measure_row *row)
{
	if (row->kind == ROW_OTHER && row->values)
		return xasprintf("(other: %zu value%s)", row->values,
				 row->values == 1 ? "" : "s");
	return row_name(row);
}

static void mean_cell(struct grid *grid, const struct measure_row *row,
		      double spread)
{
	struct str text = {0};

	if (measure_row_below_resolution(row, spread)) {
		str_append(&text, "< ");
		report_duration(spread, &text);
	} else {
		report_duration((double)row->total / (double)row->count, &text);
	}
	grid_take(grid, str_take(&text));
}

/* Its shortest or longest one, if there is any that was not interrupted. */
static void optional_duration(struct grid *grid, const struct measure_row *row,
			      int64_t ns)
{
	if (row->count > row->interrupted)
		grid_take(grid, duration_cell((double)ns));
	else
		grid_text(grid, "-");
}

/* Marked if some of them were interrupted; `marks': some of the table were. */
static void count_cell(struct grid *grid, const struct measure_row *row,
		       bool marks)
{
	struct str text = {0};

	report_number((__int128)row->count, &text);
	if (marks)
		str_append_char(&text, row->interrupted ? '~' : ' ');
	grid_take(grid, str_take(&text));
}

static bool is_any_interrupted(const struct measure_row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->data[i].interrupted)
			return true;
	return false;
}

static void time_cells(struct grid *grid, const struct measure_row *row,
		       double spread)
{
	static const double quantiles[] = {0.5, 0.9, 0.99};
	double value;

	/* a sum below 0 is one of times below the resolution */
	if (row->total < 0)
		grid_text(grid, "-");
	else
		grid_take(grid, memo_time_cell(row->total));
	mean_cell(grid, row, spread);
	optional_duration(grid, row, row->min);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		if (measure_row_quantile(row, quantiles[i], &value))
			grid_take(grid, duration_cell(value));
		else
			grid_text(grid, "-");
	}
	optional_duration(grid, row, row->max);
}

static void columns(struct grid *grid, bool of_leg)
{
	static const struct column both[] = {
		{.bottom = "Value",
		 .minimum = 14,
		 .key = true,
		 .shrinks_to = 14},
		{.top = "# of Times",
		 .bottom = "Referenced",
		 .right = true,
		 .key = true},
		{.bottom = "%", .right = true, .minimum = 6},
	};
	static const struct column times[] = {
		{.top = "Total Time", .bottom = "sec.msec:usec", .right = true},
		{.bottom = "Mean", .right = true, .expendable = 1},
		{.bottom = "Min", .right = true, .expendable = 4},
		{.bottom = "p50", .right = true, .expendable = 2},
		{.bottom = "p90", .right = true, .expendable = 3},
		{.bottom = "p99", .right = true, .expendable = 2},
		{.bottom = "Max", .right = true, .expendable = 5},
	};

	for (size_t i = 0; i < sizeof(both) / sizeof(*both); i++)
		grid_column(grid, both[i]);
	for (size_t i = 0; of_leg && i < sizeof(times) / sizeof(*times); i++)
		grid_column(grid, times[i]);
}

/* What the reader would otherwise wonder about. */
static void remarks(const struct measure_split *split, uint64_t all,
		    struct str *out)
{
	if (split->count < all) {
		str_append(out, "Not in these rows: ");
		report_number(all - split->count, out);
		str_append(out, " from before it was split.\n");
	}
	if (split->overflow) {
		str_append(out, "(other) has ");
		report_number(split->overflow, out);
		str_append(out, " of values that came after the first ");
		report_number(SPLIT_VALUES, out);
		str_append(out, ".\n");
	}
}

/* True: columns were left out. */
static bool split_text(const struct split_subject *subject, uint64_t all,
		       const struct report_options *options, struct str *out)
{
	const struct measure_split *split = subject->split;
	struct measure_row_list rows = {0};
	struct grid grid = {0};
	bool marks, hidden;

	str_printf(out, "%s%s %" PRIu32 " by %s%s%s\n",
		   options->color ? "\033[1m" : "",
		   subject->of_leg ? "Leg" : "Node", subject->id,
		   subject->expression ? subject->expression : "?",
		   split->spec.at_to ? ", at its end" : "",
		   options->color ? "\033[0m" : "");
	measure_split_rows(split, &options->view, &rows);
	marks = is_any_interrupted(&rows);
	columns(&grid, subject->of_leg);
	for (size_t i = 0; i < rows.count; i++) {
		const struct measure_row *row = &rows.data[i];

		grid_take(&grid, name_cell(row));
		count_cell(&grid, row, marks);
		grid_take(&grid, share_cell(row->count, split->count));
		if (subject->of_leg)
			time_cells(&grid, row, subject->spread);
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	if (marks)
		str_append(out,
			   "~ Some were interrupted by a stop of the program; "
			   "Min, Max and percentiles\n"
			   "  leave them out.\n");
	if (!rows.count)
		str_append(out,
			   subject->of_leg ? "No executions.\n" : "No hits.\n");
	remarks(split, all, out);
	grid_deinit(&grid);
	measure_rows_deinit(&rows);
	return hidden;
}

bool text_node_split(const struct report_node *node,
		     const struct report_options *options, struct str *out)
{
	struct split_subject subject = subject_node(node);

	return split_text(&subject, node->stats->count, options, out);
}

bool text_leg_split(const struct report_leg *leg,
		    const struct report_options *options, struct str *out)
{
	struct split_subject subject = subject_leg(leg);

	return split_text(&subject, leg->stats->count, options, out);
}

void report_node_split_text(const struct report_node *node,
			    const struct report_options *options,
			    struct str *out)
{
	if (text_node_split(node, options, out))
		text_columns_left_out(options, out);
}

void report_leg_split_text(const struct report_leg *leg,
			   const struct report_options *options,
			   struct str *out)
{
	if (text_leg_split(leg, options, out))
		text_columns_left_out(options, out);
}

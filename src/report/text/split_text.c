/*
 * split_text.c - the rows of a split node or leg as text: what the node or the
 * leg counted for each value of an expression
 */
#include <inttypes.h>
#include <stdlib.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "report/figures/figures.h"
#include "report/records/records.h"
#include "text.h"

static char *name_cell(const struct measure_row *row)
{
	if (row->kind == ROW_OTHER && row->values)
		return xasprintf("(other: %zu value%s)", row->values,
				 row->values == 1 ? "" : "s");
	return row_name(row);
}

/* Append a time. All times of the table are in the memo's form (`memo`), or all
 * have a unit. */
static void time_text(double ns, bool memo, struct str *out)
{
	if (memo)
		report_memo_time((__int128)ns, out);
	else
		report_duration(ns, out);
}

static void time_cell(struct grid *grid, double ns, bool memo)
{
	struct str text = {0};

	time_text(ns, memo, &text);
	grid_take(grid, str_take(&text));
}

static void mean_cell(struct grid *grid, const struct measure_row *row,
		      double spread, bool memo)
{
	struct str text = {0};

	if (measure_row_below_resolution(row, spread)) {
		str_append(&text, "< ");
		time_text(memo ? memo_bound(spread) : spread, memo, &text);
	} else {
		time_text((double)row->total / (double)row->count, memo, &text);
	}
	grid_take(grid, str_take(&text));
}

/* Add the shortest or the longest time of the row. This time is known only if
 * at least one execution of the row was not interrupted. */
static void optional_time(struct grid *grid, const struct measure_row *row,
			  int64_t ns, bool memo)
{
	if (row->count > row->interrupted)
		time_cell(grid, (double)ns, memo);
	else
		grid_text(grid, "-");
}

/* Add the count, with a mark if some executions of the row were interrupted. If
 * the table has marks (`marks'), the counts without a mark end in a blank, so
 * that the digits stay aligned. */
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
		       double spread, bool memo)
{
	static const double quantiles[] = {0.5, 0.9, 0.99};
	double value;

	/* a sum is negative only if the times are below the resolution */
	if (row->total < 0)
		grid_text(grid, "-");
	else
		time_cell(grid, (double)row->total, memo);
	mean_cell(grid, row, spread, memo);
	optional_time(grid, row, row->min, memo);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		if (measure_row_quantile(row, quantiles[i], &value))
			time_cell(grid, value, memo);
		else
			grid_text(grid, "-");
	}
	optional_time(grid, row, row->max, memo);
}

static void columns(struct grid *grid, bool of_leg, bool memo)
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
	const struct column times[] = {
		{.top = memo ? "Total Time" : "Total",
		 .bottom = memo ? "sec.msec:usec" : "Time",
		 .right = true},
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

/* Append notes that say why the rows do not have all counts, and what the row
 * `(other)' has. */
static void remarks(const struct measure_split *split, uint64_t all,
		    struct str *out)
{
	if (split->count < all) {
		str_append(out, "Not in these rows: ");
		report_number(all - split->count, out);
		str_append(out, " from before the split began.\n");
	}
	if (split->overflow) {
		str_append(out, "(other) has ");
		report_number(split->overflow, out);
		str_append(out, " of values that came after the first ");
		report_number(SPLIT_VALUES, out);
		str_append(out, ".\n");
	}
}

/* Append a title such as "Leg 0 (enqueue -> process) by j->kind". */
static void heading(const struct split_subject *subject, bool color,
		    struct str *out)
{
	struct str text = {0}, title = {0};

	str_printf(&text, "%s %" PRIu32, subject->of_leg ? "Leg" : "Node",
		   subject->id);
	if (subject->name)
		str_printf(&text, " (%s)", subject->name);
	str_printf(&text, " by %s%s",
		   subject->expression ? subject->expression : "?",
		   subject->split->spec.at_to ? ", at its end" : "");
	/* names come from the program under measurement */
	printable(str_text(&text), &title);
	text_title(str_text(&title), color, out);
	str_deinit(&title);
	str_deinit(&text);
}

/* Append the table of a split. `all`: the whole count of the node or the leg,
 * with what was counted before the split was made. Returns whether columns were
 * left out. */
static bool split_text(const struct split_subject *subject, uint64_t all,
		       const struct report_options *options, struct str *out)
{
	const struct measure_split *split = subject->split;
	struct measure_row_list rows = {0};
	struct grid grid = {0};
	bool marks, hidden;

	heading(subject, options->color, out);
	measure_split_rows(split, &options->view, &rows);
	marks = is_any_interrupted(&rows);
	columns(&grid, subject->of_leg, options->memo);
	for (size_t i = 0; i < rows.count; i++) {
		const struct measure_row *row = &rows.data[i];

		grid_take(&grid, name_cell(row));
		count_cell(&grid, row, marks);
		grid_take(&grid, share_cell(row->count, split->count));
		if (subject->of_leg)
			time_cells(&grid, row, subject->spread, options->memo);
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	if (marks)
		str_append(out, "~ Some executions were interrupted by a stop "
				"of the program; Min, Max and\n"
				"  percentiles leave them out.\n");
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

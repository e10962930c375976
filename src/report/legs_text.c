/*
 * legs_text.c - the leg table as text
 */
#include <inttypes.h>
#include <stdlib.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "text.h"
#include "units.h"

static void quantile_cell(struct grid *grid, const struct measure_leg *leg,
			  double q)
{
	double value;

	if (measure_leg_quantile(leg, q, &value))
		grid_take(grid, duration_cell(value));
	else
		grid_text(grid, "-");
}

static void optional_duration(struct grid *grid, bool known, double ns)
{
	grid_take(grid, known ? duration_cell(ns) : xstrdup("-"));
}

static void below_cell(struct grid *grid, const struct tables *tables)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_duration(tables->summary.spread, &text);
	grid_take(grid, str_take(&text));
}

static void percent_cell(struct grid *grid, __int128 part, __int128 whole)
{
	struct str text = {0};

	if (!percent_text(part, whole, &text))
		str_append(&text, "-");
	grid_take(grid, str_take(&text));
}

/* The signed sum of a leg that is below the resolution may be below 0, when
 * breaks cost less than calibration found: no more is known of it than of the
 * mean. */
static void below_total_cells(struct grid *grid, const struct tables *tables,
			      const struct measure_leg *leg)
{
	__int128 bound =
		(__int128)(tables->summary.spread * (double)leg->count);
	struct str time = {0}, percent = {0};

	str_append(&time, "< ");
	report_memo_time(bound, &time);
	str_append(&percent, "< ");
	if (!percent_text(bound, tables->summary.elapsed, &percent)) {
		str_deinit(&percent);
		str_append(&percent, "-");
	}
	grid_take(grid, str_take(&time));
	below_cell(grid, tables);
	grid_take(grid, str_take(&percent));
}

static void leg_memo_cells(struct grid *grid, const struct tables *tables,
			   const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	struct str count = {0};

	report_number(stats->count, &count);
	str_append_char(&count, measure_leg_is_marked(stats) ? '~' : ' ');
	grid_printf(grid, "%" PRIu32 "%s", stats->id,
		    stats->histogram ? "*" : "");
	grid_printf(grid, "%" PRIu32, stats->spec.from);
	grid_text(grid, "->");
	grid_printf(grid, "%" PRIu32, stats->spec.to);
	grid_take(grid, str_take(&count));
	if (leg->below_resolution && stats->total < 0) {
		below_total_cells(grid, tables, stats);
		return;
	}
	grid_take(grid, memo_time_cell(stats->total));
	if (leg->below_resolution)
		below_cell(grid, tables);
	else
		grid_take(grid,
			  memo_time_cell(stats->count
						 ? stats->total / stats->count
						 : 0));
	percent_cell(grid, stats->total, tables->summary.elapsed);
}

static void leg_addition_cells(struct grid *grid, const struct tables *tables,
			       const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	bool any = stats->count > 0;

	grid_text(grid, ""); /* no mechanism knows the time on the CPU */
	optional_duration(grid, any, (double)stats->min);
	if (leg->below_resolution)
		below_cell(grid, tables);
	else
		optional_duration(grid, any, stats->mean);
	quantile_cell(grid, stats, 0.5);
	quantile_cell(grid, stats, 0.9);
	quantile_cell(grid, stats, 0.99);
	optional_duration(grid, any, (double)stats->max);
}

static const char *const owner_names[] = {
	[OWNER_THREAD] = "thread", [OWNER_LEG] = "leg", [OWNER_KEY] = "key"};
static const char *const match_names[] = {[MATCH_LAST] = "last",
					  [MATCH_FIRST] = "first",
					  [MATCH_NESTED] = "nested",
					  [MATCH_OUTERMOST] = "outermost"};

static void leg_verbose_cells(struct grid *grid, const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	quantile_cell(grid, stats, 0.999);
	optional_duration(grid, stats->count > 1, measure_leg_stddev(stats));
	if (leg->key_text)
		grid_printf(grid, "key=%s", leg->key_text);
	else
		grid_text(grid, owner_names[stats->spec.owner]);
	grid_text(grid, match_names[stats->spec.match]);
	grid_take(grid, number_cell(stats->from_hits));
	grid_take(grid, number_cell(stats->ignored_from));
	grid_take(grid, number_cell(stats->unwound));
	grid_take(grid, number_cell(stats->discarded));
	grid_take(grid, number_cell(stats->open));
	grid_take(grid, number_cell(stats->to_hits));
	grid_take(grid, number_cell(stats->ignored_to));
}

static void leg_columns(struct grid *grid, bool verbose)
{
	static const struct column memo[] = {
		{.top = "Leg", .bottom = "Id", .minimum = 3},
		{.top = "From", .bottom = "Node", .right = true},
		{.bare = true, .tight = true, .minimum = 2},
		{.top = "To", .bottom = "Node", .tight = true, .minimum = 4},
		{.top = "# of Times", .bottom = "Referenced ", .right = true},
		{.top = "Total Time", .bottom = "sec.msec:usec", .right = true},
		{.top = "Average Time",
		 .bottom = "sec.msec:usec",
		 .right = true},
		{.top = "% of", .bottom = "Time", .right = true, .minimum = 5},
		{.top = "CPU",
		 .bottom = "Time",
		 .right = true,
		 .expendable = 6},
		{.bottom = "Min", .right = true, .expendable = 4},
		{.bottom = "Mean", .right = true, .expendable = 1},
		{.bottom = "p50", .right = true, .expendable = 2},
		{.bottom = "p90", .right = true, .expendable = 3},
		{.bottom = "p99", .right = true, .expendable = 2},
		{.bottom = "Max", .right = true, .expendable = 5},
	};
	static const struct column more[] = {
		{.bottom = "p99.9", .right = true},
		{.top = "Std.", .bottom = "Dev.", .right = true},
		{.bottom = "Owner"},
		{.bottom = "Match"},
		{.top = "From", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "From", .right = true},
		{.bottom = "Unwound", .right = true},
		{.bottom = "Discarded", .right = true},
		{.bottom = "Open", .right = true},
		{.top = "To", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "To", .right = true},
	};

	for (size_t i = 0; i < sizeof(memo) / sizeof(*memo); i++)
		grid_column(grid, memo[i]);
	for (size_t i = 0; verbose && i < sizeof(more) / sizeof(*more); i++)
		grid_column(grid, more[i]);
}

void text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out)
{
	struct grid grid = {0};
	bool histogram = false, left_out = false, over = false, hidden;

	text_title("- - - - - - - L E G   T A B L E   C O N T E N T S "
		   "- - - - - - - - -",
		   options->color, out);
	leg_columns(&grid, options->verbose);
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *leg = &tables->legs[i];

		leg_memo_cells(&grid, tables, leg);
		leg_addition_cells(&grid, tables, leg);
		if (options->verbose)
			leg_verbose_cells(&grid, leg);
		histogram |= leg->stats->histogram != NULL;
		left_out |= measure_leg_is_marked(leg->stats);
		over |= leg->stats->total > tables->summary.elapsed &&
			tables->summary.elapsed;
	}
	/* all of it was asked for */
	hidden = !options->verbose && grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	text_legend(histogram, left_out, options->verbose, out);
	if (hidden)
		str_append(out, TEXT_NARROW);
	grid_deinit(&grid);
	if (!tables->leg_count)
		str_append(out, "No legs.\n");
	if (over)
		str_append(out, "% of Time above 100: several executions of "
				"the leg were going on at once (threads,\n"
				"nested activations).\n");
}

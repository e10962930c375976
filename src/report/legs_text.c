/*
 * legs_text.c - the leg table as text
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cpu.h"
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

static void below_cell(struct grid *grid, const struct report_leg *leg)
{
	struct str text = {0};

	str_append(&text, "< ");
	report_duration(leg->resolution, &text);
	grid_take(grid, str_take(&text));
}

/* The signed sum of a leg that is below the resolution may be below 0, when
 * breaks cost less than calibration found: no more is known of it than of the
 * mean. */
static void below_total_cells(struct grid *grid, const struct tables *tables,
			      const struct report_leg *leg)
{
	__int128 bound =
		(__int128)(leg->resolution * (double)leg->stats->count);
	struct str time = {0}, percent = {0};

	str_append(&time, "< ");
	report_memo_time(bound, &time);
	str_append(&percent, "< ");
	if (!percent_text(bound, tables->summary.elapsed, &percent)) {
		str_deinit(&percent);
		str_append(&percent, "-");
	}
	grid_take(grid, str_take(&time));
	below_cell(grid, leg);
	grid_take(grid, str_take(&percent));
}

static void id_cell(struct grid *grid, const struct measure_leg *leg)
{
	grid_printf(grid, "%" PRIu32 "%s", leg->id, leg->histogram ? "*" : "");
}

static void count_cell(struct grid *grid, const struct measure_leg *leg)
{
	struct str count = {0};

	report_number(leg->count, &count);
	str_append_char(&count, measure_leg_is_marked(leg) ? '~' : ' ');
	grid_take(grid, str_take(&count));
}

static void leg_memo_cells(struct grid *grid, const struct tables *tables,
			   const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	id_cell(grid, stats);
	grid_printf(grid, "%" PRIu32, stats->spec.from);
	grid_text(grid, "->");
	grid_printf(grid, "%" PRIu32, stats->spec.to);
	count_cell(grid, stats);
	if (leg->below_resolution && stats->total < 0) {
		below_total_cells(grid, tables, leg);
		return;
	}
	grid_take(grid, memo_time_cell(stats->total));
	if (leg->below_resolution)
		below_cell(grid, leg);
	else
		grid_take(grid,
			  memo_time_cell(stats->count
						 ? stats->total / stats->count
						 : 0));
	grid_take(grid, percent_cell(stats->total, tables->summary.elapsed));
}

/* A figure that may be anything from less than 0 up to the resolution; where
 * there is none, so that nothing was taken out, it is 0 at least. */
static void bounded_cell(struct grid *grid, const struct report_leg *leg,
			 __int128 total, uint64_t count)
{
	double mean = (double)total / (double)count;

	if (total && leg->resolution > 0 && mean < leg->resolution)
		below_cell(grid, leg);
	else
		grid_take(grid, duration_cell(mean < 0 ? 0 : mean));
}

/* Means, as far as they are known. */
static void cpu_cells(struct grid *grid, const struct report_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	if (!cpu.count) {
		grid_text(grid, leg->stats->count ? "" : "-");
		grid_text(grid, leg->stats->count ? "" : "-");
		return;
	}
	bounded_cell(grid, leg, cpu.cpu, cpu.count);
	bounded_cell(grid, leg, cpu.waiting, cpu.count);
}

/* Sums, of all executions of which they are known. */
static void cpu_verbose_cells(struct grid *grid, const struct measure_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg);

	if (cpu.count) {
		grid_take(grid, memo_time_cell(cpu.cpu));
		grid_take(grid, memo_time_cell(cpu.waiting));
	} else {
		grid_text(grid, leg->count ? "" : "-");
		grid_text(grid, leg->count ? "" : "-");
	}
	grid_take(grid, number_cell(leg->cpu_unknown));
}

static void leg_addition_cells(struct grid *grid, const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	bool any = stats->count > stats->interrupted;

	optional_duration(grid, any, (double)stats->min);
	if (leg->below_resolution)
		below_cell(grid, leg);
	else
		optional_duration(grid, stats->count > 0, stats->mean);
	cpu_cells(grid, leg);
	quantile_cell(grid, stats, 0.5);
	quantile_cell(grid, stats, 0.9);
	quantile_cell(grid, stats, 0.99);
	optional_duration(grid, any, (double)stats->max);
}

static const char *const owner_names[] = {[OWNER_THREAD] = "thread",
					  [OWNER_LEG] = "leg",
					  [OWNER_KEY] = "key",
					  [OWNER_GOROUTINE] = "goroutine"};
static const char *const match_names[] = {[MATCH_LAST] = "last",
					  [MATCH_FIRST] = "first",
					  [MATCH_NESTED] = "nested",
					  [MATCH_OUTERMOST] = "outermost"};

static void leg_verbose_cells(struct grid *grid, const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	quantile_cell(grid, stats, 0.999);
	optional_duration(grid, stats->count > 1, measure_leg_stddev(stats));
	cpu_verbose_cells(grid, stats);
	if (leg->key_text)
		grid_printf(grid, "key=%s", leg->key_text);
	else
		grid_text(grid, owner_names[stats->spec.owner]);
	grid_text(grid, match_names[stats->spec.match]);
	grid_take(grid, number_cell(stats->interrupted));
	grid_take(grid, number_cell(stats->from_hits));
	grid_take(grid, number_cell(stats->ignored_from));
	grid_take(grid, number_cell(stats->unwound));
	grid_take(grid, number_cell(stats->discarded));
	grid_take(grid, number_cell(stats->open));
	grid_take(grid, number_cell(stats->to_hits));
	grid_take(grid, number_cell(stats->ignored_to));
}

static void add_columns(struct grid *grid, const struct column *columns,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		grid_column(grid, columns[i]);
}

#define COLUMN_ID                                                              \
	{                                                                      \
		.top = "Leg", .bottom = "Id", .minimum = 3                     \
	}
#define COLUMN_COUNT                                                           \
	{                                                                      \
		.top = "# of Times", .bottom = "Referenced ", .right = true    \
	}

/* `cpu': the time on a CPU is known, of some legs at least. */
static void leg_columns(struct grid *grid, bool cpu)
{
	const struct column columns[] = {
		COLUMN_ID,
		{.top = "From", .bottom = "Node", .right = true},
		{.bare = true, .tight = true, .minimum = 2},
		{.top = "To", .bottom = "Node", .tight = true, .minimum = 4},
		COLUMN_COUNT,
		{.top = "Total Time", .bottom = "sec.msec:usec", .right = true},
		{.top = "Average Time",
		 .bottom = "sec.msec:usec",
		 .right = true},
		{.top = "% of", .bottom = "Time", .right = true, .minimum = 5},
		{.bottom = "Min", .right = true, .expendable = 5},
		{.bottom = "Mean", .right = true, .expendable = 1},
		{.bottom = "On CPU", .right = true, .expendable = cpu ? 2 : 8},
		{.bottom = "Waiting", .right = true, .expendable = cpu ? 2 : 8},
		{.bottom = "p50", .right = true, .expendable = 3},
		{.bottom = "p90", .right = true, .expendable = 4},
		{.bottom = "p99", .right = true, .expendable = 3},
		{.bottom = "Max", .right = true, .expendable = 6},
	};

	add_columns(grid, columns, sizeof(columns) / sizeof(*columns));
}

static void verbose_columns(struct grid *grid)
{
	static const struct column columns[] = {
		{.bottom = "p99.9", .right = true, .expendable = 4},
		{.top = "Std.",
		 .bottom = "Dev.",
		 .right = true,
		 .expendable = 3},
		{.top = "Total",
		 .bottom = "on CPU",
		 .right = true,
		 .expendable = 5},
		{.top = "Total",
		 .bottom = "Waiting",
		 .right = true,
		 .expendable = 6},
		{.top = "CPU",
		 .bottom = "Unknown",
		 .right = true,
		 .expendable = 7},
		{.bottom = "Owner", .expendable = 2},
		{.bottom = "Match", .expendable = 1},
		{.top = "Inter-", .bottom = "rupted", .right = true},
		{.top = "From", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "From", .right = true},
		{.bottom = "Unwound", .right = true},
		{.bottom = "Discarded", .right = true},
		{.bottom = "Open", .right = true},
		{.top = "To", .bottom = "Hits", .right = true},
		{.top = "Ignored", .bottom = "To", .right = true},
	};

	add_columns(grid, columns, sizeof(columns) / sizeof(*columns));
}

/* ---- the tables -----------------------------------------------------------
 */

static void plain_table(const struct tables *tables, struct grid *grid)
{
	leg_columns(grid, is_any_cpu_known(tables));
	for (size_t i = 0; i < tables->leg_count; i++) {
		leg_memo_cells(grid, tables, &tables->legs[i]);
		leg_addition_cells(grid, &tables->legs[i]);
	}
}

/* Everything in one row. */
static void wide_table(const struct tables *tables, struct grid *grid)
{
	leg_columns(grid, is_any_cpu_known(tables));
	verbose_columns(grid);
	for (size_t i = 0; i < tables->leg_count; i++) {
		leg_memo_cells(grid, tables, &tables->legs[i]);
		leg_addition_cells(grid, &tables->legs[i]);
		leg_verbose_cells(grid, &tables->legs[i]);
	}
}

/* What the plain table has not, to stand below it. */
static void rest_table(const struct tables *tables, struct grid *grid)
{
	static const struct column columns[] = {COLUMN_ID, COLUMN_COUNT};

	add_columns(grid, columns, sizeof(columns) / sizeof(*columns));
	verbose_columns(grid);
	for (size_t i = 0; i < tables->leg_count; i++) {
		id_cell(grid, tables->legs[i].stats);
		count_cell(grid, tables->legs[i].stats);
		leg_verbose_cells(grid, &tables->legs[i]);
	}
}

/* Print as much of it as fits and take it away. True: not all did. */
static bool put_table(struct grid *grid, const struct report_options *options,
		      struct str *out)
{
	bool hidden = grid_fit(grid, options->columns);

	grid_print(grid, options->color, out);
	grid_deinit(grid);
	*grid = (struct grid){0};
	return hidden;
}

static bool put_tables(const struct tables *tables,
		       const struct report_options *options, struct str *out)
{
	struct grid grid = {0};
	bool hidden;

	if (options->verbose) {
		wide_table(tables, &grid);
		if (grid_fits(&grid, options->columns))
			return put_table(&grid, options, out);
		grid_deinit(&grid);
		grid = (struct grid){0};
	}
	plain_table(tables, &grid);
	hidden = put_table(&grid, options, out);
	if (!options->verbose)
		return hidden;
	str_append_char(out, '\n');
	rest_table(tables, &grid);
	return put_table(&grid, options, out) || hidden;
}

/* ---- what stands below them -----------------------------------------------
 */

static bool has_condition(const struct tables *tables, uint32_t node)
{
	for (size_t i = 0; i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == node)
			return tables->nodes[i].condition &&
			       !str_equal(tables->nodes[i].condition, "1");
	return false;
}

/* "2 starts", if there are some, after what was left out else. */
static void add_figure(uint64_t count, const char *what, bool *any,
		       struct str *out)
{
	if (!count)
		return;
	if (*any)
		str_append(out, ", ");
	report_number(count, out);
	str_printf(out, " %s", what);
	*any = true;
}

/* What the `~' stands for, of all legs that have it. */
static void left_out(const struct tables *tables, bool verbose, struct str *out)
{
	uint64_t starts = 0, ends = 0, unwound = 0, discarded = 0;
	bool filtered = false, any = false;

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		if (!measure_leg_is_marked(leg))
			continue;
		starts += leg->ignored_from;
		ends += leg->ignored_to - leg->self_first;
		unwound += leg->unwound;
		discarded += leg->discarded;
		filtered |= has_condition(tables, leg->spec.from) ||
			    has_condition(tables, leg->spec.to);
	}
	if (!starts && !ends && !unwound && !discarded)
		return;
	str_append(out, "~ Left out: ");
	add_figure(starts, "ignored From", &any, out);
	add_figure(ends, "ignored To", &any, out);
	add_figure(unwound, "unwound", &any, out);
	add_figure(discarded, "discarded", &any, out);
	str_append(out,
		   verbose ? ".\n" : "; `print legs -v' has each leg's.\n");
	if (filtered)
		str_append(out,
			   "  A node's condition leaves hits out; those of "
			   "the other node that go with\n"
			   "  them are ignored.\n");
}

/* What the `~' stands for where executions were interrupted. */
static void interrupted_note(const struct tables *tables, bool verbose,
			     struct str *out)
{
	uint64_t count = 0;

	for (size_t i = 0; i < tables->leg_count; i++)
		count += tables->legs[i].stats->interrupted;
	if (!count)
		return;
	str_append(out, "~ Interrupted by a stop of the program: ");
	report_number((__int128)count, out);
	str_append(out, count == 1 ? " execution" : " executions");
	str_append(out,
		   verbose ? ".\n" : "; `print legs -v' has each leg's.\n");
	str_append(out, "  Total and Average count them with the time that the "
			"program ran; Min, Max,\n"
			"  percentiles and histograms leave them out.\n");
}

void text_legs(const struct tables *tables,
	       const struct report_options *options, struct str *out)
{
	bool histogram = false, over = false, hidden;

	text_title("- - - - - - - L E G   T A B L E   C O N T E N T S "
		   "- - - - - - - - -",
		   options->color, out);
	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct measure_leg *leg = tables->legs[i].stats;

		histogram |= leg->histogram != NULL;
		over |= leg->total > tables->summary.elapsed &&
			tables->summary.elapsed;
	}
	hidden = put_tables(tables, options, out);
	if (histogram)
		str_append(out, TEXT_HISTOGRAM);
	left_out(tables, options->verbose, out);
	interrupted_note(tables, options->verbose, out);
	cpu_notes(tables, out);
	if (hidden)
		str_append(out, TEXT_NARROW);
	if (!tables->leg_count)
		str_append(out, "No legs.\n");
	if (over)
		str_append(out, "% of Time above 100: several executions of "
				"the leg were going on at once\n"
				"(threads, nested activations).\n");
}

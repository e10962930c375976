/* legs_grid.c - see legs_grid.h */
#include "legs_grid.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cpu.h"
#include "perftool/base/alloc.h"
#include "record.h"
#include "units.h"

/* The least that is left of a name where the columns are many; where the
 * processes have some, too. */
#define LEAST_NAME 16
#define LEAST_NAME_BY_PROCESS 8

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
static __int128 most_total(const struct report_leg *leg)
{
	return (__int128)(leg->resolution * (double)leg->stats->count);
}

static bool is_total_unknown(const struct report_leg *leg)
{
	return leg->below_resolution && leg->stats->total < 0;
}

static void below_percent_cell(struct grid *grid, const struct tables *tables,
			       const struct report_leg *leg)
{
	struct str percent = {0};

	str_append(&percent, "< ");
	if (!percent_text(most_total(leg), tables->summary.elapsed, &percent)) {
		str_deinit(&percent);
		str_append(&percent, "-");
	}
	grid_take(grid, str_take(&percent));
}

static void percent_of_time(struct grid *grid, const struct tables *tables,
			    const struct report_leg *leg)
{
	if (is_total_unknown(leg))
		below_percent_cell(grid, tables, leg);
	else
		grid_take(grid, percent_cell(leg->stats->total,
					     tables->summary.elapsed));
}

/* "< 16:636", in the memo's form */
static void below_memo_time(struct grid *grid, const struct report_leg *leg)
{
	struct str time = {0};

	str_append(&time, "< ");
	report_memo_time(most_total(leg), &time);
	grid_take(grid, str_take(&time));
}

static void id_cell(struct grid *grid, const struct measure_leg *leg,
		    bool marked)
{
	grid_printf(grid, "%" PRIu32 "%s", leg->id, marked ? "*" : "");
}

static void count_cell(struct grid *grid, const struct measure_leg *leg,
		       bool marked)
{
	struct str count = {0};

	report_number(leg->count, &count);
	str_append_char(&count, marked ? '~' : ' ');
	grid_take(grid, str_take(&count));
}

/* What was ignored or lost is no process's, nor is the histogram. */
static bool is_marked(const struct measure_leg *leg,
		      const struct legs_form *form)
{
	return form->by_process ? leg->interrupted > 0
				: measure_leg_is_marked(leg);
}

static void memo_cells(struct grid *grid, const struct tables *tables,
		       const struct report_leg *leg,
		       const struct legs_form *form)
{
	const struct measure_leg *stats = leg->stats;

	if (form->by_process)
		process_cells(grid, leg, form->names);
	grid_printf(grid, "%" PRIu32, stats->spec.from);
	grid_text(grid, "->");
	grid_printf(grid, "%" PRIu32, stats->spec.to);
	count_cell(grid, stats, is_marked(stats, form));
	if (is_total_unknown(leg))
		below_memo_time(grid, leg);
	else
		grid_take(grid, memo_time_cell(stats->total));
	if (leg->below_resolution)
		below_cell(grid, leg);
	else
		grid_take(grid,
			  memo_time_cell(stats->count
						 ? stats->total / stats->count
						 : 0));
	percent_of_time(grid, tables, leg);
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
static void cpu_verbose_cells(struct grid *grid, const struct measure_leg *leg,
			      bool memo)
{
	struct measure_cpu cpu = measure_leg_cpu(leg);

	if (cpu.count && memo) {
		grid_take(grid, memo_time_cell(cpu.cpu));
		grid_take(grid, memo_time_cell(cpu.waiting));
	} else if (cpu.count) {
		grid_take(grid, duration_cell((double)cpu.cpu));
		grid_take(grid, duration_cell((double)cpu.waiting));
	} else {
		grid_text(grid, leg->count ? "" : "-");
		grid_text(grid, leg->count ? "" : "-");
	}
	grid_take(grid, number_cell(leg->cpu_unknown));
}

static void mean_cell(struct grid *grid, const struct report_leg *leg)
{
	if (leg->below_resolution)
		below_cell(grid, leg);
	else
		optional_duration(grid, leg->stats->count > 0,
				  leg->stats->mean);
}

/* What follows the memo's cells in its own table. */
static void memo_addition_cells(struct grid *grid, const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;
	bool any = stats->count > stats->interrupted;

	optional_duration(grid, any, (double)stats->min);
	mean_cell(grid, leg);
	cpu_cells(grid, leg);
	quantile_cell(grid, stats, 0.5);
	quantile_cell(grid, stats, 0.9);
	quantile_cell(grid, stats, 0.99);
	optional_duration(grid, any, (double)stats->max);
}

static void total_cell(struct grid *grid, const struct report_leg *leg)
{
	struct str text = {0};

	if (!is_total_unknown(leg)) {
		optional_duration(grid, leg->stats->count > 0,
				  (double)leg->stats->total);
		return;
	}
	str_append(&text, "< ");
	report_duration((double)most_total(leg), &text);
	grid_take(grid, str_take(&text));
}

/* All in the units that fit each figure. */
static void named_cells(struct grid *grid, const struct tables *tables,
			const struct report_leg *leg,
			const struct legs_form *form)
{
	const struct measure_leg *stats = leg->stats;
	bool any = stats->count > stats->interrupted;

	grid_text(grid, leg->name);
	if (form->by_process)
		process_cells(grid, leg, form->names);
	grid_printf(grid, "%" PRIu32 " -> %" PRIu32, stats->spec.from,
		    stats->spec.to);
	count_cell(grid, stats, is_marked(stats, form));
	total_cell(grid, leg);
	mean_cell(grid, leg);
	percent_of_time(grid, tables, leg);
	optional_duration(grid, any, (double)stats->min);
	quantile_cell(grid, stats, 0.5);
	quantile_cell(grid, stats, 0.9);
	quantile_cell(grid, stats, 0.99);
	optional_duration(grid, any, (double)stats->max);
	cpu_cells(grid, leg);
}

void legs_verbose_cells(struct grid *grid, const struct report_leg *leg,
			bool memo)
{
	const struct measure_leg *stats = leg->stats;

	quantile_cell(grid, stats, 0.999);
	optional_duration(grid, stats->count > 1, measure_leg_stddev(stats));
	cpu_verbose_cells(grid, stats, memo);
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
		.top = "Leg", .bottom = "Id", .minimum = 3, .key = true        \
	}
#define COLUMN_COUNT                                                           \
	{                                                                      \
		.top = "# of Times", .bottom = "Referenced ", .right = true,   \
		.key = true                                                    \
	}

/* `cpu': the time on a CPU is known, of some legs at least. */
static void memo_columns(struct grid *grid, bool cpu)
{
	const struct column columns[] = {
		{.top = "From", .bottom = "Node", .right = true, .key = true},
		{.bare = true, .tight = true, .minimum = 2, .key = true},
		{.top = "To",
		 .bottom = "Node",
		 .tight = true,
		 .minimum = 4,
		 .key = true},
		COLUMN_COUNT,
		{.top = "Total Time", .bottom = "sec.msec:usec", .right = true},
		{.top = "Average Time",
		 .bottom = "sec.msec:usec",
		 .right = true},
		{.top = LEGS_SHARE_TITLE,
		 .bottom = "Time",
		 .right = true,
		 .minimum = 5},
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

static void id_column(struct grid *grid)
{
	static const struct column id = COLUMN_ID;

	grid_column(grid, id);
}

static void name_column(struct grid *grid, const struct legs_form *form)
{
	const struct column name = {
		.bottom = "Name",
		.minimum = 4,
		.key = true,
		.shrinks_to =
			form->by_process ? LEAST_NAME_BY_PROCESS : LEAST_NAME};

	grid_column(grid, name);
}

/* Those behind the name; by process there is less room for them. */
static void named_columns(struct grid *grid, const struct legs_form *form,
			  bool cpu)
{
	const bool narrow = form->by_process;
	const struct column columns[] = {
		{.bottom = "Nodes", .expendable = 8, .yields = true},
		COLUMN_COUNT,
		{.top = "Total", .bottom = "Time", .right = true},
		{.top = "Average", .bottom = "Time", .right = true},
		{.top = LEGS_SHARE_TITLE,
		 .bottom = "Time",
		 .right = true,
		 .minimum = 5,
		 .expendable = 6,
		 .yields = true},
		{.bottom = "Min",
		 .right = true,
		 .expendable = 7,
		 .yields = true},
		{.bottom = "p50", .right = true, .expendable = narrow ? 3 : 0},
		{.bottom = "p90",
		 .right = true,
		 .expendable = 5,
		 .yields = true},
		{.bottom = "p99", .right = true, .expendable = narrow ? 2 : 0},
		{.bottom = "Max", .right = true},
		{.bottom = "On CPU",
		 .right = true,
		 .expendable = cpu ? 4 : 9,
		 .yields = true},
		{.bottom = "Waiting",
		 .right = true,
		 .expendable = cpu ? 4 : 9,
		 .yields = true},
	};

	add_columns(grid, columns, sizeof(columns) / sizeof(*columns));
}

void legs_columns(struct grid *grid, const struct tables *tables,
		  const struct legs_form *form)
{
	bool cpu = is_any_cpu_known(tables);

	id_column(grid);
	if (form->memo) {
		if (form->by_process)
			process_columns(grid, form->names);
		memo_columns(grid, cpu);
		return;
	}
	name_column(grid, form);
	if (form->by_process)
		process_columns(grid, form->names);
	named_columns(grid, form, cpu);
}

void legs_cells(struct grid *grid, const struct tables *tables,
		const struct report_leg *leg, const struct legs_form *form)
{
	id_cell(grid, leg->stats, leg->stats->histogram && !form->by_process);
	if (form->memo) {
		memo_cells(grid, tables, leg, form);
		memo_addition_cells(grid, leg);
	} else {
		named_cells(grid, tables, leg, form);
	}
}

void legs_key_columns(struct grid *grid)
{
	static const struct column columns[] = {COLUMN_ID,
						{.bottom = "Name",
						 .minimum = 4,
						 .shrinks_to = LEAST_NAME,
						 .expendable = 9},
						COLUMN_COUNT};

	add_columns(grid, columns, sizeof(columns) / sizeof(*columns));
}

void legs_key_cells(struct grid *grid, const struct report_leg *leg)
{
	id_cell(grid, leg->stats, leg->stats->histogram);
	grid_text(grid, leg->name);
	count_cell(grid, leg->stats, measure_leg_is_marked(leg->stats));
}

void legs_verbose_columns(struct grid *grid)
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

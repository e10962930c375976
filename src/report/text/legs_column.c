/* legs_column.c - each column of the leg table: its name, heading and cells */
#include "legs_column.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/records/records.h"

/* ---- figures as cells --------------------------------------------------- */

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

static void below_percent_cell(struct grid *grid, const struct tables *tables,
			       double bound)
{
	struct str percent = {0};

	str_append(&percent, "< ");
	if (!percent_text((__int128)bound, tables->summary.elapsed, &percent)) {
		str_deinit(&percent);
		str_append(&percent, "-");
	}
	grid_take(grid, str_take(&percent));
}

static void percent_of_time(struct grid *grid, const struct tables *tables,
			    const struct report_leg *leg)
{
	double bound;

	if (leg_total_is_bound(leg, &bound))
		below_percent_cell(grid, tables, bound);
	else
		grid_take(grid, percent_cell(leg->stats->total,
					     tables->summary.elapsed));
}

static void count_cell(struct grid *grid, const struct measure_leg *leg,
		       bool marked)
{
	struct str count = {0};

	report_number(leg->count, &count);
	str_append_char(&count, marked ? '~' : ' ');
	grid_take(grid, str_take(&count));
}

/* Ignored and lost hits are counted for the leg as a whole, so the row of a
 * process is marked only for its interrupted executions. */
static bool is_marked(const struct measure_leg *leg,
		      const struct legs_form *form)
{
	return form->by_process ? leg->interrupted > 0
				: measure_leg_is_marked(leg);
}

/*
 * Add the mean of a part of the leg's time: the time on a CPU, or the time of
 * waiting. If the mean is below the resolution, the cell is only the upper
 * bound "< RESOLUTION", because the true figure may be anything up to the
 * resolution. If the resolution is 0, the tool has not subtracted its own cost
 * from the time, so the mean is at least 0 and needs no bound.
 */
static void bounded_cell(struct grid *grid, const struct report_leg *leg,
			 __int128 total, uint64_t count)
{
	double mean = (double)total / (double)count;

	if (total && leg->resolution > 0 && mean < leg->resolution)
		grid_take(grid, below_cell(leg->resolution));
	else
		grid_take(grid, duration_cell(mean < 0 ? 0 : mean));
}

static void total_cell(struct grid *grid, const struct report_leg *leg)
{
	double bound;

	if (leg_total_is_bound(leg, &bound))
		grid_take(grid, below_cell(bound));
	else
		optional_duration(grid, leg->stats->count > 0,
				  (double)leg->stats->total);
}

/* ---- columns ------------------------------------------------------------ */

/* In all columns but the memo's, each time has the unit that suits it. */

static void put_id(struct grid *grid, const struct legs_form *form,
		   const struct report_leg *leg)
{
	bool marked = leg->stats->histogram && !form->by_process;

	grid_printf(grid, "%" PRIu32 "%s", leg->stats->id, marked ? "*" : "");
}

static void put_name(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg)
{
	(void)form;
	grid_text(grid, leg->name);
}

static void put_pid(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	process_pid_cell(grid, leg);
}

static void put_process(struct grid *grid, const struct legs_form *form,
			const struct report_leg *leg)
{
	process_name_cell(grid, leg, form->names);
}

static void put_nodes(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	(void)form;
	grid_printf(grid, "%" PRIu32 " -> %" PRIu32, leg->stats->spec.from,
		    leg->stats->spec.to);
}

static void put_from(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg)
{
	(void)form;
	grid_printf(grid, "%" PRIu32, leg->stats->spec.from);
}

static void put_arrow(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	(void)form;
	(void)leg;
	grid_text(grid, "->");
}

static void put_to(struct grid *grid, const struct legs_form *form,
		   const struct report_leg *leg)
{
	(void)form;
	grid_printf(grid, "%" PRIu32, leg->stats->spec.to);
}

static void put_from_place(struct grid *grid, const struct legs_form *form,
			   const struct report_leg *leg)
{
	(void)form;
	grid_text(grid, leg->from_place ? leg->from_place : "-");
}

static void put_to_place(struct grid *grid, const struct legs_form *form,
			 const struct report_leg *leg)
{
	(void)form;
	grid_text(grid, leg->to_place ? leg->to_place : "-");
}

static void put_count(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	count_cell(grid, leg->stats, is_marked(leg->stats, form));
}

static void put_total(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	(void)form;
	total_cell(grid, leg);
}

static void put_mean(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg)
{
	(void)form;
	if (leg->below_resolution)
		grid_take(grid, below_cell(leg->resolution));
	else
		optional_duration(grid, leg->stats->count > 0,
				  leg->stats->mean);
}

static void put_memo_total(struct grid *grid, const struct legs_form *form,
			   const struct report_leg *leg)
{
	double bound;

	(void)form;
	if (leg_total_is_bound(leg, &bound))
		grid_take(grid, memo_below_cell(bound));
	else
		grid_take(grid, memo_time_cell(leg->stats->total));
}

static void put_memo_average(struct grid *grid, const struct legs_form *form,
			     const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	(void)form;
	if (leg->below_resolution)
		grid_take(grid, memo_below_cell(leg->resolution));
	else
		grid_take(grid,
			  memo_time_cell(stats->count
						 ? stats->total / stats->count
						 : 0));
}

static void put_percent(struct grid *grid, const struct legs_form *form,
			const struct report_leg *leg)
{
	percent_of_time(grid, form->tables, leg);
}

/* Does the leg have an execution that was not interrupted? */
static bool has_any(const struct measure_leg *leg)
{
	return leg->count > leg->interrupted;
}

static void put_min(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	optional_duration(grid, has_any(leg->stats), (double)leg->stats->min);
}

static void put_max(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	optional_duration(grid, has_any(leg->stats), (double)leg->stats->max);
}

static void put_p50(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	quantile_cell(grid, leg->stats, 0.5);
}

static void put_p90(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	quantile_cell(grid, leg->stats, 0.9);
}

static void put_p99(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	(void)form;
	quantile_cell(grid, leg->stats, 0.99);
}

static void put_p999(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg)
{
	(void)form;
	quantile_cell(grid, leg->stats, 0.999);
}

static void put_stddev(struct grid *grid, const struct legs_form *form,
		       const struct report_leg *leg)
{
	(void)form;
	optional_duration(grid, leg->stats->count > 1,
			  measure_leg_stddev(leg->stats));
}

/* Does the tool know the time on a CPU of any execution? If not, add the cell:
 * an empty cell, or "-" if the leg has no executions. */
static bool is_cpu_known(struct grid *grid, const struct measure_leg *leg,
			 const struct measure_cpu *cpu)
{
	if (!cpu->count)
		grid_text(grid, leg->count ? "" : "-");
	return cpu->count > 0;
}

static void put_cpu_mean(struct grid *grid, const struct legs_form *form,
			 const struct report_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	(void)form;
	if (is_cpu_known(grid, leg->stats, &cpu))
		bounded_cell(grid, leg, cpu.cpu, cpu.count);
}

static void put_waiting_mean(struct grid *grid, const struct legs_form *form,
			     const struct report_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	(void)form;
	if (is_cpu_known(grid, leg->stats, &cpu))
		bounded_cell(grid, leg, cpu.waiting, cpu.count);
}

static void put_cpu(struct grid *grid, const struct legs_form *form,
		    const struct report_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	(void)form;
	if (is_cpu_known(grid, leg->stats, &cpu))
		grid_take(grid, duration_cell((double)cpu.cpu));
}

static void put_waiting(struct grid *grid, const struct legs_form *form,
			const struct report_leg *leg)
{
	struct measure_cpu cpu = measure_leg_cpu(leg->stats);

	(void)form;
	if (is_cpu_known(grid, leg->stats, &cpu))
		grid_take(grid, duration_cell((double)cpu.waiting));
}

static void put_owner(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	(void)form;
	if (leg->key_text)
		grid_printf(grid, "key=%s", leg->key_text);
	else
		grid_text(grid, owner_names[leg->stats->spec.owner]);
}

static void put_match(struct grid *grid, const struct legs_form *form,
		      const struct report_leg *leg)
{
	(void)form;
	grid_text(grid, match_names[leg->stats->spec.match]);
}

static void put_cpu_unknown(struct grid *grid, const struct legs_form *form,
			    const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->cpu_unknown));
}

static void put_interrupted(struct grid *grid, const struct legs_form *form,
			    const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->interrupted));
}

static void put_from_hits(struct grid *grid, const struct legs_form *form,
			  const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->from_hits));
}

static void put_ignored_from(struct grid *grid, const struct legs_form *form,
			     const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->ignored_from));
}

static void put_unwound(struct grid *grid, const struct legs_form *form,
			const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->unwound));
}

static void put_discarded(struct grid *grid, const struct legs_form *form,
			  const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->discarded));
}

static void put_open(struct grid *grid, const struct legs_form *form,
		     const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->open));
}

static void put_to_hits(struct grid *grid, const struct legs_form *form,
			const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->to_hits));
}

static void put_ignored_to(struct grid *grid, const struct legs_form *form,
			   const struct report_leg *leg)
{
	(void)form;
	grid_take(grid, number_cell(leg->stats->ignored_to));
}

#define COLUMN_ID                                                              \
	{                                                                      \
		.name = "id",                                                  \
		.column = {.top = "Leg",                                       \
			   .bottom = "Id",                                     \
			   .minimum = 3,                                       \
			   .key = true},                                       \
		.cell = put_id, .identifies = true                             \
	}
#define COLUMN_COUNT                                                           \
	{                                                                      \
		.name = "count",                                               \
		.column = {.top = "# of Times",                                \
			   .bottom = "Referenced ",                            \
			   .right = true,                                      \
			   .key = true},                                       \
		.cell = put_count                                              \
	}

/* The columns that the table has by default. */
static const struct leg_column plain[] = {
	COLUMN_ID,
	{.name = "name",
	 .column = {.bottom = "Name",
		    .minimum = 4,
		    .key = true,
		    .shrinks_to = LEAST_NAME},
	 .cell = put_name,
	 .identifies = true},
	{.name = "nodes",
	 .column = {.bottom = "Nodes", .expendable = 8, .yields = true},
	 .cell = put_nodes,
	 .identifies = true},
	COLUMN_COUNT,
	{.name = "total",
	 .column = {.top = "Total", .bottom = "Time", .right = true},
	 .cell = put_total},
	{.name = "mean",
	 .column = {.top = "Average", .bottom = "Time", .right = true},
	 .cell = put_mean},
	{.name = "percent",
	 .column = {.top = LEGS_SHARE_TITLE,
		    .bottom = "Time",
		    .right = true,
		    .minimum = 5,
		    .expendable = 6,
		    .yields = true},
	 .cell = put_percent},
	{.name = "min",
	 .column = {.bottom = "Min",
		    .right = true,
		    .expendable = 7,
		    .yields = true},
	 .cell = put_min},
	{.name = "p50",
	 .column = {.bottom = "p50", .right = true},
	 .cell = put_p50,
	 .by_process = 3},
	{.name = "p90",
	 .column = {.bottom = "p90",
		    .right = true,
		    .expendable = 5,
		    .yields = true},
	 .cell = put_p90},
	{.name = "p99",
	 .column = {.bottom = "p99", .right = true},
	 .cell = put_p99,
	 .by_process = 2},
	{.name = "max",
	 .column = {.bottom = "Max", .right = true},
	 .cell = put_max},
	{.name = "cpu_mean",
	 .column = {.bottom = "On CPU",
		    .right = true,
		    .expendable = 4,
		    .yields = true},
	 .cell = put_cpu_mean,
	 .unknown = 9},
	{.name = "waiting_mean",
	 .column = {.bottom = "Waiting",
		    .right = true,
		    .expendable = 4,
		    .yields = true},
	 .cell = put_waiting_mean,
	 .unknown = 9},
};

/* Columns that `print legs -v' adds. */
static const struct leg_column verbose[] = {
	{.name = "p999",
	 .column = {.bottom = "p99.9", .right = true},
	 .cell = put_p999},
	{.name = "stddev",
	 .column = {.top = "Std.", .bottom = "Dev.", .right = true},
	 .cell = put_stddev},
	{.name = "cpu",
	 .column = {.top = "Total", .bottom = "on CPU", .right = true},
	 .cell = put_cpu},
	{.name = "waiting",
	 .column = {.top = "Total", .bottom = "Waiting", .right = true},
	 .cell = put_waiting},
	{.name = "cpu_unknown",
	 .column = {.top = "CPU", .bottom = "Unknown", .right = true},
	 .cell = put_cpu_unknown},
	{.name = "owner",
	 .column = {.bottom = "Owner", .shrinks_to = LEAST_KEY},
	 .cell = put_owner},
	{.name = "match", .column = {.bottom = "Match"}, .cell = put_match},
	{.name = "interrupted",
	 .column = {.top = "Inter-", .bottom = "rupted", .right = true},
	 .cell = put_interrupted},
	{.name = "from_hits",
	 .column = {.top = "From", .bottom = "Hits", .right = true},
	 .cell = put_from_hits},
	{.name = "ignored_from",
	 .column = {.top = "Ignored", .bottom = "From", .right = true},
	 .cell = put_ignored_from},
	{.name = "unwound",
	 .column = {.bottom = "Unwound", .right = true},
	 .cell = put_unwound},
	{.name = "discarded",
	 .column = {.bottom = "Discarded", .right = true},
	 .cell = put_discarded},
	{.name = "open",
	 .column = {.bottom = "Open", .right = true},
	 .cell = put_open},
	{.name = "to_hits",
	 .column = {.top = "To", .bottom = "Hits", .right = true},
	 .cell = put_to_hits},
	{.name = "ignored_to",
	 .column = {.top = "Ignored", .bottom = "To", .right = true},
	 .cell = put_ignored_to},
};

/* Columns that a table has only if the user names them. */
static const struct leg_column further[] = {
	{.name = "from",
	 .column = {.top = "From", .bottom = "Node", .right = true},
	 .cell = put_from,
	 .identifies = true},
	{.name = "to",
	 .column = {.top = "To", .bottom = "Node", .right = true},
	 .cell = put_to,
	 .identifies = true},
	{.name = "from_place",
	 .column = {.bottom = "From", .shrinks_to = LEAST_NAME},
	 .cell = put_from_place,
	 .identifies = true},
	{.name = "to_place",
	 .column = {.bottom = "To", .shrinks_to = LEAST_NAME},
	 .cell = put_to_place,
	 .identifies = true},
};

/* The columns of the memo's table, with exactly the memo's headings. */
static const struct leg_column memo[] = {
	COLUMN_ID,
	{.name = "nodes",
	 .column =
		 {.top = "From", .bottom = "Node", .right = true, .key = true},
	 .cell = put_from,
	 .identifies = true},
	{.column = {.bare = true, .tight = true, .minimum = 2, .key = true},
	 .cell = put_arrow,
	 .identifies = true},
	{.column = {.top = "To",
		    .bottom = "Node",
		    .tight = true,
		    .minimum = 4,
		    .key = true},
	 .cell = put_to,
	 .identifies = true},
	COLUMN_COUNT,
	{.name = "total",
	 .column = {.top = "Total Time",
		    .bottom = "sec.msec:usec",
		    .right = true},
	 .cell = put_memo_total},
	{.column = {.top = "Average Time",
		    .bottom = "sec.msec:usec",
		    .right = true},
	 .cell = put_memo_average},
	{.name = "percent",
	 .column = {.top = LEGS_SHARE_TITLE,
		    .bottom = "Time",
		    .right = true,
		    .minimum = 5},
	 .cell = put_percent},
};

/* The process to which the share of a row belongs. */
const struct leg_column leg_column_pid = {
	.column = PROCESS_COLUMN_PID, .cell = put_pid, .identifies = true};
const struct leg_column leg_column_rank = {
	.column = PROCESS_COLUMN_RANK, .cell = put_pid, .identifies = true};
const struct leg_column leg_column_process = {
	.column = PROCESS_COLUMN_NAME, .cell = put_process, .identifies = true};

#define SET(columns)                                                           \
	{                                                                      \
		columns, sizeof(columns) / sizeof(*(columns))                  \
	}

const struct leg_column_set leg_columns_plain = SET(plain);
const struct leg_column_set leg_columns_verbose = SET(verbose);
const struct leg_column_set leg_columns_further = SET(further);
const struct leg_column_set leg_columns_memo = SET(memo);

/*
 * distribution.c - one line for each timed function, which shows how its times
 * are distributed
 *
 * `time' gives every leg an hdr histogram, and a pattern can make hundreds of
 * legs. The picture of each histogram would take about 40 lines, for which the
 * user did not ask. So the table has seven figures and a spark line instead.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "grid.h"
#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "spark.h"
#include "text.h"

#define MOST_LEGS 10
#define SPARK_WIDTH 12

/* The least width to which a name may be cut. If all names are cut to this
 * width, and each figure has six characters, the table fits into 80 columns. */
#define LEAST_NAME 10

/* Does the leg have a histogram that `time' made, with values in it? */
static bool has_line(const struct report_leg *leg)
{
	const struct measure_leg *stats = leg->stats;

	return stats->histogram &&
	       histogram_spec(stats->histogram)->is_implied &&
	       histogram_references(stats->histogram);
}

/* ---- which legs --------------------------------------------------------- */

static int longer_first(const void *a, const void *b)
{
	const struct report_leg *const *x = a, *const *y = b;
	__int128 left = (*x)->stats->total, right = (*y)->stats->total;

	if (left != right)
		return left > right ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* The legs are elements of one array, so their addresses are in its order. */
static int as_in_table(const void *a, const void *b)
{
	const struct report_leg *const *x = a, *const *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Choose the legs with the largest total times, and put them in the order of
 * the leg table. `legs` has room for all legs of the tables. `*all` becomes the
 * number of legs that could have a line. Returns the number of chosen legs. */
static size_t choose_legs(const struct tables *tables,
			  const struct report_leg **legs, size_t *all)
{
	size_t count = 0;

	for (size_t i = 0; i < tables->leg_count; i++)
		if (has_line(&tables->legs[i]))
			legs[count++] = &tables->legs[i];
	*all = count;
	if (count <= MOST_LEGS)
		return count;
	qsort(legs, count, sizeof(*legs), longer_first);
	qsort(legs, MOST_LEGS, sizeof(*legs), as_in_table);
	return MOST_LEGS;
}

/* ---- the table ---------------------------------------------------------- */

static const double quantiles[] = {0.1, 0.5, 0.9, 0.99, 0.999};
enum { QUANTILES = sizeof(quantiles) / sizeof(*quantiles) };

/* On a narrow terminal, columns of figures are left out before a leg's name is
 * cut, because two names can become the same when they are cut. The order is
 * p10, p99.9, p90, Min. */
static void add_columns(struct grid *grid)
{
	static const struct column columns[] = {
		{.bottom = "Leg", .minimum = 3, .key = true},
		{.bottom = "Name",
		 .minimum = 4,
		 .key = true,
		 .shrinks_to = LEAST_NAME},
		{.bottom = "Min",
		 .right = true,
		 .expendable = 3,
		 .yields = true},
		{.bottom = "p10",
		 .right = true,
		 .tight = true,
		 .expendable = 6,
		 .yields = true},
		{.bottom = "p50", .right = true, .tight = true, .key = true},
		{.bottom = "p90",
		 .right = true,
		 .tight = true,
		 .expendable = 4,
		 .yields = true},
		{.bottom = "p99",
		 .right = true,
		 .tight = true,
		 .expendable = 1},
		{.bottom = "p99.9",
		 .right = true,
		 .tight = true,
		 .expendable = 5,
		 .yields = true},
		{.bottom = "Max", .right = true, .tight = true},
		{.bottom = "Min .. Max",
		 .minimum = SPARK_WIDTH,
		 .expendable = 2,
		 .color = "\033[36m"},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		grid_column(grid, columns[i]);
}

static void add_row(struct grid *grid, const struct report_leg *leg, bool ascii)
{
	const struct measure_leg *stats = leg->stats;
	double figures[QUANTILES] = {0};

	for (size_t i = 0; i < QUANTILES; i++)
		measure_leg_quantile(stats, quantiles[i], &figures[i]);
	grid_printf(grid, "%" PRIu32, stats->id);
	grid_text(grid, leg->name);
	grid_take(grid, duration_cell((double)stats->min));
	for (size_t i = 0; i < QUANTILES; i++)
		grid_take(grid, duration_cell(figures[i]));
	grid_take(grid, duration_cell((double)stats->max));
	grid_take(grid, spark_cell(stats->histogram, SPARK_WIDTH, ascii));
}

static void notes(const struct tables *tables, const struct grid *grid,
		  size_t more, struct str *out)
{
	const struct column *spark =
		&grid->columns.data[grid->columns.count - 1];

	if (more) {
		report_number((__int128)more, out);
		str_append(out, more == 1 ? " leg that took less time is left "
					    "out here.\n"
					  : " legs that took less time are "
					    "left out here.\n");
	}
	if (!spark->hidden)
		str_append(out, tables->is_sum ? "On a log scale.\n"
					       : "On a log scale; ");
	if (!tables->is_sum)
		str_append(out, "`print histogram leg N' draws it in full.\n");
}

bool text_distribution(const struct tables *tables,
		       const struct report_options *options, struct str *out)
{
	const struct report_leg **legs =
		xcalloc(tables->leg_count + 1, sizeof(*legs));
	struct grid grid = {0};
	bool hidden = false;
	size_t count, all;

	count = choose_legs(tables, legs, &all);
	if (count) {
		if (out->length)
			str_append_char(out, '\n');
		text_title("Distribution of Times", options->color, out);
		add_columns(&grid);
		for (size_t i = 0; i < count; i++)
			add_row(&grid, legs[i], options->ascii);
		hidden = grid_yield(&grid, options->columns);
		hidden |= grid_fit(&grid, options->columns);
		grid_print(&grid, options->color, out);
		notes(tables, &grid, all - count, out);
	}
	grid_deinit(&grid);
	free(legs);
	return hidden;
}

/*
 * tables_comparison.c - the legs of two files, matched by name, and their
 * figures, run by run where there are runs
 */
#include <math.h>
#include <stdlib.h>

#include "compared_tables.h"
#include "perftool/base/alloc.h"

/* The same files give the same intervals. */
#define SEED 20261126

/* A leg in one file: in the figures over all runs, and in each run. */
struct side {
	const struct compared_tables *tables;
	const struct compared_leg *leg;
};

VEC_STRUCT(values, double);

/* Returns a figure of a leg; NULL: the run has not the leg. NAN: the figure is
 * not known. */
static double figure_of(const struct compared_leg *leg,
			enum compare_figure figure)
{
	bool is_sum = figure == FIGURE_COUNT || figure == FIGURE_TOTAL;

	if (!leg)
		return is_sum ? 0 : NAN;
	switch (figure) {
	case FIGURE_COUNT:
		return (double)leg->count;
	case FIGURE_TOTAL:
		return leg->total;
	case FIGURE_MEAN:
		return leg->mean;
	case FIGURE_P50:
		return leg->p50;
	case FIGURE_P99:
		return leg->p99;
	case FIGURES:
		break;
	}
	return NAN;
}

static void run_values(const struct side *side, enum compare_figure figure,
		       struct values *out)
{
	for (size_t i = 0; i < side->tables->runs.count; i++) {
		const struct compared_leg *leg =
			compared_find(side->tables->runs.data[i],
				      side->leg->name, side->leg->nth);
		double value = figure_of(leg, figure);

		if (!isnan(value))
			vec_push(out, value);
	}
}

/* How finely a percentile is known: to a bucket, and to a tick of the clock. */
static double grain_of(const struct side *before, const struct side *after,
		       enum compare_figure figure, double value)
{
	double before_tick = before->tables->head->clock_resolution;
	double after_tick = after->tables->head->clock_resolution;
	double bucket = value / 128, tick = 0;

	if (figure != FIGURE_P50 && figure != FIGURE_P99)
		return 0;
	tick = before_tick > tick ? before_tick : tick;
	tick = after_tick > tick ? after_tick : tick;
	return bucket > tick ? bucket : tick;
}

static void compare_by_runs(const struct side *before, const struct side *after,
			    struct random *random, struct leg_comparison *out)
{
	out->basis = BASIS_RUNS;
	out->drawn_before = before->tables->runs.count;
	out->drawn_after = after->tables->runs.count;
	for (unsigned i = 0; i < FIGURES; i++) {
		struct values a = {0}, b = {0};
		double grain;

		run_values(before, i, &a);
		run_values(after, i, &b);
		grain = grain_of(before, after, i,
				 compare_median(a.data, a.count));
		out->figures[i] = compare_runs(a.data, a.count, b.data, b.count,
					       grain, random);
		vec_free(&a);
		vec_free(&b);
	}
}

/* ---- of one run each ----------------------------------------------------- */

static struct compare_values values_of(const struct side *side,
				       struct compare_value_list *list)
{
	struct compare_values out = {0};

	if (side->leg->has_buckets)
		out.total = buckets_unpack(&side->tables->bytes,
					   side->leg->buckets, list);
	out.data = list->data;
	out.count = list->count;
	return out;
}

static size_t runs_with(const struct side *side)
{
	size_t count = 0;

	for (size_t i = 0; i < side->tables->runs.count; i++)
		count += compared_find(side->tables->runs.data[i],
				       side->leg->name, side->leg->nth) != NULL;
	return count;
}

/* A count or a total of the leg, on average over the runs of its file. */
static double of_one_run(const struct side *side, double sum)
{
	size_t runs = runs_with(side);

	return sum / (double)(runs ? runs : 1);
}

static struct compare_sum sum_of(const struct side *side)
{
	return (struct compare_sum){of_one_run(side, (double)side->leg->count),
				    of_one_run(side, side->leg->total)};
}

static void compare_by_executions(const struct side *before,
				  const struct side *after,
				  struct random *random,
				  struct leg_comparison *out)
{
	struct compare_value_list a_list = {0}, b_list = {0};
	struct compare_values a = values_of(before, &a_list);
	struct compare_values b = values_of(after, &b_list);
	static const double parts[FIGURES] = {
		[FIGURE_P50] = 0.5, [FIGURE_P99] = 0.99};
	double resolution = before->leg->resolution + after->leg->resolution;

	out->drawn_before = a.total;
	out->drawn_after = b.total;
	out->basis = a.total && b.total ? BASIS_EXECUTIONS : BASIS_NONE;
	for (unsigned i = 0; i < FIGURES; i++) {
		bool is_count = i == FIGURE_COUNT;
		double x = figure_of(before->leg, i);
		double y = figure_of(after->leg, i);
		double grain = grain_of(before, after, i, x) + resolution;

		if (is_count) {
			x = of_one_run(before, x);
			y = of_one_run(after, y);
		}
		out->figures[i] = (struct estimate){.before = x, .after = y};
		if (is_count && x == y)
			out->figures[i].verdict = VERDICT_SAME;
		if (i == FIGURE_MEAN)
			out->figures[i] =
				compare_means(&a, x, &b, y, grain, random);
		else if (parts[i] > 0)
			out->figures[i] = compare_quantiles(
				&a, x, &b, y, parts[i], grain, random);
	}
	out->figures[FIGURE_TOTAL] = estimate_of_sums(
		&out->figures[FIGURE_MEAN], sum_of(before), sum_of(after));
	vec_free(&a_list);
	vec_free(&b_list);
}

/* ---- all legs ------------------------------------------------------------ */

static void compare_leg(const struct comparison *comparison,
			const struct leg_pair *pair, size_t resamples,
			struct leg_comparison *out)
{
	const struct compared_tables *tables = comparison->tables_before;
	const struct side before = {tables, &tables->legs.data[pair->before]};
	const struct side after = {
		comparison->tables_after,
		&comparison->tables_after->legs.data[pair->after]};
	struct random random;

	*out = (struct leg_comparison){
		.name = compared_name(tables, before.leg),
		.nth = before.leg->nth};
	/* each leg by itself, so that a leg has the same interval whichever
	 * others are compared */
	random_seed(&random, SEED);
	random.resamples = resamples;
	if (runs_with(&before) >= 2 && runs_with(&after) >= 2)
		compare_by_runs(&before, &after, &random, out);
	else
		compare_by_executions(&before, &after, &random, out);
}

static struct compared_file file_of(const struct compared_tables *tables)
{
	const struct saved_tables *head = tables->head;

	return (struct compared_file){.path = head->path,
				      .program = head->program,
				      .version = head->version,
				      .host = head->host,
				      .at = head->at,
				      .runs = tables->runs.count,
				      .failed_runs = head->failed_runs,
				      .merged_files = head->merged_files};
}

void saved_compare(const struct compared_tables *before,
		   const struct compared_tables *after, struct comparison *out)
{
	struct comparison comparison = {.before = file_of(before),
					.after = file_of(after),
					.compare = compare_leg,
					.tables_before = before,
					.tables_after = after};

	for (size_t i = 0; i < before->legs.count; i++) {
		const struct compared_leg *leg = &before->legs.data[i];
		const struct compared_leg *other =
			compared_find(after, leg->name, leg->nth);
		struct leg_pair pair = {.before = (uint32_t)i};

		if (other) {
			pair.after = (uint32_t)(other - after->legs.data);
			vec_push(&comparison.legs, pair);
		} else {
			vec_push(&comparison.only_before,
				 compared_name(before, leg));
		}
	}
	for (size_t i = 0; i < after->legs.count; i++) {
		const struct compared_leg *leg = &after->legs.data[i];

		if (!compared_find(before, leg->name, leg->nth))
			vec_push(&comparison.only_after,
				 compared_name(after, leg));
	}
	*out = comparison;
}

void saved_spread(const struct compared_tables *tables,
		  struct leg_spread_list *out)
{
	for (size_t i = 0; i < tables->legs.count; i++) {
		const struct side side = {tables, &tables->legs.data[i]};
		struct leg_spread leg = {
			.name = compared_name(tables, side.leg)};

		for (unsigned j = 0; j < FIGURES; j++) {
			struct values values = {0};

			run_values(&side, j, &values);
			leg.figures[j] =
				compare_spread(values.data, values.count);
			vec_free(&values);
		}
		vec_push(out, leg);
	}
}

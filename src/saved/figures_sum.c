/* figures_sum.c - adds up executions of a leg, or of a process in a leg */
#include <math.h>
#include <string.h>

#include "perftool/measure/measured_legs.h"
#include "sum_state.h"

void sum_figures_init(struct sum_figures *figures)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR,
					   .is_implied = true};

	error_destroy(histogram_create(&hdr, true, &figures->stats.record));
	figures->stats.histogram = figures->stats.record;
}

void sum_figures_deinit(struct sum_figures *figures)
{
	histogram_destroy(figures->stats.record);
}

void sum_figures_copy(struct sum_figures *into, const struct sum_figures *from)
{
	struct histogram *record = into->stats.record;

	*into = *from;
	histogram_zero(record);
	histogram_merge(record, from->stats.record);
	into->stats.record = into->stats.histogram = record;
	into->stats.split = NULL;
}

/* ---- adding -------------------------------------------------------------- */

/* Adds executions to the mean and to the sum of squared differences from it:
 * the formula of Chan, Golub and LeVeque for two parts. */
static void add_moments(struct measure_leg *into, const struct saved_leg *from)
{
	double count = (double)from->count;
	double mean = (double)from->total / count;
	double before = (double)into->count, all = before + count;
	double delta = mean - into->mean;

	if (!from->count)
		return;
	into->mean += delta * count / all;
	into->m2 += delta * delta * before * count / all;
	if (!isnan(from->stddev))
		into->m2 += from->stddev * from->stddev * (count - 1);
}

static int64_t as_ns(double number)
{
	return number >= 0x1p62    ? INT64_MAX / 2
	       : number <= -0x1p62 ? INT64_MIN / 2
				   : (int64_t)number;
}

static void add_range(struct measure_leg *into, const struct saved_leg *from)
{
	bool is_first = into->count <= into->interrupted;

	if (isnan(from->min) || isnan(from->max))
		return;
	if (is_first || as_ns(from->min) < into->min)
		into->min = as_ns(from->min);
	if (is_first || as_ns(from->max) > into->max)
		into->max = as_ns(from->max);
}

static void add_cpu(struct measure_leg *into, const struct saved_leg *from)
{
	uint64_t known =
		from->cpu_count < from->count ? from->cpu_count : from->count;
	double both = from->cpu_mean + from->waiting_mean;

	if (from->has_cpu) {
		into->waiting += from->total - from->cpu;
		return;
	}
	into->cpu_unknown += from->count - known;
	if (known && isfinite(both)) {
		into->waiting += (__int128)(from->waiting_mean * (double)known);
		into->cpu_unknown_total +=
			from->total - (__int128)(both * (double)known);
	} else {
		into->cpu_unknown_total += from->total;
	}
}

static void add_buckets(struct measure_leg *into, const struct saved_leg *from)
{
	for (size_t i = 0; i < from->buckets.count; i++) {
		const struct saved_bucket *bucket = &from->buckets.data[i];

		histogram_add_many(into->record,
				   bucket->from < 0 ? 0 : as_ns(bucket->from),
				   bucket->count);
	}
	histogram_add_to_sum(into->record, (int64_t)from->total);
}

static void add_counted(struct sum_figures *into, const char *text)
{
	if (!text)
		return;
	into->by_program |= strstr(text, "program") != NULL;
	into->by_ring |= strstr(text, "ring") != NULL;
	into->by_tool |= strstr(text, "tool") != NULL;
}

void sum_figures_add_hits(struct measure_leg *stats)
{
	stats->from_hits = stats->count + stats->ignored_from + stats->unwound +
			   stats->discarded + stats->open;
	stats->to_hits = stats->count + stats->ignored_to;
}

void sum_figures_add(struct sum_figures *into, const struct saved_leg *from)
{
	struct measure_leg *stats = &into->stats;

	add_range(stats, from);
	add_moments(stats, from);
	add_cpu(stats, from);
	add_buckets(stats, from);
	add_counted(into, from->counted);
	into->resolution += from->resolution * (double)from->count;
	if (!isnan(from->total_bound))
		into->total_bound += from->total_bound;
	else if (from->count)
		into->has_known_total = true;
	stats->count += from->count;
	stats->interrupted += from->interrupted;
	stats->ignored_from += from->ignored_from;
	stats->ignored_to += from->ignored_to;
	stats->unwound += from->unwound;
	stats->discarded += from->discarded;
	stats->open += from->open;
	stats->total += from->total;
	sum_figures_add_hits(stats);
}

/* ---- finishing ----------------------------------------------------------- */

/* Tells the report layer what the executions were counted from. It knows this
 * by how many of them each mechanism has counted, which is not in the file. */
static void set_mechanisms(struct sum_figures *figures)
{
	struct measure_leg *stats = &figures->stats;
	uint64_t ring = figures->by_ring && stats->count > figures->by_program;
	uint64_t tool =
		figures->by_tool && stats->count > figures->by_program + ring;

	if (figures->by_tool && !figures->by_program && !figures->by_ring)
		tool = stats->count;
	else if (figures->by_program)
		stats->matched_by_threads = stats->count - ring - tool;
	stats->by_mechanisms[1U << HIT_INT3] = tool;
	stats->by_mechanisms[1U << HIT_FAST] = stats->count - tool;
}

void sum_figures_finish(struct sum_figures *figures, struct report_leg *row)
{
	const struct measure_leg *stats = &figures->stats;

	set_mechanisms(figures);
	row->stats = stats;
	row->resolution =
		stats->count ? figures->resolution / (double)stats->count : 0;
	row->below_resolution = stats->count && row->resolution > 0 &&
				stats->mean < row->resolution;
	row->has_total_bound = stats->count && !figures->has_known_total;
	row->total_bound = figures->total_bound;
}

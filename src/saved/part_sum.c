/*
 * part_sum.c - what parts of a sum have of each leg, in few bytes
 *
 * Ten thousand ranks with a hundred legs each are a million of these. As struct
 * sum_figures with its histogram each takes kilobytes; packed it takes a
 * hundred bytes, most of them for its buckets. It is unpacked when tables are
 * added to it, and when its row is written.
 */
#include <stdlib.h>
#include <string.h>

#include "packed_numbers.h"
#include "perftool/base/alloc.h"
#include "perftool/histogram.h"
#include "sum_state.h"

/* ---- packing ------------------------------------------------------------- */

/* The counts of a leg, of which `count` is the first. */
static void list_counts(struct measure_leg *leg, uint64_t *counts[8])
{
	uint64_t *const all[] = {&leg->count,        &leg->interrupted,
				 &leg->ignored_from, &leg->ignored_to,
				 &leg->unwound,      &leg->discarded,
				 &leg->open,         &leg->cpu_unknown};

	memcpy(counts, all, sizeof(all));
}

enum { BY_PROGRAM = 1, BY_RING = 2, BY_TOOL = 4, KNOWN_TOTAL = 8 };

/* The values are integers that are not below 0, and so is the lower bound of
 * each bucket. */
static void pack_buckets(struct packed_bytes *bytes,
			 const struct histogram *record)
{
	struct bucket bucket;
	size_t cursor = 0, count = 0;
	uint64_t before = 0;

	while (histogram_next(record, &cursor, &bucket))
		count++;
	put_number(bytes, count);
	cursor = 0;
	while (histogram_next(record, &cursor, &bucket)) {
		put_number(bytes, (uint64_t)bucket.from - before);
		put_number(bytes, bucket.count);
		before = (uint64_t)bucket.from;
	}
}

static uint8_t *pack(struct sum_figures *figures)
{
	struct measure_leg *stats = &figures->stats;
	struct packed_bytes bytes = {0};
	uint64_t *counts[8];
	uint8_t *packed;

	list_counts(stats, counts);
	for (size_t i = 0; i < 8; i++)
		put_number(&bytes, *counts[i]);
	put_number(&bytes,
		   (figures->by_program ? BY_PROGRAM : 0U) |
			   (figures->by_ring ? BY_RING : 0U) |
			   (figures->by_tool ? BY_TOOL : 0U) |
			   (figures->has_known_total ? KNOWN_TOTAL : 0U));
	put_integer(&bytes, stats->total);
	put_integer(&bytes, stats->min);
	put_integer(&bytes, stats->max);
	put_integer(&bytes, stats->cpu_unknown_total);
	put_integer(&bytes, stats->waiting);
	put_integer(&bytes, histogram_sum(stats->record));
	put_double(&bytes, stats->mean);
	put_double(&bytes, stats->m2);
	put_double(&bytes, figures->resolution);
	put_double(&bytes, figures->total_bound);
	pack_buckets(&bytes, stats->record);
	/* the list has more room than it needs */
	packed = xmalloc(bytes.count);
	memcpy(packed, bytes.data, bytes.count);
	vec_free(&bytes);
	return packed;
}

static void unpack_buckets(const uint8_t *packed, size_t *at,
			   struct histogram *record)
{
	uint64_t count = take_number(packed, at), from = 0;

	for (; count; count--) {
		from += take_number(packed, at);
		histogram_add_many(record, (int64_t)from,
				   take_number(packed, at));
	}
}

/* Lets figures that were made have nothing. They keep their histogram. */
static void clear(struct sum_figures *figures)
{
	struct histogram *record = figures->stats.record;

	histogram_zero(record);
	*figures = (struct sum_figures){0};
	figures->stats.record = figures->stats.histogram = record;
}

static void unpack(const uint8_t *packed, struct sum_figures *out)
{
	struct measure_leg *stats = &out->stats;
	uint64_t *counts[8], flags;
	size_t at = 0;

	clear(out);
	list_counts(stats, counts);
	for (size_t i = 0; i < 8; i++)
		*counts[i] = take_number(packed, &at);
	flags = take_number(packed, &at);
	out->by_program = flags & BY_PROGRAM;
	out->by_ring = flags & BY_RING;
	out->by_tool = flags & BY_TOOL;
	out->has_known_total = flags & KNOWN_TOTAL;
	stats->total = take_integer(packed, &at);
	stats->min = (int64_t)take_integer(packed, &at);
	stats->max = (int64_t)take_integer(packed, &at);
	stats->cpu_unknown_total = take_integer(packed, &at);
	stats->waiting = take_integer(packed, &at);
	histogram_add_to_sum(stats->record, (int64_t)take_integer(packed, &at));
	stats->mean = take_double(packed, &at);
	stats->m2 = take_double(packed, &at);
	out->resolution = take_double(packed, &at);
	out->total_bound = take_double(packed, &at);
	unpack_buckets(packed, &at, stats->record);
	sum_figures_add_hits(stats);
}

/* ---- adding -------------------------------------------------------------- */

static struct sum_figures *scratch_of(struct saved_sum *sum)
{
	if (!sum->scratch.stats.record)
		sum_figures_init(&sum->scratch);
	return &sum->scratch;
}

/* Finds what the part has of the leg, or makes room for it. New parts have the
 * largest number so far, so that most often the end is the place. */
static struct sum_part *find_part(struct sum_leg *leg, uint32_t part)
{
	size_t low = 0, high = leg->parts.count;

	if (!high || leg->parts.data[high - 1].part < part)
		low = high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (leg->parts.data[middle].part < part)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < leg->parts.count && leg->parts.data[low].part == part)
		return &leg->parts.data[low];
	vec_push(&leg->parts, (struct sum_part){0});
	memmove(leg->parts.data + low + 1, leg->parts.data + low,
		(leg->parts.count - 1 - low) * sizeof(*leg->parts.data));
	leg->parts.data[low] = (struct sum_part){.part = part};
	return &leg->parts.data[low];
}

static void add_to_part(struct sum_part *part, const struct saved_leg *from,
			struct sum_figures *scratch)
{
	if (part->packed)
		unpack(part->packed, scratch);
	else
		clear(scratch);
	sum_figures_add(scratch, from);
	free(part->packed);
	part->packed = pack(scratch);
}

static bool has_any(const struct saved_leg *leg)
{
	return leg->count || leg->ignored_from || leg->ignored_to ||
	       leg->unwound || leg->discarded || leg->open;
}

void saved_sum_add_part(struct saved_sum *sum,
			const struct saved_tables *tables, uint32_t part)
{
	struct sum_figures *scratch = scratch_of(sum);

	saved_sum_add(sum, tables);
	for (size_t i = 0; i < tables->legs.count; i++) {
		const struct saved_leg *leg = &tables->legs.data[i];

		if (has_any(leg))
			add_to_part(find_part(sum_leg_named(sum, leg), part),
				    leg, scratch);
	}
}

void sum_leg_destroy_parts(struct sum_leg *leg)
{
	for (size_t i = 0; i < leg->parts.count; i++)
		free(leg->parts.data[i].packed);
	vec_free(&leg->parts);
}

/* ---- the rows ------------------------------------------------------------ */

void saved_sum_parts(const struct saved_sum *sum, size_t leg,
		     struct saved_part_list *out)
{
	const struct sum_leg *at = sum->legs.data[leg];

	for (size_t i = 0; i < at->parts.count; i++) {
		const struct sum_part *part = &at->parts.data[i];
		size_t first = 0;

		/* its `count` */
		if (take_number(part->packed, &first))
			vec_push(out, ((struct saved_part){part->part,
							   part->packed}));
	}
}

void saved_sum_part_row(struct saved_sum *sum, size_t leg,
			const struct saved_part *part, struct report_leg *out)
{
	const struct sum_leg *whole = sum->legs.data[leg];
	struct sum_figures *scratch = scratch_of(sum);

	unpack(part->packed, scratch);
	scratch->stats.id = whole->figures.stats.id;
	scratch->stats.spec = whole->figures.stats.spec;
	*out = (struct report_leg){.name = whole->name,
				   .from_place = whole->from_place,
				   .to_place = whole->to_place,
				   .key_text = whole->key,
				   .is_share = true};
	sum_figures_finish(scratch, out);
}

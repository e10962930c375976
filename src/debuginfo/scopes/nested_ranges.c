/*
 * nested_ranges.c - see nested_ranges.h
 *
 * innermost_make() visits the borders of all ranges (their beginnings and ends)
 * in the order of addresses. A heap has the open ranges: those that have begun
 * at or before the current border and have not ended. The deepest open range is
 * at the top. A range that has ended leaves the heap when it reaches the top.
 */
#include "nested_ranges.h"

#include <stdbool.h>

#include "perftool/base/alloc.h"
#include "perftool/base/radix.h"
#include "perftool/base/search.h"

VEC_STRUCT(border_list, uint64_t);

/* ---- the heap ------------------------------------------------------------ */

static bool is_deeper(const struct innermost_range *a,
		      const struct innermost_range *b)
{
	return a->depth != b->depth ? a->depth > b->depth
				    : a->number > b->number;
}

static void swap(struct innermost_range *a, struct innermost_range *b)
{
	struct innermost_range kept = *a;

	*a = *b;
	*b = kept;
}

static void heap_push(struct innermost_list *heap,
		      const struct innermost_range *range)
{
	size_t at = heap->count;

	vec_push(heap, *range);
	for (; at && is_deeper(&heap->data[at], &heap->data[(at - 1) / 2]);
	     at = (at - 1) / 2)
		swap(&heap->data[at], &heap->data[(at - 1) / 2]);
}

static void heap_pop(struct innermost_list *heap)
{
	size_t at = 0;

	heap->data[0] = heap->data[--heap->count];
	for (;;) {
		size_t below = 2 * at + 1;

		if (below >= heap->count)
			return;
		if (below + 1 < heap->count &&
		    is_deeper(&heap->data[below + 1], &heap->data[below]))
			below++;
		if (!is_deeper(&heap->data[below], &heap->data[at]))
			return;
		swap(&heap->data[below], &heap->data[at]);
		at = below;
	}
}

/* ---- making -------------------------------------------------------------- */

/* The beginnings (`of_ends` is false) or ends of the ranges, sorted. The caller
 * frees the result. */
static struct radix_key *sorted(const struct innermost_list *ranges,
				bool of_ends)
{
	struct radix_key *keys = xmalloc(ranges->count * sizeof(*keys));

	for (size_t i = 0; i < ranges->count; i++)
		keys[i] = (struct radix_key){of_ends ? ranges->data[i].high
						     : ranges->data[i].low,
					     (uint32_t)i};
	radix_sort(keys, ranges->count);
	return keys;
}

/* List the borders of all ranges in their order, each once. */
static void merge_borders(const struct radix_key *lows,
			  const struct radix_key *highs, size_t count,
			  struct border_list *out)
{
	size_t low = 0, high = 0;

	while (low < count || high < count) {
		bool is_low = high == count ||
			      (low < count && lows[low].key < highs[high].key);
		uint64_t border = is_low ? lows[low++].key : highs[high++].key;

		if (!out->count || out->data[out->count - 1] != border)
			vec_push(out, border);
	}
}

/* List the borders, and sort the ranges by their beginnings. */
static void find_borders(struct innermost_list *ranges, struct border_list *out)
{
	struct radix_key *lows = sorted(ranges, false);
	struct radix_key *highs = sorted(ranges, true);
	struct innermost_list ordered = {0};

	merge_borders(lows, highs, ranges->count, out);
	for (size_t i = 0; i < ranges->count; i++)
		vec_push(&ordered, ranges->data[lows[i].index]);
	free(lows);
	free(highs);
	vec_free(ranges);
	*ranges = ordered;
}

static void add_span(struct innermost *out, uint64_t low, uint32_t number)
{
	uint32_t last = out->spans.count
				? out->spans.data[out->spans.count - 1].number
				: INNERMOST_NONE;

	if (number != last)
		vec_push(&out->spans, (struct innermost_span){low, number});
}

void innermost_make(struct innermost_list *ranges, struct innermost *out)
{
	struct border_list borders = {0};
	struct innermost_list open = {0};
	size_t next = 0;

	if (!ranges->count)
		return;
	find_borders(ranges, &borders);
	for (size_t i = 0; i < borders.count; i++) {
		uint64_t border = borders.data[i];

		while (next < ranges->count && ranges->data[next].low <= border)
			heap_push(&open, &ranges->data[next++]);
		while (open.count && open.data[0].high <= border)
			heap_pop(&open);
		add_span(out, border,
			 open.count ? open.data[0].number : INNERMOST_NONE);
	}
	vec_free(&borders);
	vec_free(&open);
}

uint32_t innermost_at(const struct innermost *innermost, uint64_t address)
{
	const struct innermost_span *spans = innermost->spans.data;
	size_t low;

	/* Find the first span that begins above the address. */
	SEARCH_FIRST(low, innermost->spans.count, spans[low].low > address);
	return low ? spans[low - 1].number : INNERMOST_NONE;
}

void innermost_free(struct innermost *innermost)
{
	vec_free(&innermost->spans);
}

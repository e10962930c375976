/*
 * rank_shares.c - what each rank has of a leg
 *
 * The sum keeps it packed, and a row is made when it is written.
 */
#include <stdlib.h>

#include "merge_state.h"
#include "perftool/base/alloc.h"

static int by_rank(const void *a, const void *b)
{
	const struct merged_rank *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

void merge_sort_ranks(struct merge *merge)
{
	if (!merge->ranks.count)
		return;
	qsort(merge->ranks.data, merge->ranks.count, sizeof(*merge->ranks.data),
	      by_rank);
	for (size_t i = 0; i < merge->ranks.count; i++)
		map_set_number(&merge->rank_index,
			       (uint64_t)merge->ranks.data[i].rank, i + 1);
}

static int in_order_of_ranks(const void *a, const void *b)
{
	const struct merged_share *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The index of the rank of each part of the sum. The caller frees it. */
static uint32_t *ranks_of_parts(const struct merge *merge)
{
	uint32_t *ranks = xcalloc(merge->ranks.count + 1, sizeof(*ranks));

	for (size_t i = 0; i < merge->ranks.count; i++)
		ranks[merge->ranks.data[i].part] = (uint32_t)i;
	return ranks;
}

static void append_shares(struct merge *merge, struct report_leg *leg,
			  const uint32_t *ranks)
{
	struct saved_part_list parts = {0};
	size_t first = merge->shares.count;

	saved_sum_parts(merge->sum, leg->stats->id, &parts);
	for (size_t i = 0; i < parts.count; i++)
		vec_push(&merge->shares,
			 ((struct merged_share){
				 .leg = leg->stats->id,
				 .rank = ranks[parts.data[i].part],
				 .part = parts.data[i]}));
	vec_free(&parts);
	leg->shares = NULL;
	leg->first_share = first;
	leg->share_count = merge->shares.count - first;
	if (leg->share_count)
		qsort(merge->shares.data + first, leg->share_count,
		      sizeof(*merge->shares.data), in_order_of_ranks);
}

static const struct report_leg *make_share(void *context, size_t index)
{
	struct merge *merge = context;
	const struct merged_share *share = &merge->shares.data[index];

	saved_sum_part_row(merge->sum, share->leg, &share->part, &merge->share);
	merge->share.has_rank = true;
	merge->share.rank = merge->ranks.data[share->rank].rank;
	return &merge->share;
}

void merge_fill_shares(struct merge *merge, struct report_leg *legs,
		       size_t count)
{
	uint32_t *ranks = ranks_of_parts(merge);

	vec_clear(&merge->shares);
	for (size_t i = 0; i < count; i++)
		append_shares(merge, &legs[i], ranks);
	merge->tables.share_source =
		(struct report_leg_source){make_share, merge};
	free(ranks);
}

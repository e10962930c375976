/*
 * rank_shares.c - what each rank has of a leg
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

/* The legs of a rank are in the order of its first file, the legs of the sum in
 * that of the first file of all. So the leg of the sum is found by its name,
 * and among those of one name by their order. Returns its index. */
static size_t leg_of_sum(const struct text_set *keys, struct strmap *seen,
			 const char *name, struct str *key)
{
	uintptr_t nth = (uintptr_t)strmap_get(seen, name);

	strmap_set(seen, name, (void *)(nth + 1));
	str_deinit(key);
	str_printf(key, "%zu %s", (size_t)nth, name);
	return text_set_find(keys, str_text(key));
}

/* The keys of the legs of the sum, at their indexes. */
static void key_legs(const struct merge *merge, struct text_set *keys)
{
	struct strmap seen = {0};
	struct str key = {0};

	for (size_t i = 0; i < merge->legs.count; i++) {
		leg_of_sum(keys, &seen, merge->legs.data[i].name, &key);
		text_set_add(keys, str_text(&key));
	}
	str_deinit(&key);
	strmap_deinit(&seen);
}

/* Where each rank's leg is: a table with a row for each leg of the sum, and a
 * column for each rank. NULL: the rank has not executed the leg. */
struct share_table {
	const struct report_leg **legs;
	size_t ranks;
};

static void place_shares(const struct merge *merge, const struct text_set *keys,
			 size_t rank, const struct share_table *table)
{
	const struct tables *tables =
		saved_sum_tables(merge->ranks.data[rank].sum);
	struct strmap seen = {0};
	struct str key = {0};

	for (size_t i = 0; i < tables->leg_count; i++) {
		const struct report_leg *from = &tables->legs[i];
		size_t leg = leg_of_sum(keys, &seen, from->name, &key);

		if (from->stats->count)
			table->legs[leg * table->ranks + rank] = from;
	}
	str_deinit(&key);
	strmap_deinit(&seen);
}

/* Appends the shares of one leg to `merge->shares`. */
static void append_shares(struct merge *merge, size_t leg,
			  const struct share_table *table)
{
	const struct report_leg *whole = &merge->legs.data[leg];

	for (size_t i = 0; i < table->ranks; i++) {
		const struct report_leg *from =
			table->legs[leg * table->ranks + i];
		struct report_leg share;

		if (!from)
			continue;
		share = *from;
		share.is_share = share.has_rank = true;
		share.rank = merge->ranks.data[i].rank;
		/* the rank has a number of its own for the leg */
		vec_push(&merge->share_stats, *from->stats);
		merge->share_stats.data[merge->share_stats.count - 1].id =
			whole->stats->id;
		vec_push(&merge->shares, share);
	}
}

/* Lets the legs point to their shares, which have their place now. */
static void point_to_shares(struct merge *merge)
{
	size_t at = 0;

	for (size_t i = 0; i < merge->shares.count; i++)
		merge->shares.data[i].stats = &merge->share_stats.data[i];
	for (size_t i = 0; i < merge->legs.count; i++) {
		struct report_leg *leg = &merge->legs.data[i];

		leg->shares = merge->shares.data + at;
		while (at < merge->shares.count &&
		       merge->shares.data[at].stats->id == leg->stats->id) {
			at++;
			leg->share_count++;
		}
	}
}

void merge_fill_shares(struct merge *merge)
{
	struct share_table table = {.ranks = merge->ranks.count};
	struct text_set keys = {0};

	merge_sort_ranks(merge);
	table.legs = xcalloc(merge->legs.count * table.ranks + 1,
			     sizeof(*table.legs));
	key_legs(merge, &keys);
	for (size_t i = 0; i < table.ranks; i++)
		place_shares(merge, &keys, i, &table);
	vec_clear(&merge->shares);
	vec_clear(&merge->share_stats);
	for (size_t i = 0; i < merge->legs.count; i++)
		append_shares(merge, i, &table);
	point_to_shares(merge);
	free(table.legs);
	text_set_deinit(&keys);
}

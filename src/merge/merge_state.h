/*
 * merge_state.h - struct merge, which the files of this layer share
 */
#ifndef MERGE_MERGE_STATE_H
#define MERGE_MERGE_STATE_H

#include "perftool/base/vec.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/merge.h"
#include "text_set.h"

struct merged_rank {
	int64_t rank;
	size_t files;
	uint32_t part; /* of the sum: how many ranks came before it */
};

/* What one rank has of a leg. */
struct merged_share {
	uint32_t leg, rank; /* their indexes */
	struct saved_part part;
};

struct merge {
	bool by_rank;
	size_t file_count;
	struct saved_sum *sum;
	/* each rank once; merge_sort_ranks() puts them in rising order */
	VEC(struct merged_rank) ranks;
	struct map rank_index; /* of a rank, its index in the list + 1 */
	/* the different values in the files */
	struct text_set hosts, programs, builds, versions, clocks;
	/* the tables that were added: who measured what, and when */
	struct text_set added;
	/* What merge_tables() has made. */
	struct tables tables;
	VEC(struct report_leg) legs;
	VEC(struct merged_share) shares;
	struct report_leg share; /* the row that was made last */
};

/* merged_tables.c: the tables, which are valid until the merge changes. By
 * rank, each leg has its shares. */
const struct tables *merge_tables(struct merge *merge);

/* rank_shares.c: puts the ranks in rising order. */
void merge_sort_ranks(struct merge *merge);
/* Lets the legs, which are some of the sum, have shares, in their order and
 * each in the order of the ranks. `share_source` of the tables makes them. */
void merge_fill_shares(struct merge *merge, struct report_leg *legs,
		       size_t count);

#endif

/*
 * split_rows.h - the rows of a node or a leg that is split by a value
 *
 * A row is entered when its value is first seen and stays where it is until
 * the split is zeroed or destroyed: activations and executions point to it.
 */
#ifndef PERFTOOL_MEASURE_SPLIT_H
#define PERFTOOL_MEASURE_SPLIT_H

#include "perftool/base/map.h"
#include "perftool/split.h"
#include "value_key.h"

struct split {
	struct measure_split public;
	uint32_t serial; /* no other split has or had it */
	bool timed;      /* of a leg */
	struct map by_value[VALUE_CLASSES];
	struct strmap by_text;
	VEC(struct measure_row *) rows; /* of values, as they came */
	struct measure_row other, error;
};

struct split *split_create(const struct split_spec *spec, uint32_t serial,
			   bool timed);
void split_destroy(struct split *split); /* NULL is allowed */
void split_zero(struct split *split);

/* What it says of how to be shown. */
void split_set_view(struct split *split, const struct split_view *view);

/* What a table shows, or NULL: the split. */
static inline struct split *split_of(struct measure_split *public)
{
	return (struct split *)public; /* its first member */
}

/* The row of this hit; never NULL. */
struct measure_row *split_row(struct split *split, const struct hit *hit);

/* Count a hit, or an execution of `duration` ns; `interrupted`: the clock was
 * stopped during it. */
void split_count(struct split *split, struct measure_row *row);
void split_count_duration(struct split *split, struct measure_row *row,
			  int64_t duration, bool interrupted);

/* What each row has counted since this was called last, or since the split was
 * made or zeroed: a split of its own, which the caller destroys and in which
 * nothing is counted. */
struct split *split_since_last(struct split *split);

#endif

/*
 * split_rows.h - the rows of a node or a leg that is split by a value
 *
 * A row is created when its value is first seen. The row stays at its address
 * until the split is zeroed or destroyed, because activations and executions
 * point to it.
 */
#ifndef PERFTOOL_MEASURE_SPLIT_H
#define PERFTOOL_MEASURE_SPLIT_H

#include "perftool/base/map.h"
#include "perftool/split.h"
#include "value_key.h"

struct split {
	struct measure_split public;
	uint32_t serial; /* never used for another split */
	bool timed;      /* the split of a leg */
	struct map by_value[VALUE_CLASSES];
	struct strmap by_text;
	/* ROW_VALUE, in the order of creation */
	VEC(struct measure_row *) rows;
	struct measure_row other, error;
};

/* Creates a split, which the caller destroys. `serial` is a number that no
 * other split has or had. */
struct split *split_create(const struct split_spec *spec, uint32_t serial,
			   bool timed);
void split_destroy(struct split *split); /* NULL is allowed */
/* Removes all rows. Nothing may use a pointer to one of them any more. */
void split_zero(struct split *split);

/* Changes how the split is shown. Members of `view` that are 0 change
 * nothing. */
void split_set_view(struct split *split, const struct split_view *view);

/* Returns the struct split to which this public part belongs. If `public` is
 * NULL, the result is NULL. */
static inline struct split *split_of(struct measure_split *public)
{
	return (struct split *)public; /* the first member of struct split */
}

/* Returns the row of this hit, which is never NULL. Creates the row if its
 * value is new and there is room. */
struct measure_row *split_row(struct split *split, const struct hit *hit);

/* Count, in a row of the split, a hit or an execution that took `duration` ns.
 * `interrupted`: the clock was stopped during the execution. */
void split_count(struct split *split, struct measure_row *row);
void split_count_duration(struct split *split, struct measure_row *row,
			  int64_t duration, bool interrupted);

/* Returns what each row has counted since the last call of this function, or
 * since the split was made or zeroed. The result is another split, in which the
 * layer counts nothing more. The caller destroys the result. */
struct split *split_since_last(struct split *split);

#endif

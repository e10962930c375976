/* split_sum.c - adds up the rows of legs and nodes that are split by a value */
#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/split.h"
#include "sum_state.h"

static int64_t as_ns(double number)
{
	return !(number > 0)      ? 0
	       : number >= 0x1p62 ? INT64_MAX / 2
				  : (int64_t)number;
}

/* The percentiles of a sum are read from the buckets of its parts. Files of an
 * older perftool have none in these rows. */
static bool can_be_added(const struct saved_split *split, bool timed)
{
	for (size_t i = 0; timed && i < split->rows.count; i++) {
		const struct saved_row *row = &split->rows.data[i];

		if (row->count > row->interrupted && !row->buckets.count)
			return false;
	}
	return true;
}

static struct label label_of(const struct saved_row *row)
{
	struct label label = {0};

	if (row->text)
		label.text = row->text;
	else
		label.value = row->is_whole ? value_signed(row->whole)
					    : value_float(row->real);
	return label;
}

static void add_row(struct measure_split *split, const struct saved_row *from,
		    bool timed)
{
	struct measure_row row = {.kind = (enum row_kind)from->kind,
				  .label = label_of(from),
				  .count = from->count,
				  .interrupted = from->interrupted,
				  .total = from->total,
				  .min = as_ns(from->min),
				  .max = as_ns(from->max)};
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};

	if (!row.count)
		return;
	if (timed)
		error_destroy(histogram_create(&hdr, true, &row.record));
	for (size_t i = 0; timed && i < from->buckets.count; i++)
		histogram_add_many(row.record,
				   as_ns(from->buckets.data[i].from),
				   from->buckets.data[i].count);
	measure_split_add(split, &row);
	histogram_destroy(row.record);
}

bool sum_add_split(char **by, struct measure_split **split,
		   const struct saved_split *from, bool timed)
{
	const struct split_spec spec = {.at_to = from && from->at_to};

	if (!from)
		return true;
	if (!can_be_added(from, timed) ||
	    (*split && (!str_equal(*by, from->expression) ||
			(*split)->spec.at_to != from->at_to)))
		return false;
	if (!*split) {
		*by = xstrdup(from->expression);
		*split = measure_split_create(&spec, timed);
	}
	for (size_t i = 0; i < from->rows.count; i++)
		add_row(*split, &from->rows.data[i], timed);
	return true;
}

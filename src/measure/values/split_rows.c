/* split_rows.c - implements split_rows.h and perftool/split.h */
#include "split_rows.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/histogram.h"

/* ---- counting ------------------------------------------------------------ */

static struct histogram *make_record(void)
{
	const struct histogram_spec hdr = {.class = HISTOGRAM_HDR};
	struct histogram *record = NULL;

	/* An hdr histogram has no parameters, so its creation cannot fail. */
	error_destroy(histogram_create(&hdr, true, &record));
	return record;
}

/* Returns `view`, in which the members that are not given are taken from
 * `set`. */
static struct split_view whole_view(const struct split_view *set,
				    const struct split_view *view)
{
	return (struct split_view){
		.rows = view->rows ? view->rows : set->rows,
		.sort = view->sort != SORT_AS_SET ? view->sort : set->sort};
}

struct split *split_create(const struct split_spec *spec, uint32_t serial,
			   bool timed)
{
	struct split *split = xcalloc(1, sizeof(*split));

	split->public.spec = *spec;
	split->public.spec.view = (struct split_view){
		.rows = SPLIT_ROWS, .sort = timed ? SORT_TIME : SORT_COUNT};
	split_set_view(split, &spec->view);
	split->serial = serial;
	split->timed = timed;
	split->other.kind = ROW_OTHER;
	split->error.kind = ROW_ERROR;
	return split;
}

void split_set_view(struct split *split, const struct split_view *view)
{
	split->public.spec.view = whole_view(&split->public.spec.view, view);
}

static void row_deinit(struct measure_row *row)
{
	histogram_destroy(row->record);
	free((char *)row->label.text);
}

void split_zero(struct split *split)
{
	for (size_t i = 0; i < split->rows.count; i++) {
		row_deinit(split->rows.data[i]);
		free(split->rows.data[i]);
	}
	vec_free(&split->rows);
	for (size_t i = 0; i < VALUE_CLASSES; i++)
		map_deinit(&split->by_value[i]);
	strmap_deinit(&split->by_text);
	row_deinit(&split->other);
	row_deinit(&split->error);
	split->other = (struct measure_row){.kind = ROW_OTHER};
	split->error = (struct measure_row){.kind = ROW_ERROR};
	split->public = (struct measure_split){.spec = split->public.spec};
}

void split_destroy(struct split *split)
{
	if (!split)
		return;
	split_zero(split);
	free(split);
}

/* Creates a row for a value that has no row. If there is no room, returns the
 * row for all other values. */
static struct measure_row *enter_row(struct split *split,
				     const struct label *label)
{
	struct measure_row *row;

	if (split->rows.count >= SPLIT_VALUES)
		return &split->other;
	row = xcalloc(1, sizeof(*row));
	row->label.value = label->value;
	row->label.text = label->text ? xstrdup(label->text) : NULL;
	vec_push(&split->rows, row);
	return row;
}

static struct measure_row *row_of_text(struct split *split,
				       const struct label *label)
{
	struct measure_row *row = strmap_get(&split->by_text, label->text);

	if (row)
		return row;
	row = enter_row(split, label);
	if (row != &split->other)
		strmap_set(&split->by_text, label->text, row);
	return row;
}

static struct measure_row *row_of_label(struct split *split,
					const struct label *label)
{
	struct measure_row *row;
	unsigned class;
	uint64_t bits;

	if (label->text)
		return row_of_text(split, label);
	if (!value_key(label->value, &class, &bits))
		return &split->error;
	row = map_get(&split->by_value[class], bits);
	if (row)
		return row;
	row = enter_row(split, label);
	if (row != &split->other)
		map_set(&split->by_value[class], bits, row);
	return row;
}

struct measure_row *split_row(struct split *split, const struct hit *hit)
{
	uint32_t index = split->public.spec.label;

	return index < hit->label_count
		       ? row_of_label(split, &hit->labels[index])
		       : &split->error;
}

void split_count(struct split *split, struct measure_row *row)
{
	split->public.count++;
	if (row == &split->other)
		split->public.overflow++;
	else if (row->kind == ROW_VALUE && !row->count)
		split->public.values++;
	row->count++;
}

/* Extends the range of the row's times by executions that took from `min` to
 * `max` ns and were not interrupted. */
static void widen(struct measure_row *row, int64_t min, int64_t max)
{
	bool first = row->count == row->interrupted;

	if (first || min < row->min)
		row->min = min;
	if (first || max > row->max)
		row->max = max;
}

void split_count_duration(struct split *split, struct measure_row *row,
			  int64_t duration, bool interrupted)
{
	int64_t stopped = duration < 0 ? 0 : duration;

	if (!row->record)
		row->record = make_record();
	row->total += duration;
	if (interrupted) {
		row->interrupted++;
	} else {
		widen(row, stopped, stopped);
		range_add(&row->recent, stopped);
		histogram_add(row->record, value_signed(duration));
	}
	split_count(split, row);
}

/* ---- since the last time ------------------------------------------------- */

static void row_since_last(struct measure_row *row, struct measure_row *out)
{
	*out = (struct measure_row){.kind = row->kind,
				    .label.value = row->label.value,
				    .count = row->count - row->last.count,
				    .interrupted = row->interrupted -
						   row->last.interrupted,
				    .total = row->total - row->last.total,
				    .min = row->recent.min,
				    .max = row->recent.max};
	if (row->label.text)
		out->label.text = xstrdup(row->label.text);
	if (row->record)
		out->record = histogram_since_last(row->record);
	row->last.count = row->count;
	row->last.interrupted = row->interrupted;
	row->last.total = row->total;
	row->recent = (struct measure_range){0};
}

struct split *split_since_last(struct split *split)
{
	struct split *since =
		split_create(&split->public.spec, split->serial, split->timed);
	struct measure_split *public = &since->public;

	for (size_t i = 0; i < split->rows.count; i++) {
		struct measure_row *row = xcalloc(1, sizeof(*row));

		row_since_last(split->rows.data[i], row);
		vec_push(&since->rows, row);
		public->count += row->count;
		public->values += row->count > 0;
	}
	row_since_last(&split->other, &since->other);
	row_since_last(&split->error, &since->error);
	public->count += since->other.count + since->error.count;
	public->overflow = since->other.count;
	return since;
}

/* ---- showing ------------------------------------------------------------- */

/* Orders two rows by their creation, the earlier row first. While rows are
 * sorted, the member `values` of a row is its index. */
static int earlier_first(const struct measure_row *x,
			 const struct measure_row *y)
{
	return (x->values > y->values) - (x->values < y->values);
}

static int more_frequent_first(const void *a, const void *b)
{
	const struct measure_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return earlier_first(x, y);
}

static int longer_first(const void *a, const void *b)
{
	const struct measure_row *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return earlier_first(x, y);
}

static int slower_first(const void *a, const void *b)
{
	const struct measure_row *x = a, *y = b;
	double first = (double)x->total / (double)x->count;
	double second = (double)y->total / (double)y->count;

	if (first < second || first > second)
		return first < second ? 1 : -1;
	return earlier_first(x, y);
}

static void sort_rows(const struct measure_row_list *rows, enum split_sort sort,
		      bool timed)
{
	int (*const order)(const void *, const void *) =
		sort == SORT_COUNT || !timed ? more_frequent_first
		: sort == SORT_MEAN          ? slower_first
					     : longer_first;

	if (rows->count)
		qsort(rows->data, rows->count, sizeof(*rows->data), order);
}

/* Adds what one row has counted to another row. `into` is a copy of a row,
 * whose histogram (`record`) is not that of the split. */
static void merge(struct measure_row *into, const struct measure_row *from)
{
	if (!from->count)
		return;
	if (from->count > from->interrupted)
		widen(into, from->min, from->max);
	into->interrupted += from->interrupted;
	into->count += from->count;
	into->total += from->total;
	if (!from->record)
		return;
	if (!into->record)
		into->record = make_record();
	histogram_merge(into->record, from->record);
}

/* Returns a copy of the row that does not change when the row does. Only the
 * text of the label still belongs to the split. */
static struct measure_row row_copy(const struct measure_row *row)
{
	struct measure_row copy = {.kind = row->kind, .label = row->label};

	merge(&copy, row);
	return copy;
}

void measure_split_rows(const struct measure_split *public,
			const struct split_view *wanted,
			struct measure_row_list *out)
{
	const struct split *split = (const struct split *)public;
	struct split_view view = whole_view(&public->spec.view, wanted);
	struct measure_row other = row_copy(&split->other);
	struct measure_row_list all = {0};

	for (size_t i = 0; i < split->rows.count; i++) {
		if (!split->rows.data[i]->count)
			continue;
		vec_push(&all, *split->rows.data[i]);
		all.data[all.count - 1].values = i;
	}
	sort_rows(&all, view.sort, split->timed);
	for (size_t i = 0; i < all.count; i++) {
		if (i < view.rows) {
			vec_push(out, row_copy(&all.data[i]));
		} else {
			merge(&other, &all.data[i]);
			other.values++;
		}
	}
	vec_free(&all);
	if (other.count)
		vec_push(out, other);
	if (split->error.count)
		vec_push(out, row_copy(&split->error));
}

/* ---- adding up ----------------------------------------------------------- */

struct measure_split *measure_split_create(const struct split_spec *spec,
					   bool timed)
{
	return &split_create(spec, 0, timed)->public;
}

void measure_split_destroy(struct measure_split *split)
{
	split_destroy(split_of(split));
}

void measure_split_add(struct measure_split *public,
		       const struct measure_row *from)
{
	struct split *split = split_of(public);
	struct measure_row *row = from->kind == ROW_OTHER ? &split->other
				  : from->kind == ROW_ERROR
					  ? &split->error
					  : row_of_label(split, &from->label);

	public->count += from->count;
	if (row == &split->other)
	public->overflow += from->count;
	else if (row->kind == ROW_VALUE && !row->count &&
		 from->count) public->values++;
	merge(row, from);
}

void measure_rows_deinit(struct measure_row_list *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		histogram_destroy(rows->data[i].record);
	vec_free(rows);
}

bool measure_row_quantile(const struct measure_row *row, double q,
			  double *result)
{
	return row->record && histogram_quantile_within(row->record, row->min,
							row->max, q, result);
}

bool measure_row_below_resolution(const struct measure_row *row, double spread)
{
	return row->record && spread > 0 &&
	       (double)row->total / (double)row->count < spread;
}

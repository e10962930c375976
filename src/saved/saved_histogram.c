/* saved_histogram.c - see saved_histogram.h */
#include "saved_histogram.h"

#include <math.h>
#include <stdlib.h>

static const char *const classes[] = {[HISTOGRAM_LINEAR] = "linear",
				      [HISTOGRAM_LOG] = "log",
				      [HISTOGRAM_HDR] = "hdr"};

enum { CLASSES = sizeof(classes) / sizeof(*classes) };

static unsigned class_of(const char *text)
{
	unsigned class = 0;

	while (class < CLASSES && !(text && str_equal(text, classes[class])))
		class ++;
	return class;
}

/* The sum is a whole number, unless values were not. */
static void read_sum(struct json_row *row, struct saved_histogram *out)
{
	struct json_object *sum = NULL;

	json_object_object_get_ex(row->object, "sum", &sum);
	if (json_object_is_type(sum, json_type_double)) {
		out->has_floats = true;
		out->sum_floats = row_number(row, "sum");
	} else {
		out->sum = row_integer(row, "sum");
	}
}

bool histogram_row_read(struct json_row *row, struct saved_histogram *out)
{
	char *of = row_text(row, "of"), *class = row_text(row, "class");

	*out = (struct saved_histogram){.of_leg = of && str_equal(of, "leg"),
					.class = class_of(class)};
	free(of);
	free(class);
	if (out->class == CLASSES ||
	    (out->of_leg && out->class == HISTOGRAM_HDR))
		return false;
	out->id = row_count(row, "id");
	out->scale = (int64_t)row_integer(row, "scale");
	out->base = (int64_t)row_integer(row, "base");
	out->references = row_count(row, "references");
	out->underflow = row_count(row, "underflow");
	out->overflow = row_count(row, "overflow");
	read_sum(row, out);
	return true;
}

void histogram_row_deinit(struct saved_histogram *row)
{
	vec_free(&row->buckets);
	*row = (struct saved_histogram){0};
}

/* ---- adding up ----------------------------------------------------------- */

static bool same_buckets(const struct histogram *sum,
			 const struct saved_histogram *row)
{
	const struct histogram_spec *spec = histogram_spec(sum);

	return spec->class == (enum histogram_class)row->class &&
	       (spec->class == HISTOGRAM_HDR ||
		(spec->buckets == row->buckets.count &&
		 spec->scale == row->scale && spec->base == row->base));
}

/* Makes an empty histogram with the buckets of the row. */
static struct histogram *create(const struct saved_histogram *row)
{
	const struct histogram_spec spec = {
		.class = (enum histogram_class)row->class,
		.buckets = (uint32_t)row->buckets.count,
		.scale = row->scale,
		.base = row->base};
	struct histogram *made = NULL;

	/* A file that somebody has changed may ask for anything. */
	if (row->buckets.count > UINT32_MAX || row->scale < 0 ||
	    (!row->buckets.count && row->class != HISTOGRAM_HDR))
		return NULL;
	error_destroy(histogram_create(&spec, row->of_leg, &made));
	return made;
}

bool histogram_row_add(const struct saved_histogram *row,
		       struct histogram **sum)
{
	if (!*sum)
		*sum = create(row);
	if (!*sum || !same_buckets(*sum, row))
		return false;
	for (size_t i = 0; i < row->buckets.count; i++) {
		const struct saved_bucket *from = &row->buckets.data[i];
		const struct bucket bucket = {.from = from->from,
					      .to = from->to,
					      .count = from->count};

		if (from->count)
			histogram_add_bucket(*sum, i, &bucket, row->has_floats);
	}
	histogram_add_outside(*sum, row->underflow, row->overflow);
	histogram_add_sums(*sum, row->sum, row->has_floats, row->sum_floats);
	return true;
}

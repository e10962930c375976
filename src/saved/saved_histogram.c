/* saved_histogram.c - see saved_histogram.h */
#include "saved_histogram.h"

#include <math.h>
#include <stdlib.h>

#include "saved_buckets.h"

static const char *const classes[] = {[HISTOGRAM_LINEAR] = "linear",
				      [HISTOGRAM_LOG] = "log",
				      [HISTOGRAM_HDR] = "hdr"};

enum { CLASSES = sizeof(classes) / sizeof(*classes) };

/* The sum is a whole number, unless values were not. */
static struct error *read_sum(struct json_stream *stream, struct json_row *row)
{
	struct saved_histogram *out = row->into;
	struct json_value value;

	TRY(json_stream_value(stream, &value));
	if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
		TRY(json_stream_skip(stream));
	out->has_floats = value.kind == JSON_REAL;
	if (out->has_floats ? !json_finite(&value, &out->sum_floats)
			    : !json_whole(&value, &out->sum))
		json_row_mark(row);
	return NULL;
}

static struct error *read_of(struct json_stream *stream, struct json_row *row)
{
	static const char *const owners[] = {"node", "leg"};
	struct saved_histogram *out = row->into;
	unsigned owner;

	TRY(json_row_word(stream, row, owners, 2, &owner));
	out->of_leg = owner == 1;
	return NULL;
}

static struct error *read_class(struct json_stream *stream,
				struct json_row *row)
{
	return json_row_word(stream, row, classes, CLASSES,
			     json_row_target(row));
}

/* The hdr histogram of a leg has the buckets of the leg, and such histograms
 * are a third of a file. */
static struct error *read_buckets(struct json_stream *stream,
				  struct json_row *row)
{
	struct saved_histogram *out = row->into;

	if (out->is_known && out->of_leg && out->class == HISTOGRAM_HDR)
		return json_stream_skip(stream);
	return saved_buckets_read(stream, row);
}

#define FIELD(name, type, member)                                              \
	JSON_FIELD(name, type, struct saved_histogram, member)
#define READ(name, read, member)                                               \
	JSON_READ(name, read, struct saved_histogram, member)

static const struct json_field fields[] = {
	READ("of", read_of, of_leg),
	FIELD("id", FIELD_COUNT, id),
	READ("class", read_class, class),
	FIELD("scale", FIELD_INTEGER, scale),
	FIELD("base", FIELD_INTEGER, base),
	FIELD("references", FIELD_COUNT, references),
	JSON_READ_ALL("sum", read_sum),
	FIELD("underflow", FIELD_COUNT, underflow),
	FIELD("overflow", FIELD_COUNT, overflow),
	READ("buckets", read_buckets, buckets),
};

struct error *histogram_row_read(struct json_stream *stream, bool is_known,
				 struct saved_histogram *out,
				 const char **wrong)
{
	struct json_row row = JSON_ROW(fields, out);

	*out = (struct saved_histogram){.class = CLASSES, .is_known = is_known};
	TRY(json_row_read(stream, &row));
	*wrong = row.wrong;
	if (out->class == HISTOGRAM_HDR)
		saved_buckets_tidy(&out->buckets);
	return NULL;
}

bool histogram_row_is_made(const struct saved_histogram *row)
{
	return row->class < CLASSES &&
	       !(row->of_leg && row->class == HISTOGRAM_HDR);
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
		 spec->scale == (int64_t)row->scale &&
		 spec->base == (int64_t)row->base));
}

/* Makes an empty histogram with the buckets of the row. */
static struct histogram *create(const struct saved_histogram *row)
{
	const struct histogram_spec spec = {
		.class = (enum histogram_class)row->class,
		.buckets = (uint32_t)row->buckets.count,
		.scale = (int64_t)row->scale,
		.base = (int64_t)row->base};
	struct histogram *made = NULL;

	/* A file that somebody has changed may ask for anything. */
	if (row->buckets.count > UINT32_MAX || row->scale < 0 ||
	    row->scale > INT64_MAX || row->base < INT64_MIN ||
	    row->base > INT64_MAX ||
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

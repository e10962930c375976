/* saved_buckets.c - see saved_buckets.h */
#include "saved_buckets.h"

#include <math.h>

/* A bucket is an object with `from`, `to` and `count` in a histogram, and a
 * list of these three in a leg. */
struct parts {
	double from, to;
	uint64_t count;
};

static const struct json_field fields[] = {
	JSON_FIELD("from", FIELD_NUMBER, struct parts, from),
	JSON_FIELD("to", FIELD_NUMBER, struct parts, to),
	JSON_FIELD("count", FIELD_COUNT, struct parts, count),
};

static struct error *read_object(struct json_stream *stream, struct parts *out,
				 bool *is_right)
{
	struct json_row row = JSON_ROW(fields, out);

	TRY(json_row_read(stream, &row));
	*is_right = !row.wrong && row.has == 7;
	return NULL;
}

/* Reads number `index` of a list of three. Returns false if it is none. */
static bool take_number(const struct json_value *value, size_t index,
			struct parts *out)
{
	__int128 count;

	switch (index) {
	case 0:
		return json_finite(value, &out->from);
	case 1:
		return json_finite(value, &out->to);
	case 2:
		if (!json_whole(value, &count) || count < 0 ||
		    count > UINT64_MAX)
			return false;
		out->count = (uint64_t)count;
		return true;
	default:
		return false;
	}
}

static struct error *read_list(struct json_stream *stream, struct parts *out,
			       bool *is_right)
{
	size_t length = 0;
	bool is_there;

	*is_right = true;
	TRY(json_stream_enter(stream, &is_there));
	for (; is_there; length++) {
		struct json_value value;

		TRY(json_stream_value(stream, &value));
		if (value.kind == JSON_ARRAY || value.kind == JSON_OBJECT)
			TRY(json_stream_skip(stream));
		*is_right &= take_number(&value, length, out);
		TRY(json_stream_more(stream, &is_there));
	}
	*is_right &= length == 3;
	return NULL;
}

static struct error *read_bucket(struct json_stream *stream, struct parts *out,
				 bool *is_right)
{
	switch (json_stream_kind(stream)) {
	case JSON_ARRAY:
		return read_list(stream, out, is_right);
	case JSON_OBJECT:
		return read_object(stream, out, is_right);
	default:
		*is_right = false;
		return json_stream_skip(stream);
	}
}

struct error *saved_buckets_read(struct json_stream *stream,
				 struct json_row *row)
{
	struct saved_bucket_list *out = json_row_target(row);
	double end = -INFINITY;
	bool is_there;

	vec_clear(out);
	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_there));
	if (!is_there)
		return NULL;
	TRY(json_stream_enter(stream, &is_there));
	while (is_there) {
		struct parts parts = {0};
		bool is_right;

		TRY(read_bucket(stream, &parts, &is_right));
		if (!is_right || parts.to <= parts.from || parts.from < end)
			json_row_mark(row);
		end = parts.to;
		vec_push(out, ((struct saved_bucket){.from = parts.from,
						     .to = parts.to,
						     .count = parts.count}));
		TRY(json_stream_more(stream, &is_there));
	}
	return NULL;
}

void saved_buckets_tidy(struct saved_bucket_list *buckets)
{
	size_t kept = 0;

	for (size_t i = 0; i < buckets->count; i++)
		if (buckets->data[i].count)
			buckets->data[kept++] = buckets->data[i];
	buckets->count = kept;
}

double bucket_middle(const struct saved_bucket *bucket)
{
	double width = bucket->to - bucket->from;

	return width <= 1 ? bucket->from : bucket->from + width / 2;
}

/* split_reader.c - see split_reader.h */
#include "split_reader.h"

#include <math.h>

#include "perftool/base/alloc.h"
#include "perftool/split.h"
#include "saved_buckets.h"

/* Does the same as json_row_word(), but another word is wrong. */
static struct error *read_word(struct json_stream *stream, struct json_row *row,
			       const char *const *words, unsigned count,
			       unsigned *out)
{
	TRY(json_row_word(stream, row, words, count, out));
	if (*out == count)
		json_row_mark(row);
	return NULL;
}

/* ---- rows ---------------------------------------------------------------- */

static struct error *read_kind(struct json_stream *stream, struct json_row *row)
{
	static const char *const kinds[] = {[ROW_VALUE] = "value",
					    [ROW_OTHER] = "other",
					    [ROW_ERROR] = "error"};

	return read_word(stream, row, kinds, sizeof(kinds) / sizeof(*kinds),
			 json_row_target(row));
}

static struct error *read_value(struct json_stream *stream,
				struct json_row *row)
{
	struct saved_row *out = row->into;
	struct json_value value;

	TRY(json_stream_value(stream, &value));
	switch (value.kind) {
	case JSON_TEXT:
		free_pointer(&out->text);
		out->text = xstrdup(value.text);
		return NULL;
	case JSON_WHOLE:
	case JSON_REAL:
		out->is_whole = value.kind == JSON_WHOLE &&
				value.whole == (int64_t)value.whole;
		out->whole = out->is_whole ? (int64_t)value.whole : 0;
		out->real = value.real;
		return NULL;
	case JSON_ARRAY:
	case JSON_OBJECT:
		TRY(json_stream_skip(stream));
		break;
	default:
		break;
	}
	json_row_mark(row);
	return NULL;
}

#define ROW(name, type, member) JSON_FIELD(name, type, struct saved_row, member)

static const struct json_field row_fields[] = {
	JSON_READ("kind", read_kind, struct saved_row, kind),
	JSON_READ_ALL("value", read_value),
	ROW("count", FIELD_COUNT, count),
	ROW("total_ns", FIELD_INTEGER, total),
	ROW("min_ns", FIELD_NUMBER, min),
	ROW("max_ns", FIELD_NUMBER, max),
	ROW("interrupted", FIELD_COUNT, interrupted),
	JSON_READ("buckets", saved_buckets_read, struct saved_row, buckets),
};

struct values {
	struct json_row *row; /* of the split */
	struct saved_row_list *rows;
};

static struct error *read_row(void *context, struct json_stream *stream,
			      const char *name)
{
	struct values *values = context;
	struct json_row inner;

	(void)name;
	vec_push(values->rows, ((struct saved_row){.min = NAN, .max = NAN}));
	inner = JSON_ROW(row_fields,
			 &values->rows->data[values->rows->count - 1]);
	return json_row_inner(stream, values->row, &inner);
}

/* ---- the split ----------------------------------------------------------- */

static struct error *read_at(struct json_stream *stream, struct json_row *row)
{
	static const char *const ends[] = {"from", "to"};
	struct saved_split *split = row->into;
	unsigned end;

	TRY(read_word(stream, row, ends, 2, &end));
	split->at_to = end == 1;
	return NULL;
}

static struct error *read_values(struct json_stream *stream,
				 struct json_row *row)
{
	struct values values = {.row = row, .rows = json_row_target(row)};
	bool is_array;

	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_array));
	return is_array ? json_stream_array(stream, read_row, &values) : NULL;
}

struct error *saved_split_read(struct json_stream *stream, struct json_row *row)
{
	static const struct json_field fields[] = {
		JSON_FIELD("expression", FIELD_TEXT, struct saved_split,
			   expression),
		JSON_READ("at", read_at, struct saved_split, at_to),
		JSON_READ("values", read_values, struct saved_split, rows),
	};
	struct saved_split **out = json_row_target(row);
	struct error *error;
	struct json_row inner;

	if (!*out)
		*out = xcalloc(1, sizeof(**out));
	inner = JSON_ROW(fields, *out);
	error = json_row_inner(stream, row, &inner);
	if (!(*out)->expression)
		(*out)->expression = xstrdup("");
	return error;
}

/* split_reader.c - see split_reader.h */
#include "split_reader.h"

#include <math.h>

#include "perftool/base/alloc.h"
#include "perftool/split.h"
#include "saved_buckets.h"

/* Stores in `*out` which of the words the next value is: `count` if it is none
 * of them, which is noted as wrong. */
static struct error *read_word(struct json_stream *stream, struct json_row *row,
			       const char *const *words, unsigned count,
			       unsigned *out)
{
	struct json_value value;
	bool is_text;

	*out = count;
	TRY(json_row_expect(stream, row, JSON_TEXT, &is_text));
	if (!is_text)
		return NULL;
	TRY(json_stream_value(stream, &value));
	for (*out = 0; *out < count; ++*out)
		if (str_equal(words[*out], value.text))
			return NULL;
	json_row_mark(row);
	return NULL;
}

/* ---- rows ---------------------------------------------------------------- */

static struct error *read_kind(struct json_stream *stream, struct json_row *row)
{
	static const char *const kinds[] = {[ROW_VALUE] = "value",
					    [ROW_OTHER] = "other",
					    [ROW_ERROR] = "error"};
	struct saved_row *out = row->into;

	return read_word(stream, row, kinds, sizeof(kinds) / sizeof(*kinds),
			 &out->kind);
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

static struct error *read_row_buckets(struct json_stream *stream,
				      struct json_row *row)
{
	struct saved_row *out = row->into;

	return saved_buckets_read(stream, row, &out->buckets);
}

#define ROW(name, type, member)                                                \
	{                                                                      \
		name, type, offsetof(struct saved_row, member), NULL           \
	}
#define READ(name, function)                                                   \
	{                                                                      \
		name, FIELD_READ, 0, function                                  \
	}

static const struct json_field row_fields[] = {
	READ("kind", read_kind),
	READ("value", read_value),
	ROW("count", FIELD_COUNT, count),
	ROW("total_ns", FIELD_INTEGER, total),
	ROW("min_ns", FIELD_NUMBER, min),
	ROW("max_ns", FIELD_NUMBER, max),
	ROW("interrupted", FIELD_COUNT, interrupted),
	READ("buckets", read_row_buckets),
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
	struct saved_split *split = row->into;
	struct values values = {.row = row, .rows = &split->rows};
	bool is_array;

	TRY(json_row_expect(stream, row, JSON_ARRAY, &is_array));
	return is_array ? json_stream_array(stream, read_row, &values) : NULL;
}

struct error *saved_split_read(struct json_stream *stream, struct json_row *row,
			       struct saved_split **out)
{
	static const struct json_field fields[] = {
		{"expression", FIELD_TEXT,
		 offsetof(struct saved_split, expression), NULL},
		READ("at", read_at),
		READ("values", read_values),
	};
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

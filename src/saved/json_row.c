/* json_row.c - see json_row.h */
#include "json_row.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* ---- numbers ------------------------------------------------------------- */

/* Reads the digits of an integer that has at most 30 of them. */
static bool digits(const char *text, __int128 *out)
{
	bool is_negative = *text == '-';
	__int128 value = 0;
	int count = 0;

	for (text += is_negative; isdigit((unsigned char)*text); text++) {
		if (++count > 30)
			return false;
		value = value * 10 + (*text - '0');
	}
	if (*text || !count)
		return false;
	*out = is_negative ? -value : value;
	return true;
}

bool json_whole(const struct json_value *value, __int128 *out)
{
	if (value->kind == JSON_TEXT)
		return digits(value->text, out);
	*out = value->whole;
	return value->kind == JSON_WHOLE;
}

bool json_finite(const struct json_value *value, double *out)
{
	__int128 integer;

	if (value->kind == JSON_WHOLE || value->kind == JSON_REAL)
		*out = value->real;
	else if (json_whole(value, &integer))
		*out = (double)integer;
	else
		return false;
	return isfinite(*out);
}

/* ---- fields -------------------------------------------------------------- */

void json_row_mark(struct json_row *row)
{
	if (!row->wrong)
		row->wrong = row->field->name;
}

static bool store_count(const struct json_value *value, uint64_t *out)
{
	__int128 whole;

	if (!json_whole(value, &whole) || whole < 0 || whole > UINT64_MAX)
		return false;
	*out = (uint64_t)whole;
	return true;
}

static bool store_signed(const struct json_value *value, int64_t *out)
{
	__int128 whole;

	if (!json_whole(value, &whole) || whole < INT64_MIN ||
	    whole > INT64_MAX)
		return false;
	*out = (int64_t)whole;
	return true;
}

static bool store_text(const struct json_value *value, char **out)
{
	if (value->kind != JSON_TEXT)
		return false;
	free(*out);
	*out = xstrdup(value->text);
	return true;
}

/* Stores the value. Returns false if it has not the type of the field. */
static bool store(const struct json_field *field,
		  const struct json_value *value, void *member)
{
	switch (field->type) {
	case FIELD_TEXT:
		return store_text(value, member);
	case FIELD_BOOL:
		*(bool *)member = value->truth;
		return value->kind == JSON_BOOL;
	case FIELD_INTEGER:
		return json_whole(value, member);
	case FIELD_SIGNED:
		return store_signed(value, member);
	case FIELD_COUNT:
		return store_count(value, member);
	default:
		return json_finite(value, member);
	}
}

static struct error *read_field(struct json_stream *stream,
				struct json_row *row)
{
	const struct json_field *field = row->field;
	uint64_t bit = (uint64_t)1 << (field - row->fields);
	enum json_kind kind = json_stream_kind(stream);
	struct json_value value;

	if (field->type == FIELD_READ && kind != JSON_NULL) {
		row->has |= bit;
		return field->read(stream, row);
	}
	if (kind == JSON_ARRAY || kind == JSON_OBJECT) {
		json_row_mark(row);
		return json_stream_skip(stream);
	}
	TRY(json_stream_value(stream, &value));
	row->has &= ~bit;
	if (value.kind == JSON_NULL)
		return NULL;
	row->has |= bit;
	if (!store(field, &value, json_row_target(row)))
		json_row_mark(row);
	return NULL;
}

/* Rows have their fields in one order most often: the search begins behind the
 * field that was found last. */
static const struct json_field *find(const struct json_row *row,
				     const char *name)
{
	size_t from = row->field ? (size_t)(row->field - row->fields) + 1 : 0;

	for (size_t i = 0; i < row->count; i++) {
		const struct json_field *field =
			&row->fields[(from + i) % row->count];

		if (*field->name == *name && str_equal(field->name, name))
			return field;
	}
	return NULL;
}

struct error *json_row_member(struct json_stream *stream, struct json_row *row,
			      const char *name, bool *is_known)
{
	const struct json_field *field = find(row, name);

	*is_known = field != NULL;
	if (!field)
		return NULL;
	row->field = field;
	return read_field(stream, row);
}

static struct error *visit(void *context, struct json_stream *stream,
			   const char *name)
{
	bool is_known;

	TRY(json_row_member(stream, context, name, &is_known));
	return is_known ? NULL : json_stream_skip(stream);
}

struct error *json_row_read(struct json_stream *stream, struct json_row *row)
{
	return json_stream_object(stream, visit, row);
}

bool json_row_has(const struct json_row *row, const char *name)
{
	const struct json_field *field = find(row, name);

	return field && (row->has >> (field - row->fields) & 1);
}

struct error *json_row_expect(struct json_stream *stream, struct json_row *row,
			      enum json_kind kind, bool *is_so)
{
	*is_so = json_stream_kind(stream) == kind;
	if (*is_so)
		return NULL;
	json_row_mark(row);
	return json_stream_skip(stream);
}

struct error *json_row_inner(struct json_stream *stream, struct json_row *row,
			     struct json_row *inner)
{
	bool is_object;

	TRY(json_row_expect(stream, row, JSON_OBJECT, &is_object));
	if (is_object)
		TRY(json_row_read(stream, inner));
	if (!row->wrong)
		row->wrong = inner->wrong;
	return NULL;
}

struct error *json_row_word(struct json_stream *stream, struct json_row *row,
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
			break;
	return NULL;
}

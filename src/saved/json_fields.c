/*
 * json_fields.c - see json_fields.h
 */
#include "json_fields.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>

#include "perftool/base/alloc.h"

/* Returns the field; NULL if it is missing or null. */
static struct json_object *find(const struct json_row *row, const char *name)
{
	struct json_object *field = NULL;

	json_object_object_get_ex(row->object, name, &field);
	return field;
}

static void mark(struct json_row *row, const char *name)
{
	if (!row->wrong)
		row->wrong = name;
}

bool row_has(const struct json_row *row, const char *name)
{
	return find(row, name) != NULL;
}

char *row_text(struct json_row *row, const char *name)
{
	struct json_object *field = find(row, name);

	if (!field)
		return NULL;
	if (json_object_is_type(field, json_type_string))
		return xstrdup(json_object_get_string(field));
	mark(row, name);
	return NULL;
}

bool row_bool(struct json_row *row, const char *name)
{
	struct json_object *field = find(row, name);

	if (field && !json_object_is_type(field, json_type_boolean))
		mark(row, name);
	return json_object_get_boolean(field);
}

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

bool json_whole(struct json_object *object, __int128 *out)
{
	if (json_object_is_type(object, json_type_string))
		return digits(json_object_get_string(object), out);
	if (!json_object_is_type(object, json_type_int))
		return false;
	/* json-c cuts off what is beyond 64 bits; perftool writes that as a
	 * string */
	*out = json_object_get_int64(object);
	if (*out == INT64_MAX)
		*out = json_object_get_uint64(object);
	return true;
}

bool json_finite(struct json_object *object, double *out)
{
	__int128 integer;

	if (json_object_is_type(object, json_type_double))
		*out = json_object_get_double(object);
	else if (json_whole(object, &integer))
		*out = (double)integer;
	else
		return false;
	return isfinite(*out);
}

__int128 row_integer(struct json_row *row, const char *name)
{
	struct json_object *field = find(row, name);
	__int128 value = 0;

	if (field && !json_whole(field, &value))
		mark(row, name);
	return value;
}

uint64_t row_count(struct json_row *row, const char *name)
{
	__int128 value = row_integer(row, name);

	if (value >= 0 && value <= UINT64_MAX)
		return (uint64_t)value;
	mark(row, name);
	return 0;
}

double row_number(struct json_row *row, const char *name)
{
	struct json_object *field = find(row, name);
	double value = NAN;

	if (field && !json_finite(field, &value)) {
		mark(row, name);
		return NAN;
	}
	return value;
}

static struct json_object *of_type(struct json_row *row, const char *name,
				   enum json_type type)
{
	struct json_object *field = find(row, name);

	if (!field || json_object_is_type(field, type))
		return field;
	mark(row, name);
	return NULL;
}

struct json_object *row_object(struct json_row *row, const char *name)
{
	return of_type(row, name, json_type_object);
}

struct json_object *row_array(struct json_row *row, const char *name)
{
	return of_type(row, name, json_type_array);
}

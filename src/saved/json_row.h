/*
 * json_row.h - the fields of one object, read into a struct, with their types
 * checked
 *
 * A field that is missing is as one that is null: an older version may not have
 * written it. Then the member of the struct stays as the caller has set it.
 * Fields that the caller does not know are passed over.
 */
#ifndef SAVED_JSON_ROW_H
#define SAVED_JSON_ROW_H

#include <stddef.h>

#include "json_stream.h"

enum field_type {
	FIELD_TEXT,    /* char *: a copy */
	FIELD_BOOL,    /* bool */
	FIELD_INTEGER, /* __int128: a number, or a string of digits */
	FIELD_SIGNED,  /* int64_t: the same, of 64 bits */
	FIELD_COUNT,   /* uint64_t: the same, not below 0 */
	FIELD_NUMBER,  /* double: finite */
	FIELD_READ,    /* the function `read` reads the value, which is not null
			*/
};

struct json_row;

struct json_field {
	const char *name;
	enum field_type type;
	size_t offset; /* of the member of the struct */
	struct error *(*read)(struct json_stream *stream, struct json_row *row);
};

/* A field that is the member of a struct, and one that a function reads into
 * it. */
#define JSON_FIELD(name, type, owner, member)                                  \
	{                                                                      \
		name, type, offsetof(owner, member), NULL                      \
	}
#define JSON_READ(name, read, owner, member)                                   \
	{                                                                      \
		name, FIELD_READ, offsetof(owner, member), read                \
	}
/* A field that a function reads into several members. */
#define JSON_READ_ALL(name, read)                                              \
	{                                                                      \
		name, FIELD_READ, 0, read                                      \
	}

#define JSON_FIELDS_MAX 64

struct json_row {
	const struct json_field *fields;
	size_t count; /* at most JSON_FIELDS_MAX */
	void *into;   /* the struct */
	/* A bit for each field: it is there, and not null. */
	uint64_t has;
	/* the first field that has not the type or the range that it must have;
	 * NULL: there is none */
	const char *wrong;
	/* The field that is read now. */
	const struct json_field *field;
};

/* The row of a struct. `fields` is an array. */
#define JSON_ROW(the_fields, the_struct)                                       \
	((struct json_row){.fields = (the_fields),                             \
			   .count =                                            \
				   sizeof(the_fields) / sizeof(*(the_fields)), \
			   .into = (the_struct)})

/* Reads the object that comes next. A field of a wrong type is no error of this
 * function: the caller looks at `wrong`. */
struct error *json_row_read(struct json_stream *stream, struct json_row *row);
/* Reads the value that comes next as the member `name` of the row. `*is_known`:
 * does the row have the field? Otherwise, nothing is consumed. */
struct error *json_row_member(struct json_stream *stream, struct json_row *row,
			      const char *name, bool *is_known);
bool json_row_has(const struct json_row *row, const char *name);

/* For the functions `read`: the member of the struct that the field has. */
static inline void *json_row_target(const struct json_row *row)
{
	return (char *)row->into + row->field->offset;
}

/* For the functions `read`. json_row_inner() reads the value, which must be an
 * object, as a row of its own; json_row_expect() returns whether a value of
 * this kind comes next. If it is another one, both note that the field is
 * wrong, and the value is passed over. */
struct error *json_row_inner(struct json_stream *stream, struct json_row *row,
			     struct json_row *inner);
struct error *json_row_expect(struct json_stream *stream, struct json_row *row,
			      enum json_kind kind, bool *is_so);
void json_row_mark(struct json_row *row);
/* Stores which of the words the value is, which must be a text; `count`: it is
 * none of them. */
struct error *json_row_word(struct json_stream *stream, struct json_row *row,
			    const char *const *words, unsigned count,
			    unsigned *out);

/* Store the value as a number. Return false if it is none. */
bool json_finite(const struct json_value *value, double *out);
bool json_whole(const struct json_value *value, __int128 *out);

#endif

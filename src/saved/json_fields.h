/*
 * json_fields.h - the fields of one row, with their types checked
 *
 * A field that is missing is as one that is null: an older version may not have
 * written it.
 */
#ifndef SAVED_JSON_FIELDS_H
#define SAVED_JSON_FIELDS_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

/* The fields of one row that were read so far. */
struct json_row {
	struct json_object *object;
	/* the first field that has not the type or the range that it must have;
	 * NULL: there is none */
	const char *wrong;
};

/* Return the field, or what stands for null. */
bool row_has(const struct json_row *row, const char *name);
/* a copy that the caller frees; NULL */
char *row_text(struct json_row *row, const char *name);
bool row_bool(struct json_row *row, const char *name);
/* a number, or a string of digits; 0 */
__int128 row_integer(struct json_row *row, const char *name);
/* the same, not below 0 and of 64 bits */
uint64_t row_count(struct json_row *row, const char *name);
/* finite; NAN */
double row_number(struct json_row *row, const char *name);
/* a row of its own, whose object belongs to the first one, or NULL */
struct json_object *row_object(struct json_row *row, const char *name);
struct json_object *row_array(struct json_row *row, const char *name);

/* Appends an element of an array as a number. Returns false if it is none. */
bool json_finite(struct json_object *object, double *out);
bool json_whole(struct json_object *object, __int128 *out);

#endif

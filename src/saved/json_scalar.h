/*
 * json_scalar.h - strings, numbers and words of JSON
 */
#ifndef SAVED_JSON_SCALAR_H
#define SAVED_JSON_SCALAR_H

#include "json_bytes.h"

/* Reads a string into `text`, which is empty before, up to its closing quote.
 * The opening quote was taken. */
struct error *json_read_string(struct json_stream *stream, struct str *text);
/* Reads the number that comes next. */
struct error *json_read_number(struct json_stream *stream,
			       struct json_value *out);
/* Reads the word that comes next: true, false, null. Infinity and NaN are
 * numbers that json-c knows; the caller refuses them by their value. */
struct error *json_read_word(struct json_stream *stream,
			     struct json_value *out);

#endif

/*
 * json_stream.h - JSON that is too large to be held in memory as a whole
 *
 * The stream walks through objects and arrays, and leaves each value to the
 * caller, who has json-c parse it, passes over it, or walks into it. What was
 * passed over is not checked: it only ends where its brackets do.
 */
#ifndef SAVED_JSON_STREAM_H
#define SAVED_JSON_STREAM_H

#include <json-c/json.h>
#include <stdbool.h>

#include "perftool/base/error.h"

struct json_stream;

/* The caller closes the stream. "-" is standard input. */
struct error *json_stream_open(const char *path, struct json_stream **out);
/* The same of a text, which must exist as long as the stream. */
struct error *json_stream_open_text(const char *text, size_t length,
				    const char *name, struct json_stream **out);
void json_stream_close(struct json_stream *stream);
/* What messages call the file. */
const char *json_stream_name(const struct json_stream *stream);

/* Returns whether only blanks are left. */
bool json_stream_is_at_end(struct json_stream *stream);

/* Called with a member of an object, or (`name` is NULL) with an element of an
 * array. Consumes the value by one of the functions below. */
typedef struct error *json_visit_fn(void *context, struct json_stream *stream,
				    const char *name);

/* Walk through the object, or the array, that comes next. An array may be null,
 * which has no elements. */
struct error *json_stream_object(struct json_stream *stream,
				 json_visit_fn *visit, void *context);
struct error *json_stream_array(struct json_stream *stream,
				json_visit_fn *visit, void *context);

/* Parses the value that comes next, which the caller frees; null is NULL. A
 * value of more than JSON_VALUE_MAX bytes, or with more than JSON_DEPTH_MAX
 * levels, is an error. */
#define JSON_VALUE_MAX (64u << 20)
#define JSON_DEPTH_MAX 64
struct error *json_stream_value(struct json_stream *stream,
				struct json_object **out);
/* The same in two steps: the text of the value, which is valid until the next
 * call and in which blanks between its parts are one blank at most; then the
 * value, unless the caller does not want it. */
struct error *json_stream_text(struct json_stream *stream, const char **out);
struct error *json_stream_parse(struct json_stream *stream,
				struct json_object **out);
struct error *json_stream_skip(struct json_stream *stream);

#endif

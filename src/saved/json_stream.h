/*
 * json_stream.h - JSON that is too large to be held in memory as a whole
 *
 * The stream walks through objects and arrays, and leaves each value to the
 * caller, who reads it, passes over it, or walks into it. Nothing is made of a
 * value but what the caller asks for: a merge reads 10,000 files. What was
 * passed over is not checked: it only ends where its brackets do.
 */
#ifndef SAVED_JSON_STREAM_H
#define SAVED_JSON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "perftool/base/error.h"

struct json_stream;
struct saved_watch;

/* The caller closes the stream. "-" is standard input. */
struct error *json_stream_open(const char *path, struct json_stream **out);
/* The same of a text, which must exist as long as the stream. */
struct json_stream *json_stream_open_text(const char *text, size_t length,
					  const char *name);
void json_stream_close(struct json_stream *stream);
/* Has the watch told of each piece that is read. NULL: of none. */
void json_stream_watch(struct json_stream *stream,
		       const struct saved_watch *watch);
/* What messages call the file. */
const char *json_stream_name(const struct json_stream *stream);

/* Returns whether only blanks are left. */
bool json_stream_is_at_end(struct json_stream *stream);

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_WHOLE, /* a number without a point and an exponent */
	JSON_REAL,  /* another number */
	JSON_TEXT,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json_value {
	enum json_kind kind;
	bool truth;
	/* JSON_WHOLE; beyond 128 bits the largest or smallest such number */
	__int128 whole;
	double real; /* JSON_WHOLE, JSON_REAL; it may be infinite, or NAN */
	/* JSON_TEXT: valid until another string is read */
	const char *text;
	size_t length;
};

/* Called with a member of an object, or (`name` is NULL) with an element of an
 * array. Consumes the value by one of the functions below. The name is valid
 * until another object is walked through. */
typedef struct error *json_visit_fn(void *context, struct json_stream *stream,
				    const char *name);

/* Walk through the object, or the array, that comes next. An array may be null,
 * which has no elements. */
struct error *json_stream_object(struct json_stream *stream,
				 json_visit_fn *visit, void *context);
struct error *json_stream_array(struct json_stream *stream,
				json_visit_fn *visit, void *context);

/* The same as json_stream_array(), for an array with an element every few
 * bytes: json_stream_enter() stores whether there is an element, and
 * json_stream_more() whether there is another one. */
struct error *json_stream_enter(struct json_stream *stream, bool *is_there);
struct error *json_stream_more(struct json_stream *stream, bool *is_there);

/* What kind of value comes next. At what is no JSON it returns JSON_NULL: then
 * who reads the value gets the error. */
enum json_kind json_stream_kind(struct json_stream *stream);

/* Reads the value that comes next, unless it is an array or an object: then
 * only `kind` is stored, and nothing is consumed. A string of more than
 * JSON_TEXT_MAX bytes is an error. */
#define JSON_TEXT_MAX (64u << 20)
struct error *json_stream_value(struct json_stream *stream,
				struct json_value *out);

/* Passes over the value that comes next. */
struct error *json_stream_skip(struct json_stream *stream);

#endif

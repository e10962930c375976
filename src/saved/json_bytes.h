/*
 * json_bytes.h - the bytes of a JSON file, and what all that read them need
 *
 * The file is read in pieces, because it may be larger than the memory. Who
 * takes many bytes looks at those from `next` to `end` himself, and has
 * json_bytes_fill() bring the next piece when they are used up.
 */
#ifndef SAVED_JSON_BYTES_H
#define SAVED_JSON_BYTES_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "json_stream.h"
#include "perftool/base/error.h"
#include "perftool/base/str.h"

struct json_stream {
	int fd; /* -1: all is in the memory already */
	char *path;
	int failure;     /* the errno value of a read(2) that has failed */
	bool in_value;   /* has the first value begun? */
	uint64_t before; /* bytes of the pieces before this one */
	uint64_t size;   /* of the file; 0: not known, it is a pipe */
	const struct saved_watch *watch;
	char *buffer; /* NULL: the text belongs to the caller */
	const char *piece, *next, *end;
	locale_t locale; /* in which numbers have a point */
	struct str text; /* the string that was read last */
	struct str name; /* the name of the member that was read last */
};

/* Brings the next piece. Returns false at the end of the file. */
bool json_bytes_fill(struct json_stream *stream);

/* How many bytes were taken. */
static inline uint64_t json_bytes_at(const struct json_stream *stream)
{
	return stream->before + (uint64_t)(stream->next - stream->piece);
}

/* The next byte, or EOF; it is taken by adding 1 to `next`. */
static inline int json_bytes_peek(struct json_stream *stream)
{
	if (stream->next == stream->end && !json_bytes_fill(stream))
		return EOF;
	return (unsigned char)*stream->next;
}

static inline int json_bytes_take(struct json_stream *stream)
{
	int byte = json_bytes_peek(stream);

	stream->next += byte != EOF;
	return byte;
}

/* Takes blanks, and returns the byte behind them as json_bytes_peek() does. */
int json_bytes_token(struct json_stream *stream);

/* The error for the byte that comes next, or the end of the file, where JSON
 * cannot have it. */
struct error *json_bytes_unexpected(struct json_stream *stream);
/* The error for a value that is not right in itself: `what` says how. */
struct error *json_bytes_wrong(const struct json_stream *stream,
			       const char *what);

#endif

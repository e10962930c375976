/*
 * json_stream.c - see json_stream.h
 */
#include "json_stream.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

struct json_stream {
	FILE *file;
	char *path;
	uint64_t at;       /* bytes that were taken */
	uint64_t value_at; /* where the value begins whose text was taken */
	bool in_value;     /* has the first value begun? */
	struct str text;   /* of the value that is read now */
	/* bytes of the file, of which those from `next` to `end` are not taken
	 * yet */
	char buffer[65536];
	size_t next, end;
};

struct error *json_stream_open(const char *path, struct json_stream **out)
{
	FILE *file = str_equal(path, "-") ? stdin : fopen(path, "re");
	struct json_stream *stream;
	struct stat status;

	if (!file)
		return error_system(errno, "cannot read %s", path);
	if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
		fclose(file);
		return error_system(EISDIR, "cannot read %s", path);
	}
	stream = xcalloc(1, sizeof(*stream));
	stream->file = file;
	stream->path = xstrdup(file == stdin ? "standard input" : path);
	*out = stream;
	return NULL;
}

struct error *json_stream_open_text(const char *text, size_t length,
				    const char *name, struct json_stream **out)
{
	/* fmemopen(3) of glibc refuses no length since version 2.22 */
	FILE *file = fmemopen((void *)(uintptr_t)text, length, "r");
	struct json_stream *stream;

	if (!file)
		return error_system(errno, "cannot read %s", name);
	stream = xcalloc(1, sizeof(*stream));
	stream->file = file;
	stream->path = xstrdup(name);
	*out = stream;
	return NULL;
}

void json_stream_close(struct json_stream *stream)
{
	if (!stream)
		return;
	if (stream->file != stdin)
		fclose(stream->file);
	str_deinit(&stream->text);
	free(stream->path);
	free(stream);
}

const char *json_stream_name(const struct json_stream *stream)
{
	return stream->path;
}

/* ---- bytes --------------------------------------------------------------- */

/* Reads more bytes. Returns false at the end of the file. */
static bool fill(struct json_stream *stream)
{
	stream->next = 0;
	stream->end =
		fread(stream->buffer, 1, sizeof(stream->buffer), stream->file);
	return stream->end > 0;
}

static inline int take(struct json_stream *stream)
{
	if (stream->next == stream->end && !fill(stream))
		return EOF;
	stream->at++;
	return (unsigned char)stream->buffer[stream->next++];
}

/* Puts back the byte that was taken last. */
static void put_back(struct json_stream *stream, int byte)
{
	if (byte == EOF)
		return;
	stream->next--;
	stream->at--;
}

static bool is_blank(int byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Takes the next byte that is no blank. */
static int take_token(struct json_stream *stream)
{
	int byte;

	do
		byte = take(stream);
	while (is_blank(byte));
	return byte;
}

bool json_stream_is_at_end(struct json_stream *stream)
{
	int byte = take_token(stream);

	put_back(stream, byte);
	return byte == EOF;
}

/* The error for a byte, or the end of the file, where JSON cannot have it. */
static struct error *unexpected(struct json_stream *stream, int byte)
{
	if (byte == EOF && ferror(stream->file))
		return error_system(errno ? errno : EIO, "cannot read %s",
				    stream->path);
	if (byte == EOF && !stream->in_value)
		return error_create(
			ERROR_BAD_FILE,
			"%s is empty: nothing was saved in it, or not yet; "
			"measure again with `-f json -o FILE'",
			stream->path);
	if (byte == EOF)
		return error_create(
			ERROR_BAD_FILE,
			"%s is cut off after %" PRIu64 " bytes: it was not "
			"written or copied as a whole; copy it again, or "
			"measure again",
			stream->path, stream->at);
	return error_create(ERROR_BAD_FILE,
			    "%s is no JSON (byte %" PRIu64
			    "): tables are saved as JSON by "
			    "`-f json -o FILE' or `save tables FILE.json'",
			    stream->path, stream->at);
}

/* ---- values -------------------------------------------------------------- */

/* Where the bytes of a value go: into the text of the stream, or nowhere. */
struct sink {
	struct json_stream *stream;
	bool keeps;
};

static struct error *keep(const struct sink *sink, int byte)
{
	struct json_stream *stream = sink->stream;
	struct str *text = &stream->text;

	if (!sink->keeps)
		return NULL;
	/* nearly always there is room for another byte */
	if (text->length + 1 < text->capacity &&
	    text->length < JSON_VALUE_MAX) {
		text->data[text->length++] = (char)byte;
		text->data[text->length] = '\0';
		return NULL;
	}
	if (stream->text.length >= JSON_VALUE_MAX)
		return error_create(
			ERROR_BAD_FILE,
			"%s has a row of more than %u MiB (before byte %" PRIu64
			"): perftool writes no such rows; save the tables "
			"again",
			stream->path, JSON_VALUE_MAX >> 20, stream->at);
	str_append_char(&stream->text, (char)byte);
	return NULL;
}

/* Takes a string up to its closing quote. The opening quote was taken. */
static struct error *take_string(const struct sink *sink)
{
	for (;;) {
		int byte = take(sink->stream);

		if (byte == EOF)
			return unexpected(sink->stream, byte);
		TRY(keep(sink, byte));
		if (byte == '"')
			return NULL;
		if (byte != '\\')
			continue;
		byte = take(sink->stream);
		if (byte == EOF)
			return unexpected(sink->stream, byte);
		TRY(keep(sink, byte));
	}
}

/* Takes a number or a word: all bytes that can be in one. */
static struct error *take_word(const struct sink *sink, int byte)
{
	uint64_t first = sink->stream->at;

	while (byte != EOF && (isalnum(byte) || strchr("+-._", byte)) && byte) {
		TRY(keep(sink, byte));
		byte = take(sink->stream);
	}
	/* a file that ends in a number at the outermost level is complete, and
	 * never a file of tables */
	if (sink->stream->at == first)
		return unexpected(sink->stream, byte);
	put_back(sink->stream, byte);
	return NULL;
}

/* Takes an object or an array, up to the bracket that closes it. */
static struct error *take_nested(const struct sink *sink)
{
	size_t depth = 1;

	while (depth) {
		int byte = take(sink->stream);

		if (is_blank(byte)) {
			/* the blanks of an indented line become one */
			byte = take_token(sink->stream);
			TRY(keep(sink, ' '));
		}
		if (byte == EOF)
			return unexpected(sink->stream, byte);
		TRY(keep(sink, byte));
		if (byte == '"')
			TRY(take_string(sink));
		else if (byte == '{' || byte == '[')
			depth++;
		else if (byte == '}' || byte == ']')
			depth--;
	}
	return NULL;
}

/* Makes room for the text of another value. */
static void begin_text(struct json_stream *stream)
{
	stream->text.length = 0;
}

static struct error *take_value(const struct sink *sink)
{
	int byte = take_token(sink->stream);

	if (byte != EOF)
		sink->stream->in_value = true;
	if (byte == '"') {
		TRY(keep(sink, byte));
		return take_string(sink);
	}
	if (byte == '{' || byte == '[') {
		TRY(keep(sink, byte));
		return take_nested(sink);
	}
	return take_word(sink, byte);
}

struct error *json_stream_skip(struct json_stream *stream)
{
	return take_value(&(struct sink){.stream = stream});
}

static struct error *parse(struct json_stream *stream, uint64_t first,
			   struct json_object **out)
{
	const char *text = str_text(&stream->text);
	json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
	struct json_object *object;
	enum json_tokener_error how;

	if (!tokener)
		out_of_memory(0);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT |
						JSON_TOKENER_VALIDATE_UTF8);
	/* the byte behind the text ends a number */
	object = json_tokener_parse_ex(tokener, text,
				       (int)stream->text.length + 1);
	how = json_tokener_get_error(tokener);
	json_tokener_free(tokener);
	if (how == json_tokener_success) {
		*out = object;
		return NULL;
	}
	json_object_put(object);
	return error_create(
		ERROR_BAD_FILE,
		"%s is no JSON that perftool has written (byte %" PRIu64
		": %s): save the tables again",
		stream->path, first,
		how == json_tokener_continue ? "unexpected end of a value"
					     : json_tokener_error_desc(how));
}

struct error *json_stream_text(struct json_stream *stream, const char **out)
{
	stream->value_at = stream->at + 1;
	begin_text(stream);
	TRY(take_value(&(struct sink){.stream = stream, .keeps = true}));
	*out = str_text(&stream->text);
	return NULL;
}

struct error *json_stream_parse(struct json_stream *stream,
				struct json_object **out)
{
	return parse(stream, stream->value_at, out);
}

struct error *json_stream_value(struct json_stream *stream,
				struct json_object **out)
{
	const char *text;

	TRY(json_stream_text(stream, &text));
	return json_stream_parse(stream, out);
}

/* ---- objects and arrays -------------------------------------------------- */

/* Takes the name of a member, which the caller frees also after an error, and
 * its colon. The opening quote was taken. */
static struct error *take_name(struct json_stream *stream, char **out)
{
	const struct sink sink = {.stream = stream, .keeps = true};
	struct json_object *name = NULL;
	int byte;

	begin_text(stream);
	str_append_char(&stream->text, '"');
	TRY(take_string(&sink));
	TRY(parse(stream, stream->at, &name));
	*out = xstrdup(json_object_get_string(name));
	json_object_put(name);
	byte = take_token(stream);
	return byte == ':' ? NULL : unexpected(stream, byte);
}

struct error *json_stream_object(struct json_stream *stream,
				 json_visit_fn *visit, void *context)
{
	int byte = take_token(stream);

	if (byte != '{')
		return unexpected(stream, byte);
	stream->in_value = true;
	byte = take_token(stream);
	if (byte == '}')
		return NULL;
	for (;;) {
		CLEANUP(free_pointer) char *name = NULL;

		if (byte != '"')
			return unexpected(stream, byte);
		TRY(take_name(stream, &name));
		TRY(visit(context, stream, name));
		byte = take_token(stream);
		if (byte == '}')
			return NULL;
		if (byte != ',')
			return unexpected(stream, byte);
		byte = take_token(stream);
	}
}

struct error *json_stream_array(struct json_stream *stream,
				json_visit_fn *visit, void *context)
{
	int byte = take_token(stream);
	struct json_object *null = NULL;

	if (byte != '[') {
		put_back(stream, byte);
		if (byte != 'n')
			return unexpected(stream, take(stream));
		return json_stream_value(stream, &null);
	}
	byte = take_token(stream);
	if (byte == ']')
		return NULL;
	put_back(stream, byte);
	for (;;) {
		TRY(visit(context, stream, NULL));
		byte = take_token(stream);
		if (byte == ']')
			return NULL;
		if (byte != ',')
			return unexpected(stream, byte);
	}
}

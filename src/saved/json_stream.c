/* json_stream.c - see json_stream.h */
#include "json_stream.h"

#include "json_scalar.h"

bool json_stream_is_at_end(struct json_stream *stream)
{
	return json_bytes_token(stream) == EOF;
}

/* Takes the byte, which must come next behind blanks. */
static struct error *expect(struct json_stream *stream, int byte)
{
	if (json_bytes_token(stream) != byte)
		return json_bytes_unexpected(stream);
	stream->next++;
	return NULL;
}

/* ---- values -------------------------------------------------------------- */

enum json_kind json_stream_kind(struct json_stream *stream)
{
	int byte = json_bytes_token(stream);

	switch (byte) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_TEXT;
	case 't':
	case 'f':
		return JSON_BOOL;
	case 'N':
	case 'I':
		return JSON_REAL;
	default:
		return byte == '-' || (byte >= '0' && byte <= '9') ? JSON_WHOLE
								   : JSON_NULL;
	}
}

struct error *json_stream_value(struct json_stream *stream,
				struct json_value *out)
{
	enum json_kind kind = json_stream_kind(stream);

	stream->in_value = true;
	switch (kind) {
	case JSON_ARRAY:
	case JSON_OBJECT:
		*out = (struct json_value){.kind = kind};
		return NULL;
	case JSON_TEXT:
		stream->next++;
		stream->text.length = 0;
		TRY(json_read_string(stream, &stream->text));
		*out = (struct json_value){.kind = JSON_TEXT,
					   .text = str_text(&stream->text),
					   .length = stream->text.length};
		return NULL;
	case JSON_WHOLE:
		return json_read_number(stream, out);
	default:
		return json_read_word(stream, out);
	}
}

/* ---- passing over -------------------------------------------------------- */

/* Takes the rest of a string, whose opening quote was taken. */
static struct error *skip_string(struct json_stream *stream)
{
	for (;;) {
		const char *at = stream->next, *end = stream->end;
		int byte;

		while (at < end && *at != '"' && *at != '\\')
			at++;
		stream->next = at;
		byte = json_bytes_peek(stream);
		if (byte == EOF)
			return json_bytes_unexpected(stream);
		if (byte != '"' && byte != '\\')
			continue; /* of the next piece */
		stream->next++;
		if (byte == '"')
			return NULL;
		if (json_bytes_take(stream) == EOF)
			return json_bytes_unexpected(stream);
	}
}

/* The bytes at which an array or an object may end, or go deeper. */
static const bool is_structure[256] = {
	['"'] = true, ['['] = true, [']'] = true, ['{'] = true, ['}'] = true};

/* Takes the rest of an array or an object, whose bracket was taken. */
static struct error *skip_nested(struct json_stream *stream)
{
	size_t depth = 1;

	while (depth) {
		const char *at = stream->next, *end = stream->end;
		int byte;

		while (at < end && !is_structure[(unsigned char)*at])
			at++;
		stream->next = at;
		byte = json_bytes_peek(stream);
		if (byte == EOF)
			return json_bytes_unexpected(stream);
		if (!is_structure[byte])
			continue; /* of the next piece */
		stream->next++;
		if (byte == '"')
			TRY(skip_string(stream));
		else if (byte == '[' || byte == '{')
			depth++;
		else
			depth--;
	}
	return NULL;
}

struct error *json_stream_skip(struct json_stream *stream)
{
	struct json_value value;

	switch (json_stream_kind(stream)) {
	case JSON_ARRAY:
	case JSON_OBJECT:
		stream->next++;
		return skip_nested(stream);
	case JSON_TEXT:
		stream->next++;
		return skip_string(stream);
	default:
		return json_stream_value(stream, &value);
	}
}

/* ---- objects and arrays -------------------------------------------------- */

/* Takes the name of a member, and its colon. */
static struct error *take_name(struct json_stream *stream)
{
	TRY(expect(stream, '"'));
	stream->name.length = 0;
	TRY(json_read_string(stream, &stream->name));
	return expect(stream, ':');
}

/* Takes the comma or the bracket behind an element. */
static struct error *take_next(struct json_stream *stream, int bracket,
			       bool *is_there)
{
	int byte = json_bytes_token(stream);

	*is_there = byte == ',';
	if (byte != ',' && byte != bracket)
		return json_bytes_unexpected(stream);
	stream->next++;
	return NULL;
}

struct error *json_stream_object(struct json_stream *stream,
				 json_visit_fn *visit, void *context)
{
	bool is_there = true;

	TRY(expect(stream, '{'));
	stream->in_value = true;
	if (json_bytes_token(stream) == '}') {
		stream->next++;
		return NULL;
	}
	while (is_there) {
		TRY(take_name(stream));
		TRY(visit(context, stream, str_text(&stream->name)));
		TRY(take_next(stream, '}', &is_there));
	}
	return NULL;
}

struct error *json_stream_enter(struct json_stream *stream, bool *is_there)
{
	TRY(expect(stream, '['));
	*is_there = json_bytes_token(stream) != ']';
	stream->next += !*is_there;
	return NULL;
}

struct error *json_stream_more(struct json_stream *stream, bool *is_there)
{
	return take_next(stream, ']', is_there);
}

struct error *json_stream_array(struct json_stream *stream,
				json_visit_fn *visit, void *context)
{
	struct json_value null;
	bool is_there;

	if (json_bytes_token(stream) == 'n')
		return json_stream_value(stream, &null);
	TRY(json_stream_enter(stream, &is_there));
	while (is_there) {
		TRY(visit(context, stream, NULL));
		TRY(json_stream_more(stream, &is_there));
	}
	return NULL;
}

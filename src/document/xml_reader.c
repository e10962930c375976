/*
 * xml_reader.c - reads XML messages with libxml2, as their bytes arrive
 *
 * libxml2 calls the functions below for each tag. They build the JSON value of
 * each open element; the open elements are a stack. The reader gives libxml2
 * the bytes in pieces, each of which ends where a tag, a comment, a CDATA
 * section or a processing instruction ends. The end of a message is the end of
 * a tag, so that no byte of the next message reaches the parser of this one. As
 * libxml2 never sees a part of a tag, it reads each byte once, and however a
 * front end divides its message, the pieces are the same.
 *
 * A message may not have a DOCTYPE, so that there are no entities but the five
 * that XML defines. Nothing is read from files or from the network. The bytes
 * are UTF-8, whatever a message says of its encoding: libxml2 would report a
 * failed conversion on standard error.
 */
#include "perftool/document.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"

#include "libxml.h"

struct element {
	char *name; /* as it was written */
	struct json_object *members;
	struct str text;
};

/* What the next byte is part of. In MARKUP_OPEN, it is not known yet what the
 * `<` has begun. */
enum markup {
	MARKUP_NONE,
	MARKUP_OPEN,
	MARKUP_TAG,
	MARKUP_COMMENT,
	MARKUP_CDATA,
	MARKUP_INSTRUCTION
};

struct xml_reader {
	struct libxml libxml;  /* loaded when the first message begins */
	xmlParserCtxt *parser; /* NULL: no message has begun */
	/* bytes that libxml2 was not given yet; where their last markup begins,
	 * and what it is */
	struct str piece;
	size_t begin;
	enum markup markup;
	char quote;        /* that a value in a tag has; 0: no value is open */
	size_t attributes; /* of the tag so far, counted by their values */
	size_t parts;      /* elements and attributes of the message */
	VEC(struct element) open;
	size_t length; /* of the message so far, in bytes */
	/* the outermost element, once it has ended */
	char *name;
	struct json_object *content;
	const char *problem;
};

static char *lower(const char *name)
{
	char *copy = xstrdup(name);

	for (char *at = copy; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	return copy;
}

static void refuse(struct xml_reader *reader, const char *problem)
{
	if (!reader->problem)
		reader->problem = problem;
	if (reader->parser)
		reader->libxml.stop_parser(reader->parser);
}

static void start_element(void *context, const xmlChar *name,
			  const xmlChar **attributes)
{
	struct xml_reader *reader = context;
	struct element element = {.members = json_object_new_object()};

	element.name = xstrdup((const char *)name);
	reader->parts++;
	for (; attributes && attributes[0]; attributes += 2, reader->parts++) {
		CLEANUP(free_pointer)
		char *member = lower((const char *)attributes[0]);

		json_object_object_add(
			element.members, member,
			json_object_new_string((const char *)attributes[1]));
	}
	vec_push(&reader->open, element);
	if (reader->open.count > DOCUMENT_DEPTH_MAX)
		refuse(reader, "the message is nested too deeply");
	if (reader->parts > DOCUMENT_PARTS_MAX)
		refuse(reader, "the message has too many parts");
}

static bool is_blank(const char *text)
{
	return !text[strspn(text, " \t\r\n")];
}

/* Makes the value of an element that has ended: see document.h. */
static struct json_object *value_of(struct element *element)
{
	const char *text = str_text(&element->text);

	if (!json_object_object_length(element->members)) {
		json_object_put(element->members);
		return json_object_new_string_len(text,
						  (int)element->text.length);
	}
	if (!is_blank(text))
		json_object_object_add(
			element->members, "text",
			json_object_new_string_len(text,
						   (int)element->text.length));
	return element->members;
}

static void add_child(struct json_object *members, const char *name,
		      struct json_object *value)
{
	struct json_object *array = NULL;

	/* An attribute of the same name has a string here. The children of the
	 * element replace it. */
	if (!json_object_object_get_ex(members, name, &array) ||
	    !json_object_is_type(array, json_type_array)) {
		array = json_object_new_array();
		json_object_object_add(members, name, array);
	}
	json_object_array_add(array, value);
}

static void element_deinit(struct element *element)
{
	free(element->name);
	str_deinit(&element->text);
}

static void end_element(void *context, const xmlChar *name)
{
	struct xml_reader *reader = context;
	struct element element;

	(void)name;
	element = reader->open.data[--reader->open.count];
	if (reader->open.count) {
		CLEANUP(free_pointer) char *lower_name = lower(element.name);

		add_child(reader->open.data[reader->open.count - 1].members,
			  lower_name, value_of(&element));
		element_deinit(&element);
		return;
	}
	if (!is_blank(str_text(&element.text)))
		json_object_object_add(
			element.members, "text",
			json_object_new_string_len(str_text(&element.text),
						   (int)element.text.length));
	reader->content = element.members;
	reader->name = element.name;
	str_deinit(&element.text);
}

static void characters(void *context, const xmlChar *text, int length)
{
	struct xml_reader *reader = context;

	if (reader->open.count)
		str_append_n(&reader->open.data[reader->open.count - 1].text,
			     (const char *)text, (size_t)length);
}

static void silent(void *context, const char *format, ...)
{
	(void)context;
	(void)format;
}

static void end_message(struct xml_reader *reader)
{
	if (reader->parser)
		reader->libxml.free_parser(reader->parser);
	reader->parser = NULL;
	while (reader->open.count) {
		struct element *last = &reader->open.data[--reader->open.count];

		json_object_put(last->members);
		element_deinit(last);
	}
	str_deinit(&reader->piece);
	reader->begin = reader->length = reader->parts = 0;
	reader->markup = MARKUP_NONE;
}

struct xml_reader *xml_reader_create(void)
{
	return xcalloc(1, sizeof(struct xml_reader));
}

void xml_reader_destroy(struct xml_reader *reader)
{
	if (!reader)
		return;
	end_message(reader);
	libxml_unload(&reader->libxml);
	vec_free(&reader->open);
	json_object_put(reader->content);
	free(reader->name);
	free(reader);
}

static struct error *begin_message(struct xml_reader *reader)
{
	xmlSAXHandler handler = {
		.startElement = start_element,
		.endElement = end_element,
		.characters = characters,
		.cdataBlock = characters,
		.warning = silent,
		.error = silent,
	};

	if (!reader->libxml.library)
		TRY(libxml_load(&reader->libxml));
	reader->parser =
		reader->libxml.create_parser(&handler, reader, NULL, 0, NULL);
	if (!reader->parser)
		out_of_memory(sizeof(*reader));
	reader->libxml.switch_encoding(reader->parser, XML_CHAR_ENCODING_UTF8);
	reader->libxml.use_options(reader->parser,
				   XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
	return NULL;
}

static enum xml_found failed(struct xml_reader *reader, char **reason)
{
	const xmlError *error = reader->libxml.last_error(reader->parser);
	const char *text = reader->problem;
	size_t length;

	if (!text && error && error->message)
		text = error->message;
	*reason = xstrdup(text ? text : "the message is not XML");
	length = strlen(*reason);
	if (length && (*reason)[length - 1] == '\n')
		(*reason)[length - 1] = '\0';
	end_message(reader);
	return XML_FOUND_ERROR;
}

/* ---- pieces -------------------------------------------------------------- */

/* What has begun with these bytes, of which the first is `<`? */
static enum markup what_begins(struct xml_reader *reader, const char *text,
			       size_t length)
{
	static const char comment[] = "<!--", cdata[] = "<![CDATA[";

	if (length < 2)
		return MARKUP_OPEN;
	if (text[1] != '!')
		return text[1] == '?' ? MARKUP_INSTRUCTION : MARKUP_TAG;
	if (length < 3)
		return MARKUP_OPEN;
	if (strncmp(text, comment, length) == 0)
		return length < sizeof(comment) - 1 ? MARKUP_OPEN
						    : MARKUP_COMMENT;
	if (strncmp(text, cdata, length) == 0)
		return length < sizeof(cdata) - 1 ? MARKUP_OPEN : MARKUP_CDATA;
	refuse(reader, "a message may not have a DOCTYPE");
	return MARKUP_OPEN;
}

/* Does this byte end the tag? A `>` in the value of an attribute does not. */
static bool ends_tag(struct xml_reader *reader, char byte)
{
	/* The reader does not wait for the end of what is no tag. */
	if (byte == '<')
		refuse(reader, "there is a `<' in a tag");
	if (!reader->quote && (byte == '\'' || byte == '"')) {
		reader->quote = byte;
	} else if (reader->quote == byte) {
		reader->quote = 0;
		/* The time that libxml2 takes to find two attributes of the
		 * same name grows with the square of their number. */
		if (++reader->attributes > DOCUMENT_ATTRIBUTES_MAX)
			refuse(reader, "an element has too many attributes");
	}
	return !reader->quote && byte == '>';
}

/* Does the piece end with `ending`, which is not a part of the `opening` bytes
 * with which its markup begins? */
static bool ends_with(const struct xml_reader *reader, size_t opening,
		      const char *ending)
{
	const struct str *piece = &reader->piece;
	size_t length = strlen(ending);

	return piece->length >= reader->begin + opening + length &&
	       memcmp(piece->data + piece->length - length, ending, length) ==
		       0;
}

/* Adds a byte to the piece. Returns whether it is the last one of the piece. */
static bool add_byte(struct xml_reader *reader, char byte)
{
	str_append_char(&reader->piece, byte);
	switch (reader->markup) {
	case MARKUP_NONE:
		if (byte == '<') {
			reader->begin = reader->piece.length - 1;
			reader->markup = MARKUP_OPEN;
		}
		return false;
	case MARKUP_OPEN:
		reader->markup =
			what_begins(reader, reader->piece.data + reader->begin,
				    reader->piece.length - reader->begin);
		reader->quote = 0;
		reader->attributes = 0;
		return reader->markup == MARKUP_TAG && ends_tag(reader, byte);
	case MARKUP_TAG:
		return ends_tag(reader, byte);
	case MARKUP_COMMENT:
		return ends_with(reader, strlen("<!--"), "-->");
	case MARKUP_CDATA:
		return ends_with(reader, strlen("<![CDATA["), "]]>");
	case MARKUP_INSTRUCTION:
		return ends_with(reader, strlen("<?"), "?>");
	}
	return false;
}

/* Returns how many of the bytes are neither the begin nor the end of a tag or
 * of a value in a tag, so that they can be added together. */
static size_t count_plain(const struct xml_reader *reader, const char *bytes,
			  size_t length)
{
	const char *open;
	size_t count = 0;

	if (reader->markup == MARKUP_NONE) {
		open = memchr(bytes, '<', length);
		return open ? (size_t)(open - bytes) : length;
	}
	if (reader->markup == MARKUP_TAG)
		while (count < length && bytes[count] != '\'' &&
		       bytes[count] != '"' && bytes[count] != '<' &&
		       bytes[count] != '>')
			count++;
	return count;
}

/* Has libxml2 read the piece. Returns whether it is right so far. */
static bool parse_piece(struct xml_reader *reader)
{
	int result =
		reader->libxml.parse_chunk(reader->parser, reader->piece.data,
					   (int)reader->piece.length, 0);

	str_deinit(&reader->piece);
	reader->begin = 0;
	reader->markup = MARKUP_NONE;
	return result == 0 && !reader->problem;
}

enum xml_found xml_reader_push(struct xml_reader *reader, const char *bytes,
			       size_t length, size_t *used, char **name,
			       struct json_object **content)
{
	size_t at = 0;

	/* Nothing but blanks may stand between two messages. */
	while (!reader->parser && at < length &&
	       isspace((unsigned char)bytes[at]))
		at++;
	if (!reader->parser && at < length) {
		struct error *error = begin_message(reader);

		if (error) {
			*name = xstrdup(error_message(error));
			error_destroy(error);
			return XML_FOUND_ERROR;
		}
		if (bytes[at] != '<')
			refuse(reader, "a message begins with `<'");
	}
	while (at < length) {
		size_t plain = count_plain(reader, bytes + at, length - at);
		bool is_whole = false;

		str_append_n(&reader->piece, bytes + at, plain);
		at += plain;
		reader->length += plain;
		if (at < length) {
			is_whole = add_byte(reader, bytes[at++]);
			reader->length++;
		}
		if (reader->length > DOCUMENT_LENGTH_MAX)
			refuse(reader, "the message is too long");
		if (reader->problem || (is_whole && !parse_piece(reader)))
			return failed(reader, name);
		if (!reader->name)
			continue;
		*used = at;
		*name = reader->name;
		*content = reader->content;
		reader->name = NULL;
		reader->content = NULL;
		end_message(reader);
		return XML_FOUND_DOCUMENT;
	}
	*used = at;
	return XML_FOUND_NOTHING;
}

/*
 * wire.c - the reader of one connection, and the messages that the tool writes
 * to it
 */
#include "wire.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"

#include "request_reading.h"

struct wire {
	enum encoding encoding;
	/* bytes that no message has taken yet, from `at` on */
	struct str bytes;
	size_t at;
	/* JSON: up to here there is no end of the line that begins at `at` */
	size_t searched;
	struct xml_reader *xml;
	/* NULL: the encoding is not XML, or there is no libxml2 */
	struct xml_writer *writer;
	bool is_closed;
	/* JSON: the present line is longer than a message may be. The reader
	 * throws the line away. */
	bool is_too_long;
};

struct wire *wire_create(void)
{
	return xcalloc(1, sizeof(struct wire));
}

void wire_destroy(struct wire *wire)
{
	if (!wire)
		return;
	str_deinit(&wire->bytes);
	xml_reader_destroy(wire->xml);
	xml_writer_destroy(wire->writer);
	free(wire);
}

enum encoding wire_encoding(const struct wire *wire)
{
	return wire->encoding;
}

void wire_push(struct wire *wire, const char *bytes, size_t length)
{
	if (!wire->is_closed)
		str_append_n(&wire->bytes, bytes, length);
}

/* ---- XML ----------------------------------------------------------------- */

static bool next_xml(struct wire *wire, struct request *out)
{
	CLEANUP(free_pointer) char *name = NULL;
	struct json_object *content = NULL;
	enum xml_found found;
	size_t used = 0;

	if (!wire->xml)
		wire->xml = xml_reader_create();
	found = xml_reader_push(wire->xml, str_text(&wire->bytes) + wire->at,
				wire->bytes.length - wire->at, &used, &name,
				&content);
	wire->at += used;
	if (found == XML_FOUND_NOTHING)
		return false;
	*out = (struct request){0};
	if (found == XML_FOUND_DOCUMENT) {
		request_of_xml(name, content, out);
		return true;
	}
	request_wrong(out, WIRE_CODE_PARSE, name);
	name = NULL;
	out->is_last = wire->is_closed = true;
	return true;
}

/* ---- JSON ---------------------------------------------------------------- */

static void too_long(struct request *out)
{
	*out = (struct request){0};
	request_wrong(out, WIRE_CODE_INVALID,
		      xstrdup("the message is too long"));
}

static bool is_blank_line(const char *line)
{
	return !line[strspn(line, " \t\r")];
}

static bool next_json(struct wire *wire, struct request *out)
{
	for (;;) {
		char *line = wire->bytes.data + wire->at;
		size_t left = wire->bytes.length - wire->at, length;
		size_t known = wire->searched - wire->at;
		char *end = left > known
				    ? memchr(line + known, '\n', left - known)
				    : NULL;
		bool was_too_long = wire->is_too_long;

		wire->searched = wire->bytes.length;
		if (!end && left <= DOCUMENT_LENGTH_MAX)
			return false;
		length = end ? (size_t)(end - line) : left;
		wire->at += length + (end != NULL);
		wire->searched = wire->at;
		wire->is_too_long = !end;
		if (was_too_long)
			continue;
		if (length > DOCUMENT_LENGTH_MAX) {
			too_long(out);
			return true;
		}
		*end = '\0';
		if (is_blank_line(line) && strlen(line) == length)
			continue;
		/* A zero byte would hide the rest of the line. */
		request_of_line(strlen(line) == length ? line : "", out);
		return true;
	}
}

/* ---- requests ------------------------------------------------------------ */

/* How many bytes a byte order mark takes at the begin of the connection; some
 * libraries write one without being asked. Of a part of a mark, these bytes. */
static size_t mark_length(const struct str *bytes)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t whole = sizeof(mark) - 1;
	size_t length = bytes->length < whole ? bytes->length : whole;

	return memcmp(str_text(bytes), mark, length) == 0 ? length : 0;
}

static void choose_encoding(struct wire *wire)
{
	const char *bytes = str_text(&wire->bytes);
	size_t mark = mark_length(&wire->bytes);
	size_t at = mark + strspn(bytes + mark, " \t\r\n");

	if (at == wire->bytes.length) {
		if (!mark)
			str_deinit(&wire->bytes);
		return;
	}
	wire->at = wire->searched = at;
	wire->encoding = bytes[at] == '<' ? ENCODING_XML : ENCODING_JSON;
	/* Without a writer the reader fails, too, which ends the connection. */
	if (wire->encoding == ENCODING_XML)
		error_destroy(xml_writer_create(&wire->writer));
}

bool wire_next(struct wire *wire, struct request *out)
{
	bool found;

	if (wire->is_closed)
		return false;
	if (wire->encoding == ENCODING_UNKNOWN)
		choose_encoding(wire);
	if (wire->encoding == ENCODING_UNKNOWN)
		return false;
	found = wire->encoding == ENCODING_XML ? next_xml(wire, out)
					       : next_json(wire, out);
	if (!found && wire->at) {
		struct str rest = {0};

		str_append_n(&rest, wire->bytes.data + wire->at,
			     wire->bytes.length - wire->at);
		str_deinit(&wire->bytes);
		wire->bytes = rest;
		wire->searched = rest.length;
		wire->at = 0;
	}
	return found;
}

/* ---- what the tool writes ------------------------------------------------ */

/* Appends the JSON message as a line, and frees it. */
static void put_json(struct json_object *message, struct str *out)
{
	str_append(out,
		   json_object_to_json_string_ext(
			   message, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	str_append_char(out, '\n');
	json_object_put(message);
}

static struct json_object *json_message(void)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "jsonrpc",
			       json_object_new_string("2.0"));
	return message;
}

/* The attribute of an XML message that names the process. */
static void write_xml(const struct wire *wire, const char *name,
		      const char *key, pid_t pid, const char *wrapper,
		      struct json_object *content, struct str *out)
{
	CLEANUP(free_pointer) char *text = xasprintf("%d", (int)pid);
	const struct xml_attribute attribute = {key, text};

	if (wire->writer)
		xml_write(wire->writer, name, &attribute, 1, wrapper, content,
			  out);
	else
		str_printf(out,
			   "<%s %s='%s'><ERROR CODE='%d'>XML needs libxml2: "
			   "install it where perftool runs</ERROR></%s>\n",
			   name, key, text, WIRE_CODE_FAILED, name);
}

static const char *reply_name(const struct request *request)
{
	return request->is_patch ? "DYPATCH_REPLY" : "DYPER_REPLY";
}

void wire_reply(const struct wire *wire, const struct request *request,
		pid_t pid, struct json_object *result, const char *wrapper,
		struct str *out)
{
	struct json_object *message;

	if (request->is_notification || request->kind == REQUEST_ANSWER)
		return;
	if (wire->encoding == ENCODING_XML) {
		write_xml(wire, reply_name(request), "ID", pid, wrapper, result,
			  out);
		return;
	}
	message = json_message();
	json_object_object_add(message, "id", json_object_get(request->id));
	json_object_object_add(message, "result",
			       result ? json_object_get(result)
				      : json_object_new_object());
	put_json(message, out);
}

static struct json_object *error_object(enum wire_code code, const char *text,
					const char *text_member)
{
	struct json_object *error = json_object_new_object();

	json_object_object_add(error, "code", json_object_new_int(code));
	json_object_object_add(error, text_member, document_text(text));
	return error;
}

void wire_fail(const struct wire *wire, const struct request *request,
	       pid_t pid, enum wire_code code, const char *text,
	       struct str *out)
{
	struct json_object *message;

	if (request->is_notification || request->kind == REQUEST_ANSWER)
		return;
	if (wire->encoding == ENCODING_XML) {
		message = error_object(code, text, "text");
		write_xml(wire, reply_name(request), "ID", pid, "ERROR",
			  message, out);
		json_object_put(message);
		return;
	}
	message = json_message();
	json_object_object_add(message, "id", json_object_get(request->id));
	json_object_object_add(message, "error",
			       error_object(code, text, "message"));
	put_json(message, out);
}

static void xml_notice(const struct wire *wire, const struct notice *notice,
		       struct str *out)
{
	CLEANUP(free_pointer) char *pid = xasprintf("%d", (int)notice->pid);
	CLEANUP(free_pointer)
	char *time = xasprintf("%" PRId64, notice->time);
	CLEANUP(free_pointer) char *name = xstrdup(notice->name);
	struct xml_attribute attributes[2] = {{name, pid}, {"TIME", time}};

	for (char *at = name; *at; at++)
		*at = (char)toupper((unsigned char)*at);
	if (wire->writer)
		xml_write(wire->writer, "DYPER", attributes,
			  notice->time ? 2 : 1, notice->wrapper, notice->data,
			  out);
}

void wire_notice(const struct wire *wire, const struct notice *notice,
		 struct str *out)
{
	struct json_object *message, *params;

	if (wire->encoding == ENCODING_UNKNOWN)
		return;
	if (wire->encoding == ENCODING_XML) {
		xml_notice(wire, notice, out);
		return;
	}
	message = json_message();
	params = json_object_new_object();
	if (notice->id)
		json_object_object_add(message, "id",
				       json_object_new_int(notice->id));
	json_object_object_add(message, "method",
			       json_object_new_string(notice->name));
	json_object_object_add(params, "pid", json_object_new_int(notice->pid));
	if (notice->time)
		json_object_object_add(params, "time",
				       json_object_new_int64(notice->time));
	if (json_object_is_type(notice->data, json_type_object)) {
		json_object_object_foreach(notice->data, name, value)
		{
			json_object_object_add(params, name,
					       json_object_get(value));
		}
	} else if (notice->data) {
		json_object_object_add(params, "data",
				       json_object_get(notice->data));
	}
	json_object_object_add(message, "params", params);
	put_json(message, out);
}

/*
 * visit_wire.h - any bytes as what a front end sends, and what is true of the
 * requests that are read from them
 *
 * The bytes are given to one reader in pieces and to another as a whole. Both
 * must read the same requests, up to the first one that is wrong. Each request
 * is answered with its own parameters, with an error and with a notice, and
 * everything that the tool writes must be well-formed.
 */
#ifndef VISIT_WIRE_H
#define VISIT_WIRE_H

#include <libxml/parser.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/utf8.h"
#include "perftool/base/vec.h"
#include "perftool/document.h"
#include "serve/wire/wire.h"

struct seen_requests {
	VEC(struct request) list;
};

static inline void seen_deinit(struct seen_requests *seen)
{
	for (size_t i = 0; i < seen->list.count; i++)
		request_deinit(&seen->list.data[i]);
	vec_free(&seen->list);
}

static inline bool ends_once(const struct str *text)
{
	return text->length && text->data[text->length - 1] == '\n';
}

/* A message of XML is one element. */
static inline void check_xml(const struct str *text)
{
	xmlDoc *document = xmlReadMemory(
		text->data, (int)text->length, NULL, NULL,
		XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);

	if (!document || !ends_once(text))
		abort();
	xmlFreeDoc(document);
}

/* A message of JSON is one object in one line. */
static inline void check_json(const struct str *text)
{
	json_tokener *tokener = json_tokener_new_ex(DOCUMENT_DEPTH_MAX + 8);
	struct json_object *object;
	struct str ascii = {0};

	json_append_ascii(text->data, &ascii);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	object = json_tokener_parse_ex(tokener, str_text(&ascii),
				       (int)ascii.length);
	str_deinit(&ascii);
	if (!utf8_is_valid(text->data) ||
	    !json_object_is_type(object, json_type_object) ||
	    !ends_once(text) || memchr(text->data, '\n', text->length - 1))
		abort();
	json_object_put(object);
	json_tokener_free(tokener);
}

/* Checks a message that the tool has written, and empties the text. An empty
 * text is the reply that nobody wants. */
static inline void check_message(const struct wire *wire, struct str *text)
{
	if (text->length && wire_encoding(wire) == ENCODING_XML)
		check_xml(text);
	else if (text->length)
		check_json(text);
	str_deinit(text);
}

static inline void answer(const struct wire *wire, struct request *request)
{
	struct notice notice = {.name = "report",
				.pid = 1,
				.time = 2,
				.data = request->params,
				.wrapper = "REPORT"};
	struct str text = {0};

	request_unwrap(request, "settings");
	if (request->params) {
		wire_reply(wire, request, 1, request->params, NULL, &text);
		check_message(wire, &text);
		wire_reply(wire, request, 1, request->params, "PATCH", &text);
		check_message(wire, &text);
		notice.data = request->params;
		wire_notice(wire, &notice, &text);
		check_message(wire, &text);
	}
	wire_reply(wire, request, 1, NULL, "PATCH", &text);
	check_message(wire, &text);
	wire_fail(wire, request, 1, WIRE_CODE_FAILED,
		  request->problem     ? request->problem
		  : request->operation ? request->operation
				       : "",
		  &text);
	check_message(wire, &text);
}

/* Reads all requests that are complete. */
static inline void read_requests(struct wire *wire, struct seen_requests *seen)
{
	struct request request;

	while (wire_next(wire, &request)) {
		if ((request.kind == REQUEST_WRONG) != !!request.problem ||
		    (request.kind == REQUEST_OPERATION &&
		     (!request.operation || !request.params)))
			abort();
		vec_push(&seen->list, request);
	}
}

static inline bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static inline bool same_request(const struct request *a,
				const struct request *b)
{
	return a->kind == b->kind && same_text(a->operation, b->operation) &&
	       a->is_patch == b->is_patch && a->pid == b->pid &&
	       a->is_notification == b->is_notification &&
	       json_object_equal(a->id, b->id) &&
	       json_object_equal(a->params, b->params);
}

static inline void compare_requests(const struct seen_requests *a,
				    const struct seen_requests *b)
{
	bool is_over = false;
	size_t i;

	for (i = 0; !is_over && i < a->list.count && i < b->list.count; i++) {
		is_over = a->list.data[i].is_last || b->list.data[i].is_last;
		if (!is_over &&
		    !same_request(&a->list.data[i], &b->list.data[i]))
			abort();
	}
	/* Where bytes are no message, one reader may find it out later. */
	for (; !is_over && i < a->list.count; i++)
		if (!a->list.data[i].is_last)
			abort();
	for (; !is_over && i < b->list.count; i++)
		if (!b->list.data[i].is_last)
			abort();
}

/* The first byte of the data says how long the pieces are. `first` begins the
 * bytes, and chooses the encoding. */
static inline void visit_wire(char first, const uint8_t *data, size_t size)
{
	struct seen_requests whole = {0}, pieces = {0};
	struct wire *one = wire_create(), *other = wire_create();
	size_t piece = size ? (size_t)data[0] + 1 : 1;

	wire_push(one, &first, 1);
	wire_push(other, &first, 1);
	if (size > 1)
		wire_push(one, (const char *)data + 1, size - 1);
	read_requests(one, &whole);
	read_requests(other, &pieces);
	for (size_t at = 1; at < size; at += piece) {
		size_t rest = size - at;

		wire_push(other, (const char *)data + at,
			  rest < piece ? rest : piece);
		read_requests(other, &pieces);
	}
	compare_requests(&whole, &pieces);
	for (size_t i = 0; i < whole.list.count; i++)
		answer(one, &whole.list.data[i]);
	seen_deinit(&whole);
	seen_deinit(&pieces);
	wire_destroy(one);
	wire_destroy(other);
}

#endif

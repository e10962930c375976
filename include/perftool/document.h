/*
 * document.h - documents of XML and of JSON as values of json-c, and back
 *
 * How XML becomes JSON: an attribute is a member whose name is the attribute's
 * name in lower case; the children of one name are an array; an element that
 * has neither attributes nor children is a string; the text of an element that
 * has some is its member "text". How JSON becomes XML: the same in the other
 * direction; a boolean becomes TRUE or FALSE. A text that XML cannot hold, for
 * example one with control characters, is the base64 of its bytes, in an
 * element of its own with the attribute ENCODING='base64'.
 *
 * XML is read and written by libxml2, which is loaded when it is needed.
 */
#ifndef PERFTOOL_DOCUMENT_H
#define PERFTOOL_DOCUMENT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"
#include "perftool/base/str.h"

/* Limits of a document that is read: its length in bytes, and how deeply its
 * parts may be nested. A document that has very many parts takes a hundred
 * times its length of memory, so that their number is limited, too. In XML a
 * part is an element or an attribute, in JSON a value. An element may have only
 * so many attributes. */
#define DOCUMENT_LENGTH_MAX (1u << 20)
#define DOCUMENT_DEPTH_MAX 64
#define DOCUMENT_PARTS_MAX (1u << 16)
#define DOCUMENT_ATTRIBUTES_MAX 256

/* Reads a whole document, which is XML or JSON by its first byte. XML: the
 * object has the outermost element as its only member if that is named `only`,
 * else what is in that element. The caller frees the object. ERROR_BAD_FILE: it
 * is no such document. */
struct error *document_parse(const char *text, size_t length, const char *only,
			     struct json_object **out);

/* Makes a string of a text, in which bytes that are not UTF-8 become U+FFFD.
 * The caller frees it. */
struct json_object *document_text(const char *text);

/* Returns how many values a text of JSON has: one, and one more behind each
 * bracket and each comma. */
size_t json_parts(const char *text);

/* Append a text of JSON, which must be UTF-8, with an escape (\uXXXX) for each
 * character beyond ASCII. In its strict mode, json-c 0.18 refuses such
 * characters. */
void json_append_ascii(const char *text, struct str *out);
/* Has a text of JSON the character of which the code is 0? A document and a
 * message may not have it: a text of C ends with it, so no name, no path and no
 * command here can have it within. */
bool json_has_zero(const char *text);

/* ---- reading XML --------------------------------------------------------- */

struct xml_reader;

/* What the reader has found in the bytes that it was given. */
enum xml_found {
	XML_FOUND_NOTHING, /* the document goes on */
	XML_FOUND_DOCUMENT,
	XML_FOUND_ERROR, /* the bytes are no document, and no later byte can be
			  * understood */
};

struct xml_reader *xml_reader_create(void);
void xml_reader_destroy(struct xml_reader *reader);

/*
 * Reads bytes up to the end of a document, or all of them. `*used` gets how
 * many bytes were read. If the result is XML_FOUND_DOCUMENT, `*name` gets the
 * name of the outermost element, as it was written, and `*content` an object
 * with what is in it; the caller frees both. If the result is XML_FOUND_ERROR,
 * `*name` gets the reason, which the caller frees.
 */
enum xml_found xml_reader_push(struct xml_reader *reader, const char *bytes,
			       size_t length, size_t *used, char **name,
			       struct json_object **content);

/* ---- writing XML --------------------------------------------------------- */

/* An attribute of the outermost element. */
struct xml_attribute {
	const char *name, *value;
};

struct xml_writer;
/* The caller calls xml_writer_destroy(). Error: there is no libxml2. */
struct error *xml_writer_create(struct xml_writer **out);
void xml_writer_destroy(struct xml_writer *writer);

/* Appends an element and a newline. `content` is a value, or NULL: an object
 * becomes attributes and children, any other value becomes the text of the
 * element. `wrapper` (or NULL) is an element around the content. */
void xml_write(struct xml_writer *writer, const char *name,
	       const struct xml_attribute *attributes, size_t count,
	       const char *wrapper, struct json_object *content,
	       struct str *out);

#endif

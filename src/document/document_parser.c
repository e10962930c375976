/*
 * document_parser.c - reads a whole document, whichever of XML and JSON it is
 */
#include "perftool/document.h"

#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"
#include "perftool/base/utf8.h"

struct json_object *document_text(const char *text)
{
	struct json_object *object;
	struct str clean = {0};

	utf8_append(text, &clean);
	object =
		json_object_new_string_len(str_text(&clean), (int)clean.length);
	str_deinit(&clean);
	return object;
}

size_t json_parts(const char *text)
{
	bool is_string = false;
	size_t count = 1;

	for (; *text; text++) {
		if (*text == '"')
			is_string = !is_string;
		else if (is_string && *text == '\\' && text[1])
			text++;
		else if (!is_string && strchr("[{,", *text))
			count++;
	}
	return count;
}

bool json_has_zero(const char *text)
{
	static const char zero[] = "\\u0000";

	for (; (text = strchr(text, '\\')) && text[1]; text += 2)
		if (strncmp(text, zero, strlen(zero)) == 0)
			return true;
	return false;
}

void json_append_ascii(const char *text, struct str *out)
{
	bool is_escaped = false; /* Does a backslash stand before `text`? */
	uint32_t code;
	size_t length;

	for (; *text; text += length) {
		length = utf8_sequence(text, &code);
		/* JSON has no such character behind a backslash. Copy it, so
		 * that json-c refuses the text: an escape in its place would
		 * make the text valid. */
		if (length <= 1 || is_escaped) {
			length = length ? length : 1;
			str_append_n(out, text, length);
		} else if (code > 0xffff) {
			code -= 0x10000;
			str_printf(out, "\\u%04x\\u%04x", 0xd800 | code >> 10,
				   0xdc00 | (code & 0x3ff));
		} else {
			str_printf(out, "\\u%04x", code);
		}
		is_escaped = *text == '\\' && !is_escaped;
	}
}

static struct error *xml_document(const char *text, size_t length,
				  const char *only, struct json_object **out)
{
	struct xml_reader *reader = xml_reader_create();
	CLEANUP(free_pointer) char *name = NULL;
	struct json_object *content = NULL, *array;
	size_t used = 0;
	enum xml_found found =
		xml_reader_push(reader, text, length, &used, &name, &content);

	xml_reader_destroy(reader);
	if (found == XML_FOUND_ERROR)
		return error_create(ERROR_BAD_FILE, "%s", name);
	if (found == XML_FOUND_NOTHING)
		return error_create(ERROR_BAD_FILE,
				    "the outermost element has no end");
	*out = content;
	if (only && strcasecmp(name, only) == 0) {
		*out = json_object_new_object();
		array = json_object_new_array();
		json_object_array_add(array, content);
		json_object_object_add(*out, only, array);
	}
	return NULL;
}

struct error *document_parse(const char *text, size_t length, const char *only,
			     struct json_object **out)
{
	size_t at = strspn(text, " \t\r\n");
	struct json_object *object;
	json_tokener *tokener;

	if (length > DOCUMENT_LENGTH_MAX)
		return error_create(ERROR_BAD_FILE, "the document is too long");
	if (text[at] != '<' && json_parts(text) > DOCUMENT_PARTS_MAX)
		return error_create(ERROR_BAD_FILE,
				    "the document has too many parts");
	if (text[at] != '<' && json_has_zero(text))
		return error_create(ERROR_BAD_FILE,
				    "the document has the character \\u0000");
	/* json-c also accepts UTF-8 sequences that are longer than
	 * necessary. */
	if (text[at] != '<' && !utf8_is_valid(text))
		return error_create(ERROR_BAD_FILE,
				    "the document is not UTF-8");
	if (text[at] == '<')
		return xml_document(text + at, length - at, only, out);
	tokener = json_tokener_new_ex(DOCUMENT_DEPTH_MAX);
	if (!tokener)
		out_of_memory(0);
	json_tokener_set_flags(tokener, JSON_TOKENER_VALIDATE_UTF8);
	object = json_tokener_parse_ex(tokener, text, (int)length + 1);
	json_tokener_free(tokener);
	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return error_create(ERROR_BAD_FILE,
				    "the document is neither XML nor an object "
				    "of JSON");
	}
	*out = object;
	return NULL;
}

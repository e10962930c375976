/*
 * xml_writer.c - writes XML messages with libxml2
 */
#include "perftool/document.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/map.h"
#include "perftool/base/utf8.h"
#include "perftool/base/vec.h"

#include "libxml.h"

struct xml_writer {
	struct libxml libxml;
	xmlTextWriter *to; /* the document that is being written */
};

/* The libxml2 functions that write return a negative number if they have no
 * memory. Nothing else can fail, because the text is kept in memory. */
static void must(int result)
{
	if (result < 0)
		out_of_memory(0);
}

static const xmlChar *chars(const char *text)
{
	return (const xmlChar *)text;
}

/* Is this text one that an XML 1.0 document can hold? It must be UTF-8, and of
 * the control characters only tab and newline survive: a reader turns a
 * carriage return into a newline. */
static bool is_xml_text(const char *text, size_t length)
{
	uint32_t code;
	size_t at = 0;

	while (at < length) {
		size_t bytes = utf8_sequence(text + at, &code);

		if (!bytes || code == 0xfffe || code == 0xffff ||
		    (code < 0x20 && code != '\t' && code != '\n'))
			return false;
		at += bytes;
	}
	return at == length;
}

/* Appends the name of the element or attribute for a member: in upper case.
 * Returns false if the member's name can be no XML name. */
static bool xml_name(const char *member, struct str *out)
{
	if (!isalpha((unsigned char)*member) && *member != '_')
		return false;
	for (const char *at = member; *at; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_-.", *at))
			return false;
		str_append_char(out, (char)toupper((unsigned char)*at));
	}
	return true;
}

static bool is_scalar(struct json_object *value)
{
	return !json_object_is_type(value, json_type_object) &&
	       !json_object_is_type(value, json_type_array);
}

/* The text of a value that is neither an object nor an array. */
static const char *text_of(struct json_object *value, size_t *length)
{
	const char *text;

	switch (json_object_get_type(value)) {
	case json_type_null:
		text = "";
		break;
	case json_type_boolean:
		text = json_object_get_boolean(value) ? "TRUE" : "FALSE";
		break;
	case json_type_string:
		*length = (size_t)json_object_get_string_len(value);
		return json_object_get_string(value);
	default:
		text = json_object_to_json_string_ext(value,
						      JSON_C_TO_STRING_PLAIN);
		break;
	}
	*length = strlen(text);
	return text;
}

/* Writes an attribute of the open element. libxml2 escapes the quotation mark "
 * in values, but not the apostrophe, which stands around values here. */
static void put_attribute(struct xml_writer *writer, const char *name,
			  const char *value)
{
	struct str text = {0};

	for (const char *at = value; *at; at++) {
		if (strchr("&<>'\"\n\t", *at))
			str_printf(&text, "&#%d;", *at);
		else
			str_append_char(&text, *at);
	}
	must(writer->libxml.start_attribute(writer->to, chars(name)));
	must(writer->libxml.write_raw(writer->to, chars(str_text(&text))));
	must(writer->libxml.end_attribute(writer->to));
	str_deinit(&text);
}

/* `taken` are the names of the attributes that the open element has already.
 * The list ends with NULL. */
static void write_value(struct xml_writer *writer, struct json_object *value,
			const char *const *taken);

/* Opens the element for a member. If the member's name can be no XML name, the
 * element is an ENTRY with the name as its attribute NAME. Returns whether the
 * element has that attribute. */
static bool start_member(struct xml_writer *writer, const char *member)
{
	bool is_named = false;
	struct str name = {0};

	if (xml_name(member, &name)) {
		must(writer->libxml.start_element(writer->to,
						  chars(str_text(&name))));
	} else {
		must(writer->libxml.start_element(writer->to, chars("ENTRY")));
		if (is_xml_text(member, strlen(member))) {
			put_attribute(writer, "NAME", member);
			is_named = true;
		}
	}
	str_deinit(&name);
	return is_named;
}

static void write_child(struct xml_writer *writer, const char *member,
			struct json_object *value)
{
	const char *const taken[] = {
		start_member(writer, member) ? "NAME" : NULL, NULL};

	write_value(writer, value, taken);
	must(writer->libxml.end_element(writer->to));
}

static bool is_plain_text(struct json_object *value)
{
	size_t length;
	const char *text = text_of(value, &length);

	return is_xml_text(text, length);
}

static void write_text(struct xml_writer *writer, struct json_object *value)
{
	size_t length;
	const char *text = text_of(value, &length);

	if (is_xml_text(text, length)) {
		must(writer->libxml.write_string(writer->to, chars(text)));
		return;
	}
	put_attribute(writer, "ENCODING", "base64");
	must(writer->libxml.write_base64(writer->to, text, 0, (int)length));
}

/* Writes a member as an attribute if it can be one. The text of an element
 * cannot, and "text" is the name of such a member. An element has only one
 * attribute of a name: `used` has those of the open element. */
static bool write_attribute(struct xml_writer *writer, const char *member,
			    struct json_object *value, struct strmap *used)
{
	struct str name = {0};
	size_t length;
	bool fits = !str_equal(member, "text") && value && is_scalar(value) &&
		    is_plain_text(value) && xml_name(member, &name) &&
		    !strmap_get(used, str_text(&name));

	if (fits) {
		strmap_set(used, str_text(&name), value);
		put_attribute(writer, str_text(&name), text_of(value, &length));
	}
	str_deinit(&name);
	return fits;
}

static void write_members(struct xml_writer *writer, const char *name,
			  struct json_object *value)
{
	if (!json_object_is_type(value, json_type_array)) {
		write_child(writer, name, value);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(value); i++)
		write_child(writer, name, json_object_array_get_idx(value, i));
}

static void write_object(struct xml_writer *writer, struct json_object *object,
			 const char *const *taken)
{
	struct json_object *text = NULL;
	struct json_object_iterator at = json_object_iter_begin(object);
	struct json_object_iterator end = json_object_iter_end(object);
	VEC(struct json_object *) children = {0};
	VEC(const char *) names = {0};
	struct strmap used = {0};

	json_object_object_get_ex(object, "text", &text);
	if (text && !is_scalar(text))
		text = NULL;
	for (; *taken; taken++)
		strmap_set(&used, *taken, object);
	if (text && !is_plain_text(text))
		strmap_set(&used, "ENCODING", object);
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *name = json_object_iter_peek_name(&at);
		struct json_object *value = json_object_iter_peek_value(&at);

		if (!value || value == text ||
		    write_attribute(writer, name, value, &used))
			continue;
		vec_push(&names, name);
		vec_push(&children, value);
	}
	if (text)
		write_text(writer, text);
	for (size_t i = 0; i < children.count; i++)
		write_members(writer, names.data[i], children.data[i]);
	strmap_deinit(&used);
	vec_free(&names);
	vec_free(&children);
}

static void write_value(struct xml_writer *writer, struct json_object *value,
			const char *const *taken)
{
	if (json_object_is_type(value, json_type_object))
		write_object(writer, value, taken);
	else if (json_object_is_type(value, json_type_array))
		write_members(writer, "item", value);
	else
		write_text(writer, value);
}

struct error *xml_writer_create(struct xml_writer **out)
{
	struct xml_writer *writer = xcalloc(1, sizeof(*writer));
	struct error *error = libxml_load(&writer->libxml);

	if (error) {
		free(writer);
		return error;
	}
	*out = writer;
	return NULL;
}

void xml_writer_destroy(struct xml_writer *writer)
{
	if (!writer)
		return;
	libxml_unload(&writer->libxml);
	free(writer);
}

void xml_write(struct xml_writer *writer, const char *name,
	       const struct xml_attribute *attributes, size_t count,
	       const char *wrapper, struct json_object *content,
	       struct str *out)
{
	const struct libxml *libxml = &writer->libxml;
	xmlBuffer *buffer = libxml->buffer_create();
	VEC(const char *) taken = {0};

	writer->to = buffer ? libxml->new_writer(buffer, 0) : NULL;
	if (!writer->to)
		out_of_memory(0);
	must(libxml->set_quote_char(writer->to, '\''));
	must(libxml->start_element(writer->to, chars(name)));
	for (size_t i = 0; i < count; i++)
		put_attribute(writer, attributes[i].name, attributes[i].value);
	if (content && wrapper)
		must(libxml->start_element(writer->to, chars(wrapper)));
	for (size_t i = 0; !wrapper && i < count; i++)
		vec_push(&taken, attributes[i].name);
	vec_push(&taken, NULL);
	if (content)
		write_value(writer, content, taken.data);
	vec_free(&taken);
	must(libxml->end_document(writer->to));
	libxml->free_writer(writer->to);
	str_append_n(out, (const char *)libxml->buffer_content(buffer),
		     (size_t)libxml->buffer_length(buffer));
	if (!out->length || out->data[out->length - 1] != '\n')
		str_append_char(out, '\n');
	libxml->buffer_free(buffer);
}

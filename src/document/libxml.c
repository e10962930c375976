/*
 * libxml.c - see libxml.h
 */
#include "libxml.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

#define LIBRARY "libxml2.so.2"

/* The standard knows no conversion of a pointer to data into a pointer to a
 * function, so the bytes of the pointer are copied. */
static bool find(void *library, const char *name, void *out)
{
	void *found = dlsym(library, name);

	memcpy(out, &found, sizeof(found));
	return found != NULL;
}

static bool find_reader(struct libxml *out)
{
	void *from = out->library;

	return find(from, "xmlCreatePushParserCtxt", &out->create_parser) &&
	       find(from, "xmlFreeParserCtxt", &out->free_parser) &&
	       find(from, "xmlSwitchEncoding", &out->switch_encoding) &&
	       find(from, "xmlCtxtUseOptions", &out->use_options) &&
	       find(from, "xmlCtxtGetLastError", &out->last_error) &&
	       find(from, "xmlParseChunk", &out->parse_chunk) &&
	       find(from, "xmlStopParser", &out->stop_parser);
}

static bool find_writer(struct libxml *out)
{
	void *from = out->library;

	return find(from, "xmlBufferCreate", &out->buffer_create) &&
	       find(from, "xmlBufferContent", &out->buffer_content) &&
	       find(from, "xmlBufferLength", &out->buffer_length) &&
	       find(from, "xmlBufferFree", &out->buffer_free) &&
	       find(from, "xmlNewTextWriterMemory", &out->new_writer) &&
	       find(from, "xmlFreeTextWriter", &out->free_writer) &&
	       find(from, "xmlTextWriterSetQuoteChar", &out->set_quote_char) &&
	       find(from, "xmlTextWriterStartElement", &out->start_element) &&
	       find(from, "xmlTextWriterEndElement", &out->end_element) &&
	       find(from, "xmlTextWriterStartAttribute",
		    &out->start_attribute) &&
	       find(from, "xmlTextWriterEndAttribute", &out->end_attribute) &&
	       find(from, "xmlTextWriterWriteRaw", &out->write_raw) &&
	       find(from, "xmlTextWriterWriteString", &out->write_string) &&
	       find(from, "xmlTextWriterWriteBase64", &out->write_base64) &&
	       find(from, "xmlTextWriterEndDocument", &out->end_document);
}

struct error *libxml_load(struct libxml *out)
{
	struct error *error = NULL;

	/* It is not unloaded with the last front end that uses XML, because the
	 * next one would load it again. */
	*out = (struct libxml){
		.library = dlopen(LIBRARY, RTLD_NOW | RTLD_NODELETE)};
	if (!out->library)
		error = error_create(ERROR_OTHER,
				     "XML needs the library " LIBRARY
				     ": install the package libxml2 (%s)",
				     dlerror());
	else if (!find_reader(out) || !find_writer(out))
		error = error_create(ERROR_OTHER,
				     "XML needs another version of " LIBRARY
				     ": %s",
				     dlerror());
	if (error)
		libxml_unload(out);
	return error;
}

void libxml_unload(struct libxml *library)
{
	if (library->library)
		dlclose(library->library);
	library->library = NULL;
}

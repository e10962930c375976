/*
 * libxml.h - the functions of libxml2 that read and write documents
 *
 * The library is loaded only when there is a document in XML. If perftool and
 * libperftool were linked with it, each start of perftool, and of each program
 * that uses libperftool, would also load the libraries of ICU, which takes half
 * as long as all the rest of the start.
 */
#ifndef DOCUMENT_LIBXML_H
#define DOCUMENT_LIBXML_H

#include <libxml/parserInternals.h>
#include <libxml/xmlwriter.h>

#include "perftool/base/error.h"

/* The names are those of the library, without xml and xmlTextWriter. */
struct libxml {
	void *library;
	__typeof__(xmlCreatePushParserCtxt) *create_parser;
	__typeof__(xmlFreeParserCtxt) *free_parser;
	__typeof__(xmlSwitchEncoding) *switch_encoding;
	__typeof__(xmlCtxtUseOptions) *use_options;
	__typeof__(xmlCtxtGetLastError) *last_error;
	__typeof__(xmlParseChunk) *parse_chunk;
	__typeof__(xmlStopParser) *stop_parser;
	__typeof__(xmlBufferCreate) *buffer_create;
	__typeof__(xmlBufferContent) *buffer_content;
	__typeof__(xmlBufferLength) *buffer_length;
	__typeof__(xmlBufferFree) *buffer_free;
	__typeof__(xmlNewTextWriterMemory) *new_writer;
	__typeof__(xmlFreeTextWriter) *free_writer;
	__typeof__(xmlTextWriterSetQuoteChar) *set_quote_char;
	__typeof__(xmlTextWriterStartElement) *start_element;
	__typeof__(xmlTextWriterEndElement) *end_element;
	__typeof__(xmlTextWriterStartAttribute) *start_attribute;
	__typeof__(xmlTextWriterEndAttribute) *end_attribute;
	__typeof__(xmlTextWriterWriteRaw) *write_raw;
	__typeof__(xmlTextWriterWriteString) *write_string;
	__typeof__(xmlTextWriterWriteBase64) *write_base64;
	__typeof__(xmlTextWriterEndDocument) *end_document;
};

/* Loads the library, which stays loaded until the process ends. The error says
 * what to install. The caller calls libxml_unload() if there is no error. */
struct error *libxml_load(struct libxml *out);
void libxml_unload(struct libxml *library);

#endif

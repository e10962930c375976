/*
 * json.h - records as JSON
 */
#ifndef PERFTOOL_REPORT_JSON_H
#define PERFTOOL_REPORT_JSON_H

#include <json-c/json.h>

#include "record.h"

/* The caller owns the result; the record is freed. */
struct json_object *json_record(struct record *record);

/* A text; what is not UTF-8 in it becomes U+FFFD. */
struct json_object *json_text(const char *text);

/* Append as text and free it. */
void json_write(struct json_object *object, struct str *out);

#endif

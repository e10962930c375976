/*
 * json.h - records as JSON
 */
#ifndef PERFTOOL_REPORT_JSON_H
#define PERFTOOL_REPORT_JSON_H

#include <json-c/json.h>

#include "perftool/measure/measured_legs.h"
#include "record.h"

/* Return an object with the fields of the record, and free the content of the
 * record. The caller owns the object. */
struct json_object *json_record(struct record *record);

/* Return the object of an execution, which the caller owns: its fields, and how
 * its thread came to it. `name` is that of its leg, or NULL. */
struct json_object *json_execution(const struct execution *execution,
				   const char *name);

/* Append the object as text of several lines, and free the object. */
void json_write(struct json_object *object, struct str *out);

/* Append a text, and put blanks before all its lines but the first. */
void json_append_indented(const char *text, const char *blanks,
			  struct str *out);

#endif

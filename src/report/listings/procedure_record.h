/*
 * procedure_record.h - which procedure a row is about, as fields
 */
#ifndef REPORT_PROCEDURE_RECORD_H
#define REPORT_PROCEDURE_RECORD_H

#include "perftool/profile/procedures.h"
#include "report/records/records.h"

/* Append `function` and `module`. NO_PROCEDURE: the function is `otherwise`,
 * and the module is null, as it is of waits. */
void record_procedure(const struct procedures *procedures, uint32_t number,
		      const char *otherwise, struct record *out);

/* Return an object with the schema and a measurement, which the caller owns.
 * NULL: the measurement is null. */
struct json_object *
listing_object(const struct profile_measurement *measurement);

#endif

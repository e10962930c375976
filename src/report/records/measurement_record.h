/*
 * measurement_record.h - how a profile was measured, as fields
 */
#ifndef REPORT_MEASUREMENT_RECORD_H
#define REPORT_MEASUREMENT_RECORD_H

#include "field.h"
#include "perftool/report/profile_files.h"

/* Append the fields of `measurement` in doc/FORMATS.md. */
void record_measurement(const struct profile_measurement *measurement,
			struct record *out);

#endif

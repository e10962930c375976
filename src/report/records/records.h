/*
 * records.h - tables as data: what a row of each kind of table says, and the
 * same rows as CSV and as JSON
 *
 * record.c defines the fields of each kind of row. field.c keeps a list of such
 * fields. csv.c and json.c choose the rows of a table, and write the fields of
 * any row; json_member.c adds to what was written. measurement_record.c says
 * how a profile was measured. This folder uses the folder figures; the folder
 * text uses this folder.
 */
#ifndef REPORT_RECORDS_H
#define REPORT_RECORDS_H

#include "csv.h"
#include "field.h"
#include "json.h"
#include "measurement_record.h"
#include "record.h"

#endif

/*
 * records.h - tables as data: what a row of each kind of table says, and the
 * same rows as CSV and as JSON
 *
 * record.c defines the fields of each kind of row. The files of CSV and JSON
 * write these fields and know no kind of row, but for histograms. This folder
 * uses figures; the folder text uses this folder.
 */
#ifndef REPORT_RECORDS_H
#define REPORT_RECORDS_H

#include "csv.h"
#include "field.h"
#include "json.h"
#include "record.h"

#endif

/*
 * top_records.c - the table of `top' as JSON and CSV
 */
#include <stdio.h>

#include "perftool/base/alloc.h"
#include "perftool/report/top_table.h"
#include "procedure_record.h"

/* A number with so many digits behind the point. */
static void add_rounded(struct record *record, const char *name, double number,
			int digits)
{
	struct str text = {0};

	str_printf(&text, "%.*f", digits, number);
	add_decimal(record, name, &text);
}

static void record_top_row(const struct top_report *report,
			   const struct top_row *row, struct record *out)
{
	record_procedure(report->procedures, row->procedure, NULL, out);
	add_rounded(out, "own_percent", row->own, 2);
	add_rounded(out, "stack_percent", row->total, 2);
	if (row->calls < 0)
		add_null(out, "calls_per_second");
	else
		add_rounded(out, "calls_per_second", row->calls, 1);
	add_bool(out, "calls_are_least", row->calls_are_least);
	add_text(out, "command", row->command);
	add_bool(out, "only_counts", row->only_counts);
}

void report_top_json(const struct top_report *report, struct str *out)
{
	struct json_object *object, *rows = json_object_new_array();
	struct record record = {0};

	add_integer(&record, "schema", 1);
	add_integer(&record, "ticks", (__int128)report->ticks);
	add_rounded(&record, "seconds", report->seconds, 3);
	add_rounded(&record, "cpus", report->cpus, 3);
	add_rounded(&record, "broken_percent", report->broken, 2);
	add_text(&record, "remark", report->remark);
	add_text(&record, "calls_remark", report->calls_remark);
	add_integer(&record, "with_own_time", (__int128)report->functions);
	object = json_record(&record);
	for (size_t i = 0; i < report->row_count; i++) {
		record_top_row(report, &report->rows[i], &record);
		json_object_array_add(rows, json_record(&record));
	}
	json_object_object_add(object, "functions", rows);
	json_write(object, out);
}

void report_top_csv(const struct top_report *report, struct str *out)
{
	const struct top_row none = {.procedure = NO_PROCEDURE};
	struct record record = {0};

	record_top_row(report, &none, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < report->row_count; i++) {
		record_top_row(report, &report->rows[i], &record);
		csv_values(&record, out);
	}
}

/*
 * flat_records.c - a flat profile as JSON and CSV: the three listings as one
 * table
 */
#include "perftool/report/flat_listing.h"
#include "procedure_record.h"

/* The ticks of a procedure in one of the listings. */
static uint64_t ticks_in(const struct flat_listing *listing,
			 const struct map *index, uint32_t procedure)
{
	uint64_t at = map_get_number(index, (uint64_t)procedure + 1);

	return at ? listing->rows.data[at - 1].ticks : 0;
}

static void number_rows(const struct flat_listing *listing, struct map *index)
{
	for (size_t i = 0; i < listing->rows.count; i++)
		map_set_number(index,
			       (uint64_t)listing->rows.data[i].procedure + 1,
			       i + 1);
}

static void record_row_of(const struct flat_report *report,
			  const struct map *delayed, const struct flat_row *row,
			  struct record *out)
{
	const struct flat_profile *profile = report->profile;
	uint64_t late = ticks_in(&profile->delayed, delayed, row->procedure);

	record_procedure(report->procedures, row->procedure, "<unknown>", out);
	add_integer(out, "ticks", (__int128)row->ticks);
	add_integer(out, "not_delayed", (__int128)(row->ticks - late));
	add_integer(out, "delayed", (__int128)late);
	add_percent(out, "percent", (__int128)row->ticks,
		    (__int128)profile->all.ticks);
}

void report_flat_json(const struct flat_report *report, struct str *out)
{
	const struct flat_listing *all = &report->profile->all;
	struct json_object *object = listing_object(report->measurement);
	struct json_object *functions = json_object_new_array();
	struct record record = {0};
	struct map delayed = {0};

	number_rows(&report->profile->delayed, &delayed);
	for (size_t i = 0; i < all->rows.count; i++) {
		record_row_of(report, &delayed, &all->rows.data[i], &record);
		json_object_array_add(functions, json_record(&record));
	}
	json_object_object_add(object, "functions", functions);
	json_write(object, out);
	map_deinit(&delayed);
}

void report_flat_csv(const struct flat_report *report, struct str *out)
{
	const struct flat_listing *all = &report->profile->all;
	const struct flat_row none = {.procedure = NO_PROCEDURE};
	struct record record = {0};
	struct map delayed = {0};

	number_rows(&report->profile->delayed, &delayed);
	record_row_of(report, &delayed, &none, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < all->rows.count; i++) {
		record_row_of(report, &delayed, &all->rows.data[i], &record);
		csv_values(&record, out);
	}
	map_deinit(&delayed);
}

/*
 * left_counts.c - what perftools that died have left of legs that programs have
 * counted by themselves, as text, JSON and CSV
 */
#include <inttypes.h>

#include "perftool/base/left_counts.h"
#include "report/figures/figures.h"
#include "report/records/records.h"
#include "report/text/text.h"

static void add_columns(struct grid *grid)
{
	static const struct column columns[] = {
		{.bottom = "Leg", .key = true, .minimum = 4, .shrinks_to = 16},
		{.bottom = "Process",
		 .expendable = 1,
		 .yields = true,
		 .right = true},
		{.bottom = "Executions", .key = true, .right = true},
		{.bottom = "Short", .key = true, .right = true},
		{.bottom = "Total", .right = true},
		{.bottom = "Average", .right = true},
		{.bottom = "p50", .right = true},
		{.bottom = "p99", .right = true},
		{.bottom = "Max", .right = true},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		grid_column(grid, columns[i]);
}

static double mean_of(const struct left_counts *counts)
{
	return (double)counts->total / (double)counts->added_up;
}

static void add_time(struct grid *grid, const struct left_counts *counts,
		     double ns)
{
	struct str text = {0};

	if (counts->added_up && ns >= 0)
		report_duration(ns, &text);
	else
		str_append_char(&text, '-');
	grid_take(grid, str_take(&text));
}

static void add_row(struct grid *grid, const struct left_counts *counts)
{
	struct str text = {0};

	grid_text(grid, counts->name);
	grid_printf(grid, "%" PRId32, counts->pid);
	report_number(counts->begun, &text);
	grid_take(grid, str_take(&text));
	report_number(counts->added_up, &text);
	grid_take(grid, str_take(&text));
	add_time(grid, counts, (double)counts->total);
	add_time(grid, counts, mean_of(counts));
	add_time(grid, counts, (double)counts->p50);
	add_time(grid, counts, (double)counts->p99);
	add_time(grid, counts, (double)counts->max);
}

void report_left_counts_text(const struct left_counts *counts, size_t count,
			     const struct report_options *options,
			     struct str *out)
{
	struct grid grid = {0};
	bool hidden;

	if (!count) {
		str_append(out, "No perftool that died has left counts.\n");
		return;
	}
	add_columns(&grid);
	for (size_t i = 0; i < count; i++)
		add_row(&grid, &counts[i]);
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	str_append(out, "Times are of the executions that took less than\n"
			"a microsecond (Short), less perftool's overhead. The\n"
			"others, and executions of threads that have ended,\n"
			"were known to the perftool that died. A dash: the\n"
			"overhead hides the time.\n");
	if (hidden)
		text_columns_left_out(options, out);
	grid_deinit(&grid);
}

void report_left_counts_json(const struct left_counts *counts, size_t count,
			     struct str *out)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < count; i++) {
		record_of_left_counts(&counts[i], &record);
		json_object_array_add(array, json_record(&record));
	}
	json_write(array, out);
}

void report_left_counts_csv(const struct left_counts *counts, size_t count,
			    struct str *out)
{
	const struct left_counts none = {0};
	struct record record = {0};

	record_of_left_counts(&none, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++) {
		record_of_left_counts(&counts[i], &record);
		csv_values(&record, out);
	}
}

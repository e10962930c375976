/*
 * slowest.c - the longest executions, one a row
 */
#include <inttypes.h>

#include "csv.h"
#include "grid.h"
#include "json.h"
#include "perftool/base/alloc.h"
#include "units.h"

static bool is_any_split(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (executions[i].row)
			return true;
	return false;
}

static bool is_any_cpu(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (executions[i].has_cpu)
			return true;
	return false;
}

static bool is_any_interrupted(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (executions[i].interrupted)
			return true;
	return false;
}

/* Marked if it was interrupted; `marks': some of the table are. */
static void duration_column(struct grid *grid,
			    const struct execution *execution, bool marks)
{
	struct str text = {0};

	report_duration((double)execution->duration, &text);
	if (marks)
		str_append_char(&text, execution->interrupted ? '~' : ' ');
	grid_take(grid, str_take(&text));
}

static void cpu_cell(struct grid *grid, const struct execution *execution)
{
	double cpu = execution->cpu > 0 ? (double)execution->cpu : 0;

	if (execution->has_cpu)
		grid_take(grid, duration_cell(cpu));
	else
		grid_text(grid, "-");
}

static void grid_value(struct grid *grid, struct value value)
{
	char buffer[32];

	if (value.is_address)
		grid_printf(grid, "0x%" PRIx64, value.u);
	else
		grid_text(grid, value_format(value, buffer));
}

static void slowest_row(struct grid *grid, const struct execution *execution,
			bool has_cpu, bool split, bool marks)
{
	grid_printf(grid, "%" PRIu32, execution->leg);
	grid_take(grid, memo_time_cell(execution->duration));
	duration_column(grid, execution, marks);
	if (has_cpu)
		cpu_cell(grid, execution);
	grid_take(grid, memo_time_cell(execution->start));
	grid_printf(grid, "%" PRId32, execution->pid);
	grid_printf(grid, "%" PRId32, execution->tid);
	grid_value(grid, execution->key);
	grid_value(grid, execution->value);
	if (split)
		grid_take(grid, execution->row ? row_name(execution->row)
					       : xstrdup("-"));
}

void report_slowest_text(const struct execution *executions, size_t count,
			 const struct report_options *options, struct str *out)
{
	static const struct column columns[] = {
		{.top = "Leg", .bottom = "Id", .minimum = 3},
		{.top = "Time", .bottom = "sec.msec:usec", .right = true},
		{.bottom = "Time", .right = true},
		{.top = "Start", .bottom = "sec.msec:usec", .right = true},
		{.bottom = "Process", .right = true},
		{.bottom = "Thread", .right = true},
		{.bottom = "Key"},
		{.bottom = "Value"},
	};
	bool split = is_any_split(executions, count);
	bool has_cpu = is_any_cpu(executions, count);
	bool marks = is_any_interrupted(executions, count);
	struct grid grid = {0};

	if (!count) {
		str_append(out, "No executions.\n");
		return;
	}
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (i == 3 && has_cpu)
			grid_column(&grid, (struct column){.bottom = "On CPU",
							   .right = true});
		grid_column(&grid, columns[i]);
	}
	if (split)
		grid_column(&grid, (struct column){.bottom = "By"});
	for (size_t i = 0; i < count; i++)
		slowest_row(&grid, &executions[i], has_cpu, split, marks);
	grid_print(&grid, options->color, out);
	if (marks)
		str_append(out,
			   "~ The program was stopped during it; the time is "
			   "how long the program ran.\n");
	grid_deinit(&grid);
}

void report_slowest_json(const struct execution *executions, size_t count,
			 struct str *out)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < count; i++) {
		record_of_execution(&executions[i], &record);
		json_object_array_add(array, json_record(&record));
	}
	json_write(array, out);
}

void report_slowest_csv(const struct execution *executions, size_t count,
			struct str *out)
{
	const struct execution none = {0};
	struct record record = {0};

	record_of_execution(&none, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++) {
		record_of_execution(&executions[i], &record);
		csv_values(&record, out);
	}
}

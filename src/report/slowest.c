/*
 * slowest.c - the longest executions, one a row, as text, JSON and CSV; and how
 * their threads came to them
 */
#include <inttypes.h>

#include "perftool/base/alloc.h"
#include "perftool/base/origin.h"
#include "perftool/base/path.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/records/records.h"
#include "report/text/text.h"

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

static bool is_any_key(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (executions[i].key.kind != VALUE_NONE)
			return true;
	return false;
}

static bool is_any_value(const struct execution *executions, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (executions[i].value.kind != VALUE_NONE)
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

/* What the table shows. A column for which no execution has a value is left
 * out, so that the other columns have more room. */
struct form {
	bool memo; /* times in the memo's form */
	/* `marks`: the table shows the mark `~' at executions during which the
	 * program was stopped */
	bool cpu, key, value, split, marks;
};

static struct form form_of(const struct execution *executions, size_t count,
			   bool memo)
{
	return (struct form){
		.memo = memo,
		.cpu = is_any_cpu(executions, count),
		.key = is_any_key(executions, count),
		.value = is_any_value(executions, count),
		.split = is_any_split(executions, count),
		.marks = is_any_interrupted(executions, count),
	};
}

/* Append a time in the form that all times of the table have. */
static void time_text(double ns, bool memo, struct str *out)
{
	if (memo)
		report_memo_time((__int128)ns, out);
	else
		report_duration(ns, out);
}

/* Add the duration, with the mark `~' if the program was stopped during the
 * execution. If the table has marks, the durations without a mark end in a
 * blank, so that the digits stay aligned. */
static void duration_column(struct grid *grid,
			    const struct execution *execution,
			    const struct form *form)
{
	struct str text = {0};

	time_text((double)execution->duration, form->memo, &text);
	if (form->marks)
		str_append_char(&text, execution->interrupted ? '~' : ' ');
	grid_take(grid, str_take(&text));
}

static void cpu_cell(struct grid *grid, const struct execution *execution,
		     bool memo)
{
	double cpu = execution->cpu > 0 ? (double)execution->cpu : 0;
	struct str text = {0};

	if (execution->has_cpu)
		time_text(cpu, memo, &text);
	else
		str_append_char(&text, '-');
	grid_take(grid, str_take(&text));
}

static void start_cell(struct grid *grid, const struct execution *execution,
		       bool memo)
{
	struct str text = {0};

	time_text((double)execution->start, memo, &text);
	grid_take(grid, str_take(&text));
}

static void grid_value(struct grid *grid, struct value value)
{
	char buffer[32];

	if (value.kind != VALUE_NONE && value.is_address)
		grid_printf(grid, "0x%" PRIx64, value.u);
	else
		grid_text(grid, value_format(value, buffer));
}

/* The least widths to which the table may cut the names of legs and the values
 * of splits. It cuts them only if the table does not fit into the line
 * otherwise; with these widths it fits into 80 columns. */
#define LEAST_NAME 16
#define LEAST_VALUE 8

static void slowest_columns(struct grid *grid, const struct form *form)
{
	const char *unit = "sec.msec:usec";
	const struct column columns[] = {
		{.top = "Leg", .bottom = "Id", .key = true, .minimum = 3},
		{.bottom = "Name",
		 .key = true,
		 .minimum = 4,
		 .shrinks_to = LEAST_NAME},
		{.top = form->memo ? "Time" : NULL,
		 .bottom = form->memo ? unit : "Time",
		 .key = true,
		 .right = true},
		{.top = form->memo ? "Start" : NULL,
		 .bottom = form->memo ? unit : "Start",
		 .expendable = 1,
		 .right = true},
		{.bottom = "Process",
		 .expendable = 2,
		 .yields = true,
		 .right = true},
		{.bottom = "Thread", .right = true},
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		grid_column(grid, columns[i]);
		if (i == 2 && form->cpu)
			grid_column(grid, (struct column){.bottom = "On CPU",
							  .right = true});
	}
	if (form->key)
		grid_column(grid, (struct column){.bottom = "Key"});
	if (form->value)
		grid_column(grid, (struct column){.bottom = "Value"});
	if (form->split)
		grid_column(grid, (struct column){.bottom = "By",
						  .shrinks_to = LEAST_VALUE});
}

/* The name of the leg, or NULL if the tables do not have the leg. */
static const char *leg_name(const struct tables *tables, uint32_t id)
{
	for (size_t i = 0; i < tables->leg_count; i++)
		if (tables->legs[i].stats->id == id)
			return tables->legs[i].name;
	return NULL;
}

static void slowest_row(struct grid *grid, const struct execution *execution,
			const char *name, const struct form *form)
{
	grid_printf(grid, "%" PRIu32, execution->leg);
	grid_text(grid, name ? name : "-");
	duration_column(grid, execution, form);
	if (form->cpu)
		cpu_cell(grid, execution, form->memo);
	start_cell(grid, execution, form->memo);
	grid_printf(grid, "%" PRId32, execution->pid);
	grid_printf(grid, "%" PRId32, execution->tid);
	if (form->key)
		grid_value(grid, execution->key);
	if (form->value)
		grid_value(grid, execution->value);
	if (form->split)
		grid_take(grid, execution->row ? row_name(execution->row)
					       : xstrdup("-"));
}

/* ---- how the thread came to the execution -------------------------------- */

static void append_arguments(const struct origin *origin, struct str *out)
{
	str_append(out, " (");
	for (size_t i = 0; i < origin->arguments.count; i++)
		str_printf(out, "%s%s=%s", i ? ", " : "",
			   origin->arguments.data[i].name,
			   origin->arguments.data[i].value);
	str_append_char(out, ')');
}

/* Append a frame in the form of `where`, without its address. The arguments of
 * the innermost one are known. */
static void append_frame(const struct origin *origin, size_t index,
			 struct str *out)
{
	const struct origin_frame *frame = &origin->frames.data[index];

	str_printf(out, "#%-3zu %s%s", index,
		   frame->inlined ? "(inlined) " : "", frame->function);
	/* (Where no debug information names the file, the parameters are not
	 * known.) */
	if (!index && (origin->arguments.count || frame->file))
		append_arguments(origin, out);
	if (frame->file)
		str_printf(out, " at %s:%" PRIu32, path_file_name(frame->file),
			   frame->line);
	else if (frame->module)
		str_printf(out, " in %s", frame->module);
}

/* Append the text without control characters, which could come from the
 * program. */
static void append_clean(const struct str *text, struct str *out)
{
	for (size_t i = 0; i < text->length; i++) {
		unsigned char c = (unsigned char)text->data[i];

		str_append_char(out, c < ' ' || c == 0x7f ? '?' : (char)c);
	}
	str_append_char(out, '\n');
}

static void append_origin(const struct execution *execution, const char *name,
			  const struct report_options *options, struct str *out)
{
	const struct origin *origin = execution->origin;
	struct str line = {0};

	str_printf(&line, "Leg %" PRIu32 " (%s): ", execution->leg,
		   name ? name : "-");
	time_text((double)execution->duration, options->memo, &line);
	str_printf(&line, ", thread %" PRId32, execution->tid);
	str_append_char(out, '\n');
	text_title(str_text(&line), options->color, out);
	for (size_t i = 0; i < origin->frames.count; i++) {
		str_deinit(&line);
		append_frame(origin, i, &line);
		append_clean(&line, out);
	}
	str_deinit(&line);
	if (origin->is_broken)
		str_append(out, "The callers of the last frame are not "
				"known.\n");
}

void report_slowest_text(const struct execution *executions, size_t count,
			 const struct tables *tables,
			 const struct report_options *options, struct str *out)
{
	struct form form = form_of(executions, count, options->memo);
	struct grid grid = {0};
	bool hidden;

	if (!count) {
		str_append(out, "No executions.\n");
		return;
	}
	slowest_columns(&grid, &form);
	for (size_t i = 0; i < count; i++)
		slowest_row(&grid, &executions[i],
			    leg_name(tables, executions[i].leg), &form);
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	if (form.marks)
		str_append(out, "~ The program was stopped during the "
				"execution; the time of the stop is left\n"
				"  out.\n");
	if (hidden)
		text_columns_left_out(options, out);
	grid_deinit(&grid);
	for (size_t i = 0; i < count; i++)
		if (executions[i].origin)
			append_origin(&executions[i],
				      leg_name(tables, executions[i].leg),
				      options, out);
}

void report_slowest_json(const struct execution *executions, size_t count,
			 const struct tables *tables, struct str *out)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < count; i++)
		json_object_array_add(
			array,
			json_execution(&executions[i],
				       leg_name(tables, executions[i].leg)));
	json_write(array, out);
}

void report_slowest_csv(const struct execution *executions, size_t count,
			const struct tables *tables, struct str *out)
{
	const struct execution none = {0};
	struct record record = {0};

	record_of_execution(&none, NULL, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++) {
		record_of_execution(&executions[i],
				    leg_name(tables, executions[i].leg),
				    &record);
		csv_values(&record, out);
	}
}

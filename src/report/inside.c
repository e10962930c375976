/*
 * inside.c - what threads recorded during the slowest executions, as indented
 * time lines, as JSON and CSV, and in a trace
 */
#include <errno.h>
#include <inttypes.h>

#include "perftool/base/alloc.h"
#include "perftool/inside.h"
#include "perftool/measure/measured_legs.h"
#include "report/figures/figures.h"
#include "report/records/records.h"
#include "report/text/text.h"

/* The name of a leg, or the place of a node. NULL: it is gone. */
static const char *entry_name(const struct tables *tables, bool is_node,
			      uint32_t id)
{
	for (size_t i = 0; !is_node && i < tables->leg_count; i++)
		if (tables->legs[i].stats->id == id)
			return tables->legs[i].name;
	for (size_t i = 0; is_node && i < tables->node_count; i++)
		if (tables->nodes[i].stats->id == id)
			return tables->nodes[i].place;
	return NULL;
}

/* ---- text ---------------------------------------------------------------- */

/* An entry of more than this depth has the depth as a number, and is indented
 * no further. */
#define DEEPEST 10

/* The least width to which names may be cut. */
#define LEAST_NAME 24

static void append_time(double ns, bool memo, struct str *out)
{
	if (memo)
		report_memo_time((__int128)ns, out);
	else
		report_duration(ns, out);
}

static void append_title(const struct execution *execution,
			 const struct tables *tables, bool memo,
			 struct str *out)
{
	const char *name = entry_name(tables, false, execution->leg);
	CLEANUP(free_pointer) char *row = row_name(execution->row);

	str_printf(out, "Leg %" PRIu32 " (%s): ", execution->leg,
		   name ? name : "-");
	append_time((double)execution->duration, memo, out);
	if (execution->interrupted)
		str_append_char(out, '~');
	str_append(out, ", began at ");
	append_time((double)execution->start, memo, out);
	str_printf(out, ", thread %" PRId32, execution->tid);
	if (row)
		str_printf(out, ", %s", row);
}

static void time_cell(struct grid *grid, int64_t ns, bool memo)
{
	struct str text = {0};

	append_time((double)ns, memo, &text);
	grid_take(grid, str_take(&text));
}

static void what_cell(struct grid *grid, const struct inside_entry *entry,
		      const struct tables *tables)
{
	const char *name = entry_name(tables, entry->is_hit, entry->id);
	uint32_t deep = entry->depth < DEEPEST ? entry->depth : DEEPEST;
	struct str text = {0};

	for (uint32_t i = 0; i < deep; i++)
		str_append(&text, "  ");
	if (entry->depth > DEEPEST)
		str_printf(&text, "[%" PRIu32 "] ", entry->depth);
	if (name)
		str_append(&text, name);
	else
		str_printf(&text, "%s %" PRIu32, entry->is_hit ? "node" : "leg",
			   entry->id);
	grid_take(grid, str_take(&text));
}

static bool has_values(const struct inside *inside)
{
	for (size_t i = 0; i < inside->entries.count; i++)
		if (inside->entries.data[i].value.kind != VALUE_NONE)
			return true;
	return false;
}

static void add_columns(struct grid *grid, bool values)
{
	grid_column(grid, (struct column){.bottom = "Offset",
					  .key = true,
					  .right = true});
	grid_column(
		grid,
		(struct column){.bottom = "Time", .key = true, .right = true});
	grid_column(grid, (struct column){.bottom = "What",
					  .key = true,
					  .minimum = 4,
					  .shrinks_to = LEAST_NAME});
	if (values)
		grid_column(grid, (struct column){.bottom = "Value",
						  .expendable = 1});
}

static void value_cell(struct grid *grid, struct value value)
{
	char buffer[32];

	if (value.kind != VALUE_NONE && value.is_address)
		grid_printf(grid, "0x%" PRIx64, value.u);
	else
		grid_text(grid, value.kind == VALUE_NONE
					? ""
					: value_format(value, buffer));
}

/* Returns whether columns were left out. */
static bool append_entries(const struct inside *inside,
			   const struct tables *tables,
			   const struct report_options *options,
			   struct str *out)
{
	bool values = has_values(inside), hidden;
	struct grid grid = {0};

	add_columns(&grid, values);
	for (size_t i = 0; i < inside->entries.count; i++) {
		const struct inside_entry *entry = &inside->entries.data[i];

		time_cell(&grid, entry->offset, options->memo);
		if (entry->is_hit)
			grid_text(&grid, "-");
		else
			time_cell(&grid,
				  entry->duration < 0 ? 0 : entry->duration,
				  options->memo);
		what_cell(&grid, entry, tables);
		if (values)
			value_cell(&grid, entry->value);
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	grid_deinit(&grid);
	return hidden;
}

static void append_dropped(uint64_t dropped, bool ascii, struct str *out)
{
	if (!dropped)
		return;
	str_append(out, ascii ? "... " : "… ");
	report_number((__int128)dropped, out);
	str_append(out, " more\n");
}

void report_inside_text(const struct execution *executions, size_t count,
			const struct tables *tables,
			const struct report_options *options, struct str *out)
{
	bool hidden = false;

	if (!count)
		str_append(out, "No executions.\n");
	for (size_t i = 0; i < count; i++) {
		const struct inside *inside = executions[i].inside;
		struct str title = {0};

		if (i)
			str_append_char(out, '\n');
		append_title(&executions[i], tables, options->memo, &title);
		text_title(str_text(&title), options->color, out);
		str_deinit(&title);
		if (!inside->entries.count && !inside->dropped) {
			str_append(out, "Its thread recorded nothing else.\n");
			continue;
		}
		hidden |= append_entries(inside, tables, options, out);
		append_dropped(inside->dropped, options->ascii, out);
	}
	if (hidden)
		text_columns_left_out(options, out);
}

/* ---- JSON and CSV -------------------------------------------------------- */

static void record_entry(const struct inside_entry *entry,
			 const struct tables *tables, struct record *out)
{
	add_text(out, "what", entry->is_hit ? "node" : "leg");
	add_integer(out, "id", entry->id);
	add_text(out, "place", entry_name(tables, entry->is_hit, entry->id));
	add_integer(out, "offset_ns", entry->offset);
	if (entry->is_hit)
		add_null(out, "inside_ns");
	else
		add_integer(out, "inside_ns", entry->duration);
	add_integer(out, "depth", entry->depth);
	add_value(out, "inside_value", entry->value);
}

static void record_no_entry(struct record *out)
{
	static const char *const names[] = {"what",        "id",        "place",
					    "offset_ns",   "inside_ns", "depth",
					    "inside_value"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_null(out, names[i]);
}

void report_inside_json(const struct execution *executions, size_t count,
			const struct tables *tables, struct str *out)
{
	struct json_object *array = json_object_new_array();
	struct record record = {0};

	for (size_t i = 0; i < count; i++) {
		const struct inside *inside = executions[i].inside;
		struct json_object *entries = json_object_new_array(), *object;

		object = json_execution(
			&executions[i],
			entry_name(tables, false, executions[i].leg));
		for (size_t j = 0; j < inside->entries.count; j++) {
			record_entry(&inside->entries.data[j], tables, &record);
			json_object_array_add(entries, json_record(&record));
		}
		json_object_object_add(object, "inside", entries);
		json_object_object_add(object, "dropped",
				       json_object_new_uint64(inside->dropped));
		json_object_array_add(array, object);
	}
	json_write(array, out);
}

/* Append a line of CSV. `entry` is NULL in the line of an execution in which
 * nothing was recorded. */
static void csv_line(const struct execution *execution,
		     const struct inside_entry *entry,
		     const struct tables *tables, struct str *out)
{
	struct record record = {0};

	record_of_execution(execution,
			    entry_name(tables, false, execution->leg), &record);
	add_integer(&record, "dropped", execution->inside->dropped);
	if (entry)
		record_entry(entry, tables, &record);
	else
		record_no_entry(&record);
	csv_values(&record, out);
}

void report_inside_csv(const struct execution *executions, size_t count,
		       const struct tables *tables, struct str *out)
{
	const struct execution none = {0};
	struct record record = {0};

	record_of_execution(&none, NULL, &record);
	add_null(&record, "dropped");
	record_no_entry(&record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < count; i++) {
		const struct inside *inside = executions[i].inside;

		if (!inside->entries.count)
			csv_line(&executions[i], NULL, tables, out);
		for (size_t j = 0; j < inside->entries.count; j++)
			csv_line(&executions[i], &inside->entries.data[j],
				 tables, out);
	}
}

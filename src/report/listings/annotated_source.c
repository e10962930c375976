/*
 * annotated_source.c - see perftool/report/annotated_source.h
 */
#include "perftool/report/annotated_source.h"

#include <inttypes.h>
#include <math.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "report/figures/figures.h"
#include "report/records/records.h"

/* Append a time, right-aligned; an upper bound of it, if no more is known. */
static void append_time(double ns, double bound, int width, struct str *out)
{
	const double most = time_bound(ns, bound);
	CLEANUP(free_pointer)
	char *text = bound < 0 && ns <= 0   ? xstrdup("-")
		     : ns < most && ns <= 0 ? below_cell(most)
					    : duration_cell(ns);

	str_printf(out, "%*s", width, text);
}

static void put_line(const struct annotated_line *line, struct str *out)
{
	if (!line->has_code) {
		str_printf(out, "%10s %10s  %10s", "", "", "");
	} else if (!line->executions && line->total <= 0) {
		str_printf(out, "%10s %10s  %10s",
			   line->is_counted ? "-----" : "-", "-", "-");
	} else {
		if (line->is_counted)
			str_printf(out, "%10" PRIu64 " ", line->executions);
		else
			str_printf(out, "%10s ", "-");
		append_time(line->own, line->bound, 10, out);
		str_append(out, "  ");
		append_time(line->total, line->bound, 10, out);
	}
	str_printf(out, " %6" PRIu32 "  %s\n", line->line,
		   line->text ? line->text : "");
}

static void put_function(const struct annotated_function *function,
			 struct str *out)
{
	if (!function->path) {
		str_printf(out,
			   "%s: its lines are not known, because it has no "
			   "debug information\n",
			   function->name);
		return;
	}
	str_printf(out,
		   "%s, %s: %" PRIu64 " call%s\n"
		   "Executions   Own time  With calls   Line  Source\n",
		   function->name, path_file_name(function->path),
		   function->calls, function->calls == 1 ? "" : "s");
	for (size_t i = 0; i < function->lines.count; i++)
		put_line(&function->lines.data[i], out);
	if (function->by_int3)
		str_append(out, "Threads were stopped at an int3 to count "
				"this, so that times are less exact.\n");
}

void report_source_text(const struct annotated_source *source, struct str *out)
{
	for (size_t i = 0; i < source->count; i++)
		put_function(&source->data[i], out);
}

/* ---- JSON and CSV -------------------------------------------------------- */

static void record_function(const struct annotated_function *function,
			    struct record *out)
{
	add_text(out, "function", function->name);
	add_text(out, "file", function->path);
	add_integer(out, "calls", (__int128)function->calls);
	add_bool(out, "by_int3", function->by_int3);
}

static void record_time(const char *name, double ns, double bound,
			struct record *out)
{
	if (bound < 0 && ns <= 0)
		add_null(out, name);
	else
		add_integer(out, name, llrint(ns));
}

static void record_line(const struct annotated_line *line, struct record *out)
{
	add_integer(out, "line", line->line);
	if (line->has_code) {
		if (line->is_counted)
			add_integer(out, "executions",
				    (__int128)line->executions);
		else
			add_null(out, "executions");
		record_time("own_ns", line->own, line->bound, out);
		record_time("total_ns", line->total, line->bound, out);
		if (line->bound < 0)
			add_null(out, "bound_ns");
		else
			add_integer(out, "bound_ns", llrint(ceil(line->bound)));
	} else {
		add_null(out, "executions");
		add_null(out, "own_ns");
		add_null(out, "total_ns");
		add_null(out, "bound_ns");
	}
	add_text(out, "text", line->text);
}

static struct json_object *
function_object(const struct annotated_function *function)
{
	struct json_object *object, *lines = json_object_new_array();
	struct record record = {0};

	record_function(function, &record);
	object = json_record(&record);
	for (size_t i = 0; i < function->lines.count; i++) {
		record_line(&function->lines.data[i], &record);
		json_object_array_add(lines, json_record(&record));
	}
	json_object_object_add(object, "lines", lines);
	return object;
}

void report_source_json(const struct annotated_source *source, struct str *out)
{
	struct json_object *object = json_object_new_object();
	struct json_object *functions = json_object_new_array();

	json_object_object_add(object, "schema", json_object_new_int(1));
	for (size_t i = 0; i < source->count; i++)
		json_object_array_add(functions,
				      function_object(&source->data[i]));
	json_object_object_add(object, "functions", functions);
	json_write(object, out);
}

void report_source_csv(const struct annotated_source *source, struct str *out)
{
	const struct annotated_function no_function = {0};
	const struct annotated_line no_line = {0};
	struct record record = {0};

	record_function(&no_function, &record);
	record_line(&no_line, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < source->count; i++) {
		const struct annotated_function *function = &source->data[i];

		for (size_t j = 0; j < function->lines.count; j++) {
			record_function(function, &record);
			record_line(&function->lines.data[j], &record);
			csv_values(&record, out);
		}
	}
}

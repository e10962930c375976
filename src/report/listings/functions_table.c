/* functions_table.c - see perftool/report/functions_table.h */
#include "perftool/report/functions_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "procedure_labels.h"
#include "procedure_record.h"
#include "report/figures/figures.h"
#include "report/records/records.h"
#include "report/text/text.h"

/* The width to which a name may be cut at a narrow terminal. */
#define LEAST_NAME 16

/* The name of the row, and of the record, of arcs beyond the limit. */
#define OTHER "<other>"

/* What the table shows. */
struct form {
	bool memo;    /* times in the memo's form */
	bool threads; /* a row for each thread */
	bool cpu;     /* columns of the time on a CPU, and of waiting */
	bool marks;   /* there are calls that ended without a return */
};

static bool is_any_unreturned(const struct function_times_list *list)
{
	for (size_t i = 0; i < list->functions.count; i++)
		if (list->functions.data[i].times.unreturned)
			return true;
	return list->other.unreturned != 0;
}

/* ---- text ---------------------------------------------------------------- */

static void add_columns(struct grid *grid, const struct form *form)
{
	const char *unit = form->memo ? "sec.msec:usec" : NULL;
	const struct column calls = {
		.bottom = "Calls", .key = true, .right = true};
	const struct column self = {.top = unit ? "Self" : NULL,
				    .bottom = unit ? unit : "Self",
				    .key = true,
				    .right = true};
	const struct column total = {.top = unit ? "Self + children" : "Self +",
				     .bottom = unit ? unit : "children",
				     .right = true};
	const struct column percent = {
		.bottom = "Percent", .expendable = 1, .right = true};
	const struct column cpu = {
		.bottom = "On CPU", .expendable = 2, .right = true};
	const struct column waiting = {
		.bottom = "Waiting", .expendable = 2, .right = true};

	grid_column(grid, calls);
	grid_column(grid, self);
	grid_column(grid, total);
	grid_column(grid, percent);
	if (form->cpu) {
		grid_column(grid, cpu);
		grid_column(grid, waiting);
	}
	grid_column(grid, (struct column){.bottom = "Function",
					  .key = true,
					  .minimum = 8,
					  .shrinks_to = LEAST_NAME});
}

static void add_time(struct grid *grid, int64_t ns, const struct form *form)
{
	grid_take(grid,
		  form->memo ? memo_time_cell(ns) : duration_cell((double)ns));
}

/* If the table has marks, the counts without a mark end in a blank, so that the
 * digits stay aligned. */
static void add_calls(struct grid *grid, const struct call_times *times,
		      const struct form *form)
{
	struct str text = {0};

	report_number((__int128)times->count, &text);
	if (form->marks)
		str_append_char(&text, times->unreturned ? '~' : ' ');
	grid_take(grid, str_take(&text));
}

/* Add all cells of a row but the last. */
static void add_figures(struct grid *grid, const struct call_times *times,
			int64_t measured, const struct form *form)
{
	add_calls(grid, times, form);
	add_time(grid, times->self, form);
	add_time(grid, times->outermost, form);
	grid_take(grid, percent_cell(times->outermost, measured));
	if (!form->cpu)
		return;
	add_time(grid, times->outermost - times->waiting, form);
	add_time(grid, times->waiting, form);
}

static void add_threads(struct grid *grid,
			const struct functions_report *report,
			const struct function_times *function,
			const struct form *form)
{
	for (size_t i = 0; i < function->thread_count; i++) {
		const struct thread_times *share =
			&report->list->threads.data[function->first_thread + i];
		const struct sampled_thread *thread =
			&report->threads[share->thread];

		add_figures(grid, &share->times, report->measured, form);
		grid_printf(grid, "  thread %d%s%s", (int)thread->tid,
			    thread->name ? " " : "",
			    thread->name ? thread->name : "");
	}
}

/* So many functions with an int3 are named. */
#define MOST_NAMED 3

/* Name the functions whose calls stop their threads, the first ones of the
 * table. */
static void put_int3s(const struct functions_report *report,
		      struct procedure_labels *labels, struct str *out)
{
	const struct function_times_list *list = report->list;
	size_t count = 0;

	for (size_t i = 0; report->by_int3 && i < list->functions.count; i++) {
		uint32_t procedure = list->functions.data[i].procedure;
		char *label;

		if (!map_get_number(report->by_int3, (uint64_t)procedure + 1) ||
		    ++count > MOST_NAMED)
			continue;
		label = procedure_label(labels, procedure);
		str_printf(out, "%s%s",
			   count == 1 ? "Calls that stop the thread at an "
					"int3, so that times are less "
					"exact:\n  "
				      : ", ",
			   label);
		free(label);
	}
	if (count > MOST_NAMED)
		str_printf(out, " and %zu more", count - MOST_NAMED);
	if (count)
		str_append(out, ".\n");
}

static void put_notes(const struct functions_report *report,
		      const struct form *form, struct str *out)
{
	if (form->marks)
		str_append(out,
			   "~ Some of the calls ended without a return.\n");
	if (report->list->others)
		str_append(out, "There were more arcs than `profile arcs` "
				"allows. The others are <other>, and\n"
				"the functions they belong to have too few "
				"calls and too little time.\n");
	if (form->threads && report->cpu_problem)
		str_printf(out, "On CPU, Waiting: not known:%s%s.\n",
			   strlen(report->cpu_problem) > 50 ? "\n  " : " ",
			   report->cpu_problem);
}

void report_functions_text(const struct functions_report *report,
			   const struct report_options *options,
			   struct str *out)
{
	const struct function_times_list *list = report->list;
	const struct form form = {.memo = options->memo,
				  .threads = options->verbose,
				  .cpu = options->verbose &&
					 !report->cpu_problem,
				  .marks = is_any_unreturned(list)};
	struct procedure_labels labels;
	struct grid grid = {0};
	bool hidden;

	if (!list->functions.count && !list->others) {
		str_append(out, "No calls.\n");
		return;
	}
	procedure_labels_init(&labels, report->procedures);
	add_columns(&grid, &form);
	for (size_t i = 0; i < list->functions.count; i++) {
		const struct function_times *function =
			&list->functions.data[i];

		add_figures(&grid, &function->times, report->measured, &form);
		grid_take(&grid, procedure_label(&labels, function->procedure));
		if (form.threads)
			add_threads(&grid, report, function, &form);
	}
	if (list->others) {
		add_figures(&grid, &list->other, report->measured, &form);
		grid_text(&grid, OTHER);
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	put_notes(report, &form, out);
	put_int3s(report, &labels, out);
	if (hidden)
		text_columns_left_out(options, out);
	grid_deinit(&grid);
	procedure_labels_deinit(&labels);
}

/* ---- JSON and CSV -------------------------------------------------------- */

static void record_cpu(const struct functions_report *report,
		       const struct call_times *times, struct record *out)
{
	if (report->cpu_problem) {
		add_null(out, "cpu_ns");
		add_null(out, "waiting_ns");
		return;
	}
	add_integer(out, "cpu_ns", times->outermost - times->waiting);
	add_integer(out, "waiting_ns", times->waiting);
}

static void record_times(const struct functions_report *report,
			 const struct call_times *times, struct record *out)
{
	add_integer(out, "calls", (__int128)times->count);
	add_integer(out, "self_ns", times->self);
	add_integer(out, "total_ns", times->outermost);
	record_cpu(report, times, out);
	add_percent(out, "percent", times->outermost, report->measured);
	add_integer(out, "unreturned", (__int128)times->unreturned);
}

/* `procedure` is NO_PROCEDURE in the record of arcs beyond the limit. */
static void record_function(const struct functions_report *report,
			    uint32_t procedure, const struct call_times *times,
			    struct record *out)
{
	record_procedure(report->procedures, procedure, OTHER, out);
	record_times(report, times, out);
}

static void record_thread(const struct functions_report *report,
			  const struct thread_times *share, struct record *out)
{
	const struct sampled_thread *thread = &report->threads[share->thread];

	add_integer(out, "pid", thread->pid);
	add_integer(out, "tid", thread->tid);
	add_text(out, "name", thread->name);
	record_times(report, &share->times, out);
}

static struct json_object *
function_object(const struct functions_report *report,
		const struct function_times *function)
{
	struct json_object *threads = json_object_new_array();
	struct json_object *object;
	struct record record = {0};

	for (size_t i = 0; i < function->thread_count; i++) {
		record_thread(
			report,
			&report->list->threads.data[function->first_thread + i],
			&record);
		json_object_array_add(threads, json_record(&record));
	}
	record_function(report, function->procedure, &function->times, &record);
	object = json_record(&record);
	json_object_object_add(object, "threads", threads);
	return object;
}

static struct json_object *other_object(const struct functions_report *report)
{
	struct json_object *object;
	struct record record = {0};

	record_function(report, NO_PROCEDURE, &report->list->other, &record);
	object = json_record(&record);
	json_object_object_add(object, "threads", json_object_new_array());
	return object;
}

void report_functions_json(const struct functions_report *report,
			   struct str *out)
{
	const struct function_times_list *list = report->list;
	struct json_object *object = json_object_new_object();
	struct json_object *functions = json_object_new_array();

	for (size_t i = 0; i < list->functions.count; i++)
		json_object_array_add(
			functions,
			function_object(report, &list->functions.data[i]));
	if (list->others)
		json_object_array_add(functions, other_object(report));
	json_object_object_add(object, "schema", json_object_new_int(1));
	json_object_object_add(object, "functions", functions);
	json_write(object, out);
}

void report_functions_csv(const struct functions_report *report,
			  struct str *out)
{
	const struct function_times_list *list = report->list;
	struct record record = {0};

	record_function(report, NO_PROCEDURE, &list->other, &record);
	csv_names(&record, out);
	record_deinit(&record);
	for (size_t i = 0; i < list->functions.count; i++) {
		const struct function_times *function =
			&list->functions.data[i];

		record_function(report, function->procedure, &function->times,
				&record);
		csv_values(&record, out);
	}
	if (!list->others)
		return;
	record_function(report, NO_PROCEDURE, &list->other, &record);
	csv_values(&record, out);
}

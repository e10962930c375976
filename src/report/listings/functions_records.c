/*
 * functions_records.c - calls and times by function, as JSON and CSV: see
 * perftool/report/functions_table.h
 */
#include <math.h>

#include "functions_figures.h"
#include "procedure_record.h"
#include "report/records/records.h"

/* A wait is not longer than the time that it is a part of. What was subtracted
 * for hits, of the one or the other, is not exact. */
static int64_t part_of(int64_t time, int64_t wait)
{
	if (wait > time)
		wait = time;
	return wait > 0 ? wait : 0;
}

static void record_cpu(const struct functions_report *report,
		       const struct call_times *times, struct record *out)
{
	const int64_t waiting = part_of(times->outermost, times->waiting);

	if (report->cpu_problem) {
		add_null(out, "self_cpu_ns");
		add_null(out, "cpu_ns");
		add_null(out, "waiting_ns");
		return;
	}
	add_integer(out, "self_cpu_ns",
		    times->self - part_of(times->self, times->self_waiting));
	add_integer(out, "cpu_ns", times->outermost - waiting);
	add_integer(out, "waiting_ns", waiting);
}

static void record_times(const struct functions_report *report,
			 const struct call_times *times, double bound,
			 struct record *out)
{
	add_integer(out, "calls", (__int128)times->count);
	add_integer(out, "self_ns", times->self);
	add_integer(out, "total_ns", times->outermost);
	record_cpu(report, times, out);
	add_percent(out, "percent", call_total(times, report->by_cpu),
		    functions_whole(report, report->by_cpu));
	if (report->bounds)
		add_integer(out, "bound_ns", (__int128)ceil(bound));
	else
		add_null(out, "bound_ns");
	add_integer(out, "unreturned", (__int128)times->unreturned);
}

/* `procedure` is NO_PROCEDURE in the record of arcs beyond the limit. */
static void record_function(const struct functions_report *report,
			    uint32_t procedure, const struct call_times *times,
			    struct record *out)
{
	record_procedure(report->procedures, procedure, OTHER_FUNCTIONS, out);
	record_times(report, times,
		     procedure != NO_PROCEDURE && report->bounds
			     ? report->bounds[procedure].total.bound
			     : 0,
		     out);
}

static void record_thread(const struct functions_report *report,
			  const struct function_times *function,
			  const struct thread_times *share, struct record *out)
{
	const struct sampled_thread *thread = &report->threads[share->thread];

	if (thread->tid) {
		add_integer(out, "pid", thread->pid);
		add_integer(out, "tid", thread->tid);
	} else {
		add_null(out, "pid");
		add_null(out, "tid");
	}
	add_text(out, "name", thread->name);
	record_times(
		report, &share->times,
		functions_bound(report, function, &share->times).total.bound,
		out);
}

static struct json_object *
function_object(const struct functions_report *report,
		const struct function_times *function)
{
	const struct thread_times *threads_of =
		report->list->threads.data + function->first_thread;
	struct json_object *threads = json_object_new_array();
	struct json_object *object;
	struct record record = {0};

	for (size_t i = 0; i < function->thread_count; i++) {
		record_thread(report, function, &threads_of[i], &record);
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

	for (size_t i = 0; i < functions_shown(report); i++)
		json_object_array_add(
			functions,
			function_object(report, &list->functions.data[i]));
	if (list->others && !functions_left_out(report))
		json_object_array_add(functions, other_object(report));
	json_object_object_add(object, "schema", json_object_new_int(1));
	json_object_object_add(
		object, "percent_of",
		json_object_new_string(report->by_cpu ? "cpu" : "time"));
	json_object_object_add(
		object, "whole_ns",
		json_object_new_int64(functions_whole(report, report->by_cpu)));
	json_object_object_add(
		object, "threads_added_up",
		json_object_new_int64((int64_t)report->added_up));
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
	for (size_t i = 0; i < functions_shown(report); i++) {
		const struct function_times *function =
			&list->functions.data[i];

		record_function(report, function->procedure, &function->times,
				&record);
		csv_values(&record, out);
	}
	if (!list->others || functions_left_out(report))
		return;
	record_function(report, NO_PROCEDURE, &list->other, &record);
	csv_values(&record, out);
}

/*
 * functions_table.c - calls and times by function, as text: see
 * perftool/report/functions_table.h
 */
#include "perftool/report/functions_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "functions_figures.h"
#include "perftool/base/alloc.h"
#include "procedure_labels.h"
#include "report/figures/figures.h"
#include "report/text/text.h"

/* The width to which a name may be cut at a narrow terminal. */
#define LEAST_NAME 16

/* What the table shows. */
struct form {
	bool memo;    /* times in the memo's form */
	bool threads; /* a row for each thread */
	bool cpu;     /* a column of the time on a CPU */
	bool waiting; /* and one of waiting */
	bool by_cpu;  /* all times are those on a CPU */
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
	if (form->cpu)
		grid_column(grid, cpu);
	if (form->waiting)
		grid_column(grid, waiting);
	grid_column(grid, (struct column){.bottom = "Function",
					  .key = true,
					  .minimum = 8,
					  .shrinks_to = LEAST_NAME});
}

static char *time_cell(int64_t ns, const struct form *form)
{
	return form->memo ? memo_time_cell(ns) : duration_cell((double)ns);
}

/* A time, or its upper bound if no more is known of it. */
struct figure {
	double ns;
	bool is_bound;
};

static struct figure figure_of(int64_t ns, const struct time_error *error)
{
	const double most = time_bound((double)ns, error->bound);
	const bool is_bound = is_below_bound(ns, most, error->inside);

	return (struct figure){.ns = is_bound ? most : (double)ns,
			       .is_bound = is_bound};
}

/* A time of calls, elapsed or on a CPU. The latter is no longer than the
 * elapsed time. */
static struct figure time_of(int64_t elapsed, int64_t on_cpu, bool by_cpu,
			     const struct time_error *error)
{
	const struct figure whole = figure_of(elapsed, error);
	struct figure part = figure_of(on_cpu, error);

	if (!by_cpu)
		return whole;
	if (part.is_bound && part.ns > whole.ns)
		part.ns = whole.ns;
	return part;
}

static struct figure self_of(const struct call_times *times, bool by_cpu,
			     const struct call_bound *bound)
{
	return time_of(call_self(times, false), call_self(times, true), by_cpu,
		       &bound->self);
}

static struct figure total_of(const struct call_times *times, bool by_cpu,
			      const struct call_bound *bound)
{
	return time_of(call_total(times, false), call_total(times, true),
		       by_cpu, &bound->total);
}

static void add_time(struct grid *grid, struct figure figure,
		     const struct form *form)
{
	if (!figure.is_bound)
		grid_take(grid, time_cell((int64_t)figure.ns, form));
	else
		grid_take(grid, form->memo ? memo_below_cell(figure.ns)
					   : below_cell(figure.ns));
}

static void add_part(struct grid *grid, struct figure figure, int64_t whole)
{
	struct str percent = {0};

	if (whole <= 0 || !figure.is_bound) {
		grid_take(grid, percent_cell((int64_t)figure.ns, whole));
		return;
	}
	if (figure.ns >= (double)whole) {
		grid_text(grid, "-");
		return;
	}
	str_append(&percent, "< ");
	/* Percentages are truncated, and a bound must not be too small. */
	percent_text((__int128)figure.ns + whole / 10000 + 1, whole, &percent);
	grid_take(grid, str_take(&percent));
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
static void add_figures(struct grid *grid,
			const struct functions_report *report,
			const struct call_times *times,
			const struct call_bound *bound, const struct form *form)
{
	const struct figure total = total_of(times, form->by_cpu, bound);

	add_calls(grid, times, form);
	add_time(grid, self_of(times, form->by_cpu, bound), form);
	add_time(grid, total, form);
	add_part(grid, total, functions_whole(report, form->by_cpu));
	if (form->cpu)
		add_time(grid, total_of(times, true, bound), form);
	if (form->waiting)
		grid_take(grid, time_cell(times->waiting, form));
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
		const struct call_bound bound =
			functions_bound(report, function, &share->times);

		add_figures(grid, report, &share->times, &bound, form);
		if (!thread->tid) {
			grid_text(grid, "  threads that have ended");
			continue;
		}
		grid_printf(grid, "  thread %d%s%s", (int)thread->tid,
			    thread->name ? " " : "",
			    thread->name ? thread->name : "");
	}
}

static void put_time(int64_t ns, const struct form *form, struct str *out)
{
	CLEANUP(free_pointer) char *text = time_cell(ns > 0 ? ns : 0, form);

	str_append(out, text);
}

/* Say how long all calls took, which is 100 percent. */
static void put_heading(const struct functions_report *report,
			const struct form *form, struct str *out)
{
	const struct function_times_list *list = report->list;
	const int64_t elapsed = functions_whole(report, false);
	const size_t count = list->functions.count + (list->others != 0);

	report_number((__int128)count, out);
	str_printf(out, " function%s took ", count == 1 ? "" : "s");
	if (form->by_cpu) {
		put_time(functions_whole(report, true), form, out);
		str_append(out, " on a CPU, of ");
		put_time(elapsed, form, out);
		str_append(out, " in all. Times are those on a CPU,\n"
				"and Percent is the part of them that Self + "
				"children is.\n");
		return;
	}
	put_time(elapsed, form, out);
	str_append(out, " in all threads");
	if (!report->cpu_problem) {
		str_append(out, ", ");
		put_time(functions_whole(report, true), form, out);
		str_append(out, " of it on a CPU");
	}
	str_append(out, ".\nPercent is the part of the ");
	put_time(elapsed, form, out);
	str_append(out, " that Self + children is.\n");
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

/* Say how many functions `top=' leaves out. */
static void put_left_out(const struct functions_report *report, struct str *out)
{
	const size_t count = functions_left_out(report);

	if (!count)
		return;
	report_number((__int128)count, out);
	str_printf(out, " function%s more %s left out by `top='.\n",
		   count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

static void put_notes(const struct functions_report *report,
		      const struct form *form, struct str *out)
{
	if (form->marks)
		str_append(out,
			   "~ Some of the calls ended without a return.\n");
	if (form->threads && report->added_up) {
		str_append(out, "Threads that have ended and are added up: ");
		report_number((__int128)report->added_up, out);
		str_append(out, ". Those with the most time have rows of\n"
				"their own.\n");
	}
	if (report->list->others)
		str_append(out, "There were more arcs than `profile arcs` "
				"allows. The others are <other>, and\n"
				"the functions they belong to have too few "
				"calls and too little time.\n");
	if (report->is_unordered)
		str_append(out,
			   "With `set ordering off', what a function still "
			   "waits for (memory, results) may\n"
			   "be in the time of the function that goes on.\n");
	if (report->cpu_problem)
		str_printf(out,
			   "How long they were on a CPU is not known:%s%s.\n",
			   strlen(report->cpu_problem) > 37 ? "\n  " : " ",
			   report->cpu_problem);
}

void report_functions_text(const struct functions_report *report,
			   const struct report_options *options,
			   struct str *out)
{
	const struct function_times_list *list = report->list;
	const bool has_cpu = !report->cpu_problem && !report->by_cpu;
	const struct form form = {.memo = options->memo,
				  .threads = options->verbose,
				  .cpu = has_cpu,
				  .waiting = has_cpu && options->verbose,
				  .by_cpu = report->by_cpu,
				  .marks = is_any_unreturned(list)};
	struct procedure_labels labels;
	struct grid grid = {0};
	bool hidden;

	if (!list->functions.count && !list->others) {
		str_append(out, "No calls.\n");
		return;
	}
	procedure_labels_init(&labels, report->procedures);
	put_heading(report, &form, out);
	add_columns(&grid, &form);
	for (size_t i = 0; i < functions_shown(report); i++) {
		const struct function_times *function =
			&list->functions.data[i];
		const struct call_bound bound =
			functions_bound(report, function, &function->times);

		add_figures(&grid, report, &function->times, &bound, &form);
		grid_take(&grid, procedure_label(&labels, function->procedure));
		if (form.threads)
			add_threads(&grid, report, function, &form);
	}
	if (list->others && !functions_left_out(report)) {
		add_figures(&grid, report, &list->other,
			    &(struct call_bound){0}, &form);
		grid_text(&grid, OTHER_FUNCTIONS);
	}
	hidden = grid_fit(&grid, options->columns);
	grid_print(&grid, options->color, out);
	put_left_out(report, out);
	put_notes(report, &form, out);
	put_int3s(report, &labels, out);
	if (hidden)
		text_columns_left_out(options, out);
	grid_deinit(&grid);
	procedure_labels_deinit(&labels);
}

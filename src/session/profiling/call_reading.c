/*
 * call_reading.c - what has been counted of calls: the arcs with their
 * procedures, and the table of `print functions'
 */
#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/scheduling.h"
#include "profiling.h"

/* ---- procedures ---------------------------------------------------------- */

static char *name_of(const struct called_function *called)
{
	if (called->function.name)
		return debuginfo_demangle(called->function.name);
	return xasprintf("%s+0x%" PRIx64,
			 called->module ? module_name(called->module) : "?",
			 called->function.address);
}

static uint32_t number_procedure(const struct called_function *called,
				 struct procedures *procedures)
{
	struct debugfile *file =
		called->module ? module_file(called->module) : NULL;
	CLEANUP(free_pointer) char *name = name_of(called);
	struct procedure procedure = {
		.name = name,
		.module = called->module ? module_name(called->module) : "",
		.address = called->function.address};

	if (!file || !debugfile_opening(file, &called->function,
					&procedure.file, &procedure.line))
		procedure.file = NULL;
	return procedures_number(procedures, &procedure);
}

/* The procedures of functions, by the numbers of probe_called(). */
struct numbering {
	const struct session *session;
	struct procedures *procedures;
	struct map known; /* number plus 1 -> procedure plus 1 */
};

static uint32_t procedure_of(struct numbering *numbering, uint32_t function)
{
	const struct called_function *called =
		probe_called(numbering->session->probe, function);
	uint64_t known =
		map_get_number(&numbering->known, (uint64_t)function + 1);

	if (!called)
		return NO_PROCEDURE;
	if (!known) {
		known = (uint64_t)number_procedure(called,
						   numbering->procedures) +
			1;
		map_set_number(&numbering->known, (uint64_t)function + 1,
			       known);
	}
	return (uint32_t)(known - 1);
}

/* ---- arcs ---------------------------------------------------------------- */

static void read_counters(struct session *session, const struct map *map,
			  uint64_t now, struct call_arcs *out)
{
	struct call_counter *counter;
	size_t cursor = 0;

	while ((counter = map_next(map, &cursor, NULL)))
		counter_read_open(counter, counter_until(session, counter, now),
				  out);
}

/* Reads all counters; the callers and callees are functions of the probe
 * layer. */
static void read_all(struct session *session, struct call_arcs *out)
{
	struct call_profile *profile = session->calls;
	uint64_t now = clock_now(&session->clock);

	for (size_t i = 0; i < profile->ended.list.count; i++)
		call_arcs_add(out, &profile->ended.list.data[i]);
	call_times_add(&out->other, &profile->ended.other);
	out->others += profile->ended.others;
	read_counters(session, &profile->by_thread, now, out);
	read_counters(session, &profile->by_goroutine, now, out);
	for (size_t i = 0; i < profile->idle.count; i++)
		counter_read(profile->idle.data[i], out);
}

static void copy_threads(const struct call_profile *profile,
			 struct session_calls *out)
{
	for (size_t i = 0; i < profile->threads.count; i++) {
		struct session_call_thread thread = profile->threads.data[i];
		struct thread_scheduling now;

		if (target_thread_scheduling(thread.pid, thread.tid, &now) &&
		    *now.name)
			thread.name = xstrdup(now.name);
		else if (thread.name)
			thread.name = xstrdup(thread.name);
		vec_push(&out->threads, thread);
	}
}

void session_read_calls(struct session *session, struct session_calls *out)
{
	struct call_profile *profile = session->calls;
	struct numbering numbering = {.session = session,
				      .procedures = &out->procedures};
	struct call_arcs all = {0};

	*out = (struct session_calls){0};
	probe_catch_up(session->probe);
	out->arcs.limit = profile->limit;
	out->elapsed =
		measure_elapsed(profile->account, clock_now(&session->clock));
	read_all(session, &all);
	for (size_t i = 0; i < all.list.count; i++) {
		struct call_arc arc = all.list.data[i];

		arc.callee = procedure_of(&numbering, arc.callee);
		if (arc.caller != NO_PROCEDURE)
			arc.caller = procedure_of(&numbering, arc.caller);
		call_arcs_add(&out->arcs, &arc);
	}
	call_times_add(&out->arcs.other, &all.other);
	out->arcs.others += all.others;
	copy_threads(profile, out);
	/* Nobody can tell anything of the time before a thread's first hit. */
	out->has_waiting =
		profile->known > 0 && profile->unknown < profile->known / 100;
	call_arcs_deinit(&all);
	map_deinit(&numbering.known);
}

void session_calls_deinit(struct session_calls *calls)
{
	for (size_t i = 0; i < calls->threads.count; i++)
		free(calls->threads.data[i].name);
	vec_free(&calls->threads);
	call_arcs_deinit(&calls->arcs);
	procedures_deinit(&calls->procedures);
}

const char *session_profiled_module(const struct session *session,
				    uint32_t number)
{
	const struct call_profile *profile = session->calls;

	return number && number <= profile->modules.count
		       ? module_path(profile->modules.data[number - 1])
		       : NULL;
}

void describe_full(struct session *session, struct str *out)
{
	struct session_calls calls;

	session_read_calls(session, &calls);
	if (calls.arcs.others)
		str_printf(out,
			   "%" PRIu64 " calls of further arcs were added up as "
			   "<other>: the limit is %zu arcs (profile arcs N)\n",
			   calls.arcs.other.count, session->calls->limit);
	session_calls_deinit(&calls);
}

/* ---- the table ----------------------------------------------------------- */

struct row {
	uint32_t procedure;
	struct call_times times;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->times.self != y->times.self)
		return x->times.self < y->times.self ? 1 : -1;
	return (x->procedure > y->procedure) - (x->procedure < y->procedure);
}

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

static void print_row(const struct session_calls *calls, const struct row *row,
		      struct str *out)
{
	const struct procedure *procedure =
		&calls->procedures.list.data[row->procedure];
	double elapsed = calls->elapsed ? (double)calls->elapsed : 1;

	str_printf(
		out, "%12" PRIu64 " %12.3f %12.3f %6.2f  %s%s%s%s\n",
		row->times.count, ms(row->times.self), ms(row->times.outermost),
		100 * (double)row->times.self / elapsed,
		row->times.unreturned ? "~" : "", procedure->name,
		procedures_share_name(&calls->procedures, row->procedure) ? "@"
									  : "",
		procedures_share_name(&calls->procedures, row->procedure)
			? procedure->module
			: "");
}

static void print_rows(const struct session_calls *calls, struct row *rows,
		       size_t count, struct str *out)
{
	qsort(rows, count, sizeof(*rows), compare);
	str_append(out, "       Calls     Self (ms)  +children (ms)   %  "
			"Function\n");
	for (size_t i = 0; i < count; i++)
		if (rows[i].times.count)
			print_row(calls, &rows[i], out);
}

/* Adds up the arcs by function; `thread` UINT32_MAX: of all threads. */
static void print_table(const struct session_calls *calls, uint32_t thread,
			struct str *out)
{
	size_t count = calls->procedures.list.count;
	struct row *rows = xcalloc(count + 1, sizeof(*rows));

	for (size_t i = 0; i < count; i++)
		rows[i].procedure = (uint32_t)i;
	for (size_t i = 0; i < calls->arcs.list.count; i++) {
		const struct call_arc *arc = &calls->arcs.list.data[i];

		if (thread == UINT32_MAX || arc->thread == thread)
			call_times_add(&rows[arc->callee].times, &arc->times);
	}
	print_rows(calls, rows, count, out);
	free(rows);
}

static void print_thread(const struct session_calls *calls, size_t index,
			 struct str *out)
{
	const struct session_call_thread *thread = &calls->threads.data[index];

	str_printf(out, "\n%s %d%s%s\n",
		   thread->is_goroutines ? "Goroutines of process" : "Thread",
		   thread->is_goroutines ? thread->pid : thread->tid,
		   thread->name ? ", " : "", thread->name ? thread->name : "");
	print_table(calls, (uint32_t)index, out);
}

struct error *session_print_functions(struct session *session, bool verbose,
				      struct str *out)
{
	struct session_calls calls;

	if (!session_profiles_calls(session))
		return error_create(ERROR_USAGE,
				    "no calls are counted: `profile functions "
				    "GLOB' counts those of functions");
	session_read_calls(session, &calls);
	print_table(&calls, UINT32_MAX, out);
	for (size_t i = 0; verbose && i < calls.threads.count; i++)
		print_thread(&calls, i, out);
	session_calls_deinit(&calls);
	return NULL;
}

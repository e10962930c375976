/*
 * call_reading.c - what has been counted of calls: the arcs with their
 * procedures, and the table of `print functions'
 */
#include <inttypes.h>
#include <stdlib.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/call_profiles.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/report/functions_table.h"
#include "perftool/scheduling.h"
#include "recorded_profiles.h"
#include "stack_names.h"

/* ---- procedures ---------------------------------------------------------- */

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
		known = (uint64_t)name_function(called->module,
						called->function.address,
						numbering->procedures) +
			1;
		map_set_number(&numbering->known, (uint64_t)function + 1,
			       known);
	}
	return (uint32_t)(known - 1);
}

/* No named function was open: the caller is the function of the call site. A
 * signal handler returns to code that has not called it. */
static void find_caller(struct numbering *numbering, struct call_arc *arc)
{
	const struct module *module =
		numbered_module(numbering->session->modules, arc->site_module);
	struct debugfile *file = module ? module_file_again(module) : NULL;

	if (!arc->site || !file ||
	    debugfile_is_signal_frame(file, arc->site + 1))
		return;
	arc->caller = name_function(module, arc->site, numbering->procedures);
	arc->by_site = true;
}

static void find_int3s(const struct numbering *numbering, struct map *out)
{
	size_t cursor = 0;
	uint64_t function;
	void *known;

	while ((known = map_next(&numbering->known, &cursor, &function)))
		if (probe_called(numbering->session->probe,
				 (uint32_t)(function - 1))
			    ->by_int3)
			map_set_number(out, (uintptr_t)known, 1);
}

/* ---- arcs ---------------------------------------------------------------- */

static void read_counters(struct session *session, const struct map *map,
			  uint64_t now, struct call_arcs *out)
{
	struct call_counter *counter;
	size_t cursor = 0;

	while ((counter = map_next(map, &cursor, NULL)))
		counter_read_open(session, counter, now, out);
}

/* Reads all counters; the callers and callees are functions of the probe
 * layer. */
static void read_all(struct session *session, struct call_arcs *out)
{
	struct call_profile *profile = session->calls;
	uint64_t now = open_calls_until(session);

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

		if (!thread.has_ended &&
		    target_thread_scheduling(thread.pid, thread.tid, &now) &&
		    *now.name)
			thread.name = xstrdup(now.name);
		else if (thread.name)
			thread.name = xstrdup(thread.name);
		vec_push(&out->threads, thread);
	}
}

/* The time of the named functions that no named function has called, of the
 * thread that has spent the most time in them. */
static uint64_t longest_thread(const struct session_calls *calls)
{
	int64_t *times = xcalloc(calls->threads.count + 1, sizeof(*times));
	int64_t longest = 0;

	for (size_t i = 0; i < calls->arcs.list.count; i++) {
		const struct call_arc *arc = &calls->arcs.list.data[i];

		if ((arc->caller == NO_PROCEDURE || arc->by_site) &&
		    calls->threads.data[arc->thread].tid)
			times[arc->thread] += arc->times.elapsed;
	}
	for (size_t i = 0; i < calls->threads.count; i++)
		if (times[i] > longest)
			longest = times[i];
	free(times);
	return (uint64_t)longest;
}

/* The measured time without the tool's. The overhead is the time for which any
 * thread was held, while others may have gone on. */
static uint64_t time_measured(struct session *session,
			      const struct session_calls *calls)
{
	uint64_t longest = longest_thread(calls), elapsed;
	struct measure_summary summary;

	measure_get_summary(session->calls->account, clock_now(&session->clock),
			    &summary);
	elapsed = summary.elapsed - summary.overhead;
	return elapsed > longest ? elapsed : longest;
}

void session_read_calls(struct session *session, struct session_calls *out)
{
	struct call_profile *profile = session->calls;
	struct numbering numbering = {.session = session,
				      .procedures = &out->procedures};
	struct call_arcs all = {0};

	*out = (struct session_calls){0};
	probe_catch_up(session->probe);
	add_up_ended(profile);
	out->added_up = profile->added_up;
	out->arcs.limit = profile->limit;
	read_all(session, &all);
	for (size_t i = 0; i < all.list.count; i++) {
		struct call_arc arc = all.list.data[i];

		arc.callee = procedure_of(&numbering, arc.callee);
		if (arc.callee == NO_PROCEDURE)
			continue;
		if (arc.caller != NO_PROCEDURE)
			arc.caller = procedure_of(&numbering, arc.caller);
		else
			find_caller(&numbering, &arc);
		call_arcs_add(&out->arcs, &arc);
	}
	call_times_add(&out->arcs.other, &all.other);
	out->arcs.others += all.others;
	copy_threads(profile, out);
	out->elapsed = time_measured(session, out);
	/* Nobody can tell anything of the time before a thread's first hit. */
	out->has_waiting =
		profile->known > 0 && profile->unknown < profile->known / 100;
	find_int3s(&numbering, &out->by_int3);
	call_arcs_deinit(&all);
	map_deinit(&numbering.known);
}

void session_calls_deinit(struct session_calls *calls)
{
	for (size_t i = 0; i < calls->threads.count; i++)
		free(calls->threads.data[i].name);
	vec_free(&calls->threads);
	map_deinit(&calls->by_int3);
	call_arcs_deinit(&calls->arcs);
	procedures_deinit(&calls->procedures);
}

void note_full(struct session *session)
{
	struct session_calls calls;

	session_read_calls(session, &calls);
	if (calls.arcs.others)
		session_note(session,
			     "%" PRIu64 " calls of further arcs were added up "
			     "as <other>: the limit is %zu arcs (profile arcs)",
			     calls.arcs.other.count, session->calls->limit);
	session_calls_deinit(&calls);
}

/* ---- other builds -------------------------------------------------------- */

static bool is_other_build(const struct module *a, const struct module *b)
{
	struct debugfile *first = module_file(a), *second = module_file(b);

	return first && second && first != second &&
	       str_equal(module_path(a), module_path(b)) &&
	       debugfile_facts(first)->build_id &&
	       debugfile_facts(second)->build_id &&
	       !str_equal(debugfile_facts(first)->build_id,
			  debugfile_facts(second)->build_id);
}

/* Tells the user, once, that a file was built anew between two runs that add
 * up. Functions of the same name and line are the same then. */
static void note_builds(struct session *session)
{
	const struct called_function *called;
	VEC(const struct module *) seen = {0};

	for (uint32_t i = 0; (called = probe_called(session->probe, i)); i++) {
		size_t known = 0;

		if (!called->module)
			continue;
		while (known < seen.count && seen.data[known] != called->module)
			known++;
		if (known < seen.count)
			continue;
		for (size_t j = 0; j < seen.count; j++)
			if (is_other_build(seen.data[j], called->module) &&
			    !session->calls->told_of_builds) {
				session->calls->told_of_builds = true;
				session_note(session,
					     "%s was built anew between the "
					     "runs that were counted: the "
					     "table has both (`initialize "
					     "profile' begins anew)",
					     module_name(called->module));
			}
		vec_push(&seen, called->module);
	}
	vec_free(&seen);
}

/* ---- the table ----------------------------------------------------------- */

const char *session_calls_cpu_problem(const struct session *session,
				      const struct session_calls *calls)
{
	const char *problem;

	if (calls->has_waiting)
		return NULL;
	if (session->cpu_time == CPU_TIME_OFF)
		return "`set cpu-time' is off";
	problem = probe_switches_problem(session->probe);
	if (problem)
		return problem;
	return session->calls->known > 0
		       ? "the kernel has lost context switches; with fewer "
			 "functions\n  there is more time to read them"
		       : "no thread has gone on since its calls are counted";
}

struct error *session_calls_check_cpu(const struct session *session,
				      const struct session_calls *calls)
{
	const char *problem = session_calls_cpu_problem(session, calls);

	if (!problem)
		return NULL;
	return error_create(ERROR_OTHER,
			    "how long functions were on a CPU is not known "
			    "(%s); without by=cpu, times are the elapsed ones",
			    problem);
}

void read_hit_costs(const struct session *session,
		    const struct measure *measure, struct call_costs *out)
{
	struct measure_summary summary;

	*out = (struct call_costs){.uncertain = MEASURE_UNCERTAIN};
	measure_get_summary(measure, clock_now(&session->clock), &summary);
	for (size_t i = 0; session->compensation && i < HIT_MECHANISMS; i++) {
		const struct measure_calibration *at = &summary.calibration[i];

		out->cost[i] = at->cost;
		out->spread[i] = at->spread;
		/* A cost is known no better than to one tick of the clock. */
		if (at->cost > 0 && at->spread < session->clock.resolution)
			out->spread[i] = session->clock.resolution;
	}
}

struct call_bound *session_call_bounds(struct session *session,
				       const struct session_calls *calls,
				       size_t procedures)
{
	struct call_bound *bounds = xcalloc(procedures + 1, sizeof(*bounds));
	struct call_costs costs;

	read_hit_costs(session, session->calls->account, &costs);
	call_bounds_make(&calls->arcs, &calls->by_int3, &costs, procedures,
			 bounds);
	return bounds;
}

static void write_functions(struct session *session,
			    const struct session_calls *calls,
			    enum report_format format,
			    const struct report_options *options,
			    struct str *out)
{
	CLEANUP(free_pointer)
	struct call_bound *bounds = session_call_bounds(
		session, calls, calls->procedures.list.count);
	VEC(struct sampled_thread) threads = {0};
	struct function_times_list list = {0};
	struct functions_report report;

	function_times_make(&calls->arcs, &calls->procedures, options->by_cpu,
			    &list);
	for (size_t i = 0; i < calls->threads.count; i++)
		vec_push(&threads,
			 (struct sampled_thread){
				 .pid = calls->threads.data[i].pid,
				 .tid = calls->threads.data[i].tid,
				 .name = calls->threads.data[i].name});
	report = (struct functions_report){
		.list = &list,
		.procedures = &calls->procedures,
		.threads = threads.data,
		.bounds = bounds,
		.by_int3 = &calls->by_int3,
		.by_cpu = options->by_cpu,
		.top = options->top,
		.added_up = calls->added_up,
		.is_unordered = !session->ordering,
		.cpu_problem = session_calls_cpu_problem(session, calls)};
	REPORT_AS(functions, &report, format, options, out);
	vec_free(&threads);
	function_times_deinit(&list);
}

struct error *session_print_functions(struct session *session,
				      enum report_format format,
				      const struct report_options *options,
				      struct str *out)
{
	struct error *error = NULL;
	struct session_calls calls;

	if (!session_profiles_calls(session))
		return error_create(ERROR_USAGE,
				    "no calls are counted: `profile functions "
				    "GLOB' counts those of functions");
	session->recorded->calls_seen = true;
	note_builds(session);
	session_read_calls(session, &calls);
	if (options->by_cpu)
		error = session_calls_check_cpu(session, &calls);
	if (!error)
		write_functions(session, &calls, format, options, out);
	session_calls_deinit(&calls);
	return error;
}

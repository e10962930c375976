/* top.c - `top`: see perftool/session/top.h */
#include "perftool/session/top.h"
#include "perftool/probe/loaded_modules.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/profile/stack_figures.h"
#include "perftool/session/calls.h"
#include "recorded_profiles.h"
#include "session/requests/requests.h"
#include "stack_names.h"

/* Ticks a second. */
#define TOP_RATE 499
/* How many rows the table has. */
#define MOST_ROWS 20

void top_profile_init(struct top_profile *top, struct session *session)
{
	*top = (struct top_profile){0};
	recorder_init(&top->recorder, session);
}

void top_profile_deinit(struct top_profile *top)
{
	recorder_deinit(&top->recorder);
	top_forget_calls(top);
	vec_free(&top->calls);
}

static struct top_profile *top_of(const struct session *session)
{
	return &session->recorded->top;
}

struct error *session_top_begin(struct session *session)
{
	struct top_profile *top = top_of(session);
	const struct sampling sampling = {.event = SAMPLED_TICKS,
					  .rate = TOP_RATE};

	if (top->is_taken)
		return error_create(ERROR_OTHER,
				    "another `top' is under way; try again "
				    "when it is over");
	TRY(stand_still(session));
	recorder_stop(&top->recorder);
	recorder_flush(&top->recorder);
	top_forget_calls(top);
	top->came_to_calls = false;
	TRY(recorder_start(&top->recorder, &sampling));
	top->is_taken = true;
	return NULL;
}

void session_top_leave(struct session *session)
{
	top_of(session)->is_taken = false;
}

void session_top_end(struct session *session)
{
	recorder_stop(&top_of(session)->recorder);
}

/* ---- the table ----------------------------------------------------------- */

static int by_own(const void *a, const void *b)
{
	const struct tally *first = a, *second = b;

	if (first->own != second->own)
		return first->own < second->own ? 1 : -1;
	if (first->total != second->total)
		return first->total < second->total ? 1 : -1;
	return first->procedure < second->procedure ? -1 : 1;
}

void top_tally(struct recorder *recorder, struct tallied *out)
{
	struct stack_figures figures;

	*out = (struct tallied){0};
	recorder_resolve(recorder, &out->stacks);
	stack_figures_compute(&out->stacks, &figures);
	for (size_t i = 0; i < out->stacks.procedures.list.count; i++) {
		const struct procedure_figures *of = &figures.procedures[i];

		if (of->own)
			vec_push(&out->list,
				 (struct tally){.procedure = (uint32_t)i,
						.own = of->own,
						.total = of->weight.total});
	}
	stack_figures_deinit(&figures);
	if (out->list.count)
		qsort(out->list.data, out->list.count, sizeof(struct tally),
		      by_own);
}

void tallied_deinit(struct tallied *tallied)
{
	vec_free(&tallied->list);
	call_stacks_deinit(&tallied->stacks);
}

double top_cpus(const struct recorder *recorder, const struct tallied *tallied)
{
	const double seconds = (double)recorder_elapsed(recorder) / 1e9;
	struct sampler_account account;

	recorder_get_account(recorder, &account);
	return seconds > 0 ? (double)(call_stacks_weight(&tallied->stacks) +
				      account.missed) /
				     TOP_RATE / seconds
			   : 0;
}

bool top_is_nameless(const struct procedure *procedure)
{
	return !procedure->file && strchr(procedure->name, '+') &&
	       str_starts(procedure->name, procedure->module);
}

/* Is the procedure code of which no function is known: all code of a module, or
 * what is between two functions? */
static bool has_no_function(const struct procedure *procedure)
{
	const size_t length = strlen(procedure->name);
	const size_t ending = strlen(NO_FUNCTION);

	return !procedure->address &&
	       (top_is_nameless(procedure) ||
		(length >= ending &&
		 str_equal(procedure->name + length - ending, NO_FUNCTION)));
}

/* Returns the command that would time the procedure, or count a function that
 * has only inlined copies, whose ends nobody knows. The caller frees it. NULL:
 * code in no file has no name, and the vdso has no breakpoints. */
static char *command_for(const struct procedures *procedures, uint32_t number,
			 const char *program)
{
	const struct procedure *procedure = &procedures->list.data[number];
	const char *module = procedure->module;

	if (procedure->is_wait || !module[0] || has_no_function(procedure) ||
	    str_equal(module, PROBE_VDSO))
		return NULL;
	if (!procedure->address)
		return xasprintf("break %s if 1", procedure->name);
	if (top_is_nameless(procedure))
		return xasprintf("time *0x%" PRIx64 "@%s", procedure->address,
				 module);
	/* NAME@plt without a module is the entries of all modules. */
	if (program && str_equal(program, module) &&
	    !strchr(procedure->name, '@') &&
	    !procedures_share_name(procedures, number))
		return xasprintf("time %s", procedure->name);
	return xasprintf("time %s@%s", procedure->name, module);
}

struct top_rows {
	VEC(struct top_row) rows;
	struct string_list texts;
};

static void add_row(struct session *session, const struct call_stacks *stacks,
		    const struct tally *tally, uint64_t weight,
		    struct top_rows *out)
{
	const struct module *program = probe_module(session->probe, 0);
	CLEANUP(free_pointer)
	char *location = top_location(&stacks->procedures, tally->procedure);
	const struct top_calls *calls = top_calls_of(top_of(session), location);
	char *command = command_for(&stacks->procedures, tally->procedure,
				    program ? module_name(program) : NULL);

	if (command)
		vec_push(&out->texts, command);
	vec_push(&out->rows,
		 (struct top_row){
			 .procedure = tally->procedure,
			 .own = 100. * (double)tally->own / (double)weight,
			 .total = 100. * (double)tally->total / (double)weight,
			 .calls = calls ? calls->rate : -1,
			 .calls_are_least = calls && calls->is_least,
			 .command = command,
			 .only_counts = command && !location});
}

/* Says for how long to look, so that time remains to count calls. */
static void propose_duration(double seconds, struct str *out)
{
	double duration = seconds >= 1 ? floor(seconds * 8) * 100
				       : floor(seconds * 80) * 10;

	if (duration < 100)
		str_append(out, ".\nIts time is too short for that.");
	else
		str_printf(out,
			   ".\nA shorter time leaves some for that: `--for "
			   "%.0fms', or `top for %.0fms'.",
			   duration, duration);
}

static bool was_interrupted(const struct session *session)
{
	struct session_stop end;

	return session_last_end(session, &end) && end.reason == STOP_SIGNALED &&
	       end.signal == SIGINT;
}

/* Says why functions have no number of calls. */
static void explain_calls(struct session *session, double seconds,
			  struct str *out)
{
	const struct top_profile *top = top_of(session);

	if (session_profiles_calls(session)) {
		str_append(out, "Calls/s are not counted beside a profile of "
				"calls; `initialize profile' ends\nthat.");
	} else if (!session_has_process(session) && !was_interrupted(session)) {
		str_printf(
			out,
			"Calls/s were not counted%s: the program ended after ",
			top_count_rates(top) ? " for all" : "");
		report_duration(seconds * 1e9, out);
		propose_duration(seconds, out);
	} else if (!top->came_to_calls || !session_has_process(session)) {
		str_append(out, "Calls/s were not counted: `top' was ended "
				"before.");
	} else {
		str_append(out, "Calls/s are counted of the first ten, unless "
				"a function is inlined or\neach call would "
				"stop its thread.");
		if (top->calls_problem)
			str_printf(out, "\nOne could not be counted: %s.",
				   top->calls_problem);
	}
}

/* Says how ticks were taken, if not as usual. */
static void tell_how(const struct sampler_account *account, struct str *out)
{
	if (account->why)
		str_printf(out, "%s%s.",
			   account->by_kernel
				   ? "Ticks: "
				   : "The tool stopped threads for ticks: ",
			   account->why);
}

static bool is_any_uncounted(const struct top_report *report)
{
	for (size_t i = 0; i < report->row_count; i++)
		if (report->rows[i].calls < 0)
			return true;
	return false;
}

void session_top_table(struct session *session, enum report_format format,
		       const struct report_options *options, double to_come,
		       struct str *out)
{
	struct recorder *recorder = &top_of(session)->recorder;
	struct top_report report = {.to_come = to_come};
	struct str calls_remark = {0}, remark = {0};
	struct top_rows rows = {0};
	struct sampler_account account;
	struct tallied tallied;

	top_tally(recorder, &tallied);
	recorder_get_account(recorder, &account);
	report.procedures = &tallied.stacks.procedures;
	report.ticks = call_stacks_weight(&tallied.stacks);
	report.functions = tallied.list.count;
	for (size_t i = 0; i < tallied.list.count && i < MOST_ROWS; i++)
		add_row(session, &tallied.stacks, &tallied.list.data[i],
			report.ticks, &rows);
	report.rows = rows.rows.data;
	report.row_count = rows.rows.count;
	report.seconds = (double)recorder_elapsed(recorder) / 1e9;
	report.cpus = top_cpus(recorder, &tallied);
	if (recorder->log.stacks)
		report.broken = 100. * (double)recorder->log.broken /
				(double)recorder->log.stacks;
	tell_how(&account, &remark);
	report.remark = remark.length ? str_text(&remark) : NULL;
	if (to_come <= 0)
		explain_calls(session, report.seconds, &calls_remark);
	if (calls_remark.length && is_any_uncounted(&report))
		report.calls_remark = str_text(&calls_remark);
	REPORT_AS(top, &report, format, options, out);
	str_deinit(&calls_remark);
	str_deinit(&remark);
	string_list_deinit(&rows.texts);
	vec_free(&rows.rows);
	tallied_deinit(&tallied);
}

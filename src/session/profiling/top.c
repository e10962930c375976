/* top.c - `top`: see perftool/session/top.h */
#include "perftool/session/top.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/profile/stack_figures.h"
#include "perftool/session/calls.h"
#include "recorded_profiles.h"
#include "session/requests/requests.h"

/* Ticks a second. */
#define TOP_RATE 499
/* How many rows the table has. */
#define MOST_ROWS 20

void top_profile_init(struct top_profile *top, struct session *session)
{
	*top = (struct top_profile){0};
	recorder_init(&top->recorder, session);
}

static void forget_calls(struct top_profile *top)
{
	for (size_t i = 0; i < top->calls.count; i++)
		free(top->calls.data[i].location);
	vec_clear(&top->calls);
}

void top_profile_deinit(struct top_profile *top)
{
	recorder_deinit(&top->recorder);
	forget_calls(top);
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

	TRY(stand_still(session));
	recorder_stop(&top->recorder);
	recorder_flush(&top->recorder);
	forget_calls(top);
	return recorder_start(&top->recorder, &sampling);
}

void session_top_end(struct session *session)
{
	recorder_stop(&top_of(session)->recorder);
}

/* ---- the table ----------------------------------------------------------- */

/* The ticks of one procedure. */
struct tally {
	uint32_t procedure;
	uint64_t own, total;
};

/* What was sampled, with the procedures that have ticks of their own, most
 * first. */
struct tallied {
	struct call_stacks stacks;
	VEC(struct tally) list;
};

static int by_own(const void *a, const void *b)
{
	const struct tally *first = a, *second = b;

	if (first->own != second->own)
		return first->own < second->own ? 1 : -1;
	if (first->total != second->total)
		return first->total < second->total ? 1 : -1;
	return first->procedure < second->procedure ? -1 : 1;
}

static void tally_samples(struct recorder *recorder, struct tallied *out)
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

static void tallied_deinit(struct tallied *tallied)
{
	vec_free(&tallied->list);
	call_stacks_deinit(&tallied->stacks);
}

/* Is the name made up of the module and an address? */
static bool is_nameless(const struct procedure *procedure)
{
	return !procedure->file && strchr(procedure->name, '+') &&
	       str_starts(procedure->name, procedure->module);
}

/* Returns the command that would time the procedure, or count a function that
 * has only inlined copies, and so has no end. The caller frees it. NULL: code
 * in no file has no name. */
static char *command_for(const struct procedures *procedures, uint32_t number,
			 const char *program)
{
	const struct procedure *procedure = &procedures->list.data[number];
	const char *module = procedure->module;

	if (procedure->is_wait || !module[0])
		return NULL;
	if (!procedure->address)
		return xasprintf("break %s if 1", procedure->name);
	if (is_nameless(procedure))
		return xasprintf("time *0x%" PRIx64 "@%s", procedure->address,
				 module);
	if (program && str_equal(program, module) &&
	    !procedures_share_name(procedures, number))
		return xasprintf("time %s", procedure->name);
	return xasprintf("time %s@%s", procedure->name, module);
}

/* Returns the location of a function that has code of its own, which the caller
 * frees; else NULL. */
static char *location_of(const struct procedures *procedures, uint32_t number)
{
	const struct procedure *procedure = &procedures->list.data[number];

	if (procedure->is_wait || !procedure->module[0] || !procedure->address)
		return NULL;
	return is_nameless(procedure)
		       ? xasprintf("*0x%" PRIx64 "@%s", procedure->address,
				   procedure->module)
		       : xasprintf("%s@%s", procedure->name, procedure->module);
}

struct top_rows {
	VEC(struct top_row) rows;
	struct string_list texts;
};

/* Returns how often a second the function was called; below 0: not counted. */
static double rate_of(const struct top_profile *top, const char *location)
{
	for (size_t i = 0; location && i < top->calls.count; i++) {
		if (str_equal(top->calls.data[i].location, location))
			return top->calls.data[i].rate;
	}
	return -1;
}

static void add_row(struct session *session, const struct call_stacks *stacks,
		    const struct tally *tally, uint64_t weight,
		    struct top_rows *out)
{
	const struct module *program = probe_module(session->probe, 0);
	const struct top_profile *top = top_of(session);
	CLEANUP(free_pointer)
	char *location = location_of(&stacks->procedures, tally->procedure);
	char *command = command_for(&stacks->procedures, tally->procedure,
				    program ? module_name(program) : NULL);

	if (command)
		vec_push(&out->texts, command);
	vec_push(&out->rows,
		 (struct top_row){
			 .procedure = tally->procedure,
			 .own = 100. * (double)tally->own / (double)weight,
			 .total = 100. * (double)tally->total / (double)weight,
			 .calls = rate_of(top, location),
			 .command = command,
			 .only_counts = command && !location});
}

static void write_top(const struct top_report *report,
		      enum report_format format,
		      const struct report_options *options, struct str *out)
{
	switch (format) {
	case FORMAT_TEXT:
		report_top_text(report, options, out);
		break;
	case FORMAT_JSON:
		report_top_json(report, out);
		break;
	case FORMAT_CSV:
		report_top_csv(report, out);
		break;
	}
}

void session_top_table(struct session *session, enum report_format format,
		       const struct report_options *options, double to_come,
		       struct str *out)
{
	struct recorder *recorder = &top_of(session)->recorder;
	struct top_report report = {.to_come = to_come};
	struct top_rows rows = {0};
	struct sampler_account account;
	struct tallied tallied;

	tally_samples(recorder, &tallied);
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
	if (report.seconds > 0)
		report.cpus = (double)report.ticks / TOP_RATE / report.seconds;
	if (recorder->log.stacks)
		report.broken = 100. * (double)recorder->log.broken /
				(double)recorder->log.stacks;
	report.remark = account.why;
	write_top(&report, format, options, out);
	string_list_deinit(&rows.texts);
	vec_free(&rows.rows);
	tallied_deinit(&tallied);
}

/* ---- calls a second ------------------------------------------------------ */

/* Returns the location of the function in a row of the table, or NULL. */
static char *location_of_row(struct session *session, size_t row)
{
	struct tallied tallied;
	char *location = NULL;

	tally_samples(&top_of(session)->recorder, &tallied);
	if (row < tallied.list.count)
		location = location_of(&tallied.stacks.procedures,
				       tallied.list.data[row].procedure);
	tallied_deinit(&tallied);
	return location;
}

bool session_top_count(struct session *session, size_t row)
{
	struct top_profile *top = top_of(session);
	struct str said = {0};
	struct error *error;
	char *location;

	if (session_profiles_calls(session) || !session_has_process(session))
		return false;
	location = location_of_row(session, row);
	if (!location)
		return false;
	error = session_profile_functions(
		session, (const char *const *)&location, 1, &said);
	str_deinit(&said);
	if (error) {
		error_destroy(error);
		free(location);
		return false;
	}
	vec_push(&top->calls,
		 (struct top_calls){.location = location, .rate = -1});
	return true;
}

void session_top_counted(struct session *session)
{
	struct top_profile *top = top_of(session);
	struct top_calls *row = &top->calls.data[top->calls.count - 1];
	bool stops = call_profile_stops_threads(session);
	struct session_calls calls;
	uint64_t count = 0;

	session_read_calls(session, &calls);
	for (size_t i = 0; i < calls.arcs.list.count; i++)
		count += calls.arcs.list.data[i].times.count;
	/* If each call stops its thread, the number says more of the tool than
	 * of the program. */
	if (calls.elapsed && !stops)
		row->rate = (double)count * 1e9 / (double)calls.elapsed;
	session_calls_deinit(&calls);
	error_destroy(session_initialize_profile(session));
}

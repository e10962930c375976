/* profile_reports.c - see perftool/session/profile_reports.h */
#include "perftool/session/profile_reports.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/profile/cpu_times.h"
#include "perftool/report/flat_listing.h"
#include "perftool/report/graph_listing.h"
#include "perftool/session/calls.h"
#include "perftool/session/contended_locks.h"
#include "perftool/session/source.h"
#include "perftool/session/ticks.h"
#include "recorded_profiles.h"
#include "session/run/run.h"

#define NS 1000000000.

/* Everything that was recorded, with one table of procedures. */
struct gathered {
	bool has_stacks, has_arcs;
	struct call_stacks stacks;
	struct session_calls calls;
};

/* The numbers in the map are those of procedures plus 1. */
static void renumber_int3s(struct map *by_int3, const uint32_t *numbers)
{
	struct map renumbered = {0};
	size_t cursor = 0;
	uint64_t procedure;

	while (map_next(by_int3, &cursor, &procedure))
		map_set_number(&renumbered,
			       (uint64_t)numbers[procedure - 1] + 1, 1);
	map_deinit(by_int3);
	*by_int3 = renumbered;
}

/* Gives the procedures of the arcs the numbers that they have in the stacks. */
static void renumber(struct gathered *gathered)
{
	const struct procedures *from = &gathered->calls.procedures;
	VEC(uint32_t) numbers = {0};

	for (size_t i = 0; i < from->list.count; i++)
		vec_push(&numbers,
			 procedures_number(&gathered->stacks.procedures,
					   &from->list.data[i]));
	for (size_t i = 0; i < gathered->calls.arcs.list.count; i++) {
		struct call_arc *arc = &gathered->calls.arcs.list.data[i];

		arc->callee = numbers.data[arc->callee];
		if (arc->caller != NO_PROCEDURE)
			arc->caller = numbers.data[arc->caller];
	}
	renumber_int3s(&gathered->calls.by_int3, numbers.data);
	vec_free(&numbers);
}

static void gather_arcs(struct session *session, struct gathered *out)
{
	out->has_arcs = session_profiles_calls(session);
	if (!out->has_arcs)
		return;
	session_read_calls(session, &out->calls);
	session->recorded->calls_seen = true;
	renumber(out);
}

static void gather(struct session *session, struct gathered *out)
{
	*out = (struct gathered){.has_stacks = session_ticks_were_on(session)};
	if (out->has_stacks)
		session_ticks_stacks(session, &out->stacks);
	session->recorded->ticks_seen = true;
	gather_arcs(session, out);
}

static void gathered_deinit(struct gathered *gathered)
{
	if (gathered->has_arcs)
		session_calls_deinit(&gathered->calls);
	call_stacks_deinit(&gathered->stacks);
}

static uint64_t period(struct session *session)
{
	struct ticks_facts facts;

	session_ticks_facts(session, &facts);
	return (uint64_t)(NS / facts.rate + 0.5);
}

/* Says of how many ticks this is true. */
static void tell_count(uint64_t ticks, const char *what, struct str *out)
{
	str_printf(out, "Ticks that %s: ", what);
	report_number(ticks, out);
	str_append(out, ".\n");
}

static void describe_facts(const struct ticks_facts *facts, struct str *out)
{
	if (!facts->by_kernel && facts->why)
		str_printf(out, "The tool stopped threads for ticks: %s.\n",
			   facts->why);
	if (facts->in_tool)
		tell_count(facts->in_tool,
			   "found a thread in perftool's code, and count for "
			   "no procedure",
			   out);
	if (facts->missed)
		tell_count(facts->missed, "fell due and were not taken", out);
	if (facts->lost)
		tell_count(facts->lost, "were lost: there was no room for them",
			   out);
	if (facts->broken)
		str_printf(out, "%.1f %% of the stacks have no outer end.\n",
			   100. * (double)facts->broken /
				   (double)facts->stacks);
}

/* Says how the ticks were taken, where that is not as usual; in a call graph,
 * unless the flat profile before it has said so. */
static void tell_of_ticks(struct session *session, bool is_graph,
			  struct str *out)
{
	struct str *told = &session->recorded->ticks_told;
	struct ticks_facts facts;
	struct str text = {0};

	session_ticks_facts(session, &facts);
	describe_facts(&facts, &text);
	if (!is_graph || !str_equal(str_text(&text), str_text(told)))
		str_append(out, str_text(&text));
	str_deinit(told);
	if (!is_graph)
		str_append(told, str_text(&text));
	str_deinit(&text);
}

/* From this part of all ticks on, it is said that those in the tool's code are
 * many. */
#define MANY_OWN_TICKS 0.05

/* Counting calls slows functions that are called often, and what they call: the
 * processor does less at once, and has other data in its caches. How much more
 * CPU time each of them takes is not known, so the ticks are shown as they are.
 */
static void tell_of_counting(struct session *session, struct str *out)
{
	struct ticks_facts facts;
	double part;

	session_ticks_facts(session, &facts);
	part = facts.ticks ? (double)facts.in_tool / (double)facts.ticks : 0;
	if (!session_profiles_calls(session) || part < MANY_OWN_TICKS)
		return;
	str_printf(
		out,
		"Calls were counted meanwhile. That took %.0f %% of the CPU "
		"time, and slows the\nfunctions that are called often, and "
		"what they call: their shares of the ticks\nare not those of "
		"the program alone, which `profile on' without `profile "
		"calls'\nshows, or `spy on'.\n",
		100 * part);
}

static void describe_ticks(struct session *session,
			   struct profile_measurement *out)
{
	struct ticks_facts facts;

	session_ticks_facts(session, &facts);
	*out = (struct profile_measurement){
		.kind = "profile",
		.watch = session_ticks_were_on(session) ? "cpu" : NULL,
		.rate = facts.rate,
		.elapsed = facts.elapsed,
		.ticks = facts.ticks,
		.missed = facts.missed,
		.lost = facts.lost,
		.broken = facts.broken};
}

/* Should the listing say what its columns mean? Only the first one of its kind
 * that has rows does. `*described`: one has done so. */
static bool describes_columns(bool *described, bool has_rows)
{
	const bool describes = has_rows && !*described;

	*described |= describes;
	return describes;
}

static void write_flat(struct session *session, struct flat_report *report,
		       enum report_format format,
		       const struct report_options *options, struct str *out)
{
	if (format == FORMAT_TEXT) {
		tell_of_ticks(session, false, out);
		tell_of_counting(session, out);
		report->describes =
			describes_columns(&session->recorded->flat_described,
					  report->profile->all.ticks != 0);
	}
	REPORT_AS(flat, report, format, options, out);
}

struct error *session_print_flat(struct session *session,
				 enum report_format format,
				 const struct report_options *options,
				 struct str *out)
{
	struct profile_measurement measurement;
	struct flat_profile profile = {0};
	struct call_stacks stacks;

	if (!session_ticks_were_on(session))
		return error_create(ERROR_OTHER,
				    "there are no ticks; `profile on' before "
				    "`run' or `continue' takes them");
	session->recorded->ticks_seen = true;
	session_ticks_stacks(session, &stacks);
	flat_profile_make(&stacks, &profile);
	describe_ticks(session, &measurement);
	write_flat(session,
		   &(struct flat_report){.profile = &profile,
					 .procedures = &stacks.procedures,
					 .tick = period(session),
					 .measurement = &measurement},
		   format, options, out);
	flat_profile_deinit(&profile);
	call_stacks_deinit(&stacks);
	recorder_tell_of_none(&session->recorded->ticks.recorder, "ticks",
			      "profile on", "print flat");
	return NULL;
}

static void write_graph(struct session *session, struct graph_report *report,
			enum report_format format,
			const struct report_options *options, struct str *out)
{
	if (format == FORMAT_TEXT) {
		if (report->tick)
			tell_of_ticks(session, true, out);
		report->describes =
			describes_columns(&session->recorded->graph_described,
					  report->graph->entries.count != 0);
	}
	REPORT_AS(graph, report, format, options, out);
}

/* Notes in the graph how long procedures were on a CPU. */
static void note_cpu(const struct call_graph_source *source,
		     struct call_graph *graph)
{
	struct call_graph_source by_cpu = *source;
	struct call_graph on_cpu = {0};
	struct call_arcs arcs = {0};

	cpu_times_copy(source->arcs, &arcs);
	by_cpu.arcs = &arcs;
	call_graph_make(&by_cpu, &on_cpu);
	call_graph_note_cpu(graph, &on_cpu);
	call_graph_deinit(&on_cpu);
	call_arcs_deinit(&arcs);
}

static void make_graph(struct session *session, struct gathered *gathered,
		       enum report_format format,
		       const struct report_options *options, struct str *out)
{
	const bool knows_cpu =
		gathered->has_arcs &&
		!session_calls_cpu_problem(session, &gathered->calls);
	const struct procedures *procedures = &gathered->stacks.procedures;
	const struct call_graph_source source = {
		.procedures = procedures,
		.stacks = gathered->has_stacks ? &gathered->stacks : NULL,
		.arcs = gathered->has_arcs ? &gathered->calls.arcs : NULL,
		.tick = period(session)};
	CLEANUP(free_pointer) struct call_bound *bounds = NULL;
	struct profile_measurement measurement;
	struct call_graph graph = {0};

	if (gathered->has_arcs)
		bounds = session_call_bounds(session, &gathered->calls,
					     procedures->list.count);
	if (gathered->has_arcs && options->by_cpu)
		cpu_times_take(&gathered->calls.arcs);
	call_graph_make(&source, &graph);
	if (knows_cpu && !options->by_cpu)
		note_cpu(&source, &graph);
	describe_ticks(session, &measurement);
	write_graph(session,
		    &(struct graph_report){
			    .graph = &graph,
			    .procedures = procedures,
			    .tick = gathered->has_stacks ? source.tick : 0,
			    .bounds = bounds,
			    .has_cpu = knows_cpu && !options->by_cpu,
			    .by_cpu = options->by_cpu,
			    .measurement = &measurement},
		    format, options, out);
	call_graph_deinit(&graph);
}

struct error *session_print_graph(struct session *session,
				  enum report_format format,
				  const struct report_options *options,
				  struct str *out)
{
	struct error *error = NULL;
	struct gathered gathered;

	if (!session_ticks_were_on(session) && !session_profiles_calls(session))
		return error_create(ERROR_OTHER,
				    "there is no profile; `profile on' takes "
				    "ticks, and `profile calls' counts calls");
	gather(session, &gathered);
	if (gathered.has_arcs && options->by_cpu)
		error = session_calls_check_cpu(session, &gathered.calls);
	if (!error)
		make_graph(session, &gathered, format, options, out);
	gathered_deinit(&gathered);
	return error;
}

/* ---- files --------------------------------------------------------------- */

/* What is needed to write a file. */
struct file_source {
	struct session *session;
	struct gathered gathered;
	VEC(struct profile_module) modules;
};

static void describe_module(const struct module *module, uint32_t number,
			    bool is_program, struct profile_module *out)
{
	struct debugfile *file = module_file(module);
	struct range range;

	*out = (struct profile_module){.name = module_name(module),
				       .path = module_path(module),
				       .number = number,
				       .is_program = is_program};
	if (!file)
		return;
	out->build_id = debugfile_facts(file)->build_id;
	out->entry = debugfile_facts(file)->entry;
	for (size_t i = 0; debugfile_code(file, i, &range); i++) {
		if (!out->code_end || range.low < out->code_begin)
			out->code_begin = range.low;
		if (range.high > out->code_end)
			out->code_end = range.high;
	}
	if (out->code_end)
		debugfile_offset_of_address(file, out->code_begin,
					    &out->code_offset);
}

static void describe_modules(struct file_source *source)
{
	struct module_numbers *numbers = source->session->modules;
	const struct module *program = probe_module(source->session->probe, 0);

	/* A profile without an address of the program's file is its profile,
	 * too. */
	if (program)
		module_number(numbers, program);
	for (size_t i = 0; i < numbers->files.count; i++) {
		const struct module *module = numbers->files.data[i];
		struct profile_module described;

		describe_module(module, (uint32_t)i + 1,
				program && module_is_same_file(module, program),
				&described);
		vec_push(&source->modules, described);
	}
}

static bool find_line(void *context, uint32_t number, uint64_t address,
		      const char **file, uint32_t *line)
{
	const struct file_source *source = context;
	const struct module *module =
		numbered_module(source->session->modules, number);
	struct debugfile *opened = module ? module_file_again(module) : NULL;

	return opened && debugfile_source_at(opened, address, file, line);
}

static uint64_t find_function(void *context, uint32_t number, uint64_t address)
{
	const struct file_source *source = context;
	const struct module *module =
		numbered_module(source->session->modules, number);
	struct debugfile *opened = module ? module_file_again(module) : NULL;
	struct function function;

	return opened && debugfile_function_at(opened, address, &function)
		       ? function.address
		       : 0;
}

static void describe_spy(struct session *session,
			 struct profile_measurement *out)
{
	const struct spy *spy = &session->recorded->spy;
	struct sampler_account account;

	recorder_get_account(&spy->recorder, &account);
	*out = (struct profile_measurement){
		.kind = "spy",
		.watch = spy_watch_word(spy->recorded_watch),
		.rate = spy->recorded_watch == SPY_CPU ? spy->rate : 0,
		.elapsed = recorder_elapsed(&spy->recorder),
		.ticks = account.ticks,
		.missed = account.missed,
		.lost = account.lost,
		.broken = spy->recorder.log.broken};
}

/* Chooses whose samples the file gets. */
static struct error *choose(const struct session *session,
			    enum profile_origin origin, bool *of_spy)
{
	const struct recorded_profiles *recorded = session->recorded;
	const bool has_spy = recorded->spy.was_on;
	const bool has_profile = session_ticks_were_on(session) ||
				 session_profiles_calls(session);

	if (origin == PROFILE_LATEST)
		*of_spy = has_spy && (!has_profile ||
				      recorded->spy.recorder.began >
					      recorded->ticks.recorder.began);
	else
		*of_spy = origin == PROFILE_OF_SPY;
	if (*of_spy ? has_spy : has_profile)
		return NULL;
	return error_create(
		ERROR_OTHER,
		origin == PROFILE_OF_SPY
			? "the Spy has recorded nothing; `spy on' "
			  "turns it on"
			: "there is no profile; `profile on' takes "
			  "ticks, `profile calls' counts calls, and "
			  "`spy on' turns the Spy on");
}

/* What is in `source` must stay as long as the profile. */
static void describe_profile(struct session *session, bool of_spy,
			     struct file_source *source, struct profile *out)
{
	if (of_spy) {
		source->gathered.has_stacks = true;
		session_spy_stacks(session, &source->gathered.stacks);
		session->recorded->spy_saved = true;
		describe_spy(session, &out->measurement);
	} else {
		gather(session, &source->gathered);
		describe_ticks(session, &out->measurement);
	}
	describe_modules(source);
	out->tables = session_tables(session);
	if (source->gathered.has_stacks)
		out->stacks = &source->gathered.stacks;
	if (source->gathered.has_arcs) {
		out->arcs = &source->gathered.calls.arcs;
		out->arc_procedures = &source->gathered.stacks.procedures;
	}
	out->modules = source->modules.data;
	out->module_count = source->modules.count;
	out->find_line = find_line;
	out->find_function = find_function;
	out->context = source;
}

static void file_source_deinit(struct file_source *source)
{
	vec_free(&source->modules);
	gathered_deinit(&source->gathered);
}

struct error *session_save_profile(struct session *session, const char *path,
				   enum profile_format format,
				   enum profile_origin origin, struct str *out)
{
	const struct writer writer = {.await = session->ui.await_room,
				      .interrupted = session->ui.interrupted,
				      .context = session->ui.context};
	struct file_source source = {.session = session};
	struct profile profile = {0};
	struct error *error;
	bool of_spy;

	TRY(choose(session, origin, &of_spy));
	describe_profile(session, of_spy, &source, &profile);
	error = profile_file_write(&profile, format, path, &writer, out);
	file_source_deinit(&source);
	return error;
}

bool session_with_samples(struct session *session,
			  void (*use)(void *context,
				      const struct profile *profile),
			  void *context)
{
	struct file_source source = {.session = session};
	struct profile profile = {0};
	bool of_spy;
	struct error *error = choose(session, PROFILE_LATEST, &of_spy);

	if (error) {
		error_destroy(error);
		return false;
	}
	describe_profile(session, of_spy, &source, &profile);
	use(context, &profile);
	file_source_deinit(&source);
	return true;
}

struct error *session_spy_json(struct session *session, struct str *out)
{
	struct file_source source = {.session = session};
	struct profile profile = {0};
	bool of_spy;

	TRY(choose(session, PROFILE_OF_SPY, &of_spy));
	TRY(session_spy_off(session));
	describe_profile(session, of_spy, &source, &profile);
	profile_json(&profile, out);
	file_source_deinit(&source);
	session->recorded->spy.is_seen = true;
	return NULL;
}

const char *session_unseen_profile(const struct session *session)
{
	const struct recorded_profiles *recorded = session->recorded;

	if (recorded->spy.was_on && !recorded->spy.is_seen &&
	    !recorded->spy_saved)
		return "'spy display'";
	if (session_ticks_were_on(session) && !recorded->ticks_seen)
		return "'print flat'";
	if (session_profiles_calls(session) && !recorded->calls_seen)
		return session_profiles_arcs(session) ? "'print graph'"
						      : "'print functions'";
	if (session_profiles_source(session) && !recorded->source_seen)
		return "'print source'";
	if (session_watched_locks(session) && !recorded->contention_seen)
		return "'print contention'";
	return NULL;
}

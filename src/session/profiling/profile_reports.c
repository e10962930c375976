/* profile_reports.c - see perftool/session/profile_reports.h */
#include "perftool/session/profile_reports.h"

#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/report/flat_listing.h"
#include "perftool/report/graph_listing.h"
#include "perftool/session/calls.h"
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

/* Says how the ticks were taken, where that is not as usual. */
static void tell_of_ticks(struct session *session, struct str *out)
{
	struct ticks_facts facts;

	session_ticks_facts(session, &facts);
	if (!facts.by_kernel && facts.why)
		str_printf(out, "The tool stopped threads for ticks: %s.\n",
			   facts.why);
	if (facts.in_tool)
		tell_count(facts.in_tool,
			   "found a thread in code of perftool, and are "
			   "charged to no procedure",
			   out);
	if (facts.missed)
		tell_count(facts.missed, "fell due and were not taken", out);
	if (facts.lost)
		tell_count(facts.lost, "were lost: there was no room for them",
			   out);
	if (facts.broken)
		str_printf(out, "%.1f %% of the stacks have no outer end.\n",
			   100. * (double)facts.broken / (double)facts.stacks);
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

/* Should the listing say what its columns mean? Only the first one does. */
static bool describes_columns(struct session *session)
{
	const bool describes = !session->recorded->columns_described;

	session->recorded->columns_described = true;
	return describes;
}

static void write_flat(struct session *session, struct flat_report *report,
		       enum report_format format,
		       const struct report_options *options, struct str *out)
{
	switch (format) {
	case FORMAT_TEXT:
		tell_of_ticks(session, out);
		report->describes = describes_columns(session);
		report_flat_text(report, options, out);
		break;
	case FORMAT_JSON:
		report_flat_json(report, out);
		break;
	case FORMAT_CSV:
		report_flat_csv(report, out);
		break;
	}
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
	return NULL;
}

static void write_graph(struct session *session, struct graph_report *report,
			enum report_format format,
			const struct report_options *options, struct str *out)
{
	switch (format) {
	case FORMAT_TEXT:
		if (report->tick)
			tell_of_ticks(session, out);
		report->describes = describes_columns(session);
		report_graph_text(report, options, out);
		break;
	case FORMAT_JSON:
		report_graph_json(report, out);
		break;
	case FORMAT_CSV:
		report_graph_csv(report, out);
		break;
	}
}

struct error *session_print_graph(struct session *session,
				  enum report_format format,
				  const struct report_options *options,
				  struct str *out)
{
	struct profile_measurement measurement;
	struct call_graph graph = {0};
	struct gathered gathered;

	if (!session_ticks_were_on(session) && !session_profiles_calls(session))
		return error_create(ERROR_OTHER,
				    "there is no profile; `profile on' takes "
				    "ticks, and `profile calls' counts calls");
	gather(session, &gathered);
	call_graph_make(
		&(struct call_graph_source){
			.procedures = &gathered.stacks.procedures,
			.stacks = gathered.has_stacks ? &gathered.stacks : NULL,
			.arcs = gathered.has_arcs ? &gathered.calls.arcs : NULL,
			.tick = period(session)},
		&graph);
	describe_ticks(session, &measurement);
	write_graph(session,
		    &(struct graph_report){
			    .graph = &graph,
			    .procedures = &gathered.stacks.procedures,
			    .tick = gathered.has_stacks ? period(session) : 0,
			    .measurement = &measurement},
		    format, options, out);
	call_graph_deinit(&graph);
	gathered_deinit(&gathered);
	return NULL;
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
	const struct module_numbers *numbers = source->session->modules;
	const struct module *program = probe_module(source->session->probe, 0);

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
	return NULL;
}

/*
 * source_profile.c - `profile source` and `print source`
 *
 * The time of a thread is its own time, as the measurement keeps it: without
 * what the tool has taken of it.
 */
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"
#include "perftool/session/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/report/annotated_source.h"
#include "recorded_profiles.h"
#include "session/names/names.h"
#include "session/run/run.h"

void source_profiles_init(struct source_profiles *profiles,
			  struct session *session)
{
	*profiles = (struct source_profiles){.session = session};
}

static void destroy(struct profiled_source *source)
{
	map_deinit(&source->places);
	source_statements_deinit(&source->statements);
	line_runs_deinit(&source->runs);
	free(source->name);
	free(source);
}

void source_profiles_deinit(struct source_profiles *profiles)
{
	for (size_t i = 0; i < profiles->list.count; i++)
		destroy(profiles->list.data[i]);
	vec_free(&profiles->list);
}

void source_profiles_clear(struct source_profiles *profiles)
{
	struct probe *probe = profiles->session->probe;

	for (size_t i = 0; i < profiles->list.count; i++) {
		probe_remove(probe, profiles->list.data[i]->breakpoint);
		probe_forget(probe, profiles->list.data[i]->breakpoint);
	}
	source_profiles_deinit(profiles);
}

static struct profiled_source *find(const struct source_profiles *profiles,
				    const char *name)
{
	for (size_t i = 0; i < profiles->list.count; i++)
		if (str_equal(profiles->list.data[i]->name, name))
			return profiles->list.data[i];
	return NULL;
}

/* ---- hits ---------------------------------------------------------------- */

/* The place of a hit. (Places are added when libraries are loaded.) */
static const struct place *find_place_of(struct profiled_source *source,
					 uint64_t address)
{
	const struct place_list *places =
		breakpoint_facts(source->breakpoint).places;
	uint64_t number;

	if (source->place_count != places->count) {
		map_deinit(&source->places);
		source_statements_deinit(&source->statements);
		for (size_t i = 0; i < places->count; i++) {
			const struct place *at = &places->data[i];

			map_set_number(
				&source->places,
				at->address - (at->module
						       ? module_bias(at->module)
						       : 0),
				i + 1);
		}
		source->place_count = places->count;
	}
	number = map_get_number(&source->places, address);
	return number ? &places->data[number - 1] : NULL;
}

static unsigned marks_of(const struct place *place)
{
	static const struct {
		unsigned run, mark;
	} marks[] = {{RUN_BLOCK, LINE_RUN_BLOCK},
		     {RUN_LINE, LINE_RUN_LINE},
		     {RUN_ENTRY, LINE_RUN_ENTRY},
		     /* A call ends one of gcov's blocks. */
		     {RUN_BEHIND_CALL, LINE_RUN_BLOCK},
		     {RUN_CALL, LINE_RUN_CALL},
		     {RUN_INLINED, LINE_RUN_INLINED},
		     {RUN_EXIT, LINE_RUN_EXIT}};
	unsigned out = 0;

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (place->marks & marks[i].run)
			out |= marks[i].mark;
	return out;
}

void source_profiles_hit(struct source_profiles *profiles,
			 const struct probe_event *event)
{
	const struct hit *hit = event->hit;
	struct profiled_source *source = NULL;
	const struct function_statements *function;
	struct measure_arrival arrival;
	const struct place *place;
	struct line_run run;

	for (size_t i = 0; !source && i < profiles->list.count; i++)
		if (profiles->list.data[i]->breakpoint == event->breakpoint)
			source = profiles->list.data[i];
	if (!source ||
	    !measure_arrive(profiles->session->measure, hit, &arrival))
		return;
	place = find_place_of(source, hit->place);
	if (!place)
		return;
	run = (struct line_run){.thread = hit->thread,
				.frame = hit->frame,
				.number = hit->place,
				.line = place->line,
				.marks = marks_of(place),
				.mechanism = hit->mechanism,
				.time = (double)arrival.own - arrival.cost};
	function = source_statements_of(&source->statements, place);
	if (function->statements.are_marked) {
		run.marks |= LINE_RUN_STATEMENTS;
		run.statement_count =
			lines_begun(function, hit->place, &run.statements);
	}
	line_runs_begin(&source->runs, &run);
}

/* ---- commands ------------------------------------------------------------ */

static void tell_counts(struct session *session,
			const struct breakpoint *breakpoint, struct str *out)
{
	str_append(out, "Counts the ");
	describe_breakpoint(session, breakpoint, out);
	str_append(out, "; `print source' shows them.\n");
}

struct error *session_profile_source(struct session *session, const char *name,
				     struct str *out)
{
	struct source_profiles *profiles = &session->recorded->source;
	struct profiled_source *source;
	struct breakpoint *breakpoint;
	struct error *error;
	struct expr *one;

	TRY(need_program(session));
	TRY(stand_still(session));
	source = find(profiles, name);
	if (source) {
		tell_counts(session, source->breakpoint, out);
		return session_monitor(session, true);
	}
	TRY(expr_parse("1", &one));
	TRY(probe_add_apart(session->probe, REQUEST_RUNS, name, one,
			    &breakpoint));
	probe_want_frame(session->probe, breakpoint);
	error = check_known(session, breakpoint);
	if (error) {
		probe_take_back(session->probe, breakpoint);
		return error;
	}
	source = xcalloc(1, sizeof(*source));
	source->name = xstrdup(name);
	source->breakpoint = breakpoint;
	vec_push(&profiles->list, source);
	tell_counts(session, breakpoint, out);
	return session_monitor(session, true);
}

/* The source file of a function, and which of its lines have code. */
struct source_extent {
	const char *path;
	uint32_t first, last;
};

static void include_line(struct source_extent *extent, uint32_t line)
{
	if (!line)
		return;
	if (!extent->first || line < extent->first)
		extent->first = line;
	if (line > extent->last)
		extent->last = line;
}

static struct source_extent extent_of(struct profiled_source *source)
{
	const struct place_list *places =
		breakpoint_facts(source->breakpoint).places;
	struct source_extent extent = {0};

	if (places->count)
		extent.path = places->data[0].file;
	for (size_t i = 0; extent.path && i < places->count; i++) {
		const struct place *at = &places->data[i];
		const struct function_statements *function =
			source_statements_of(&source->statements, at);

		if (!at->file || !str_equal(at->file, extent.path))
			continue;
		include_line(&extent, at->line);
		for (size_t j = 0; j < function->statements.list.count; j++)
			include_line(&extent, function->lines[j]);
	}
	return extent;
}

/* Set what is known of a line by the code that it has. */
static void find_code(struct profiled_source *source,
		      struct annotated_line *row)
{
	const struct place_list *places =
		breakpoint_facts(source->breakpoint).places;

	for (size_t i = 0; i < places->count; i++) {
		const struct place *at = &places->data[i];
		const struct function_statements *function =
			source_statements_of(&source->statements, at);

		if (at->line != row->line)
			continue;
		row->has_code = true;
		row->is_counted |= !function->statements.are_marked;
	}
	for (size_t i = 0; i < source->statements.count; i++) {
		const struct function_statements *function =
			source->statements.data[i];

		for (size_t j = 0; j < function->statements.list.count; j++)
			if (function->lines[j] == row->line)
				row->has_code = row->is_counted = true;
	}
}

/* How far the own time of the line may be off, ns: by the spread of the cost of
 * each hit. Below 0: there is no time between two hits that is the line's. */
static double bound_of(const struct line_count *count,
		       const struct call_costs *costs)
{
	uint64_t parts = 0;
	double bound = 0;

	for (size_t i = 0; i < HIT_MECHANISMS; i++) {
		parts += count->own_parts[i];
		bound += (double)count->own_parts[i] * costs->spread[i];
	}
	return parts ? bound : -1;
}

static void add_lines(struct session *session, struct profiled_source *source,
		      const struct source_extent *extent,
		      struct annotated_function *out)
{
	FILE *file = open_source(session, extent->path);
	struct call_costs costs;
	size_t capacity = 0;
	char *text = NULL;

	read_hit_costs(session, session->measure, &costs);
	for (uint32_t line = 1; line <= extent->last; line++) {
		const struct line_count *count =
			line_runs_find(&source->runs, line);
		struct annotated_line row = {.line = line};

		if (file && getline(&text, &capacity, file) <= 0) {
			fclose(file);
			file = NULL;
		}
		if (line < extent->first)
			continue;
		find_code(source, &row);
		if (count) {
			row.executions = count->executions;
			row.own = count->own;
			row.total = count->total;
			row.bound = bound_of(count, &costs);
		}
		if (file) {
			text[strcspn(text, "\n")] = '\0';
			row.text = xstrdup(text);
		}
		vec_push(&out->lines, row);
	}
	free(text);
	if (file)
		fclose(file);
}

static void annotate(struct session *session, struct profiled_source *source,
		     struct annotated_source *out)
{
	struct annotated_function function = {.name = source->name,
					      .calls = source->runs.calls};
	struct source_extent extent = extent_of(source);

	for (size_t i = 0; i < source->runs.lines.count; i++)
		function.by_int3 |=
			source->runs.lines.data[i].own_parts[HIT_INT3] != 0;
	if (extent.path && extent.last) {
		function.path = extent.path;
		add_lines(session, source, &extent, &function);
	}
	vec_push(out, function);
}

static void annotated_deinit(struct annotated_source *annotated)
{
	for (size_t i = 0; i < annotated->count; i++) {
		struct annotated_function *at = &annotated->data[i];

		for (size_t j = 0; j < at->lines.count; j++)
			free((char *)at->lines.data[j].text);
		vec_free(&at->lines);
	}
	vec_free(annotated);
}

static void write_source(const struct annotated_source *annotated,
			 enum report_format format, struct str *out)
{
	switch (format) {
	case FORMAT_TEXT:
		report_source_text(annotated, out);
		break;
	case FORMAT_JSON:
		report_source_json(annotated, out);
		break;
	case FORMAT_CSV:
		report_source_csv(annotated, out);
		break;
	}
}

bool session_profiles_source(const struct session *session)
{
	return session->recorded->source.list.count != 0;
}

struct error *session_print_source(struct session *session, const char *name,
				   enum report_format format, struct str *out)
{
	struct source_profiles *profiles = &session->recorded->source;
	struct annotated_source annotated = {0};

	if (name ? !find(profiles, name) : !profiles->list.count)
		return error_create(ERROR_USAGE,
				    "no lines were counted; `profile source "
				    "%s' counts them from then on",
				    name ? name : "FUNC");
	session->recorded->source_seen = true;
	probe_catch_up(session->probe);
	for (size_t i = 0; i < profiles->list.count; i++)
		if (!name || str_equal(profiles->list.data[i]->name, name))
			annotate(session, profiles->list.data[i], &annotated);
	write_source(&annotated, format, out);
	annotated_deinit(&annotated);
	return NULL;
}

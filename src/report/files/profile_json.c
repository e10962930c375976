/*
 * profile_json.c - a whole profile as one JSON object, with the fields of
 * doc/FORMATS.md
 *
 * Each function, sample and arc is a line. The text of a place is made once and
 * copied for each stack that has it, because a profile of 100,000 stacks has
 * millions of frames.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/document.h"
#include "profile_functions.h"
#include "profile_writers.h"
#include "report/figures/figures.h"
#include "report/records/records.h"

static const char *const reason_names[SAMPLE_REASONS] = {
	[SAMPLE_TICK] = "tick",
	[SAMPLE_FAULT_MINOR] = "minor_fault",
	[SAMPLE_FAULT_MAJOR] = "major_fault",
	[SAMPLE_ALLOCATION] = "allocation",
	[SAMPLE_CREATED] = "created",
	[SAMPLE_DELETED] = "deleted",
	[SAMPLE_GROWN] = "grown",
	[SAMPLE_SHRUNK] = "shrunk",
	[SAMPLE_BREAK] = "break",
};

/* ---- values ---------------------------------------------------------------
 */

static void quoted(const char *text, struct str *out)
{
	struct json_object *object;

	if (!text) {
		str_append(out, "null");
		return;
	}
	object = document_text(text);
	str_append(out,
		   json_object_to_json_string_ext(
			   object, JSON_C_TO_STRING_PLAIN |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/* As everywhere in perftool's JSON, integers beyond 2^53 are strings. */
static void integer(__int128 number, struct str *out)
{
	bool is_exact = number <= EXACT_INTEGER && number >= -EXACT_INTEGER;

	if (!is_exact)
		str_append_char(out, '"');
	decimal(number, out);
	if (!is_exact)
		str_append_char(out, '"');
}

/* 0 is not known. */
static void number_or_null(uint32_t number, struct str *out)
{
	if (number)
		integer(number, out);
	else
		str_append(out, "null");
}

static void boolean(bool value, struct str *out)
{
	str_append(out, value ? "true" : "false");
}

/* Waits, and code in no module, have no module. */
static void module_name(const struct procedure *procedure, struct str *out)
{
	quoted(procedure->module && *procedure->module ? procedure->module
						       : NULL,
	       out);
}

/* ---- the parts ------------------------------------------------------------
 */

static void write_record(const char *name, struct record *record,
			 struct str *out)
{
	struct json_object *object = json_record(record);

	str_printf(out, "  \"%s\": ", name);
	str_append(out,
		   json_object_to_json_string_ext(
			   object, JSON_C_TO_STRING_SPACED |
					   JSON_C_TO_STRING_NOSLASHESCAPE));
	str_append(out, ",\n");
	json_object_put(object);
}

static void write_measurement(const struct profile_measurement *measurement,
			      struct str *out)
{
	struct record record = {0};

	record_measurement(measurement, &record);
	write_record("measurement", &record, out);
}

static void write_head(const struct profile *profile, struct str *out)
{
	struct record record = {0};

	str_append(out, "{\n  \"schema\": 1,\n");
	if (profile->tables) {
		record_program(profile->tables, &record);
		write_record("program", &record, out);
		record_clock(profile->tables, &record);
		write_record("clock", &record, out);
	} else {
		str_append(out, "  \"program\": null,\n  \"clock\": null,\n");
	}
	write_measurement(&profile->measurement, out);
}

static void begin_rows(const char *name, struct str *out)
{
	str_printf(out, "  \"%s\": [", name);
}

static void begin_row(bool *any, struct str *out)
{
	str_append(out, *any ? ",\n    " : "\n    ");
	*any = true;
}

static void end_rows(bool any, bool is_last, struct str *out)
{
	str_append(out, any ? "\n  ]" : "]");
	str_append(out, is_last ? "\n}\n" : ",\n");
}

static void write_functions(const struct profile_functions *functions,
			    struct profile_sink *sink)
{
	struct str *out = &sink->text;
	bool any = false;

	begin_rows("functions", out);
	for (size_t i = 0; i < functions->table.list.count; i++) {
		const struct procedure *at = &functions->table.list.data[i];

		if (!profile_sink_pass(sink))
			return;
		begin_row(&any, out);
		str_printf(out, "{\"id\": %zu, \"name\": ", i);
		quoted(at->name, out);
		str_append(out, ", \"module\": ");
		module_name(at, out);
		str_append(out, ", \"file\": ");
		quoted(at->file, out);
		str_append(out, ", \"line\": ");
		number_or_null(at->line, out);
		str_append_char(out, '}');
	}
	end_rows(any, false, out);
}

/* Return the text of each place as a frame. The caller frees the texts and the
 * array. */
static char **frame_texts(const struct call_stacks *stacks)
{
	char **texts = xcalloc(stacks->places.count + 1, sizeof(*texts));

	for (size_t i = 0; i < stacks->places.count; i++) {
		const struct call_place *place = &stacks->places.data[i];
		const struct procedure *procedure =
			&stacks->procedures.list.data[place->procedure];
		struct str text = {0};

		str_append(&text, "{\"function\":");
		quoted(procedure->name, &text);
		str_append(&text, ",\"module\":");
		module_name(procedure, &text);
		str_append(&text, ",\"file\":");
		quoted(place->file, &text);
		str_append(&text, ",\"line\":");
		number_or_null(place->file ? place->line : 0, &text);
		str_append(&text, ",\"inlined\":");
		boolean(place->is_inlined, &text);
		str_append_char(&text, '}');
		texts[i] = str_take(&text);
	}
	return texts;
}

/* The stack of a sample; false: the file cannot be written. */
static bool write_stack(const struct call_stack *stack, char **frames,
			struct profile_sink *sink)
{
	for (size_t i = 0; i < stack->depth; i++) {
		if (i)
			str_append_char(&sink->text, ',');
		str_append(&sink->text, frames[stack->places[i]]);
		if (!profile_sink_pass(sink))
			return false;
	}
	return true;
}

static void write_sample(const struct call_stacks *stacks,
			 const struct call_sample *sample, struct str *out)
{
	str_printf(out, "{\"tid\": %d, \"reason\": \"%s\", \"weight\": ",
		   (int)stacks->threads.data[sample->thread].tid,
		   reason_names[sample->reason]);
	integer(sample->weight, out);
	str_append(out, ", \"delayed\": ");
	boolean(sample->is_delayed, out);
	str_append(out, ", \"stack\": [");
}

static void write_samples(const struct call_stacks *stacks,
			  struct profile_sink *sink)
{
	char **frames = stacks ? frame_texts(stacks) : NULL;
	bool any = false;

	begin_rows("samples", &sink->text);
	for (size_t i = 0; stacks && i < stacks->samples.count; i++) {
		const struct call_sample *at = &stacks->samples.data[i];

		begin_row(&any, &sink->text);
		write_sample(stacks, at, &sink->text);
		if (!write_stack(&stacks->stacks.data[at->stack], frames, sink))
			break;
		str_append(&sink->text, "]}");
	}
	end_rows(any, false, &sink->text);
	for (size_t i = 0; stacks && i < stacks->places.count; i++)
		free(frames[i]);
	free(frames);
}

static void write_procedure(const struct profile_functions *functions,
			    uint32_t of_arc, struct str *out)
{
	if (of_arc == NO_PROCEDURE)
		str_append(out, "null");
	else
		str_printf(out, "%" PRIu32, functions->of_arcs[of_arc]);
}

static void write_arc(const struct profile *profile,
		      const struct profile_functions *functions,
		      const struct call_arc *arc, struct str *out)
{
	const struct profile_module *module =
		profile_module_of_number(profile, arc->site_module);

	str_append(out, "{\"caller\": ");
	write_procedure(functions, arc->caller, out);
	str_append(out, ", \"callee\": ");
	write_procedure(functions, arc->callee, out);
	str_append(out, ", \"site\": ");
	if (arc->site) {
		CLEANUP(free_pointer)
		char *site =
			xasprintf("%s%s0x%" PRIx64, module ? module->name : "",
				  module ? "+" : "", arc->site);

		quoted(site, out);
	} else {
		str_append(out, "null");
	}
	str_append(out, ", \"count\": ");
	integer(arc->times.count, out);
	str_append(out, ", \"elapsed_ns\": ");
	integer(arc->times.elapsed, out);
	str_append(out, ", \"self_ns\": ");
	integer(arc->times.self, out);
	str_append_char(out, '}');
}

static void write_arcs(const struct profile *profile,
		       const struct profile_functions *functions,
		       struct profile_sink *sink)
{
	struct call_arcs all = {0};
	bool any = false;

	add_up_threads(profile, &all);
	begin_rows("arcs", &sink->text);
	for (size_t i = 0; i < all.list.count && profile_sink_pass(sink); i++) {
		begin_row(&any, &sink->text);
		write_arc(profile, functions, &all.list.data[i], &sink->text);
	}
	end_rows(any, true, &sink->text);
	call_arcs_deinit(&all);
}

void write_profile_json(const struct profile *profile,
			struct profile_sink *sink)
{
	struct profile_functions functions;

	profile_functions_init(&functions, profile);
	write_head(profile, &sink->text);
	write_functions(&functions, sink);
	write_samples(profile->stacks, sink);
	write_arcs(profile, &functions, sink);
	profile_functions_deinit(&functions);
}

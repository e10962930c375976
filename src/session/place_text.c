/*
 * place_text.c - how breakpoints, functions and addresses are named to the user
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/path.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/debuginfo/unknown_code.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/memory_maps.h"
#include "session_state.h"

static const char *kind_words(const struct breakpoint *breakpoint)
{
	switch (breakpoint_facts(breakpoint).kind) {
	case REQUEST_ENTRY:
	case REQUEST_BEGIN:
		return "entry of ";
	case REQUEST_EXIT:
		return "exit of ";
	case REQUEST_RETURN:
		return "return of ";
	case REQUEST_RUNS:
		return "lines of ";
	case REQUEST_BLOCKS:
		return "blocks of ";
	case REQUEST_CALLS:
		return "calls of ";
	case REQUEST_WATCH:
		return breakpoint_watches_reads(breakpoint) ? "accesses to "
							    : "writes to ";
	case REQUEST_ALLOCATIONS:
	case REQUEST_SYNC_TEST:
	case REQUEST_SYNC_ENTER:
	case REQUEST_SYNC_EXIT:
		/* Their location says it. */
	case REQUEST_PLACE:
	case REQUEST_UNWINDS: /* in no list, like the others that follow */
	case REQUEST_WAITS:
	case REQUEST_WAIT_ENDS:
	case REQUEST_WAKES:
		return "";
	}
	return "";
}

char *place_function(const struct place *place)
{
	if (place->function.name)
		return debugfile_demangle(
			place->module ? module_file(place->module) : NULL,
			place->function.name);
	if (place->module && function_is_known(&place->function))
		return xasprintf("%s+0x%" PRIx64, module_name(place->module),
				 place->function.address);
	return NULL;
}

char *nameless_function(struct debugfile *file, const char *module,
			uint64_t address)
{
	struct function function = {0};
	uint64_t start;

	if (debugfile_function_at(file, address, &function) &&
	    function_is_known(&function))
		start = function.address;
	else if (debugfile_has_frame(file, address) ||
		 !debugfile_unknown_code(file, address, &start))
		return NULL;
	return xasprintf("%s+0x%" PRIx64, module, start);
}

/* Appends ", FILE:LINE", the source line of a place. Appends nothing if the
 * user named the breakpoint's location in these words. */
static void describe_line(const struct breakpoint *breakpoint,
			  const struct place *place, struct str *out)
{
	struct str line = {0};

	str_printf(&line, "%s:%u", path_file_name(place->file), place->line);
	if (!str_equal(str_text(&line),
		       breakpoint_facts(breakpoint).location->text))
		str_printf(out, ", %s", str_text(&line));
	str_deinit(&line);
}

void describe_breakpoint(struct session *session,
			 const struct breakpoint *breakpoint, struct str *out)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	const struct place_list *places = facts.places;

	str_printf(out, "%s%s", kind_words(breakpoint), facts.location->text);
	if (has_no_exit(session, breakpoint)) {
		str_append(out, " (which has " NO_EXIT ")");
		return;
	}
	if (!places->count) {
		str_append(out, " (pending: ");
		str_append(out, facts.problem);
		str_append(out, ")");
		return;
	}
	if (places->count > 1)
		str_printf(out, ", %zu places", places->count);
	if (request_is_of_calls(facts.kind) && places->count > 1)
		return;
	if (places->data[0].file)
		describe_line(breakpoint, &places->data[0], out);
	else if (places->data[0].module)
		str_printf(out, " in %s", module_name(places->data[0].module));
}

void describe_function(const char *name, struct str *out)
{
	str_append(out, name ? name : "??");
	if (name && !strchr(name, '('))
		str_append(out, " ()");
}

void describe_source_frame(const struct source_frame *frame,
			   const struct module *module, struct str *out)
{
	describe_function(frame->name, out);
	if (frame->file)
		str_printf(out, " at %s:%u", path_file_name(frame->file),
			   frame->line);
	else
		str_printf(out, " in %s", module_name(module));
}

/* Appends the name of the mapping for an address that lies in no file which the
 * tool has read, for example in the vdso. */
static void describe_mapping(const struct process *process, uint64_t address,
			     struct str *out)
{
	struct mapping_list maps = {0};
	struct error *error = target_read_maps(process->pid, &maps);
	size_t at = mapping_list_above(&maps, address);

	if (!error && at < maps.count && maps.data[at].low <= address &&
	    *maps.data[at].path)
		str_printf(out, " in %s", path_file_name(maps.data[at].path));
	error_destroy(error);
	mapping_list_deinit(&maps);
}

unsigned frames_ahead(struct session *session, const struct module *module,
		      uint64_t pc)
{
	unsigned ahead = debugfile_frames_begun(module_file(module),
						pc - module_bias(module));
	const struct breakpoint *at;
	size_t cursor = 0;

	while (ahead && (at = probe_next(session->probe, &cursor))) {
		const struct breakpoint_facts facts = breakpoint_facts(at);

		if (facts.deleted || !facts.enabled || facts.condition)
			continue;
		for (size_t j = 0; j < facts.places->count; j++)
			if (facts.places->data[j].address == pc &&
			    facts.places->data[j].stop_frame < ahead)
				ahead = facts.places->data[j].stop_frame;
	}
	return ahead;
}

void describe_address(struct session *session, struct process *process,
		      uint64_t address, struct str *out)
{
	const struct module *module =
		probe_module_at(session->probe, process, address);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct source_frame_list frames = {0};

	if (file)
		debugfile_source_frames(file, address - module_bias(module),
					frames_ahead(session, module, address),
					&frames);
	if (!frames.count || !frames.data[0].name) {
		str_append(out, "??");
		if (module)
			str_printf(out, " in %s", module_name(module));
		else
			describe_mapping(process, address, out);
	} else {
		describe_source_frame(&frames.data[0], module, out);
	}
	source_frames_clear(&frames);
}

/* Does the tool find a place for the name of a function, even if only inlined
 * copies of the function exist? */
static bool is_located(struct session *session, const char *location)
{
	struct location parsed;
	struct place place;
	struct error *error = location_parse(location, &parsed);
	bool is_name = !error && parsed.kind == LOCATION_FUNCTION;

	if (error) {
		error_destroy(error);
		return false;
	}
	location_deinit(&parsed);
	if (!is_name)
		return false;
	error = probe_locate(session->probe, location, &place);
	error_destroy(error);
	return !error;
}

static bool is_function(struct session *session, const char *location)
{
	struct named_function_list found = {0};
	bool is_found;

	error_destroy(probe_functions(session->probe, location, NULL, &found));
	is_found = found.count > 0;
	vec_free(&found);
	return is_found || is_located(session, location);
}

bool has_no_exit(struct session *session, const struct breakpoint *breakpoint)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);

	return request_is_at_end(facts.kind) && !facts.places->count &&
	       is_function(session, facts.location->text);
}

/*
 * search.c - finding what was asked for in the modules there are
 *
 * A module knows up to which breakpoint it was searched, so that neither a new
 * breakpoint nor a new library makes anything be searched twice.
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

const struct module *probe_module(struct probe *probe, size_t index)
{
	if (!probe->space)
		return index == 0 ? probe->program : NULL;
	if (index >= probe->space->modules.count)
		return NULL;
	return probe->space->modules.data[index];
}

/* What was looked for and not found, for people. */
void describe_problem(struct probe *probe, struct breakpoint *breakpoint)
{
	const struct location *location = &breakpoint->location;
	const struct module *module;
	struct str *out = &breakpoint->problem;
	size_t count = 0, near_count = 0;
	char *near[3];

	str_deinit(out);
	if (breakpoint->places.count)
		return;
	if (location->kind == LOCATION_ADDRESS)
		str_printf(out, "nothing is mapped at %s", location->text);
	else if (location->kind == LOCATION_LINE)
		str_printf(out, "no code for %s", location->text);
	else
		str_printf(out, "no function %s", location->name);
	for (size_t i = 0; (module = probe_module(probe, i)); i++) {
		struct debugfile *file;

		if (location->module &&
		    !module_matches(module, location->module))
			continue;
		str_printf(out, "%s%s", count++ ? ", " : " in ", module->name);
		file = module_file(module);
		if (near_count || !file || !location->name ||
		    location->kind == LOCATION_LINE ||
		    str_is_glob(location->name))
			continue;
		near_count =
			debugfile_near_names(file, location->name, near, 3);
	}
	if (location->module && !count) {
		/* that alone is the reason */
		out->length = 0;
		str_printf(out, "no module %s is loaded", location->module);
	}
	for (size_t i = 0; i < near_count; i++) {
		str_printf(out, "%s%s", i ? ", " : " (near names: ", near[i]);
		free(near[i]);
	}
	if (near_count)
		str_append(out, ")");
}

/* after exec of another program, what was found in the first one means that
 * one, unless @MODULE says otherwise */
static bool means_another(const struct probe *probe,
			  const struct breakpoint *breakpoint)
{
	return probe->space && probe->space->foreign && breakpoint->was_found &&
	       !breakpoint->location.module;
}

static struct error *attach_all(struct probe *probe, struct module *module,
				struct breakpoint *breakpoint,
				struct spot_list *spots, struct error *error)
{
	for (size_t i = 0; !error && i < spots->count; i++)
		error = attach_spot(probe, probe->space, breakpoint, module,
				    &spots->data[i]);
	vec_free(spots);
	if (!error || probe->adding == breakpoint ||
	    error_code(error) == ERROR_GONE)
		return error;
	/* one place that cannot be had is no reason to lose the others */
	error = error_prefix(error, "breakpoint %u (%s) in %s", breakpoint->id,
			     breakpoint->location.text, module->name);
	probe->ops.note(probe->ops.context, error_message(error));
	error_destroy(error);
	return NULL;
}

static struct error *resolve_by_name(struct probe *probe, struct module *module,
				     struct breakpoint *breakpoint)
{
	struct spot_list spots = {0};
	struct error *error;

	error = resolve_in_module(probe, module, breakpoint, &spots);
	return attach_all(probe, module, breakpoint, &spots, error);
}

/* The last resort, for what no module has a symbol of. */
static struct error *resolve_by_copies(struct probe *probe,
				       struct module *module,
				       struct breakpoint *breakpoint)
{
	struct spot_list spots = {0};
	struct error *error;

	if (breakpoint->places.count)
		return NULL;
	error = resolve_inlined(module, module == probe_module(probe, 0),
				breakpoint, &spots);
	return attach_all(probe, module, breakpoint, &spots, error);
}

/* For each breakpoint that the module was not searched for: `*resolved` is up
 * to where it was. */
static struct error *
resolve_new(struct probe *probe, struct module *module, uint32_t *resolved,
	    struct error *(*how)(struct probe *, struct module *,
				 struct breakpoint *))
{
	for (size_t i = *resolved; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (at && !at->deleted && !means_another(probe, at))
			TRY(how(probe, module, at));
	}
	*resolved = (uint32_t)probe->breakpoints.count;
	return NULL;
}

/* Code that is in no file: *ADDRESS of what the program generated. */
static struct error *resolve_bare_address(struct probe *probe,
					  struct breakpoint *breakpoint)
{
	struct spot spot = {.address = breakpoint->location.number};
	struct space *space = probe->space;
	uint8_t byte;

	if (breakpoint->location.kind != LOCATION_ADDRESS ||
	    breakpoint->location.module || breakpoint->places.count ||
	    breakpoint->kind == REQUEST_EXIT || !space || !space->process ||
	    !target_read_callback(space->process, spot.address, &byte, 1))
		return NULL;
	return attach_spot(probe, space, breakpoint, NULL, &spot);
}

static bool awaits_libraries(const struct probe *probe)
{
	const struct space *space = probe->space;

	return space && space->process && space->has_linker &&
	       !space->has_libraries;
}

struct error *resolve_new_modules(struct probe *probe)
{
	const struct module *known;

	for (size_t i = 0; (known = probe_module(probe, i)); i++) {
		struct module *module = (struct module *)known;

		TRY(resolve_new(probe, module, &module->resolved,
				resolve_by_name));
	}
	/* what seems to have no symbol may have one in a library to come */
	for (size_t i = 0;
	     !awaits_libraries(probe) && (known = probe_module(probe, i));
	     i++) {
		struct module *module = (struct module *)known;

		TRY(resolve_new(probe, module, &module->resolved_inlined,
				resolve_by_copies));
	}
	for (size_t j = 0; j < probe->breakpoints.count; j++) {
		struct breakpoint *at = probe->breakpoints.data[j];

		if (at && !at->deleted)
			TRY(resolve_bare_address(probe, at));
	}
	return NULL;
}

struct error *probe_locate(struct probe *probe, const char *text,
			   struct place *out)
{
	struct breakpoint *breakpoint = xcalloc(1, sizeof(*breakpoint));
	struct spot_list spots = {0};
	const struct module *module;
	struct error *error;

	error = location_parse(text, &breakpoint->location);
	for (size_t i = 0;
	     !error && !spots.count && (module = probe_module(probe, i)); i++) {
		error = resolve_in_module(probe, (struct module *)module,
					  breakpoint, &spots);
		if (!error && spots.count)
			place_describe((struct module *)module, &spots.data[0],
				       out);
	}
	if (!error && !spots.count) {
		describe_problem(probe, breakpoint);
		error = error_create(ERROR_NOT_FOUND, "%s",
				     str_text(&breakpoint->problem));
	}
	vec_free(&spots);
	breakpoint_destroy(breakpoint);
	return error;
}

void probe_describe_problems(struct probe *probe)
{
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i] &&
		    !probe->breakpoints.data[i]->deleted)
			describe_problem(probe, probe->breakpoints.data[i]);
}

struct error *probe_functions(struct probe *probe, const char *text,
			      struct named_function_list *out)
{
	struct location location;
	const struct module *module;
	struct error *error = NULL;

	TRY(location_parse(text, &location));
	if (location.kind != LOCATION_FUNCTION) {
		location_deinit(&location);
		return error_create(ERROR_USAGE, "'%s' is not a function",
				    text);
	}
	for (size_t i = 0; !error && (module = probe_module(probe, i)); i++) {
		struct function_list found = {0};
		struct debugfile *file;

		if (location.module && !module_matches(module, location.module))
			continue;
		file = module_file(module);
		if (!file)
			continue;
		error = debugfile_find_functions(file, location.name, &found);
		for (size_t j = 0; j < found.count; j++)
			vec_push(out, (struct named_function){found.data[j],
							      module});
		vec_free(&found);
	}
	location_deinit(&location);
	return error;
}

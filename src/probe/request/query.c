/*
 * query.c - what the text of a location means in the loaded modules, without
 * setting a breakpoint
 *
 * The queries are: the places that a breakpoint would have, the first of these
 * places, and the functions that the text means. Nothing is patched, and no
 * module is noted as searched.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "place_list.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

/* Make a place that holds no reference to its module, because it is only looked
 * at. */
static void locate_place(struct module *module, const struct spot *spot,
			 struct place *out)
{
	place_describe(module, spot, out);
	module_unref(module);
}

static void prepare_condition(struct module *module, const struct spot *spot,
			      const struct expr *condition)
{
	const struct expr_place place = {
		.file = module_file(module),
		.address = spot->address,
		.at_entry = spot->role == ROLE_ENTRY,
		.at_exit = true,
		.at_probe = spot->is_probe,
	};
	struct bound_expr *bound;
	struct error *error = expr_bind(condition, &place, &bound);

	if (!error)
		bound_expr_destroy(bound);
	error_destroy(error);
}

static struct error *seek_in_module(struct probe *probe, struct module *module,
				    struct breakpoint *breakpoint,
				    const struct expr *condition)
{
	struct spot_list spots = {0};
	struct error *error;
	struct place place;

	if (!request_is_of_calls(breakpoint->kind))
		prepare_copies(module, breakpoint);
	error = resolve_in_module(probe, NULL, module, breakpoint, &spots);
	if (!error && !request_is_of_calls(breakpoint->kind) &&
	    !request_needs_own_code(breakpoint->kind))
		error = resolve_inlined(module, breakpoint, &spots);
	breakpoint->was_found |= spots.count > 0;
	for (size_t i = 0; i < spots.count; i++) {
		locate_place(module, &spots.data[i], &place);
		if (condition)
			prepare_condition(module, &spots.data[i], condition);
	}
	vec_free(&spots);
	return error;
}

struct error *probe_seek(struct probe *probe, enum request_kind kind,
			 const char *text, const struct expr *condition,
			 struct breakpoint **out)
{
	struct breakpoint *breakpoint = xcalloc(1, sizeof(*breakpoint));
	const struct module *module;
	struct error *error;

	breakpoint->kind = kind;
	error = request_parse(kind, text, &breakpoint->location);
	for (size_t i = 0; !error && (module = probe_module(probe, i)); i++) {
		error = seek_in_module(probe, (struct module *)module,
				       breakpoint, condition);
		if (!error)
			error = interrupt_check(&probe->client.interrupt);
	}
	if (error) {
		breakpoint_destroy(breakpoint);
		return error;
	}
	if (!breakpoint->was_found) {
		probe_describe_problem(probe, breakpoint);
		keep_problem(probe, breakpoint);
	}
	*out = breakpoint;
	return NULL;
}

void probe_end_seek(struct breakpoint *sought)
{
	breakpoint_destroy(sought);
}

/* Find the first module that has the location's function itself, or with
 * `copies` an inlined copy of it, and the first place there. */
static struct error *locate(struct probe *probe, struct breakpoint *breakpoint,
			    bool copies, struct spot_list *spots,
			    struct place *out)
{
	struct module *module;

	for (size_t i = 0; !spots->count &&
			   (module = (struct module *)probe_module(probe, i));
	     i++) {
		if (copies)
			TRY(resolve_inlined(module, breakpoint, spots));
		else
			TRY(resolve_in_module(probe, NULL, module, breakpoint,
					      spots));
		if (spots->count)
			locate_place(module, &spots->data[0], out);
	}
	return NULL;
}

struct error *probe_locate(struct probe *probe, const char *text,
			   struct place *out)
{
	struct breakpoint *breakpoint = xcalloc(1, sizeof(*breakpoint));
	struct spot_list spots = {0};
	struct error *error;

	error = location_parse(text, &breakpoint->location);
	if (!error)
		error = locate(probe, breakpoint, false, &spots, out);
	if (!error && !spots.count)
		error = locate(probe, breakpoint, true, &spots, out);
	if (!error && !spots.count) {
		probe_describe_problem(probe, breakpoint);
		error = error_create(ERROR_NOT_FOUND, "%s",
				     str_text(&breakpoint->problem));
	}
	vec_free(&spots);
	breakpoint_destroy(breakpoint);
	return error;
}

/* Append the function that contains the address. */
static struct error *function_at(struct probe *probe,
				 const struct module *module,
				 const struct location *location,
				 struct named_function_list *out)
{
	struct named_function found = {.module = module};
	uint64_t address;

	if (!address_in_module(probe, location, module, &address))
		return NULL;
	if (!debugfile_function_at(module_file(module), address,
				   &found.function))
		return error_create(ERROR_NOT_FOUND,
				    "no function is known at %s",
				    location->text);
	vec_push(out, found);
	return NULL;
}

/* Append the functions of a module that the location means. */
static struct error *functions_of(struct probe *probe,
				  const struct module *module,
				  const struct location *location,
				  struct named_function_list *out)
{
	struct function_list found = {0};
	struct debugfile *file;
	struct error *error;

	if (!location_means_module(location, module))
		return NULL;
	file = module_file(module);
	if (!file)
		return NULL;
	if (location->kind == LOCATION_ADDRESS)
		return function_at(probe, module, location, out);
	error = debugfile_find_functions(file, location->name, &found);
	for (size_t i = 0; i < found.count; i++)
		if (location_means_function(location, module, &found.data[i]))
			vec_push(out, ((struct named_function){
					      .function = found.data[i],
					      .module = module,
				      }));
	vec_free(&found);
	return error;
}

/* Determine whether the program that the user named maps the module of the
 * function, and whether the module was loaded together with that program. */
static void find_origin(const struct probe *probe, struct named_function *named)
{
	named->foreign = true;
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0; !space->foreign && j < space->modules.count;
		     j++) {
			const struct loaded *at = &space->modules.data[j];

			if (!str_equal(at->module->path, named->module->path))
				continue;
			named->foreign = false;
			named->linked |= at->linked;
		}
	}
}

struct error *probe_linked_functions(struct probe *probe, const char *text,
				     struct named_function_list *out)
{
	struct location location;
	struct error *error = NULL;

	TRY(location_parse(text, &location));
	for (size_t i = 0; !error && i < probe->search.libraries.count; i++)
		error = error_first(
			functions_of(probe, probe->search.libraries.data[i],
				     &location, out),
			interrupt_check(&probe->client.interrupt));
	location_deinit(&location);
	return error;
}

struct error *probe_functions(struct probe *probe, const char *text,
			      const struct strmap *searched,
			      struct named_function_list *out)
{
	struct location location;
	const struct module *module;
	struct error *error = NULL;

	TRY(location_parse(text, &location));
	if (location.kind != LOCATION_FUNCTION &&
	    location.kind != LOCATION_ADDRESS)
		error = error_create(ERROR_USAGE, "'%s' is not a function",
				     text);
	for (size_t i = 0; !error && (module = probe_module(probe, i)); i++) {
		size_t first = out->count;

		if (searched && strmap_get(searched, module->path))
			continue;
		error = functions_of(probe, module, &location, out);
		for (size_t j = first; j < out->count; j++)
			find_origin(probe, &out->data[j]);
		if (!error)
			error = interrupt_check(&probe->client.interrupt);
	}
	location_deinit(&location);
	return error;
}

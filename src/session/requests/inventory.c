/* inventory.c - modules and functions: see perftool/session/inventory.h */
#include "perftool/session/inventory.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "requests.h"
#include "session/names/names.h"

void session_modules(struct session *session, struct module_facts_list *out)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++) {
		const struct debugfile *file = module_file(module);

		vec_push(out,
			 (struct module_facts){
				 .name = module_name(module),
				 .path = module_path(module),
				 .build_id =
					 file ? debugfile_facts(file)->build_id
					      : NULL,
				 .bias = module_bias(module)});
	}
}

const char *session_refuses_jumps(const struct session *session)
{
	return probe_refuses_jumps(session->probe, session->process);
}

void session_request_numbers(struct session *session,
			     struct request_numbers *out)
{
	const struct measure_leg *leg;
	struct breakpoint *breakpoint;
	size_t cursor = 0;

	*out = (struct request_numbers){0};
	while ((breakpoint = probe_next(session->probe, &cursor)))
		if (!breakpoint_facts(breakpoint).deleted)
			vec_push(&out->breakpoints, breakpoint_id(breakpoint));
	for (size_t i = 0; (leg = measure_leg_at(session->measure, i)); i++)
		vec_push(&out->legs, leg->id);
}

void request_numbers_deinit(struct request_numbers *numbers)
{
	vec_free(&numbers->breakpoints);
	vec_free(&numbers->legs);
}

static struct function_facts facts_of(const struct named_function *named)
{
	const struct function *function = &named->function;
	struct debugfile *file = module_file(named->module);
	struct function_facts facts = {
		.name = function->name
				? debugfile_demangle(file, function->name)
				: xasprintf("*0x%" PRIx64 "@%s",
					    function->address,
					    module_name(named->module)),
		.module = xstrdup(module_name(named->module)),
		.address = function->address,
		.size = function->size};
	const char *path;

	if (file && debugfile_opening(file, function, &path, &facts.line))
		facts.path = xstrdup(path);
	return facts;
}

struct error *session_functions(struct session *session, const char *pattern,
				bool locations, struct function_facts_list *out)
{
	return session_new_functions(session, pattern, locations, NULL, out);
}

struct error *session_new_functions(struct session *session,
				    const char *pattern, bool locations,
				    const struct strmap *searched,
				    struct function_facts_list *out)
{
	struct named_function_list list = {0};
	CLEANUP(free_pointer) char *nameless = NULL;
	struct error *error;

	TRY(need_program(session));
	nameless = place_of_nameless(session, pattern);
	pattern = nameless ? nameless : pattern;
	error = probe_functions(session->probe, pattern, searched, &list);
	for (size_t i = 0; !error && i < list.count; i++) {
		struct function_facts facts;

		if (locations && !is_first_named(&list, i))
			continue;
		facts = facts_of(&list.data[i]);
		if (locations)
			facts.location = timed_location(pattern, &list, i);
		vec_push(out, facts);
	}
	vec_free(&list);
	return error;
}

void function_facts_deinit(struct function_facts_list *functions)
{
	for (size_t i = 0; i < functions->count; i++) {
		free(functions->data[i].name);
		free(functions->data[i].path);
		free(functions->data[i].location);
		free(functions->data[i].module);
	}
	vec_free(functions);
}

/*
 * function_list.c - `list functions`: the functions that a name or a pattern
 * means
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"

/* One line of `list functions`: a function and its readable name. */
struct row {
	const struct named_function *named;
	char *name;
};

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order
		     : strcmp(module_name(x->named->module),
			      module_name(y->named->module));
}

static bool is_entry_of(const struct breakpoint *breakpoint,
			const struct named_function *named)
{
	const struct breakpoint_facts facts = breakpoint_facts(breakpoint);
	const struct place_list *places = facts.places;

	for (size_t i = 0; i < places->count; i++)
		if (places->data[i].module == named->module &&
		    places->data[i].function.address == named->function.address)
			return facts.kind == REQUEST_ENTRY ||
			       (facts.kind == REQUEST_BEGIN &&
				!places->data[i].inlined);
	return false;
}

/* Appends how often the function was called, if a node has counted the calls.
 */
static void describe_calls(struct session *session,
			   const struct named_function *named, struct str *out)
{
	const struct measure_node *node;

	for (size_t i = 0; (node = measure_node_at(session->measure, i)); i++) {
		const struct breakpoint *breakpoint =
			probe_find_any(session->probe, node->id);

		if (!breakpoint || !is_entry_of(breakpoint, named))
			continue;
		str_printf(out, ", %" PRIu64 " call%s", node->count,
			   node->count == 1 ? "" : "s");
		return;
	}
}

static void describe_row(struct session *session, const struct row *row,
			 int width, struct str *out)
{
	const struct function *function = &row->named->function;
	const struct module *module = row->named->module;
	struct debugfile *file = module_file(module);
	const char *path, *slash;
	uint32_t line;

	if (function->size)
		str_printf(out, "%8" PRIu64 "  ", function->size);
	else
		str_printf(out, "%8s  ", "-");
	str_printf(out, "%-*s  %s", width, module_name(module), row->name);
	if (file && debugfile_opening(file, function, &path, &line)) {
		slash = strrchr(path, '/');
		str_printf(out, " at %s:%" PRIu32, slash ? slash + 1 : path,
			   line);
	}
	describe_calls(session, row->named, out);
	str_append(out, "\n");
}

static void list(struct session *session,
		 const struct named_function_list *functions, struct str *out)
{
	struct row *rows = xcalloc(functions->count, sizeof(*rows));
	int width = (int)strlen("Module");

	for (size_t i = 0; i < functions->count; i++) {
		const struct named_function *named = &functions->data[i];
		int length = (int)strlen(module_name(named->module));

		rows[i].named = named;
		rows[i].name =
			named->function.name
				? debugfile_demangle(module_file(named->module),
						     named->function.name)
				: xasprintf("*0x%" PRIx64 "@%s",
					    named->function.address,
					    module_name(named->module));
		width = length > width ? length : width;
	}
	qsort(rows, functions->count, sizeof(*rows), compare);
	str_printf(out, "    Size  %-*s  Function\n", width, "Module");
	for (size_t i = 0; i < functions->count; i++) {
		describe_row(session, &rows[i], width, out);
		free(rows[i].name);
	}
	free(rows);
}

char *function_pattern(const char *pattern)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool is_address =
		!error && location.kind == LOCATION_OFFSET && *pattern == '*';

	if (error)
		error_destroy(error);
	else
		location_deinit(&location);
	return xasprintf("%s%s", is_address ? "*" : "", pattern);
}

struct error *session_list_functions(struct session *session,
				     const char *pattern, struct str *out)
{
	const struct module *program = probe_module(session->probe, 0);
	struct named_function_list functions = {0};
	CLEANUP(free_pointer) char *glob = NULL;
	CLEANUP(free_pointer) char *wanted = NULL;
	struct error *error;

	if (!program)
		return error_create(ERROR_USAGE,
				    "no program: name one with `file'");
	glob = pattern ? function_pattern(pattern) : NULL;
	wanted = glob ? in_context(session, glob) : all_of_context(session);
	if (!wanted)
		wanted = xasprintf("*@%s", module_name(program));
	error = probe_functions(session->probe, wanted, NULL, &functions);
	/* Before the program runs, its libraries are not among the modules. */
	if (!error && !functions.count && !session->followed.count &&
	    learn_linked(session))
		error = probe_linked_functions(session->probe, wanted,
					       &functions);
	if (!error && !functions.count)
		error = error_create(ERROR_NOT_FOUND, "no function is named %s",
				     pattern ? pattern : wanted);
	probe_catch_up(session->probe);
	if (!error)
		list(session, &functions, out);
	vec_free(&functions);
	return error;
}

bool is_function_glob(const char *pattern, bool *has_module)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool glob;

	if (error) {
		error_destroy(error);
		return false;
	}
	glob = location.kind == LOCATION_FUNCTION &&
	       debuginfo_is_glob(location.name);
	if (has_module)
		*has_module = location.module != NULL;
	location_deinit(&location);
	return glob;
}

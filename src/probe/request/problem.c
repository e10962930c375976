/*
 * problem.c - the reason why a breakpoint has no place: what was looked for,
 * and in which modules
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "request.h"

/* The message names at most this many modules, because a shell script may run
 * any number of programs. */
#define MOST_NAMED 12
#define MOST_NEAR 8

struct problem {
	const struct location *location;
	struct str *out;
	/* the number of modules in which the location was looked for */
	size_t count;
	char *near[MOST_NEAR];
	size_t near_count;
	bool overloads; /* `near` are functions of exactly that name */
};

static void add_module(struct problem *problem, const struct module *module)
{
	const struct location *location = problem->location;
	struct debugfile *file;

	if (!location_means_module(location, module))
		return;
	if (problem->count++ < MOST_NAMED)
		str_printf(problem->out, "%s%s",
			   problem->count > 1 ? ", " : " in ", module->name);
	file = module_file(module);
	if (problem->near_count || !file || !location->name ||
	    location->source || location->kind == LOCATION_LINE ||
	    debuginfo_is_glob(location->name))
		return;
	problem->near_count = debugfile_overloads(file, location->name,
						  problem->near, MOST_NEAR);
	problem->overloads = problem->near_count > 0;
	if (!problem->overloads)
		problem->near_count = debugfile_near_names(file, location->name,
							   problem->near, 3);
}

/* Was the breakpoint looked for in a file with the module's path that is not
 * mapped any more? */
static bool was_searched(const struct probe *probe,
			 const struct breakpoint *breakpoint,
			 const struct module *module)
{
	for (size_t i = 0; i < probe->search.searched.count; i++) {
		const struct loaded *at = &probe->search.searched.data[i];

		if (breakpoint->entry && breakpoint->entry <= at->resolved &&
		    str_equal(at->module->path, module->path))
			return true;
	}
	return false;
}

/* Is a module with the name of `linked` loaded? Its path may differ from the
 * path by which the file was found before. */
static bool is_there(struct probe *probe, const struct module *linked)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		if (str_equal(module->name, linked->name))
			return true;
	return false;
}

/* Add the modules that are loaded, the libraries that the program will have,
 * and the modules that are not loaded any more. */
static void add_modules(struct probe *probe,
			const struct breakpoint *breakpoint,
			struct problem *problem)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		add_module(problem, module);
	for (size_t i = 0; i < probe->search.searched.count; i++) {
		module = probe->search.searched.data[i].module;
		if (was_searched(probe, breakpoint, module) &&
		    !probe_lists(probe, module))
			add_module(problem, module);
	}
	for (size_t i = 0; i < probe->search.libraries.count; i++)
		if (!is_there(probe, probe->search.libraries.data[i]) &&
		    !was_searched(probe, breakpoint,
				  probe->search.libraries.data[i]))
			add_module(problem, probe->search.libraries.data[i]);
	if (problem->count > MOST_NAMED)
		str_printf(problem->out, " and %zu more",
			   problem->count - MOST_NAMED);
}

/* Say what the program's file lacks. Without debug information no line can be
 * found, and without symbols no function. But if a function was looked for in
 * the program alone and not found, the function is most likely in a library
 * that is not loaded yet, provided that the program has libraries. */
static void describe_program(struct probe *probe, const struct problem *problem,
			     struct str *out)
{
	const struct module *module = probe_module(probe, 0);
	struct debugfile *file = module ? module_file(module) : NULL;
	const struct debugfile_facts *facts =
		file ? debugfile_facts(file) : NULL;

	if (!facts || facts->has_dwarf)
		return;
	if (problem->location->kind != LOCATION_LINE &&
	    (facts->has_symtab || (problem->count < 2 && !facts->is_static) ||
	     problem->near_count || problem->location->module))
		return;
	str_printf(out, "; %s: ", module->name);
	debugfile_describe(file, out);
}

static bool is_mapped(struct probe *probe, const struct location *location)
{
	const struct module *module;
	uint64_t address;

	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		if (location_means_module(location, module) &&
		    address_in_module(probe, location, module, &address))
			return true;
	return false;
}

/* Advise the user to write @MODULE, if the address may be one of the program's
 * file, which is mapped at another address. */
static void advise_module(struct probe *probe, const struct location *location,
			  struct str *out)
{
	const struct module *module = probe_module(probe, 0);
	struct debugfile *file = module ? module_file(module) : NULL;
	const struct debugfile_facts *facts =
		file ? debugfile_facts(file) : NULL;

	if (facts && !location->module && !location->path && module->bias &&
	    location->number >= facts->low && location->number < facts->high)
		str_printf(out, "; for an address in the file, write %s@%s",
			   location->text, module->name);
}

static bool has_function(struct module *module, const struct location *location)
{
	struct debugfile *file = module_file(module);
	struct function_list found = {0};
	bool any = false;

	if (!file || !location_means_module(location, module))
		return false;
	error_destroy(debugfile_find_functions(file, location->name, &found));
	for (size_t i = 0; !any && i < found.count; i++)
		any = location_means_function(location, module, &found.data[i]);
	vec_free(&found);
	return any;
}

/* Does a module that is loaded, or will be when the program runs, have the
 * function? */
static bool is_function(struct probe *probe, const struct location *location)
{
	const struct module *module;

	if (location->kind != LOCATION_FUNCTION)
		return false;
	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		if (has_function((struct module *)module, location))
			return true;
	for (size_t i = 0; i < probe->search.libraries.count; i++)
		if (has_function(probe->search.libraries.data[i], location))
			return true;
	return false;
}

/* Is there a function of that name, in the libraries of the program or in those
 * that it names? */
static bool is_called_somewhere(struct probe *probe,
				const struct location *location)
{
	struct address_list words = {0};
	const struct module *module;
	bool found = is_function(probe, location);

	for (size_t i = 0; !found && (module = probe_module(probe, i)); i++) {
		if (module_file(module))
			debugfile_import_words(module_file(module),
					       location->name, false, &words);
		found = words.count > 0;
	}
	vec_free(&words);
	return found;
}

/* What is called, in words. */
static const char *callee_words(const struct breakpoint *breakpoint)
{
	switch (breakpoint->kind) {
	case REQUEST_ALLOCATIONS:
		return "a function that allocates memory";
	case REQUEST_SYNC_TEST:
	case REQUEST_SYNC_ENTER:
		return "a function of libc that takes a lock";
	case REQUEST_SYNC_EXIT:
		return "a function of libc that releases a lock";
	default:
		return breakpoint->location.name;
	}
}

/* The functions that have the inlined copies of a function. */
struct hosts {
	char *names[MOST_NEAR];
	size_t count;
	size_t copies;
	bool are_more;
};

static void add_host(struct hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->count; i++)
		if (str_equal(hosts->names[i], name))
			return;
	if (hosts->count < MOST_NEAR)
		hosts->names[hosts->count++] = debuginfo_demangle(name);
	else
		hosts->are_more = true;
}

static void add_hosts_of(const struct module *module,
			 const struct location *location, struct hosts *hosts)
{
	struct debugfile *file = module_file(module);
	struct line_list copies = {0};
	struct function function;
	bool no_code;

	if (!file || location->kind != LOCATION_FUNCTION ||
	    !location_means_module(location, module))
		return;
	error_destroy(debugfile_find_inlined(file, location->name, &copies,
					     &no_code));
	hosts->copies += copies.count;
	for (size_t i = 0; i < copies.count; i++)
		if (debugfile_function_at(file, copies.data[i].address,
					  &function) &&
		    function.name)
			add_host(hosts, function.name);
	vec_free(&copies);
}

/* What needs code of its own is not there for a function that is inlined
 * wherever it is called: say where it is. Returns false if there are no copies.
 */
static bool describe_copies(struct probe *probe, struct breakpoint *breakpoint)
{
	const struct location *location = &breakpoint->location;
	struct str *out = &breakpoint->problem;
	const struct module *module;
	struct hosts hosts = {0};

	for (size_t i = 0; (module = probe_module(probe, i)); i++)
		add_hosts_of(module, location, &hosts);
	if (hosts.copies)
		str_printf(out,
			   "%s has no code of its own; it is inlined in %zu "
			   "place%s",
			   location->text, hosts.copies,
			   hosts.copies == 1 ? "" : "s");
	for (size_t i = 0; i < hosts.count; i++)
		str_printf(out, "%s%s", i ? ", " : " of ", hosts.names[i]);
	if (hosts.are_more)
		str_append(out, " and others");
	if (hosts.count && breakpoint->kind == REQUEST_RUNS)
		str_printf(out,
			   "; `profile source %s' counts it at the lines that "
			   "call it",
			   hosts.names[0]);
	else if (hosts.copies)
		str_printf(out, "; `break %s' counts them", location->text);
	for (size_t i = 0; i < hosts.count; i++)
		free(hosts.names[i]);
	return hosts.copies > 0;
}

/* The function that was asked for is there: say what it does not have. Returns
 * false if it is not there. */
static bool describe_lack(struct probe *probe, struct breakpoint *breakpoint)
{
	const struct location *location = &breakpoint->location;
	const struct location *within = location->within;
	struct str *out = &breakpoint->problem;

	if (breakpoint->kind == REQUEST_RUNS || breakpoint->is_of_calls ||
	    (breakpoint->kind == REQUEST_BLOCKS && !within)) {
		breakpoint->is_without = describe_copies(probe, breakpoint);
		if (breakpoint->is_without)
			return true;
	}
	breakpoint->is_without =
		(request_is_of_calls(breakpoint->kind) ||
		 breakpoint->kind == REQUEST_BLOCKS) &&
		(within ? is_function(probe, within) &&
				  (breakpoint->kind != REQUEST_CALLS ||
				   is_called_somewhere(probe, location))
			: is_function(probe, location) || breakpoint->is_gone);
	if (!breakpoint->is_without)
		return false;
	if (within)
		str_printf(out, "%s has no call of %s", within->text,
			   callee_words(breakpoint));
	else if (breakpoint->kind == REQUEST_BLOCKS)
		str_printf(out,
			   "%s has no code of its own; it is inlined wherever "
			   "it is called",
			   location->name);
	else
		str_printf(out,
			   "no code calls %s by its name; `in FUNC' also "
			   "watches indirect calls in FUNC",
			   location->name);
	return true;
}

/* Write for the user what was looked for and not found. */
void probe_describe_problem(struct probe *probe, struct breakpoint *breakpoint)
{
	const struct location *location = &breakpoint->location;
	struct str *out = &breakpoint->problem;
	struct problem problem = {.location = location, .out = out};
	const struct module *linked;

	str_deinit(out);
	if (breakpoint->places.count)
		return;
	if (breakpoint->kind == REQUEST_WATCH) {
		str_append(out, breakpoint->watch.fixed
					? "its process has ended"
					: "it gets its address when the "
					  "program runs");
		return;
	}
	if (know_problem(probe, breakpoint))
		return;
	linked = linked_with(probe, breakpoint);
	if (linked) {
		str_printf(out,
			   "%s has it, and is loaded when the program runs",
			   linked->name);
		return;
	}
	if (describe_lack(probe, breakpoint))
		return;
	if (location->within && !is_function(probe, location->within))
		problem.location = location = location->within;
	if (location->kind == LOCATION_ADDRESS)
		str_printf(out, "%s %s",
			   is_mapped(probe, location)
				   ? "no function is known at"
				   : "nothing is mapped at",
			   location->text);
	else if (location->kind == LOCATION_LINE)
		str_printf(out, "no code for %s", location->text);
	else if (location->kind == LOCATION_PROBE)
		str_printf(out, "no static probe %s:%s", location->source,
			   location->name);
	else if (location->source)
		str_printf(out, "no function %s of %s", location->name,
			   location->source);
	else if (breakpoint->is_gone)
		str_printf(out,
			   "the compiler inlined %s and left no code of it",
			   location->name);
	else
		str_printf(out, "no function %s", location->name);
	add_modules(probe, breakpoint, &problem);
	if (location->module && !problem.count) {
		/* The only reason is that no module of this name is loaded. */
		out->length = 0;
		str_printf(out, "no module %s is loaded", location->module);
	}
	for (size_t i = 0; i < problem.near_count; i++) {
		str_printf(out, "%s%s",
			   i                   ? ", "
			   : problem.overloads ? " (of that name: "
					       : " (near names: ",
			   problem.near[i]);
		free(problem.near[i]);
	}
	if (problem.near_count)
		str_append(out, ")");
	if (!location->within && breakpoint->kind >= REQUEST_SYNC_TEST &&
	    breakpoint->kind <= REQUEST_SYNC_EXIT)
		str_append(out, " (only the locks of libc have such places, "
				"and not those of Go's runtime)");
	if (location->kind == LOCATION_ADDRESS)
		advise_module(probe, location, out);
	else
		describe_program(probe, &problem, out);
}

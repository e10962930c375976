/*
 * indirect_function.c - the code behind an indirect function (STT_GNU_IFUNC)
 *
 * The symbol of an indirect function is the address of a resolver, which
 * chooses an implementation for this processor while the program is being
 * loaded. The address of the chosen implementation is stored in words (of the
 * global offset table and the like) through which calls of the function go.
 * These words are in the module itself, or in any module that is linked with
 * it. They are filled in before the first instruction of the program, or before
 * main if the program is linked statically.
 */
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "request.h"

struct choice {
	struct space *space;
	/* the load bias of the module whose words are read */
	uint64_t bias;
	const struct module *module; /* the module that has the function */
	const struct function *resolver;
	struct function *out;
	bool found;
};

/* Look at a word through which calls go: does it hold the address of an
 * implementation? Returns false to end the search. */
static bool visit_slot(void *context, uint64_t address)
{
	struct choice *choice = context;
	uint64_t target;

	if (!target_read_callback(choice->space->process,
				  address + choice->bias, &target,
				  sizeof(target)))
		return true;
	target -= choice->module->bias;
	choice->found = target != choice->resolver->address &&
			debugfile_function_at(choice->module->file, target,
					      choice->out) &&
			choice->out->address == target;
	return !choice->found;
}

bool find_implementation(struct space *space, const struct module *module,
			 const struct function *resolver, struct function *out)
{
	struct choice choice = {
		.space = space,
		.module = module,
		.resolver = resolver,
		.out = out,
		.bias = module->bias,
	};
	struct module *other;

	if (!space->process)
		return false;
	debugfile_each_slot(module->file, resolver->address, resolver->name,
			    visit_slot, &choice);
	for (size_t i = 0; !choice.found && i < space->modules.count; i++) {
		other = space->modules.data[i].module;
		if (other == module || !module_file(other))
			continue;
		choice.bias = other->bias;
		debugfile_each_slot(other->file, 0, resolver->name, visit_slot,
				    &choice);
	}
	/* Users know the implementation by the name of the indirect
	 * function. */
	if (choice.found && !out->name)
		out->name = resolver->name;
	return choice.found;
}

/* Find an instruction that is reached when the words through which calls go
 * have been filled in: the first instruction of the program, or main if the
 * program fills in the words itself. */
static bool find_start(const struct module *program, uint64_t *address)
{
	const struct debugfile_facts *facts = debugfile_facts(program->file);
	struct function_list found = {0};

	*address = facts->entry;
	if (facts->is_static) {
		error_destroy(debugfile_find_functions(program->file, "main",
						       &found));
		*address = found.count ? found.data[0].address : 0;
		vec_free(&found);
	}
	*address += program->bias;
	return *address != program->bias;
}

struct error *watch_start(struct probe *probe, struct space *space)
{
	const struct module *program = space->modules.data[0].module;
	struct error *error;
	struct site *site;
	uint64_t address;

	if (!module_file(program) || !find_start(program, &address))
		/* The start of the program cannot be watched, so the search for
		 * the breakpoints is made now. */
		return resolve_started(probe, space);
	error = site_get(probe, space, address, &site);
	if (error && error_code(error) == ERROR_OTHER) {
		/* No site can be at this address. */
		error_destroy(error);
		return resolve_started(probe, space);
	}
	if (error)
		return error;
	/* The site at this address has another purpose already. It is reached
	 * before the start of the program. */
	if (site->purpose != SITE_USER)
		return NULL;
	site->purpose = SITE_START;
	return site_update(space, site);
}

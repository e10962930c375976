/*
 * libc_stop.c - functions of the C library at which perftool itself stops
 * threads
 */
#include "libc_stop.h"

#include <sys/ptrace.h>

#include "perftool/base/str.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/target_events.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"

bool has_libc(const struct debugfile *file)
{
	const struct debugfile_facts *facts = debugfile_facts(file);

	if (facts->soname)
		return str_starts(facts->soname, "libc.") ||
		       str_starts(facts->soname, "libpthread.");
	return facts->is_static;
}

struct error *stop_in_libc(struct probe *probe, struct space *space,
			   struct module *module, const char *function,
			   enum purpose purpose, struct range *out)
{
	struct debugfile *file = module_file(module);
	struct function_list found = {0};
	struct error *error;
	struct site *site;

	*out = (struct range){0};
	if (!file || !has_libc(file))
		return NULL;
	error = debugfile_find_functions(file, function, &found);
	if (!error && found.count)
		error = site_get(probe, space,
				 found.data[0].address + module->bias, &site);
	if (!error && found.count && site->has_slot &&
	    site->purpose == SITE_USER) {
		site->purpose = purpose;
		*out = (struct range){site->address,
				      site->address + found.data[0].size};
		error = site_update(space, site);
	}
	vec_free(&found);
	return error;
}

struct error *stop_in_libcs(struct probe *probe, struct space *space,
			    const char *function, enum purpose purpose,
			    bool *found)
{
	struct range range;

	if (space->process->survives)
		return NULL;
	for (size_t i = 0; i < space->modules.count; i++) {
		TRY(error_only(stop_in_libc(probe, space,
					    space->modules.data[i].module,
					    function, purpose, &range),
			       ERROR_GONE));
		*found |= range.low != 0;
	}
	return NULL;
}

struct error *hear_tracing(struct probe *probe, struct space *space)
{
	/* If this site is missing, the user gets no explanation. */
	bool unused = false;

	return stop_in_libcs(probe, space, "ptrace", SITE_TRACE, &unused);
}

struct error *tell_of_tracing(struct probe *probe, struct thread *thread)
{
	const struct process *process = thread->process;
	struct user_regs_struct regs;

	TRY(target_get_regs(thread, &regs));
	if ((int)arch_argument(&regs, 0) != PTRACE_TRACEME)
		return NULL;
	note(probe,
	     "process %d asks to be traced by its parent (PTRACE_TRACEME), "
	     "which fails: perftool traces it%s",
	     process->pid,
	     probe->follow_fork
		     ? "; with `set follow fork off', perftool leaves the "
		       "children of fork to the program"
		     : ", as each child of vfork, until it executes a program");
	return NULL;
}

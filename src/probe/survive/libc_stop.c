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

/* The parent of a process that borrows the memory of the space, if the parent
 * waits for the process in vfork(2) and is measured; else 0. */
static pid_t waiting_parent(const struct space *space,
			    const struct process *process)
{
	struct process *user;
	size_t cursor = 0;

	while ((user = space_user(space, &cursor)))
		for (size_t i = 0; i < user->threads.count; i++)
			if (user->threads.data[i]->vfork_child == process->pid)
				return user->pid;
	return 0;
}

/*
 * A child of vfork that is not followed must stay traced until it executes a
 * program, because the memory that it borrows has the tool's int3s. Until then
 * the thread that would trace it waits in the kernel and can do nothing with
 * it. So the call succeeds without having been made, and the tool lets the
 * parent trace the child when the child has executed a program
 * (target_detach_to_parent()).
 */
static struct error *pretend(struct thread *thread,
			     struct user_regs_struct *regs, bool *done)
{
	struct process *process = thread->process;
	struct space *space = space_of(process);
	uint64_t back;

	process->asks_parent = waiting_parent(space, process);
	if (!process->asks_parent || shadow_is_there(space))
		return NULL;
	TRY(target_read(process, regs->rsp, &back, sizeof(back)));
	regs->rax = 0;
	regs->rip = back;
	regs->rsp += sizeof(back);
	TRY(target_set_regs(thread, regs));
	*done = true;
	return target_resume_at(thread, back, NULL);
}

static const char *remedy(const struct probe *probe,
			  const struct process *process)
{
	if (process->pid == probe->main)
		return "";
	return probe->follow_fork
		       ? "; with `set follow fork off', perftool leaves "
			 "children to the program"
		       : " until it executes a program, because it has the "
			 "memory of another process";
}

struct error *tracing_trap(struct probe *probe, struct thread *thread,
			   bool *done)
{
	struct process *process = thread->process;
	struct user_regs_struct regs;

	*done = false;
	TRY(target_get_regs(thread, &regs));
	if ((int)arch_argument(&regs, 0) != PTRACE_TRACEME)
		return NULL;
	if (!probe->follow_fork && space_of(process)->process != process)
		TRY(pretend(thread, &regs, done));
	if (!*done)
		note(probe,
		     "process %d asks to be traced by its parent "
		     "(PTRACE_TRACEME), which fails: perftool traces it%s",
		     process->pid, remedy(probe, process));
	return NULL;
}

/*
 * stack_sampler.c - the sampler of the session, which unwinds the stacks of
 * threads, and what samplers ask the session
 */
#include "perftool/probe/loaded_modules.h"
#include "run.h"

static bool find_module(void *context, struct process *process,
			uint64_t address, struct sampled_module *out)
{
	struct session *session = context;
	const struct module *module =
		probe_module_at(session->probe, process, address);
	struct range range;

	if (!module)
		return false;
	range = module_range(module);
	*out = (struct sampled_module){
		.number = module_number(session->modules, module),
		.file = module_file(module),
		.bias = module_bias(module),
		.begin = range.low,
		.end = range.high};
	return true;
}

static bool find_vdso(void *context, struct process *process, uint64_t low,
		      uint64_t end, struct sampled_module *out)
{
	struct session *session = context;
	const struct module *module =
		probe_vdso(session->probe, process, low, end);

	if (!module)
		return false;
	*out = (struct sampled_module){
		.number = module_number(session->modules, module),
		.file = module_file(module),
		.bias = low,
		.begin = low,
		.end = end};
	return true;
}

static uint64_t generation(void *context, struct process *process)
{
	const struct session *session = context;

	(void)process;
	return probe_module_changes(session->probe);
}

static bool own_code(void *context, struct process *process, uint64_t address,
		     struct user_regs_struct *regs, uint64_t *place)
{
	(void)context;
	return probe_own_code(process, address, regs, place);
}

static uint64_t stands_at(void *context, struct process *process, uint64_t pc,
			  bool in_kernel)
{
	(void)context;
	return probe_stands_at(process, pc, in_kernel);
}

struct sampler *sampler_for(struct session *session)
{
	const struct sampler_host host = {.context = session,
					  .find_module = find_module,
					  .find_vdso = find_vdso,
					  .generation = generation,
					  .own_code = own_code,
					  .stands_at = stands_at};

	return sampler_create(session->target, &session->clock, &host);
}

struct sampler *session_sampler(struct session *session)
{
	if (!session->sampler)
		session->sampler = sampler_for(session);
	return session->sampler;
}

void sampler_forget_process(struct session *session, pid_t pid)
{
	if (session->sampler)
		sampler_forget(session->sampler, pid);
}

void sampler_end(struct session *session)
{
	sampler_destroy(session->sampler);
	session->sampler = NULL;
}

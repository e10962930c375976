/*
 * stack_sampler.c - the sampler of the session, which unwinds the stacks of
 * threads, and the modules that its frames name
 *
 * A module that a frame has named is kept, so that the frame can be described
 * when the module is not mapped any more.
 */
#include "run.h"

static bool find_module(void *context, struct process *process,
			uint64_t address, struct sampled_module *out)
{
	struct session *session = context;
	const struct module *module =
		probe_module_at(session->probe, process, address);
	struct range range;
	size_t i = 0;

	if (!module)
		return false;
	while (i < session->sampled_modules.count &&
	       session->sampled_modules.data[i] != module)
		i++;
	if (i == session->sampled_modules.count)
		vec_push(&session->sampled_modules, module_keep(module));
	range = module_range(module);
	*out = (struct sampled_module){.number = (uint32_t)i + 1,
				       .file = module_file(module),
				       .bias = module_bias(module),
				       .begin = range.low,
				       .end = range.high};
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

struct sampler *session_sampler(struct session *session)
{
	const struct sampler_host host = {.context = session,
					  .find_module = find_module,
					  .generation = generation,
					  .own_code = own_code};

	if (!session->sampler)
		session->sampler =
			sampler_create(session->target, &session->clock, &host);
	return session->sampler;
}

const struct module *sampled_module(const struct session *session,
				    uint32_t number)
{
	return number && number <= session->sampled_modules.count
		       ? session->sampled_modules.data[number - 1]
		       : NULL;
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
	for (size_t i = 0; i < session->sampled_modules.count; i++)
		module_drop(session->sampled_modules.data[i]);
	vec_free(&session->sampled_modules);
}

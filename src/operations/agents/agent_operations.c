/*
 * agent_operations.c - AGENT, CLEAR and USETHREAD: what is accumulated, since
 * when, and of which threads
 */
#include "operations/desk.h"

#include <limits.h>

static struct error *add_agent(const struct invocation *invocation,
			       struct json_object *params)
{
	struct invocation one = *invocation;
	const char *name;
	uint32_t owner;
	bool on = true;

	one.params = params;
	TRY(params_needs_name(params, "class", &name));
	TRY(params_flag(params, "value", &on));
	TRY(invocation_owner(&one, &owner));
	return on ? agents_add(invocation->desk, name, owner)
		  : agents_remove(invocation->desk, name);
}

static struct error *run_agent(struct invocation *invocation)
{
	struct json_object *params = invocation->params;
	size_t count = params_count(params, "agent");

	if (!count)
		return add_agent(invocation, params);
	for (size_t i = 0; i < count; i++)
		TRY(add_agent(invocation, params_at(params, "agent", i)));
	return NULL;
}

static struct error *run_clear(struct invocation *invocation)
{
	const char *name = NULL;

	TRY(params_text(invocation->params, "agent", &name));
	return agents_clear(invocation->desk, name);
}

static struct error *use_thread(const struct invocation *invocation,
				struct json_object *params)
{
	double id = 0;
	bool ignore = false, use = false;

	TRY(params_number(params, "id", &id));
	if (!(id >= 1 && id <= INT_MAX))
		return error_create(ERROR_USAGE,
				    "`id' must be the number of a thread");
	TRY(params_flag(params, "ignore", &ignore));
	TRY(params_flag(params, "use", &use));
	return session_use_thread(invocation->desk->session, (pid_t)id,
				  ignore ? THREAD_IGNORED
				  : use  ? THREAD_USED
					 : THREAD_AS_DEFAULT);
}

static struct error *run_usethread(struct invocation *invocation)
{
	struct json_object *params = invocation->params;

	if (!params_count(params, "thread"))
		return error_create(ERROR_USAGE, "`thread' is missing");
	for (size_t i = 0; i < params_count(params, "thread"); i++)
		TRY(use_thread(invocation, params_at(params, "thread", i)));
	return NULL;
}

static const struct member agent_parameters[] = {
	{"agent[].class", "text",
	 "cpu, heap, io, sync, threads, or the path of a script of commands, "
	 "which has the legs and nodes that its commands add"},
	{"agent[].value", "flag", "FALSE removes the agent; TRUE if missing"},
	{"agent[].own", "flag",
	 "the agent goes when this front end closes its connection"},
	{0}};

static const struct member clear_parameters[] = {
	{"agent", "text", "only what this agent has accumulated"}, {0}};

static const struct member usethread_parameters[] = {
	{"thread[].id", "number", "a thread, as the kernel numbers it"},
	{"thread[].ignore", "flag", "the thread does not count"},
	{"thread[].use", "flag",
	 "the thread counts, unless it is ignored. If both are FALSE, the "
	 "variable THREAD_DEFAULT decides."},
	{0}};

const struct operation agent_operations[] = {
	{.name = "agent",
	 .alone = "agent",
	 .summary = "Adds an accumulator, which REPORT shows apart.",
	 .parameters = agent_parameters,
	 .run = run_agent},
	{.name = "usethread",
	 .request_wrapper = "threads",
	 .summary = "Chooses which threads count.",
	 .parameters = usethread_parameters,
	 .run = run_usethread},
	{.name = "clear",
	 .request_wrapper = "clear",
	 .summary = "Sets all counts and times to 0, and forgets the samples; "
		    "or does so for one agent.",
	 .parameters = clear_parameters,
	 .run = run_clear},
	{0}};

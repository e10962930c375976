/*
 * script_agent.c - an agent that is a script of commands: the legs and the
 * nodes that its commands add, and their removal
 */
#include "agents.h"

#include <stdio.h>

#include "operations/desk.h"
#include "perftool/session/inventory.h"
#include "perftool/session/measurements.h"

/* Appends the numbers of `now` that are not in `before`. Both are in ascending
 * order. */
static void add_new(const struct number_list *before,
		    const struct number_list *now, struct number_list *out)
{
	size_t at = 0;

	for (size_t i = 0; i < now->count; i++) {
		while (at < before->count && before->data[at] < now->data[i])
			at++;
		if (at == before->count || before->data[at] != now->data[i])
			vec_push(out, now->data[i]);
	}
}

struct error *script_begin(struct desk *desk, struct agent *agent)
{
	struct request_numbers before = {0}, now = {0};
	struct error *error;

	session_request_numbers(desk->session, &before);
	error = interpreter_script(desk->interpreter, agent->name);
	fflush(desk->stream);
	rewind(desk->stream);
	session_request_numbers(desk->session, &now);
	add_new(&before.legs, &now.legs, &agent->legs);
	add_new(&before.breakpoints, &now.breakpoints, &agent->nodes);
	request_numbers_deinit(&before);
	request_numbers_deinit(&now);
	if (error)
		error_destroy(script_end(desk, agent));
	return error;
}

struct error *script_end(struct desk *desk, const struct agent *agent)
{
	/* No leg and no breakpoint has such a number. */
	const uint32_t no_leg = UINT32_MAX, no_breakpoint = 0;
	struct timed_function_list list = {0};
	struct error *error;

	for (size_t i = 0; i < agent->legs.count; i++)
		vec_push(&list,
			 (struct timed_function){.entry = no_breakpoint,
						 .exit_point = no_breakpoint,
						 .leg = agent->legs.data[i]});
	for (size_t i = 0; i < agent->nodes.count; i++)
		vec_push(&list,
			 (struct timed_function){.entry = agent->nodes.data[i],
						 .exit_point = no_breakpoint,
						 .leg = no_leg});
	error = session_untime(desk->session, list.data, list.count);
	vec_free(&list);
	return error;
}

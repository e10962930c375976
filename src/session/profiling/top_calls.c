/*
 * top_calls.c - `top`: how often the first functions of the table are called
 *
 * The functions are counted at the same time, so that their numbers can be
 * compared.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "call_profile.h"
#include "perftool/base/alloc.h"
#include "perftool/session/calls.h"
#include "perftool/session/top.h"
#include "recorded_profiles.h"

void top_forget_calls(struct top_profile *top)
{
	for (size_t i = 0; i < top->calls.count; i++)
		free(top->calls.data[i].location);
	vec_clear(&top->calls);
	free(top->calls_problem);
	top->calls_problem = NULL;
}

char *top_location(const struct procedures *procedures, uint32_t number)
{
	const struct procedure *procedure = &procedures->list.data[number];

	if (procedure->is_wait || !procedure->module[0] ||
	    !procedure->address || str_equal(procedure->module, PROBE_VDSO))
		return NULL;
	return top_is_nameless(procedure)
		       ? xasprintf("*0x%" PRIx64 "@%s", procedure->address,
				   procedure->module)
		       : xasprintf("%s@%s", procedure->name, procedure->module);
}

double top_rate(const struct top_profile *top, const char *location)
{
	for (size_t i = 0; location && i < top->calls.count; i++) {
		if (str_equal(top->calls.data[i].location, location))
			return top->calls.data[i].rate;
	}
	return -1;
}

size_t top_count_rates(const struct top_profile *top)
{
	size_t count = 0;

	for (size_t i = 0; i < top->calls.count; i++)
		count += top->calls.data[i].rate >= 0;
	return count;
}

/* ---- counting ------------------------------------------------------------ */

/* Begins to count the calls of one function. If that fails, the table says why.
 */
static bool count(struct session *session, const char *location)
{
	struct top_profile *top = &session->recorded->top;
	struct str said = {0};
	struct error *error =
		session_profile_functions(session, &location, 1, &said);
	bool is_counted = !error;

	str_deinit(&said);
	if (error && !top->calls_problem)
		top->calls_problem = xstrdup(error_message(error));
	error_destroy(error);
	return is_counted;
}

/* Sets the counts to 0: the first function was counted before the breakpoints
 * of the last one were made. Returns false if nothing is counted. */
static bool begin(struct session *session)
{
	if (!session_profiles_calls(session))
		return false;
	error_destroy(session_profile_flush(session));
	return true;
}

bool session_top_count(struct session *session, size_t rows)
{
	struct top_profile *top = &session->recorded->top;
	struct tallied tallied;

	top->came_to_calls = true;
	if (session_profiles_calls(session) || !session_has_process(session))
		return false;
	top_tally(&top->recorder, &tallied);
	for (size_t i = 0; i < rows && i < tallied.list.count; i++) {
		char *location = top_location(&tallied.stacks.procedures,
					      tallied.list.data[i].procedure);

		if (location && count(session, location))
			vec_push(&top->calls,
				 (struct top_calls){.location = location,
						    .rate = -1});
		else
			free(location);
	}
	tallied_deinit(&tallied);
	return begin(session);
}

bool session_top_spare_threads(struct session *session)
{
	struct string_list kept = {0};

	if (!call_profile_stops_threads(session))
		return session_profiles_calls(session);
	call_profile_unstopping(session, &kept);
	error_destroy(session_initialize_profile(session));
	for (size_t i = 0; session_has_process(session) && i < kept.count; i++)
		count(session, kept.data[i]);
	string_list_deinit(&kept);
	return begin(session);
}

/* Adds up the calls of a function from all callers. */
static uint64_t calls_of(const struct session_calls *calls,
			 const char *location)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < calls->arcs.list.count; i++) {
		const struct call_arc *arc = &calls->arcs.list.data[i];
		CLEANUP(free_pointer)
		char *callee = top_location(&calls->procedures, arc->callee);

		if (callee && str_equal(callee, location))
			sum += arc->times.count;
	}
	return sum;
}

void session_top_end_count(struct session *session)
{
	struct top_profile *top = &session->recorded->top;
	struct string_list counted = {0};
	struct session_calls calls;

	call_profile_unstopping(session, &counted);
	session_read_calls(session, &calls);
	for (size_t i = 0; calls.elapsed && i < top->calls.count; i++) {
		struct top_calls *row = &top->calls.data[i];

		for (size_t j = 0; j < counted.count; j++)
			if (str_equal(counted.data[j], row->location))
				row->rate = (double)calls_of(&calls,
							     row->location) *
					    1e9 / (double)calls.elapsed;
	}
	session_calls_deinit(&calls);
	string_list_deinit(&counted);
	error_destroy(session_initialize_profile(session));
}

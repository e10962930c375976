/*
 * timed_legs.c - the breakpoints, the leg and the histogram of each function to
 * time
 *
 * A condition applies to the entry breakpoint only. If the condition is false
 * for a call, the return of the call is a hit all the same. That hit finds no
 * activation (an execution of the leg that has begun) of its frame, and the
 * measure layer counts the hit as an ignored *to*.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/session/measurements.h"
#include "requests.h"

static void timed_deinit(struct timed *timed)
{
	free(timed->location);
	free(timed->remark);
}

void timed_list_deinit(struct timed_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		timed_deinit(&list->data[i]);
	vec_free(list);
}

void timed_forget(struct session *session, const struct timed_list *list)
{
	for (size_t i = list->count; i-- > 0;) {
		if (!list->data[i].entry)
			continue;
		probe_take_back(session->probe, list->data[i].exit_point);
		probe_take_back(session->probe, list->data[i].entry);
	}
}

/* Adds a breakpoint with a condition, because only conditional breakpoints are
 * nodes. */
static struct error *add_one(struct session *session, enum request_kind kind,
			     const char *location, const char *condition,
			     struct breakpoint **out)
{
	struct expr *expr;

	TRY(expr_parse(condition, &expr));
	return probe_add(session->probe, kind, location, expr, out);
}

static void set_remark(struct timed *timed, const char *what,
		       struct error *error)
{
	timed->remark = xasprintf("%s is not %s: %s", timed->location, what,
				  error_message(error));
	error_destroy(error);
}

static struct error *add_breakpoints(struct session *session,
				     const struct time_request *request,
				     bool lenient, struct timed *timed)
{
	const char *condition = request->condition ? request->condition : "1";
	struct error *error;

	error = add_one(session, REQUEST_ENTRY, timed->location, condition,
			&timed->entry);
	if (error && lenient && request->condition) {
		set_remark(timed, "timed", error);
		return NULL;
	}
	if (error)
		return error;
	error = add_one(session, REQUEST_RETURN, timed->location, "1",
			&timed->exit_point);
	if (error) {
		probe_take_back(session->probe, timed->entry);
		return error;
	}
	if (!request->by)
		return NULL;
	error = check_by(session, request->by, timed->entry, timed->exit_point);
	timed->split = !error;
	if (error && lenient) {
		set_remark(timed, "split", error);
	} else if (error) {
		probe_take_back(session->probe, timed->exit_point);
		probe_take_back(session->probe, timed->entry);
		return error;
	}
	return NULL;
}

struct error *timed_add(struct session *session,
			const struct time_request *request,
			const char *location, bool lenient,
			struct timed_list *list)
{
	struct timed timed = {.location = xstrdup(location)};
	struct error *error = stand_still(session);

	if (!error)
		error = add_breakpoints(session, request, lenient, &timed);
	if (error)
		timed_deinit(&timed);
	else
		vec_push(list, timed);
	return error;
}

static struct error *begin_one(struct session *session,
			       const struct time_request *request,
			       const struct timed *timed, struct str *out)
{
	struct leg_request leg = {.name = request->name,
				  .match = MATCH_NESTED,
				  .match_given = true,
				  .by = timed->split ? request->by : NULL,
				  .view = request->view};
	struct histogram_spec hdr = {
		.class = HISTOGRAM_HDR, .scale = -1, .is_implied = true};
	struct str quiet = {0};
	struct error *error;
	uint32_t id;

	error = add_one_leg(session, &leg, breakpoint_id(timed->entry),
			    breakpoint_id(timed->exit_point), &id, &quiet);
	str_deinit(&quiet);
	if (error)
		return error;
	TRY(measure_leg_add_histogram(session->measure, id, &hdr));
	if (request->made)
		vec_push(request->made,
			 (struct timed_function){
				 .entry = breakpoint_id(timed->entry),
				 .exit_point = breakpoint_id(timed->exit_point),
				 .leg = id});
	str_printf(out, "Leg %u: ", id);
	if (breakpoint_facts(timed->entry).places->count)
		str_printf(out, "nodes %u -> %u, ", breakpoint_id(timed->entry),
			   breakpoint_id(timed->exit_point));
	describe_breakpoint(session, timed->entry, out);
	if (request->condition)
		str_printf(out, ", if %s", request->condition);
	if (timed->split)
		str_printf(out, ", by %s", request->by);
	str_append(out, "\n");
	return NULL;
}

struct error *timed_begin(struct session *session,
			  const struct time_request *request,
			  const struct timed_list *list, struct str *out)
{
	size_t begun = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct timed *timed = &list->data[i];
		CLEANUP(str_deinit) struct str unsaid = {0};

		if (timed->remark)
			session_note(session, "%s", timed->remark);
		if (!timed->entry)
			continue;
		TRY(begin_one(session, request, timed,
			      begun++ < MOST_LEGS_SAID ? out : &unsaid));
		if (breakpoint_facts(timed->entry).places->count &&
		    !breakpoint_facts(timed->exit_point).places->count)
			session_note(session, "%s has " NO_EXIT,
				     timed->location);
	}
	if (begun > MOST_LEGS_SAID)
		say_more_legs(begun - MOST_LEGS_SAID, out);
	return NULL;
}

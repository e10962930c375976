/*
 * time.c - `time FUNC`: breakpoints, a leg and a histogram for each function
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

#define MOST_FUNCTIONS 1000

/* What one function gets. */
struct timed {
	struct breakpoint *entry, *exit_point;
	uint32_t leg;
};

/* Can its leg be split so? If not, nothing of it is to stay, so this is asked
 * before there is a node or a leg. */
static struct error *check_by(struct session *session,
			      const struct time_request *request,
			      const struct timed *timed)
{
	struct breakpoint *breakpoint;
	struct error *error;
	struct expr *expr;
	uint32_t label;
	bool at_to;

	if (!request->by)
		return NULL;
	TRY(parse_by(request->by, &expr, &at_to));
	breakpoint = at_to ? timed->exit_point : timed->entry;
	error = probe_use_expr(session->probe, breakpoint, USE_LABEL, expr,
			       &label);
	if (error)
		return error_prefix(error, "by");
	probe_drop_expr(session->probe, breakpoint, USE_LABEL, label);
	return NULL;
}

static void forget(struct session *session, struct breakpoint *breakpoint)
{
	probe_remove(session->probe, breakpoint);
	probe_forget(session->probe, breakpoint);
}

static struct error *add_breakpoints(struct session *session,
				     const char *location, struct timed *timed)
{
	struct error *error;
	struct expr *one;

	TRY(expr_parse("1", &one));
	TRY(probe_add(session->probe, REQUEST_ENTRY, location, one,
		      &timed->entry));
	error = expr_parse("1", &one);
	if (!error)
		error = probe_add(session->probe, REQUEST_EXIT, location, one,
				  &timed->exit_point);
	if (error)
		forget(session, timed->entry);
	return error;
}

static struct error *add_timed_leg(struct session *session,
				   const struct time_request *request,
				   struct timed *timed)
{
	struct leg_request leg = {.match = MATCH_NESTED,
				  .match_given = true,
				  .owner_given = true,
				  .by = request->by,
				  .rows = request->rows};
	struct histogram_spec hdr = {.class = HISTOGRAM_HDR, .scale = -1};
	struct str quiet = {0};
	struct error *error;

	error = add_one_leg(session, &leg, timed->entry->id,
			    timed->exit_point->id, &timed->leg, &quiet);
	str_deinit(&quiet);
	if (error)
		return error;
	return measure_leg_add_histogram(session->measure, timed->leg, &hdr);
}

/* Entry, exit, leg and histogram of one function (or of a pattern that names
 * none yet). `lenient`: one of several, which need not be split. */
static struct error *time_location(struct session *session,
				   const struct time_request *request,
				   const char *location, bool lenient,
				   struct str *out)
{
	struct time_request wanted = *request;
	struct timed timed = {0};
	struct error *error;

	TRY(stand_still(session));
	TRY(add_breakpoints(session, location, &timed));
	error = check_by(session, request, &timed);
	if (error && lenient) {
		session_note(session, "%s is not split: %s", location,
			     error_message(error));
		error_destroy(error);
		wanted.by = NULL;
	} else if (error) {
		forget(session, timed.exit_point);
		forget(session, timed.entry);
		return error;
	}
	TRY(add_timed_leg(session, &wanted, &timed));
	str_printf(out, "Leg %u: ", timed.leg);
	if (timed.entry->places.count)
		str_printf(out, "nodes %u -> %u, ", timed.entry->id,
			   timed.exit_point->id);
	describe_breakpoint(timed.entry, out);
	if (wanted.by)
		str_printf(out, ", by %s", wanted.by);
	str_append(out, "\n");
	if (timed.entry->places.count && !timed.exit_point->places.count)
		session_note(session,
			     "%s has no exit: it never returns, or is inlined "
			     "wherever it is called",
			     location);
	return NULL;
}

static bool is_new(const struct named_function_list *list, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (str_equal(list->data[i].function.name,
			      list->data[index].function.name) &&
		    list->data[i].module == list->data[index].module)
			return false;
	return true;
}

/* Does it name this function and no other? */
static bool is_apart(const struct named_function *named, const char *name)
{
	struct function_list found = {0};
	bool apart;

	if (str_equal(name, named->function.name))
		return true;
	if (strpbrk(name, "*?[@+"))
		return false;
	error_destroy(debugfile_find_functions(module_file(named->module), name,
					       &found));
	apart = found.count == 1 &&
		found.data[0].address == named->function.address;
	vec_free(&found);
	return apart;
}

/* A name for people, if there is one. */
static char *name_apart(const struct named_function *named)
{
	const char *linked = named->function.name;
	char *name = debuginfo_demangle(linked);

	if (is_apart(named, name))
		return name;
	free(name);
	name = debuginfo_demangle_apart(linked);
	if (is_apart(named, name))
		return name;
	free(name);
	return xstrdup(linked);
}

/* *ADDRESS is none. */
static bool is_glob(const char *pattern)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool glob = !error && location.kind == LOCATION_FUNCTION &&
		    str_is_glob(location.name);

	if (error)
		error_destroy(error);
	else
		location_deinit(&location);
	return glob;
}

static struct error *time_functions(struct session *session,
				    const struct time_request *request,
				    const struct named_function_list *list,
				    struct str *out)
{
	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(free_pointer) char *name = NULL;
		CLEANUP(free_pointer) char *location = NULL;

		if (!is_new(list, i))
			continue;
		if (list->count == 1 && !is_glob(request->pattern)) {
			location = xstrdup(request->pattern);
		} else {
			name = name_apart(&list->data[i]);
			location = xasprintf("%s@%s", name,
					     module_name(list->data[i].module));
		}
		TRY(time_location(session, request, location, list->count > 1,
				  out));
	}
	return NULL;
}

/* More than 1,000 are asked about first. */
static struct error *ask_if_many(struct session *session, const char *pattern,
				 size_t count)
{
	CLEANUP(free_pointer)
	char *question = xasprintf("%s names %zu functions. Time them all?",
				   pattern, count);

	if (count > MOST_FUNCTIONS &&
	    !session->ui.confirm(session->ui.context, question))
		return error_create(ERROR_OTHER,
				    "%s names more than %d functions", pattern,
				    MOST_FUNCTIONS);
	return NULL;
}

void pending_time_deinit(struct pending_time *pending)
{
	free(pending->pattern);
	free(pending->by);
}

/* A leg per function. */
static struct error *time_pattern(struct session *session,
				  const struct time_request *request,
				  const struct named_function_list *list,
				  struct str *out)
{
	const char *pattern = request->pattern;

	if (list->count)
		return time_functions(session, request, list, out);
	if (!is_glob(pattern))
		return time_location(session, request, pattern, false, out);
	vec_push(&session->pending_times,
		 (struct pending_time){.pattern = xstrdup(pattern),
				       .by = request->by ? xstrdup(request->by)
							 : NULL,
				       .rows = request->rows});
	str_printf(out, "%s is pending: no function is named so yet\n",
		   pattern);
	return NULL;
}

/* The search, which may take its time, and the question are done while the
 * program still runs; what is found is looked for anew when it stands. */
static struct error *find_functions(struct session *session,
				    const char *pattern,
				    struct named_function_list *list)
{
	TRY(probe_functions(session->probe, pattern, list));
	TRY(ask_if_many(session, pattern, list->count));
	if (!session_runs_on(session))
		return NULL;
	TRY(stand_still(session));
	vec_free(list);
	*list = (struct named_function_list){0};
	return probe_functions(session->probe, pattern, list);
}

/* A mistake is told before anything is done. */
static struct error *check_words(const char *by)
{
	struct expr *expr;
	bool at_to;

	if (!by)
		return NULL;
	TRY(parse_by(by, &expr, &at_to));
	expr_destroy(expr);
	return NULL;
}

struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out)
{
	struct named_function_list list = {0};
	struct error *error;

	TRY(check_words(request->by));
	TRY(need_program(session));
	error = find_functions(session, request->pattern, &list);
	if (!error)
		error = time_pattern(session, request, &list, out);
	vec_free(&list);
	return error ? error : session_monitor(session, true);
}

void session_time_pending(struct session *session)
{
	for (size_t i = session->pending_times.count; i-- > 0;) {
		struct pending_time pending = session->pending_times.data[i];
		const struct time_request request = {pending.pattern,
						     pending.by, pending.rows};
		struct named_function_list list = {0};
		struct str out = {0};
		struct error *error;

		error = probe_functions(session->probe, pending.pattern, &list);
		if (!error)
			error = ask_if_many(session, pending.pattern,
					    list.count);
		if (!error && list.count)
			error = time_functions(session, &request, &list, &out);
		if (error)
			session_note(session, "%s", error_message(error));
		session->lost_times |= error != NULL;
		if (error || list.count) {
			vec_remove(&session->pending_times, i);
			pending_time_deinit(&pending);
		}
		error_destroy(error);
		str_deinit(&out);
		vec_free(&list);
	}
}

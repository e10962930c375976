/*
 * time.c - `time FUNC`: breakpoints, a leg and a histogram for each function
 */
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"
#include "timed.h"

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

struct error *time_location(struct session *session,
			    const struct time_request *request,
			    const char *location, bool lenient,
			    struct timed *made, struct str *out)
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
	*made = timed;
	return NULL;
}

bool is_first_named(const struct named_function_list *list, size_t index)
{
	const struct named_function *this = &list->data[index];

	for (size_t i = 0; i < index; i++) {
		const struct named_function *other = &list->data[i];

		if (other->module != this->module)
			continue;
		if (this->function.name
			    ? str_equal(other->function.name,
					this->function.name)
			    : other->function.address == this->function.address)
			return false;
	}
	return true;
}

/* Is it a name that can be asked for, and names this function and no other? */
static bool is_apart(const struct named_function *named, const char *name)
{
	struct function_list found = {0};
	struct location location;
	struct error *error;
	bool apart;

	if (str_equal(name, named->function.name))
		return true;
	error = location_parse(name, &location);
	if (error) {
		error_destroy(error);
		return false;
	}
	apart = location.kind == LOCATION_FUNCTION && !location.module &&
		!location.source && str_equal(location.name, name);
	location_deinit(&location);
	if (!apart)
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
	char *name;

	if (!linked)
		return xasprintf("*0x%lx", named->function.address);
	name = debuginfo_demangle(linked);
	if (is_apart(named, name))
		return name;
	free(name);
	name = debuginfo_demangle_apart(linked);
	if (is_apart(named, name))
		return name;
	free(name);
	return xstrdup(linked);
}

bool is_function_glob(const char *pattern, bool *has_module)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool glob;

	if (error) {
		error_destroy(error);
		return false;
	}
	glob = location.kind == LOCATION_FUNCTION &&
	       debuginfo_is_glob(location.name);
	if (has_module)
		*has_module = location.module != NULL;
	location_deinit(&location);
	return glob;
}

/* Where one of them is: as it was asked for, if that names it alone. */
/* Is it a place of its own, whatever function is there: *ADDRESS? */
static bool is_address(const char *pattern)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool is = !error && location.kind == LOCATION_ADDRESS;

	if (!error)
		location_deinit(&location);
	error_destroy(error);
	return is;
}

char *timed_location(const char *pattern,
		     const struct named_function_list *list, size_t index)
{
	const struct named_function *named = &list->data[index];
	CLEANUP(free_pointer) char *name = name_apart(named);

	if (list->count == 1 && (!str_is_glob(pattern) || is_address(pattern) ||
				 str_equal(name, pattern)))
		return xstrdup(pattern);
	return xasprintf("%s@%s", name, module_name(named->module));
}

struct error *time_functions(struct session *session,
			     const struct time_request *request,
			     const struct named_function_list *list,
			     struct str *out)
{
	struct timed timed;

	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(free_pointer) char *location = NULL;

		if (!is_first_named(list, i))
			continue;
		location = timed_location(request->pattern, list, i);
		TRY(time_location(session, request, location, list->count > 1,
				  &timed, out));
	}
	return NULL;
}

/* More than 1,000 are asked about first. */
struct error *ask_if_many(struct session *session, const char *pattern,
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

static struct error *time_pattern(struct session *session,
				  const struct time_request *request,
				  const struct named_function_list *list,
				  struct str *out)
{
	const char *pattern = request->pattern;
	struct timed timed;

	if (list->count) {
		TRY(time_functions(session, request, list, out));
		if (is_function_glob(pattern, NULL) && any_of_program(list))
			keep_pending(session, request, list, NULL);
		return NULL;
	}
	if (!is_function_glob(pattern, NULL)) {
		TRY(time_location(session, request, pattern, false, &timed,
				  out));
		keep_pending(session, request, list, &timed);
		return NULL;
	}
	keep_pending(session, request, list, NULL);
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
	TRY(probe_functions(session->probe, pattern, NULL, list));
	TRY(ask_if_many(session, pattern, list->count));
	if (!session_runs_on(session))
		return NULL;
	TRY(stand_still(session));
	vec_free(list);
	*list = (struct named_function_list){0};
	return probe_functions(session->probe, pattern, NULL, list);
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

/* *NAME, elsewhere the address of a function, is a glob here: what is timed is
 * a function anyway. */
static char *as_glob(const char *pattern)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	bool is_address =
		!error && location.kind == LOCATION_OFFSET && *pattern == '*';

	if (error)
		error_destroy(error);
	else
		location_deinit(&location);
	return xasprintf("%s%s", is_address ? "*" : "", pattern);
}

struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out)
{
	CLEANUP(free_pointer) char *pattern = as_glob(request->pattern);
	struct time_request wanted = *request;
	struct named_function_list list = {0};
	struct error *error;

	wanted.pattern = pattern;
	TRY(check_words(request->by));
	TRY(need_program(session));
	error = find_functions(session, pattern, &list);
	if (!error)
		error = time_pattern(session, &wanted, &list, out);
	vec_free(&list);
	return error ? error : session_monitor(session, true);
}

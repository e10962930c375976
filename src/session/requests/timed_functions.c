/*
 * timed_functions.c - `time FUNC`: finds the functions that the patterns name,
 * and the location of each
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/measure/measured_legs.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"
#include "requests.h"
#include "session/names/names.h"
#include "timed_legs.h"

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

/* Can the user name a function by this text, and does the text then mean this
 * function and no other function of its module? */
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

/* Returns a readable name that means only this function, if there is one; else
 * the linkage name, or *ADDRESS for a function without a name. The caller frees
 * the text. */
static char *name_apart(const struct named_function *named)
{
	const char *linked = named->function.name;
	char *name;

	if (!linked)
		return xasprintf("*0x%lx", named->function.address);
	name = debugfile_demangle(module_file(named->module), linked);
	if (is_apart(named, name))
		return name;
	free(name);
	name = debuginfo_demangle_apart(linked);
	if (is_apart(named, name))
		return name;
	free(name);
	return xstrdup(linked);
}

/* Returns the FILE of a pattern of the form FILE:FUNC, which the caller frees,
 * or NULL if the pattern has another form. */
static char *source_of(const char *pattern)
{
	struct location location;
	struct error *error = location_parse(pattern, &location);
	char *source = NULL;

	if (!error) {
		source = location.source;
		location.source = NULL;
		location_deinit(&location);
	}
	error_destroy(error);
	return source;
}

/* Is the pattern of the form *ADDRESS? Such a pattern means one place, whatever
 * function is there. */
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

/* Returns the location of one of the functions: the pattern itself, if the
 * pattern names this function alone. */
char *timed_location(const char *pattern,
		     const struct named_function_list *list, size_t index)
{
	const struct named_function *named = &list->data[index];
	CLEANUP(free_pointer) char *name = name_apart(named);
	CLEANUP(free_pointer) char *source = source_of(pattern);

	if (list->count == 1 && (!str_is_glob(pattern) || is_address(pattern) ||
				 str_equal(name, pattern)))
		return xstrdup(pattern);
	return xasprintf("%s%s%s@%s", source ? source : "", source ? ":" : "",
			 name, module_name(named->module));
}

static struct error *time_each(struct session *session,
			       const struct time_request *request,
			       const char *pattern,
			       const struct named_function_list *functions,
			       struct timed_list *list)
{
	for (size_t i = 0; i < functions->count; i++) {
		CLEANUP(free_pointer) char *location = NULL;

		TRY(check_interrupt(session));
		if (!is_first_named(functions, i))
			continue;
		location = timed_location(pattern, functions, i);
		TRY(timed_add(session, request, location, functions->count > 1,
			      list));
	}
	return NULL;
}

struct error *time_functions(struct session *session,
			     const struct time_request *request,
			     const char *pattern,
			     const struct named_function_list *functions,
			     struct timed_list *list)
{
	struct error *error;

	probe_begin_many(session->probe, !session->in_loop);
	error = time_each(session, request, pattern, functions, list);
	probe_end_many(session->probe);
	return error;
}

size_t most_functions(const struct time_request *request)
{
	return request->most ? request->most : MOST_FUNCTIONS;
}

/* Asks the user before more than 1,000 functions are timed, unless the user has
 * said that there may be so many (`most=`). */
struct error *ask_if_many(struct session *session,
			  const struct time_request *request,
			  const char *pattern, size_t count)
{
	CLEANUP(free_pointer)
	char *question = xasprintf("%s names %zu functions. Time them all?",
				   pattern, count);

	if (count > most_functions(request) &&
	    !session->ui.confirm(session->ui.context, question))
		return error_create(ERROR_OTHER,
				    "%s names %zu functions, more than %zu; "
				    "`time \"%s\" most=%zu' times them all",
				    pattern, count, most_functions(request),
				    pattern, count);
	return NULL;
}

/* Checks the expressions of the request, so that a mistake is reported before
 * anything is done. */
static struct error *check_words(const struct time_request *request)
{
	struct error *error;
	struct expr *expr;
	bool at_to;

	if (request->condition) {
		error = expr_parse(request->condition, &expr);
		if (error)
			return error_prefix(error, "condition");
		expr_destroy(expr);
	}
	if (request->name && (request->count > 1 ||
			      is_function_glob(request->patterns[0], NULL)))
		return error_create(ERROR_USAGE,
				    "`name=' names one leg; time the functions "
				    "that get no name in a command of their "
				    "own");
	if (!request->by)
		return NULL;
	TRY(parse_by(request->by, &expr, &at_to));
	expr_destroy(expr);
	return NULL;
}

/* One of the patterns, the functions that it names, and the breakpoints that
 * were made for these functions. */
struct wanted {
	char *pattern; /* owned by this struct */
	struct named_function_list functions;
	struct timed_list timed;
	/* the modules that were searched for the functions */
	struct held_modules searched;
	/* No module has the name, and it is kept for what is loaded later. */
	bool unknown;
};

static void wanted_deinit(struct wanted *wanted)
{
	free(wanted->pattern);
	vec_free(&wanted->functions);
	timed_list_deinit(&wanted->timed);
	held_modules_let_go(&wanted->searched);
}

/* Reads what the breakpoints of the functions will need. */
static struct error *prepare_functions(struct session *session,
				       const struct wanted *wanted)
{
	const struct named_function_list *functions = &wanted->functions;

	for (size_t i = 0; i < functions->count; i++) {
		CLEANUP(free_pointer) char *location = NULL;
		struct breakpoint *sought;
		struct error *error;

		TRY(check_interrupt(session));
		if (!is_first_named(functions, i))
			continue;
		location = timed_location(wanted->pattern, functions, i);
		error = probe_seek(session->probe, REQUEST_RETURN, location,
				   NULL, &sought);
		if (!error)
			probe_end_seek(sought);
		/* Who makes the breakpoint reports the error. */
		error_destroy(error);
	}
	return NULL;
}

/* Finds the functions that a pattern names. The search may take long, and so
 * may the user's answer to a question. Both are done while the program still
 * runs, and a name that no function has does not stop the program at all. */
static struct error *find_functions(struct session *session,
				    const struct time_request *request,
				    struct wanted *wanted)
{
	const char *pattern = wanted->pattern;
	struct named_function_list *list = &wanted->functions;
	bool glob = is_function_glob(pattern, NULL);

	probe_hold_modules(session->probe, &wanted->searched);
	TRY(probe_functions(session->probe, pattern, NULL, list));
	TRY(ask_if_many(session, request, pattern, list->count));
	if (!list->count && glob)
		TRY(check_pattern(session, pattern));
	if (!list->count && !glob)
		TRY(check_sought(session, REQUEST_ENTRY, pattern, NULL,
				 &wanted->unknown));
	if (session_runs_on(session))
		TRY(prepare_functions(session, wanted));
	return check_interrupt(session);
}

/* Has the program stand still. It may have loaded libraries since the search;
 * then the function searches again. */
static struct error *find_again(struct session *session, struct wanted *wanted)
{
	TRY(stand_still(session));
	if (held_modules_are_all(session->probe, &wanted->searched))
		return NULL;
	vec_clear(&wanted->functions);
	return probe_functions(session->probe, wanted->pattern, NULL,
			       &wanted->functions);
}

/* Makes the breakpoints of a name that no function has now, for a library that
 * is loaded later. */
static struct error *time_later(struct session *session,
				const struct time_request *request,
				struct wanted *wanted)
{
	struct timed_list *timed = &wanted->timed;

	TRY(timed_add(session, request, wanted->pattern, false, timed));
	return wanted->unknown ? NULL
			       : check_known(session, timed->data[0].entry);
}

static struct error *add_wanted(struct session *session,
				const struct time_request *request,
				struct wanted *wanted)
{
	struct timed_list *timed = &wanted->timed;
	bool any = false;

	TRY(find_again(session, wanted));
	if (!wanted->functions.count &&
	    !is_function_glob(wanted->pattern, NULL))
		return time_later(session, request, wanted);
	TRY(time_functions(session, request, wanted->pattern,
			   &wanted->functions, timed));
	if (!timed->count)
		return NULL;
	if (request->name && timed->count > 1)
		return error_create(ERROR_USAGE,
				    "`name=' names one leg, and `%s' makes %zu",
				    wanted->pattern, timed->count);
	for (size_t i = 0; i < timed->count; i++)
		any |= timed->data[i].entry != NULL;
	if (!any)
		return error_create(ERROR_USAGE, "%s", timed->data[0].remark);
	return NULL;
}

static struct error *begin_wanted(struct session *session,
				  const struct time_request *request,
				  const struct wanted *wanted, struct str *out)
{
	const struct named_function_list *functions = &wanted->functions;
	bool glob = is_function_glob(wanted->pattern, NULL);

	TRY(timed_begin(session, request, &wanted->timed, out));
	if (!functions->count && glob)
		str_printf(out,
			   "%s is pending: no function has this name yet\n",
			   wanted->pattern);
	if (!functions->count || (glob && any_of_program(functions)))
		keep_pending(session, request, wanted->pattern, functions,
			     glob ? NULL : &wanted->timed.data[0]);
	return NULL;
}

struct error *session_time(struct session *session,
			   const struct time_request *request, struct str *out)
{
	VEC(struct wanted) all = {0};
	struct error *error;

	TRY(check_words(request));
	TRY(need_program(session));
	error = NULL;
	session->is_abandonable = true;
	for (size_t i = 0; !error && i < request->count; i++) {
		CLEANUP(free_pointer)
		char *pattern = function_pattern(request->patterns[i]);
		struct wanted wanted = {.pattern =
						in_context(session, pattern)};

		error = find_functions(session, request, &wanted);
		vec_push(&all, wanted);
	}
	for (size_t i = 0; !error && i < all.count; i++)
		error = add_wanted(session, request, &all.data[i]);
	session->is_abandonable = false;
	for (size_t i = all.count; error && i-- > 0;)
		timed_forget(session, &all.data[i].timed);
	for (size_t i = 0; !error && i < all.count; i++) {
		error = begin_wanted(session, request, &all.data[i], out);
		session->timed_pattern |=
			is_function_glob(all.data[i].pattern, NULL);
	}
	for (size_t i = 0; i < all.count; i++)
		wanted_deinit(&all.data[i]);
	vec_free(&all);
	if (error && request->made)
		vec_clear(request->made);
	if (error)
		return error;
	/* Suspended nodes stay suspended until the monitor goes on again. */
	return session->is_suspended ? NULL : session_monitor(session, true);
}

struct error *session_untime(struct session *session,
			     const struct timed_function *timed, size_t count)
{
	VEC(uint32_t) gone = {0};

	if (!count)
		return NULL;
	TRY(stand_still(session));
	TRY(settle_counts(session));
	for (size_t i = 0; i < count; i++) {
		const struct measure_leg *leg =
			measure_leg(session->measure, timed[i].leg);

		if (!leg)
			continue;
		release_leg(session, leg);
		error_destroy(
			measure_delete_leg(session->measure, timed[i].leg));
	}
	for (size_t i = 0; i < count; i++) {
		vec_push(&gone, timed[i].exit_point);
		vec_push(&gone, timed[i].entry);
		map_set_number(&session->taken_out, timed[i].exit_point, 1);
		map_set_number(&session->taken_out, timed[i].entry, 1);
	}
	remove_breakpoints(session, gone.data, gone.count);
	vec_free(&gone);
	return NULL;
}

bool session_timed_pattern(const struct session *session)
{
	return session->timed_pattern;
}

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

/* Entry, exit, leg and histogram of one function (or of a name that nothing has
 * yet). `lenient`: one of several, which need not be split. */
static struct error *time_location(struct session *session,
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

/* The first of this name in its module? One location has them all. */
static bool is_new(const struct named_function_list *list, size_t index)
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

/* *ADDRESS is no glob, nor is f(char*). */
static bool is_glob(const char *pattern, bool *has_module)
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
static char *location_of(const char *pattern,
			 const struct named_function_list *list, size_t index)
{
	const struct named_function *named = &list->data[index];
	CLEANUP(free_pointer) char *name = name_apart(named);

	if (list->count == 1 &&
	    (!str_is_glob(pattern) || *name == '*' || str_equal(name, pattern)))
		return xstrdup(pattern);
	return xasprintf("%s@%s", name, module_name(named->module));
}

static struct error *time_functions(struct session *session,
				    const struct time_request *request,
				    const struct named_function_list *list,
				    struct str *out)
{
	struct timed timed;

	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(free_pointer) char *location = NULL;

		if (!is_new(list, i))
			continue;
		location = location_of(request->pattern, list, i);
		TRY(time_location(session, request, location, list->count > 1,
				  &timed, out));
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

/* ---- libraries that come later --------------------------------------------
 */

void pending_time_deinit(struct pending_time *pending)
{
	free(pending->pattern);
	free(pending->by);
	strmap_deinit(&pending->searched);
}

/* All modules that there are now. */
static void mark_searched(struct session *session, struct strmap *searched)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++)
		strmap_set(searched, module_path(module), session);
}

static bool any_of_program(const struct named_function_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->data[i].foreign)
			return true;
	return false;
}

/* What is named in the program means nothing of what else is executed. */
static void drop_foreign(struct named_function_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!list->data[i].foreign)
			list->data[kept++] = list->data[i];
	list->count = kept;
}

/* Most that is called `s*' is in the C library, and nobody means it. */
static void drop_linked(struct session *session, const char *pattern,
			struct named_function_list *list)
{
	const struct module *last = NULL;
	struct str modules = {0};
	size_t kept = 0, dropped = 0;
	bool has_module;

	if (is_glob(pattern, &has_module) && has_module)
		return;

	for (size_t i = 0; i < list->count; i++) {
		const struct named_function *named = &list->data[i];

		if (!named->linked) {
			list->data[kept++] = *named;
			continue;
		}
		dropped++;
		if (named->module != last)
			str_printf(&modules, "%s%s", last ? ", " : "",
				   module_name(named->module));
		last = named->module;
	}
	list->count = kept;
	if (dropped)
		session_note(session,
			     "%s names %zu function%s in %s, too, not timed "
			     "unless with @MODULE",
			     pattern, dropped, dropped == 1 ? "" : "s",
			     str_text(&modules));
	str_deinit(&modules);
}

/* It may name something in a library that is loaded later. */
static void keep_pending(struct session *session,
			 const struct time_request *request,
			 const struct named_function_list *list,
			 const struct timed *timed)
{
	struct pending_time pending = {.pattern = xstrdup(request->pattern),
				       .by = request->by ? xstrdup(request->by)
							 : NULL,
				       .rows = request->rows,
				       .found = any_of_program(list)};

	if (timed) {
		pending.entry = timed->entry->id;
		pending.exit_point = timed->exit_point->id;
	}
	mark_searched(session, &pending.searched);
	vec_push(&session->pending_times, pending);
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
		if (is_glob(pattern, NULL) && any_of_program(list))
			keep_pending(session, request, list, NULL);
		return NULL;
	}
	if (!is_glob(pattern, NULL)) {
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

/* A name that is there now: if several have it, the leg that waited is the
 * first's, and each of the others gets one. */
static struct error *part_overloads(struct session *session,
				    const struct time_request *request,
				    const struct pending_time *pending,
				    const struct named_function_list *list)
{
	struct breakpoint *entry = probe_find(session->probe, pending->entry);
	struct breakpoint *exit_point =
		probe_find(session->probe, pending->exit_point);
	struct str out = {0};
	struct error *error = NULL;
	struct timed timed;
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += is_new(list, i);
	for (size_t i = 0; !error && count > 1 && i < list->count; i++) {
		CLEANUP(free_pointer) char *location = NULL;

		if (!is_new(list, i))
			continue;
		location = location_of(request->pattern, list, i);
		if (i) {
			error = time_location(session, request, location, true,
					      &timed, &out);
			continue;
		}
		error = probe_move(session->probe, entry, location);
		if (!error)
			error = probe_move(session->probe, exit_point,
					   location);
	}
	str_deinit(&out);
	return error;
}

/* What it names in what has come. `*done`: it needs not be looked at again. */
static struct error *look_again(struct session *session,
				struct pending_time *pending,
				struct named_function_list *list, bool *done)
{
	const struct time_request request = {pending->pattern, pending->by,
					     pending->rows};
	struct str out = {0};
	struct error *error;

	/* one of them is deleted: so is the request */
	*done = pending->entry &&
		(!probe_find(session->probe, pending->entry) ||
		 !probe_find(session->probe, pending->exit_point));
	if (*done)
		return NULL;
	TRY(probe_functions(session->probe, pending->pattern,
			    &pending->searched, list));
	mark_searched(session, &pending->searched);
	if (pending->found || any_of_program(list))
		drop_foreign(list);
	if (pending->found)
		drop_linked(session, pending->pattern, list);
	*done = list->count && (pending->entry || !any_of_program(list));
	if (pending->entry)
		return part_overloads(session, &request, pending, list);
	if (pending->found && list->count > MOST_FUNCTIONS) {
		session_note(session,
			     "%s names %zu more functions in libraries, which "
			     "are not timed",
			     pending->pattern, list->count);
		return NULL;
	}
	if (!pending->found)
		TRY(ask_if_many(session, pending->pattern, list->count));
	pending->found |= any_of_program(list);
	error = time_functions(session, &request, list, &out);
	str_deinit(&out);
	return error;
}

void session_time_pending(struct session *session)
{
	for (size_t i = session->pending_times.count; i-- > 0;) {
		struct pending_time pending = session->pending_times.data[i];
		struct named_function_list list = {0};
		struct error *error;
		bool done = false;

		error = look_again(session, &pending, &list, &done);
		vec_free(&list);
		if (error)
			session_note(session, "%s", error_message(error));
		session->lost_times |= error != NULL;
		session->pending_times.data[i] = pending;
		if (error || done) {
			vec_remove(&session->pending_times, i);
			pending_time_deinit(&pending);
		}
		error_destroy(error);
	}
}

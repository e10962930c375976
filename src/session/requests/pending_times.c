/*
 * pending_times.c - `time FUNC` for functions in libraries that are loaded
 * later. Such a request is pending: it waits for a library that has its
 * functions. Callers of the session can have functions timed in the same way
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/session/measurements.h"
#include "perftool/session/user_interface.h"
#include "requests.h"
#include "session/names/names.h"
#include "timed_legs.h"

void pending_time_deinit(struct pending_time *pending)
{
	free(pending->pattern);
	free(pending->condition);
	free(pending->by);
	strmap_deinit(&pending->searched);
}

/* Adds the paths of all modules that are loaded now to the set of searched
 * modules. */
static void mark_searched(struct session *session, struct strmap *searched)
{
	const struct module *module;

	for (size_t i = 0; (module = probe_module(session->probe, i)); i++)
		strmap_set(searched, module_path(module), session);
}

bool any_of_program(const struct named_function_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->data[i].foreign)
			return true;
	return false;
}

/* Removes the functions that are only in other programs than the user's. The
 * pattern has named a function of the user's program, so the pattern does not
 * mean functions of other programs that a process executes. */
static void drop_foreign(struct named_function_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (!list->data[i].foreign)
			list->data[kept++] = list->data[i];
	list->count = kept;
}

/* Removes the functions of libraries that the program is linked with, and tells
 * the user of these functions. Most functions that a pattern such as `s*` names
 * are in the C library, and the user does not mean those functions. A pattern
 * with @MODULE does mean the functions of that module. */
static void drop_linked(struct session *session, const char *pattern,
			struct named_function_list *list)
{
	const struct module *last = NULL;
	struct str modules = {0};
	size_t kept = 0, dropped = 0;
	bool has_module;

	if (is_function_glob(pattern, &has_module) && has_module)
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
			     "%s names %zu function%s in %s, too, which "
			     "perftool times only if you add @MODULE",
			     pattern, dropped, dropped == 1 ? "" : "s",
			     str_text(&modules));
	str_deinit(&modules);
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

void keep_pending(struct session *session, const struct time_request *request,
		  const char *pattern, const struct named_function_list *list,
		  const struct timed *timed)
{
	struct pending_time pending = {.pattern = xstrdup(pattern),
				       .condition = copy(request->condition),
				       .by = copy(request->by),
				       .view = request->view,
				       .most = request->most,
				       .found = any_of_program(list)};

	if (timed) {
		pending.entry = breakpoint_id(timed->entry);
		pending.exit_point = breakpoint_id(timed->exit_point);
	}
	mark_searched(session, &pending.searched);
	vec_push(&session->pending_times, pending);
}

/* Adds the legs of the functions that the program has just loaded. On an error,
 * removes the breakpoints of these functions again, and leaves no leg. */
static struct error *begin_all(struct session *session,
			       const struct time_request *request,
			       struct error *error, struct timed_list *list)
{
	struct str out = {0};

	if (error)
		timed_forget(session, list);
	else
		error = timed_begin(session, request, list, &out);
	str_deinit(&out);
	timed_list_deinit(list);
	return error;
}

/* Does the list have functions of different linkage names? A function that
 * exists in several modules under one linkage name, as sigaction does in libc
 * and in the loader, counts as one function for the user. */
static bool has_overloads(const struct named_function_list *list)
{
	for (size_t i = 1; i < list->count; i++)
		if (!str_equal(list->data[i].function.name,
			       list->data[0].function.name))
			return true;
	return false;
}

/* Handles a pending plain name, now that functions of this name are loaded. If
 * several functions have the name (overloads), the first function keeps the
 * breakpoints and the leg that were made for the name, and each of the other
 * functions gets breakpoints and a leg of its own. */
static struct error *part_overloads(struct session *session,
				    const struct time_request *request,
				    const struct pending_time *pending,
				    const struct named_function_list *functions)
{
	struct breakpoint *entry = probe_find(session->probe, pending->entry);
	struct breakpoint *exit_point =
		probe_find(session->probe, pending->exit_point);
	struct timed_list list = {0};
	struct error *error = NULL;
	size_t count = has_overloads(functions) ? functions->count : 0;

	probe_begin_many(session->probe, false);
	for (size_t i = 0; !error && i < count; i++) {
		CLEANUP(free_pointer) char *location = NULL;

		if (!is_first_named(functions, i))
			continue;
		location = timed_location(pending->pattern, functions, i);
		if (i) {
			error = timed_add(session, request, location, true,
					  &list);
			continue;
		}
		error = probe_move(session->probe, entry, location);
		if (!error)
			error = probe_move(session->probe, exit_point,
					   location);
	}
	probe_end_many(session->probe);
	return begin_all(session, request, error, &list);
}

/* Must a question to the user wait? The program has the terminal while it runs,
 * so the user cannot type an answer there. */
static bool must_wait(const struct session *session,
		      const struct time_request *request,
		      const struct pending_time *pending, size_t count)
{
	return session->in_loop && session->ui.interactive && !pending->found &&
	       !pending->entry && count > most_functions(request);
}

/* Stops all threads so that the user can be asked. The thread that has loaded
 * the library stops with the others, before it executes any code of the
 * library. */
static struct error *stop_to_ask(struct session *session)
{
	session->must_ask = true;
	return stop_threads(session, clock_now(&session->clock));
}

/* Searches the modules that were loaded since the last search for functions
 * that a pending request names. `stopped`: all threads are stopped, so that the
 * tool can ask the user. `*done`: the request is not needed any more. */
static struct error *look_again(struct session *session, bool stopped,
				struct pending_time *pending,
				struct named_function_list *list, bool *done)
{
	const struct time_request request = {.condition = pending->condition,
					     .by = pending->by,
					     .view = pending->view,
					     .most = pending->most};
	struct timed_list timed = {0};
	struct error *error = NULL;

	/* The user has deleted a breakpoint of the request, and the request
	 * with it. */
	*done = pending->entry &&
		(!probe_find(session->probe, pending->entry) ||
		 !probe_find(session->probe, pending->exit_point));
	if (*done)
		return NULL;
	TRY(probe_functions(session->probe, pending->pattern,
			    &pending->searched, list));
	if (pending->found || any_of_program(list))
		drop_foreign(list);
	if (!stopped && must_wait(session, &request, pending, list->count))
		return stop_to_ask(session);
	mark_searched(session, &pending->searched);
	if (pending->found)
		drop_linked(session, pending->pattern, list);
	*done = list->count && (pending->entry || !any_of_program(list));
	if (pending->entry)
		return part_overloads(session, &request, pending, list);
	if (pending->found && list->count > most_functions(&request)) {
		session_note(session,
			     "%s names %zu more functions in libraries, which "
			     "perftool does not time, because they are so "
			     "many; with most=%zu perftool times them",
			     pending->pattern, list->count, list->count);
		return NULL;
	}
	if (!pending->found)
		error = ask_if_many(session, &request, pending->pattern,
				    list->count);
	if (error && !session->ui.interactive && !session->failure) {
		/* Without a prompt nobody can answer the question. The run
		 * fails as it would if the command had failed: the program
		 * executes nothing more. */
		session->failure = error;
		*done = true;
		return session->in_loop
			       ? stop_threads(session,
					      clock_now(&session->clock))
			       : NULL;
	}
	TRY(error);
	pending->found |= any_of_program(list);
	error = time_functions(session, &request, pending->pattern, list,
			       &timed);
	return begin_all(session, &request, error, &timed);
}

static void look_at_all(struct session *session, bool stopped)
{
	for (size_t i = session->pending_times.count; i-- > 0;) {
		struct pending_time pending = session->pending_times.data[i];
		struct named_function_list list = {0};
		struct error *error;
		bool done = false;

		error = look_again(session, stopped, &pending, &list, &done);
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

void session_time_pending(struct session *session)
{
	/* The tool asks no question about a program that is ending. */
	if (is_over(session))
		return;
	look_at_all(session, false);
	if (session->loaded)
		session->loaded(session->loaded_context);
}

void session_on_libraries(struct session *session, session_loaded_fn *loaded,
			  void *context)
{
	session->loaded = loaded;
	session->loaded_context = context;
}

void ask_pending(struct session *session, bool foreground)
{
	struct session_ui *ui = &session->ui;
	uint64_t since = clock_now(&session->clock);

	session->must_ask = false;
	if (is_over(session))
		return;
	if (foreground)
		ui->program_stopped(ui->context);
	look_at_all(session, true);
	if (foreground)
		ui->program_runs(ui->context, session->group);
	/* The time that the user takes for the answer does not count for the
	 * duration of the run. Before the program's first instruction
	 * (STARTING) no time counts anyway. */
	if (session->state != RUN_STARTING)
		session->still_ns += clock_now(&session->clock) - since;
}

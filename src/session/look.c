/*
 * look.c - looking at the stopped program: threads, frames, source, values
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "perftool/base/alloc.h"

#define MOST_FRAMES 1000
#define LISTED_LINES 10

/* Where a thread is. */
struct position {
	struct thread *thread;
	struct user_regs_struct regs;
	struct error *error; /* why it is not known */
};
VEC_STRUCT(position_list, struct position);

static void list_thread(struct session *session,
			const struct position *position, struct str *out)
{
	struct thread *thread = position->thread;
	char name[17], state;

	target_thread_info(thread, &state, name);
	str_printf(out, "%c %8d  %-16s %c  ",
		   thread == session->selected ? '*' : ' ', thread->tid, name,
		   state);
	if (position->error) {
		str_append(out, error_message(position->error));
	} else {
		str_printf(out, "0x%012llx ", position->regs.rip);
		describe_address(session, thread->process, position->regs.rip,
				 out);
	}
	str_append(out, "\n");
}

static void find_positions(struct session *session, struct position_list *out)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		struct process *process = session->followed.data[i].process;

		for (size_t j = 0; j < process->threads.count; j++) {
			struct position at = {.thread =
						      process->threads.data[j]};

			at.error = probe_get_regs(session->probe, at.thread,
						  &at.regs);
			vec_push(out, at);
		}
	}
}

struct error *session_list_threads(struct session *session, struct str *out)
{
	struct position_list positions = {0};
	const struct process *last = NULL;
	struct error *error;

	if (!session->followed.count) {
		str_append(out, "No threads.\n");
		return NULL;
	}
	TRY(need_still(session));
	find_positions(session, &positions);
	/* to find names for addresses may take its time */
	error = go_on(session);
	for (size_t i = 0; i < positions.count; i++) {
		struct position *at = &positions.data[i];

		if (!error && session->followed.count > 1 &&
		    at->thread->process != last)
			str_printf(out, "Process %d\n",
				   at->thread->process->pid);
		last = at->thread->process;
		if (!error)
			list_thread(session, at, out);
		error_destroy(at->error);
	}
	vec_free(&positions);
	return error;
}

/* The thread to look at, standing still: the one chosen, else the first. */
static struct error *need_thread(struct session *session, struct thread **out)
{
	struct process *process;

	TRY(need_still(session));
	process = session->process ? session->process
				   : session->followed.data[0].process;
	if (!session->selected && process->threads.count)
		session->selected = process->threads.data[0];
	*out = session->selected;
	return session->selected
		       ? NULL
		       : error_create(ERROR_GONE, "process %d is ending",
				      process->pid);
}

struct error *session_select_thread(struct session *session, pid_t tid)
{
	struct thread *thread;

	TRY(need_process(session));
	thread = followed_thread(session, tid);
	if (!thread)
		return error_create(ERROR_NOT_FOUND, "no thread %d", tid);
	session->selected = thread;
	return NULL;
}

/* ---- frames ----------------------------------------------------------------
 */

static void make_reader(struct process *process, const struct module *module,
			const struct user_regs_struct *regs,
			struct frame_reader *reader)
{
	*reader =
		(struct frame_reader){.read = target_read_callback,
				      .context = process,
				      .regs = regs,
				      .bias = module ? module_bias(module) : 0};
}

/* The caller's registers; false: this was the last frame. */
static bool unwind(struct session *session, struct process *process,
		   struct user_regs_struct *regs, bool innermost)
{
	/* a return address belongs to the call before it */
	struct user_regs_struct at = *regs, caller;
	const struct module *module;
	struct frame_reader reader;
	struct error *error;

	if (!innermost)
		at.rip--;
	module = probe_module_at(session->probe, process, at.rip);
	if (!module || !module_file(module))
		return false;
	make_reader(process, module, &at, &reader);
	error = debugfile_unwind(module_file(module), &reader, &caller);
	if (error) {
		error_destroy(error);
		return false;
	}
	if (!caller.rip || caller.rsp <= regs->rsp)
		return false;
	*regs = caller;
	return true;
}

struct error *session_where(struct session *session, struct str *out)
{
	struct user_regs_struct regs;
	struct thread *thread;

	TRY(need_thread(session, &thread));
	TRY(probe_get_regs(session->probe, thread, &regs));
	for (int i = 0; i < MOST_FRAMES; i++) {
		str_printf(out, "#%-3d 0x%012llx in ", i, regs.rip);
		describe_address(session, thread->process, regs.rip - (i > 0),
				 out);
		str_append(out, "\n");
		if (!unwind(session, thread->process, &regs, i == 0))
			break;
	}
	return NULL;
}

/* ---- values -------------------------------------------------------------- */

struct error *session_evaluate(struct session *session, const char *expression,
			       struct str *out)
{
	struct expr_input input = {0};
	struct user_regs_struct regs = {0};
	struct expr_place place = {0};
	struct scratch scratch = {.used = 0};
	const struct module *module = NULL;
	struct bound_expr *bound;
	struct thread *thread;
	struct function function;
	struct error *error;
	struct expr *expr;

	TRY(expr_parse(expression, &expr));
	if (session->followed.count) {
		error = need_thread(session, &thread);
		if (!error)
			error = probe_get_regs(session->probe, thread, &regs);
		if (error) {
			expr_destroy(expr);
			return error;
		}
		module = probe_module_at(session->probe, thread->process,
					 regs.rip);
		make_reader(thread->process, module, &regs, &input.reader);
		input.reader.read = target_thread_read;
		input.reader.read_vectors = target_thread_vectors;
		input.reader.context = thread;
		input.reader.scratch = &scratch;
		input.pid = thread->process->pid;
		input.tid = thread->tid;
	}
	if (module) {
		place.file = module_file(module);
		place.address = regs.rip - module_bias(module);
		place.at_entry =
			place.file &&
			debugfile_function_at(place.file, place.address,
					      &function) &&
			function.address == place.address;
	}
	input.node_count = session_node_count;
	input.context = session;
	error = expr_bind(expr, &place, &bound);
	if (!error) {
		if (!session->followed.count && !bound_expr_is_constant(bound))
			error = need_process(session);
		else
			error = bound_expr_print(bound, &input, out);
		bound_expr_destroy(bound);
	}
	expr_destroy(expr);
	if (error)
		return error;
	str_append_char(out, '\n');
	return NULL;
}

/* ---- source
 * ------------------------------------------------------------------ */

/* As the compiler saw it, else under one of the directories. */
static FILE *open_source(struct session *session, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *file = fopen(path, "re");

	for (size_t i = 0; !file && i < session->directories.count; i++) {
		char *candidate =
			xasprintf("%s/%s", session->directories.data[i],
				  slash ? slash + 1 : path);

		file = fopen(candidate, "re");
		free(candidate);
	}
	return file;
}

static bool has_break(struct session *session, const char *path, uint32_t line)
{
	struct breakpoint *breakpoint;

	for (size_t i = 0; (breakpoint = probe_at(session->probe, i)); i++)
		for (size_t j = 0;
		     !breakpoint->deleted && j < breakpoint->places.count; j++)
			if (breakpoint->places.data[j].line == line &&
			    breakpoint->places.data[j].file &&
			    str_equal(breakpoint->places.data[j].file, path))
				return true;
	return false;
}

static struct error *print_lines(struct session *session, const char *path,
				 uint32_t first, uint32_t current,
				 struct str *out)
{
	FILE *file = open_source(session, path);
	size_t capacity = 0;
	char *text = NULL;
	uint32_t line = 0;

	if (!file)
		return error_system(errno, "%s", path);
	while (line < first + LISTED_LINES - 1 &&
	       getline(&text, &capacity, file) > 0) {
		if (++line < first)
			continue;
		text[strcspn(text, "\n")] = '\0';
		str_printf(out, "%s%c%6u  %s\n", line == current ? "=>" : "  ",
			   has_break(session, path, line) ? '*' : ' ', line,
			   text);
	}
	free(text);
	fclose(file);
	if (line < first)
		return error_create(ERROR_NOT_FOUND, "%s has %u lines", path,
				    line);
	free(session->listed_file);
	session->listed_file = xstrdup(path);
	session->listed_line = first + LISTED_LINES;
	return NULL;
}

/* Where the selected thread is. */
static bool current_line(struct session *session, const char **path,
			 uint32_t *line)
{
	struct user_regs_struct regs;
	const struct module *module;
	struct thread *thread;
	struct error *error;

	if (!session->followed.count)
		return false;
	error = need_thread(session, &thread);
	if (!error)
		error = probe_get_regs(session->probe, thread, &regs);
	if (error) {
		error_destroy(error);
		return false;
	}
	module = probe_module_at(session->probe, thread->process, regs.rip);
	return module && module_file(module) &&
	       debugfile_source_at(module_file(module),
				   regs.rip - module_bias(module), path, line);
}

static struct error *location_line(struct session *session,
				   const char *location, const char **path,
				   uint32_t *line)
{
	struct place place;

	TRY(probe_locate(session->probe, location, &place));
	if (!place.file)
		return error_create(ERROR_NOT_FOUND,
				    "no line information for %s", location);
	*path = place.file;
	*line = place.line;
	return NULL;
}

struct error *session_list_source(struct session *session, const char *location,
				  struct str *out)
{
	const char *path = NULL, *here = NULL;
	uint32_t line = 0, current = 0;
	bool is_here;

	TRY(need_program(session));
	/* a program that runs is not stopped only to mark its line */
	is_here = (!session_runs_on(session) ||
		   (!location && !session->listed_file)) &&
		  current_line(session, &here, &current);
	if (location) {
		TRY(location_line(session, location, &path, &line));
	} else if (session->listed_file) {
		CLEANUP(free_pointer)
		char *again = xstrdup(session->listed_file);

		if (!is_here || !str_equal(here, again))
			current = 0;
		return print_lines(session, again, session->listed_line,
				   current, out);
	} else if (is_here) {
		path = here;
		line = current;
	} else {
		TRY(location_line(session, "main", &path, &line));
	}
	if (!is_here || !str_equal(here, path))
		current = 0;
	return print_lines(session, path, line > 5 ? line - 5 : 1, current,
			   out);
}

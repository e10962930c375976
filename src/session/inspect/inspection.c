/*
 * inspection.c - looks at the stopped program: threads and values
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "inspect.h"
#include "perftool/base/alloc.h"
#include "perftool/debuginfo/frame_rules.h"
#include "perftool/expr_print.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/process_status.h"
#include "session/run/run.h"

/* The position of one thread, for the list of threads. */
struct position {
	struct thread *thread;
	struct user_regs_struct regs;
	struct error *error; /* why the position is not known */
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

/* Reads the registers of a thread. A thread that waits in vfork(2) for its
 * child cannot be stopped: it still counts as running when all other threads
 * stand still. The function returns an error for it. */
static struct error *get_regs(struct session *session, struct thread *thread,
			      struct user_regs_struct *regs)
{
	if (thread->state == THREAD_RUNNING)
		return error_create(ERROR_OTHER,
				    "thread %d waits for its child of vfork "
				    "and cannot be looked at meanwhile",
				    thread->tid);
	return probe_get_regs(session->probe, thread, regs);
}

static void find_positions(struct session *session, struct position_list *out)
{
	for (size_t i = 0; i < session->followed.count; i++) {
		struct process *process = session->followed.data[i].process;

		for (size_t j = 0; j < process->threads.count; j++) {
			struct position at = {.thread =
						      process->threads.data[j]};

			at.error = get_regs(session, at.thread, &at.regs);
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
	/* The program continues before the list is written, because finding
	 * names for the addresses may take long. */
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

/* Returns a thread of the process that stands still, if there is one; else its
 * first thread. */
static struct thread *any_thread(const struct process *process)
{
	const struct thread_list *threads = &process->threads;

	for (size_t i = 0; i < threads->count; i++)
		if (threads->data[i]->state != THREAD_RUNNING)
			return threads->data[i];
	return threads->count ? threads->data[0] : NULL;
}

struct error *need_thread(struct session *session, struct thread **out)
{
	struct user_regs_struct regs;
	struct process *process;

	TRY(need_still(session));
	process = session->process ? session->process
				   : session->followed.data[0].process;
	if (!session->selected)
		session->selected = any_thread(process);
	*out = session->selected;
	if (!session->selected)
		return error_create(ERROR_GONE, "process %d is ending",
				    process->pid);
	return get_regs(session, session->selected, &regs);
}

struct error *session_select_thread(struct session *session, pid_t tid)
{
	struct thread *thread;

	TRY(need_process(session));
	thread = followed_thread(session, tid);
	if (!thread)
		return error_create(ERROR_NOT_FOUND,
				    "no thread %d; `list threads' lists all",
				    tid);
	session->selected = thread;
	return NULL;
}

/* ---- values ------------------------------------------------------------ */

/* Does the address lie in the part of the last segment that is longer than the
 * segment's contents in the file? The kernel fills this part with zeros. */
static bool is_zeroed(const struct debugfile *file, uint64_t address)
{
	const struct debugfile_facts *facts = debugfile_facts(file);
	uint64_t page = 4096, at = address / page * page;
	char byte;

	if (address < facts->low || address >= facts->high)
		return false;
	while ((at += page) < facts->high)
		if (debugfile_read(file, at, &byte, 1))
			return false;
	return true;
}

/* Reads memory of the program from its file, while the program is not run. */
static bool read_file(void *context, uint64_t address, void *buffer,
		      size_t size)
{
	const struct debugfile *file = context;
	size_t count = debugfile_read(file, address, buffer, size);

	if (count == size)
		return true;
	if (!is_zeroed(file, address + count) ||
	    !is_zeroed(file, address + size - 1))
		return false;
	memset((char *)buffer + count, 0, size - count);
	return true;
}

/* Describes, for an expression about a program that does not run, the place
 * (the beginning of `main`) and the input (the values in the file). */
static void file_place(struct session *session, struct expr_place *place,
		       struct expr_input *input)
{
	static const struct user_regs_struct none;
	struct debugfile *file = probe_program_file(session->probe);
	struct function_list functions = {0};

	if (!file)
		return;
	*place = (struct expr_place){.file = file,
				     .address = debugfile_facts(file)->entry,
				     .no_code = true};
	input->reader.read = read_file;
	input->reader.context = file;
	input->reader.regs = &none; /* no process runs, so no thread has
				     * registers */
	error_destroy(debugfile_find_functions(file, "main", &functions));
	if (functions.count)
		place->address = functions.data[0].address;
	vec_free(&functions);
}

/* Adds to the error why memory or a register is not available. */
static struct error *explain(struct error *error)
{
	static const char why[] = "the program is not being run";
	struct error *whole;

	if (error_code(error) != ERROR_EVALUATE ||
	    strstr(error_message(error), why))
		return error;
	whole = error_create(ERROR_EVALUATE, "%s (%s)", error_message(error),
			     why);
	error_destroy(error);
	return whole;
}

/* Looks for the names of the expression while the program still runs, because
 * to read the debug information of a library may take long. A thread that waits
 * in the kernel is at a place that is known; there, a name that does not exist
 * is an error, and the program does not stand still for it. Of other threads
 * the function guesses that they execute code of the program's file. */
static struct error *prepare_names(struct session *session,
				   const struct expr *expr)
{
	struct process *process = session->process
					  ? session->process
					  : session->followed.data[0].process;
	const struct thread *thread =
		session->selected ? session->selected : any_thread(process);
	const struct module *module = NULL;
	struct expr_place place = {0};
	struct bound_expr *bound;
	struct error *error;
	uint64_t pc;
	bool waits;

	if (!thread)
		return NULL;
	waits = target_waiting_pc(thread, &pc);
	if (waits)
		module = probe_module_at(session->probe, thread->process, pc);
	place.file = module ? module_file(module)
			    : probe_program_file(session->probe);
	if (!place.file)
		return NULL;
	place.address = module ? pc - module_bias(module)
			       : debugfile_facts(place.file)->entry;
	place.modules = probe_expr_modules(thread->process);
	error = expr_bind(expr, &place, &bound);
	if (!error)
		bound_expr_destroy(bound);
	if (module && session->chosen.tid != thread->tid)
		return error;
	error_destroy(error);
	return NULL;
}

struct error *session_evaluate(struct session *session, const char *expression,
			       struct str *out)
{
	struct expr_input input = {.node_count = session_node_count,
				   .context = session};
	struct user_regs_struct regs;
	struct source_place at = {0};
	struct expr_place place = {0};
	struct bound_expr *bound;
	struct scratch scratch;
	struct error *error;
	struct expr *expr;

	TRY(expr_parse(expression, &expr));
	if (session->followed.count) {
		error = NULL;
		if (session_runs_on(session) && session->state != RUN_HELD)
			error = prepare_names(session, expr);
		if (!error)
			error = find_place(session, &at);
		if (error) {
			expr_destroy(expr);
			return error;
		}
		frame_expr_place(session, &at.frame, at.inlined, &place);
		frame_input(session, &at.frame, &regs, &scratch, &input);
	} else {
		file_place(session, &place, &input);
	}
	error = expr_bind(expr, &place, &bound);
	if (!error) {
		error = bound_expr_print(bound, &input, out);
		bound_expr_destroy(bound);
	}
	if (error && !session->followed.count)
		error = explain(error);
	source_place_clear(&at);
	expr_destroy(expr);
	if (error)
		return error;
	str_append_char(out, '\n');
	return NULL;
}

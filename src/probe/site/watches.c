/*
 * watches.c - see watches.h
 *
 * The expression that gives an object's address is evaluated without a frame:
 * the object is a global variable, or a part of one. It is evaluated again when
 * libraries have been loaded, as long as there is no result.
 */
#include "watches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "perftool/probe/breakpoint_requests.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/target_events.h"
#include "probe/breakpoint.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"

static struct watchpoint *find(struct space *space,
			       const struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (space->watches.list[i].attachment &&
		    space->watches.list[i].attachment->breakpoint == breakpoint)
			return &space->watches.list[i];
	return NULL;
}

/* ---- addresses ----------------------------------------------------------- */

/* An address of the program's code at which global names are looked up: that of
 * main, else the entry. */
static uint64_t global_address(struct debugfile *file)
{
	uint64_t address = debugfile_facts(file)->entry;
	struct function_list functions = {0};

	error_destroy(debugfile_find_functions(file, "main", &functions));
	if (functions.count)
		address = functions.data[0].address;
	vec_free(&functions);
	return address;
}

struct expr_place watch_place(struct space *space, const struct module *module)
{
	struct debugfile *file = module ? module_file(module) : NULL;

	return (struct expr_place){.file = file,
				   .address = file ? global_address(file) : 0,
				   .no_code = true,
				   .modules = space_expr_modules(space)};
}

/* Evaluate the address of the object in the process of the space. */
static struct error *find_address(struct space *space,
				  const struct breakpoint *breakpoint,
				  uint64_t *out)
{
	static const struct user_regs_struct none;
	struct module *module = space->modules.data[0].module;
	struct expr_place place = watch_place(space, module);
	struct expr_input input = {.reader = {.read = target_read_callback,
					      .context = space->process,
					      .regs = &none,
					      .bias = module->bias},
				   .modules = space_expr_modules(space),
				   .pid = space->process->pid,
				   .tid = space->process->pid};
	struct value value = {.kind = VALUE_NONE};
	struct bound_expr *bound;
	struct error *error;

	*out = breakpoint->watch.fixed;
	if (*out)
		return NULL;
	TRY(expr_bind(breakpoint->watch.address, &place, &bound));
	error = bound_expr_evaluate(bound, &input, &value);
	bound_expr_destroy(bound);
	*out = value.u;
	return error;
}

/* ---- arming -------------------------------------------------------------- */

struct error *watches_arm(struct space *space, struct thread *thread)
{
	struct target_watch watched[TARGET_WATCHES] = {0};
	struct error *error;

	if (thread->watches == space->watches.number)
		return NULL;
	for (size_t i = 0; i < TARGET_WATCHES; i++) {
		const struct watchpoint *at = &space->watches.list[i];

		if (at->attachment && at->attachment->breakpoint->enabled)
			watched[i] = at->watched;
	}
	error = target_set_watches(thread, watched, TARGET_WATCHES);
	if (!error)
		thread->watches = space->watches.number;
	return error;
}

void watches_arm_all(struct probe *probe, struct space *space)
{
	struct process *process;
	size_t cursor = 0;

	space->watches.is_outdated = false;
	while ((process = space_user(space, &cursor)))
		for (size_t i = 0; i < process->threads.count; i++)
			if (process->threads.data[i]->state == THREAD_STOPPED)
				note_error(
					probe,
					watches_arm(space,
						    process->threads.data[i]));
}

/* The threads of the space have to watch something else. Those that are stopped
 * do so at once. */
static struct error *change(struct probe *probe, struct space *space)
{
	struct process *process;
	size_t cursor = 0;
	bool running = false;

	if (!++space->watches.number)
		space->watches.number = 1;
	watches_arm_all(probe, space);
	while ((process = space_user(space, &cursor)))
		for (size_t i = 0; i < process->threads.count; i++)
			running |= process->threads.data[i]->watches !=
				   space->watches.number;
	if (!running)
		return NULL;
	space->watches.is_outdated = true;
	return target_is_stopping(probe->target) ? NULL : stop_for_us(probe);
}

/* ---- watchpoints --------------------------------------------------------- */

static struct attachment *attach(struct probe *probe, struct space *space,
				 struct breakpoint *breakpoint)
{
	struct attachment *new = xcalloc(1, sizeof(*new));

	new->users = 1;
	new->breakpoint = breakpoint;
	new->role = ROLE_WATCH;
	new->module = module_ref(space->modules.data[0].module);
	new->is_not_go = true;
	bind_attachment(space, new);
	note_bound_anew(probe, breakpoint);
	return new;
}

/* Note the place of the object, for tables. */
static void add_place(struct space *space, struct breakpoint *breakpoint,
		      uint64_t address)
{
	struct module *module = space_module_at(space, address);
	struct place place = {.address = address, .module = module_ref(module)};

	breakpoint->was_found = true;
	breakpoint->is_of_program |= !space->foreign;
	if (breakpoint->places.count) {
		/* Each process has one object. The table shows the first. */
		module_unref(module);
		return;
	}
	vec_push(&breakpoint->places, place);
}

static struct error *resolve_one(struct probe *probe, struct space *space,
				 struct breakpoint *breakpoint, bool *changed)
{
	struct watchpoint *free_one = NULL;
	uint64_t address = 0;
	struct error *error;

	for (size_t i = TARGET_WATCHES; i-- > 0;)
		if (!space->watches.list[i].attachment)
			free_one = &space->watches.list[i];
	if (find(space, breakpoint) || !free_one ||
	    !breakpoint_is_in(breakpoint))
		return NULL;
	/* An object on a stack is one of the process in which it was found. */
	if (breakpoint->watch.fixed &&
	    space->process->pid != breakpoint->watch.pid)
		return NULL;
	error = find_address(space, breakpoint, &address);
	if (error && error_code(error) == ERROR_GONE)
		return error;
	if (error) {
		/* The library of the object may not be loaded yet. */
		error_destroy(error);
		return NULL;
	}
	if (!address || address % breakpoint->watch.size) {
		note(probe,
		     "%s is at 0x%" PRIx64 ", which is not a multiple of its "
		     "%u bytes: the processor cannot watch it",
		     breakpoint->location.text, address,
		     (unsigned)breakpoint->watch.size);
		return NULL;
	}
	*free_one = (struct watchpoint){
		.attachment = attach(probe, space, breakpoint),
		.watched = {.address = address,
			    .size = breakpoint->watch.size,
			    .reads = breakpoint->watch.reads}};
	add_place(space, breakpoint, address);
	*changed = true;
	return NULL;
}

struct error *watches_resolve(struct probe *probe, struct space *space)
{
	bool changed = false;

	for (size_t i = 0; space->process && space->modules.count &&
			   i < probe->search.addressed.count;
	     i++) {
		struct breakpoint *at =
			probe_find(probe, probe->search.addressed.data[i]);

		if (at && at->kind == REQUEST_WATCH)
			TRY(resolve_one(probe, space, at, &changed));
	}
	return changed ? change(probe, space) : NULL;
}

static void take_out(struct watchpoint *watch)
{
	attachment_unref(watch->attachment);
	*watch = (struct watchpoint){0};
}

void watches_change(struct probe *probe, struct breakpoint *breakpoint)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];
		struct watchpoint *watch = find(space, breakpoint);

		if (breakpoint_is_in(breakpoint))
			note_error(probe, watches_resolve(probe, space));
		if (!watch)
			continue;
		/* What is disabled gives its register up. */
		if (!breakpoint_is_in(breakpoint))
			take_out(watch);
		note_error(probe, change(probe, space));
	}
}

void watches_copy(const struct space *from, struct space *to)
{
	to->watches = from->watches;
	to->watches.is_outdated = false;
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (to->watches.list[i].attachment)
			to->watches.list[i].attachment->users++;
}

void watches_drop(struct space *space)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (space->watches.list[i].attachment)
			take_out(&space->watches.list[i]);
	space->watches = (struct space_watches){0};
}

void watches_bind(struct space *space)
{
	for (size_t i = 0; i < TARGET_WATCHES; i++)
		if (space->watches.list[i].attachment)
			bind_attachment(space,
					space->watches.list[i].attachment);
}

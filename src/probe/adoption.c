/*
 * adoption.c - beginning and ending the control of a process
 *
 * All threads of the process are STOPPED when the control begins and when it
 * ends. While the tool controls the process, the memory of the process contains
 * int3s, and slots in which threads execute the instructions that the int3s
 * have displaced. Before and after that, every byte of the program is as its
 * file has it.
 */
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "perftool/base/alloc.h"
#include "perftool/probe/loaded_modules.h"
#include "perftool/target/target_events.h"
#include "probe/arrival/arrival.h"
#include "probe/calibrate/calibrate.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe/survive/survive.h"
#include "probe_state.h"

/* ---- taking a process on ------------------------------------------------- */

/* Find the function that the run-time linker calls when libraries are loaded or
 * unloaded, so that debuggers can put a breakpoint there (link.h, r_brk). 0 if
 * there is none. */
static struct error *find_linker(const struct space *space, uint64_t *address)
{
	*address = 0;
	for (size_t i = 0; !*address && i < space->modules.count; i++) {
		struct module *module = space->modules.data[i].module;
		struct debugfile *file = module_file(module);
		struct function_list found = {0};
		struct error *error = NULL;

		if (file)
			error = debugfile_find_functions(
				file, "_dl_debug_state", &found);
		if (!error && found.count)
			*address = found.data[0].address + module->bias;
		vec_free(&found);
		if (error)
			return error;
	}
	return NULL;
}

static struct error *watch_libraries(struct probe *probe, struct space *space)
{
	struct error *error;
	struct site *site;
	uint64_t address;

	TRY(find_linker(space, &address));
	if (!address)
		return NULL;
	error = site_get(probe, space, address, &site);
	if (error && error_code(error) == ERROR_GONE)
		return error;
	if (error) {
		note_error(probe,
			   error_prefix(error,
					"perftool will not notice libraries "
					"that the program loads later"));
		return NULL;
	}
	if (!site->has_slot)
		return NULL;
	site->purpose = SITE_LIBRARIES;
	space->has_linker = true;
	return site_update(space, site);
}

/* Reserve memory for the slots of each module now, because later the program
 * may forbid it. */
static struct error *reserve_slots(struct space *space)
{
	for (size_t i = 0; i < space->modules.count; i++) {
		const struct module *module = space->modules.data[i].module;
		uint64_t address;

		TRY(store_find_room(space, STORE_SLOT, module->low,
				    module->high, 16, &address));
		TRY(store_find_room(space, STORE_FAST_CODE, module->low,
				    module->high, 16, &address));
	}
	return NULL;
}

/* Does the process run the program that the user has named, or a copy of that
 * program which has no file (fexecve(3) of a memfd)? If the tool attached to
 * the process, the program that the process runs counts as named. */
static bool is_named_program(const struct probe *probe,
			     const struct space *space)
{
	const struct module *module = space->modules.data[0].module;

	return str_equal(module->path, probe->program->path) ||
	       module_is_copy_in_memory(module, probe->program);
}

/* A tool that died may have left debug registers that watch memory. */
static void forget_watches(const struct process *process)
{
	for (size_t i = 0; i < process->threads.count; i++)
		if (process->threads.data[i]->state == THREAD_STOPPED)
			target_forget_watches(process->threads.data[i]);
}

/* Prepare a process for breakpoints: a process that was launched, one that the
 * tool attached to, or one that has executed another program. */
static struct error *equip(struct probe *probe, struct space *space)
{
	struct process *process = space->process;
	struct error *error;

	space->has_started = process->attached;
	space->has_uprobes = find_uprobes(space);
	shadow_begin(space);
	if (process->attached) {
		forget_watches(process);
		TRY(recover(probe, space));
	}
	TRY(space_read_modules(probe, space));
	if (!space->modules.count)
		return error_create(ERROR_BAD_FILE,
				    "the program's file cannot be read");
	error = reserve_slots(space);
	if (!error)
		error = calibrate_prepare(probe, space);
	if (error)
		note_error(probe, error_prefix(error,
					       "process %d: perftool cannot "
					       "prepare memory for the "
					       "instructions that its "
					       "breakpoints displace; hits may "
					       "cost more, and times may be "
					       "less exact",
					       process->pid));
	note_error(probe, learn_action(space));
	/* The handler is installed before any int3, because an int3 needs it if
	 * the tool dies. */
	cover(probe, space);
	cover_borrowers(probe, space);
	TRY(watch_libraries(probe, space));
	TRY(hear_actions(probe, space));
	TRY(watch_end(probe, space));
	TRY(hear_tracing(probe, space));
	/* The libraries of a running program are loaded already. */
	if (process->attached) {
		space->told = true;
		space_has_libraries(space);
	}
	return NULL;
}

static struct error *furnish(struct probe *probe, struct space *space)
{
	TRY(equip(probe, space));
	space->foreign = probe->program && !is_named_program(probe, space);
	TRY(resolve_in_space(probe, space));
	if (space->has_libraries)
		emit(probe,
		     (struct probe_event){.kind = PROBE_EVENT_LIBRARIES});
	return fast_update(probe, space);
}

struct error *adopt(struct probe *probe, struct process *process)
{
	return furnish(probe, space_create(probe, process));
}

/* Processes that shared the memory before the tool attached are treated as if
 * they had begun to borrow it now. */
static void take_borrowers(struct probe *probe, struct space *space)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = target_next_process(probe->target, &cursor))) {
		if (process->owner || !process->shares_memory)
			continue;
		process->owner = space;
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_CHILD,
						 .process = process,
						 .parent = space->process});
	}
}

struct error *probe_adopt(struct probe *probe, struct process *process)
{
	struct space *space;

	forget_places(probe);
	forget_searched(probe);
	forget_linked(probe);
	fast_remember_nothing(probe);
	cost_in_run_reset(probe);
	probe_stop_is_kept(probe);
	cost_invalidate(probe);
	probe->placement.unpinnable = false;
	probe->main = process->pid;
	space = space_create(probe, process);
	take_borrowers(probe, space);
	TRY(furnish(probe, space));
	return space->calibrate_from ? calibrate_first(probe, space) : NULL;
}

struct error *probe_join(struct probe *probe, struct process *process)
{
	struct space *space = space_create(probe, process);

	take_borrowers(probe, space);
	return furnish(probe, space);
}

/* Look up the places of all breakpoints in these modules, and the function of
 * the run-time linker. What is read stays with the open files, so that it is
 * available at once when the tool attaches. */
static struct error *look_up(struct probe *probe, const struct space *space)
{
	uint64_t address;

	for (size_t i = 0; i < space->modules.count; i++) {
		struct module *module = space->modules.data[i].module;

		for (size_t j = 0; j < probe->breakpoints.count; j++) {
			struct breakpoint *at = probe->breakpoints.data[j];
			struct spot_list spots = {0};
			struct error *error =
				interrupt_check(&probe->client.interrupt);

			if (!error && at && !at->deleted) {
				if (!at->is_of_calls)
					prepare_copies(module, at);
				error = resolve_in_module(probe, NULL, module,
							  at, &spots);
			}
			vec_free(&spots);
			if (error)
				return error;
		}
	}
	return find_linker(space, &address);
}

void probe_preload(struct probe *probe, pid_t pid)
{
	/* The space belongs to no process, so that no breakpoint is
	 * attached. */
	struct space space = {.foreign = true};
	struct error *error = preload_modules(probe, pid, &space);

	if (!error)
		error = look_up(probe, &space);
	/* The user is told of an error when the search is made after
	 * attaching. */
	error_destroy(error);
	for (size_t i = 0; i < space.modules.count; i++)
		module_unref(space.modules.data[i].module);
	vec_free(&space.modules);
}

/* ---- letting a process go ------------------------------------------------ */

/* Take all sites out of memory, even if one of them causes an error. */
static struct error *take_all_out(struct space *space)
{
	struct error *error = NULL;
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		error = error_first(error, site_take_out(space, site));
	semaphores_lower(space);
	return error;
}

/* Let go the processes that borrow the memory of the space. No int3 of the tool
 * is left in the memory. */
static void let_borrowers_go(struct probe *probe, struct space *space)
{
	struct process *process;
	size_t cursor = 0;

	while ((process = space_user(space, &cursor))) {
		if (process == space->process)
			continue;
		/* Errors do not matter, because the process may have ended
		 * meanwhile. */
		error_destroy(space_move_out(space, process));
		error_destroy(rings_take(space, process));
		space->code_stays |= !space_is_outside(space, process);
		error_destroy(uncover_borrower(space, process));
		for (size_t i = 0; i < process->threads.count; i++)
			forget_thread(probe, process->threads.data[i]);
		process->owner = NULL;
		switches_forget_process(probe, process);
		emit(probe, (struct probe_event){.kind = PROBE_EVENT_LEFT,
						 .process = process});
		target_let_go(process);
	}
}

/* Give the memory of trampolines and landings back, unless a jump may still
 * lead there (the site could not be taken out: `left` is the reason), or a
 * thread may be in there. */
static struct error *give_back(struct space *space, const struct error *left)
{
	if (left || space->pools_stay || space->code_stays ||
	    !space_is_outside(space, space->process))
		return NULL;
	return space_reclaim(space);
}

struct error *space_release(struct probe *probe, struct space *space)
{
	struct error *error = take_all_out(space);

	/* The processes that borrow the memory are let go first, because a
	 * thread that waits for its vfork child is needed below. */
	let_borrowers_go(probe, space);
	target_await_parents(space->process);
	error_destroy(space_move_out(space, space->process));
	error_destroy(rings_take(space, space->process));
	error_destroy(rings_unmap(space));
	error_destroy(give_back(space, error));
	keep_action(probe, space);
	/* ERROR_GONE: the process ends, and so does its handler. */
	return error_first(error, error_unless(uncover(space), ERROR_GONE));
}

/* Leave nothing of the tool in a process that does not borrow its memory, and
 * forget what was known of it. */
static struct error *leave(struct probe *probe, struct process *process)
{
	struct space *space = process->owner;
	struct error *error = NULL;

	if (space)
		error = space_release(probe, space);
	/* The threads have completed the hits that they were counting. */
	probe_read_counts(probe);
	for (size_t i = 0; i < process->threads.count; i++)
		forget_thread(probe, process->threads.data[i]);
	if (space)
		space_end(probe, space);
	process->owner = NULL;
	return error;
}

static void tell_of_hits(struct probe *probe, struct process *process)
{
	tell_finished(probe, &probe->finished, false);
	drain(probe, UINT64_MAX, true);
	placement_leave(probe, process);
}

struct error *probe_release(struct probe *probe, struct process *process)
{
	const struct space *space = process->owner;
	struct error *error;

	tell_of_hits(probe, process);
	if (space && space->process != process)
		/* The process borrows the memory of another process, and the
		 * tool's int3s stay there, so the process must be traced
		 * further. */
		return NULL;
	error = leave(probe, process);
	target_detach(process);
	return error;
}

/* Has the program executed anything of its own? If the tool fails in the main
 * process before, nothing was measured, and the run has failed. */
static bool has_begun(const struct probe *probe, const struct space *space)
{
	return space->process->pid != probe->main || space->told ||
	       !space->has_linker;
}

struct error *space_fail(struct probe *probe, struct space *space,
			 struct error *error)
{
	struct process *process = space->process;

	error = error_unless(error, ERROR_GONE);
	if (!error || !has_begun(probe, space))
		return error;
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_FAILED,
					 .process = process,
					 .why = error_message(error)});
	error_destroy(error);
	tell_of_hits(probe, process);
	note_error(probe, leave(probe, process));
	emit(probe, (struct probe_event){.kind = PROBE_EVENT_LEFT,
					 .process = process});
	target_detach(process);
	return NULL;
}

/*
 * space.c - spaces: what the probe layer knows about the memory of each process
 *
 * A space has the modules that are loaded, the sites (patched addresses), and
 * the slots in which displaced instructions are executed. Each followed process
 * has its own space; the space of a forked child begins as a copy of its
 * parent's. When the last process has ended, its space stays without a process,
 * because names and places are also asked for afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/target/remote_calls.h"
#include "probe/arrival/arrival.h"
#include "probe/fast/fast.h"
#include "probe/process/process.h"
#include "probe/request/request.h"
#include "probe/rings/rings.h"
#include "probe/site/site.h"
#include "probe_state.h"

struct space *space_create(struct probe *probe, struct process *process)
{
	struct space *space = xcalloc(1, sizeof(*space));

	/* A space without a process only exists while nothing runs. */
	if (probe->spaces.count && !probe->spaces.data[0]->process)
		space_destroy(probe, probe->spaces.data[0]);
	space->process = process;
	if (process)
		process->owner = space;
	vec_push(&probe->spaces, space);
	return space;
}

static void copy_modules(const struct space *from, struct space *to)
{
	for (size_t i = 0; i < from->modules.count; i++) {
		struct loaded loaded = from->modules.data[i];

		module_ref(loaded.module);
		vec_push(&to->modules, loaded);
	}
}

struct space *space_clone(struct probe *probe, const struct space *space,
			  struct process *child)
{
	struct space *clone = space_create(probe, child);
	struct site *site;
	size_t cursor = 0;

	clone->foreign = space->foreign;
	clone->own_cpus = space->own_cpus;
	clone->is_covered = space->is_covered;
	clone->is_told_of_filters = space->is_told_of_filters;
	clone->trap = space->trap;
	clone->calibrate_from = space->calibrate_from;
	clone->has_linker = space->has_linker;
	clone->told = space->told;
	clone->has_libraries = space->has_libraries;
	clone->has_started = space->has_started;
	clone->awaits_start = space->awaits_start;
	clone->shadow = space->shadow;
	store_copy(&space->store, &clone->store);
	if (clone->store.address)
		target_set_scripts(child, clone->store.address + STORE_SCRIPTS,
				   STORE_SCRIPTS_SIZE);
	clone->jumps = space->jumps;
	layout_copy(&space->layout, &clone->layout);
	clone->is_outdated = space->is_outdated;
	clone->is_all_outdated = space->is_all_outdated;
	clone->is_memory_changed = space->is_memory_changed;
	fast_space_copy(&space->fast, &clone->fast);
	rings_copy(space, clone);
	copy_modules(space, clone);
	while ((site = map_next(&space->sites, &cursor, NULL)))
		map_set(&clone->sites, site->address, site_clone(site));
	tails_copy(space, clone);
	watches_copy(space, clone);
	/* The child's memory is a copy, in which they are raised, too. */
	for (size_t i = 0; i < space->semaphores.count; i++)
		vec_push(&clone->semaphores, space->semaphores.data[i]);
	return clone;
}

static void drop_sites(struct probe *probe, struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		fast_remember(probe, space, site);
		fast_site_unref(site->fast);
		site_destroy(site);
	}
	map_deinit(&space->sites);
	space->jumps = 0;
	layout_deinit(&space->layout);
	space->is_outdated = space->is_all_outdated = false;
	space->is_memory_changed = false;
	tails_forget(space);
	fast_space_deinit(&space->fast);
	rings_drop(probe, space);
	space->lacks_calls = false;
	store_deinit(&space->store);
	space_forget_maps(space);
	watches_drop(space);
	vec_free(&space->semaphores);
	space->calibrate_from = 0;
}

void space_destroy(struct probe *probe, struct space *space)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		if (probe->spaces.data[i] == space) {
			vec_remove(&probe->spaces, i);
			break;
		}
	}
	if (space->process)
		space->process->owner = NULL;
	drop_sites(probe, space);
	for (size_t i = 0; i < space->modules.count; i++) {
		if (space->process)
			remember_searched(probe, &space->modules.data[i]);
		module_unref(space->modules.data[i].module);
	}
	vec_free(&space->modules);
	vec_free(&space->files);
	callers_forget(&space->callers);
	free(space);
}

void space_end(struct probe *probe, struct space *space)
{
	if (probe->spaces.count > 1) {
		space_destroy(probe, space);
		return;
	}
	space->process->owner = NULL;
	space->process = NULL;
	drop_sites(probe, space);
}

/* ---- modules that are unmapped ------------------------------------------- */

/* Find the module that another process has of the same file. NULL if there is
 * none. */
static struct module *find_twin(struct probe *probe,
				const struct module *module)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		struct space *space = probe->spaces.data[i];

		for (size_t j = 0; j < space->modules.count; j++) {
			struct module *other = space->modules.data[j].module;

			if (other != module &&
			    str_equal(other->path, module->path))
				return other;
		}
	}
	return NULL;
}

static bool is_used_elsewhere(const struct probe *probe,
			      const struct space *but,
			      const struct module *module)
{
	for (size_t i = 0; i < probe->spaces.count; i++) {
		const struct space *space = probe->spaces.data[i];

		for (size_t j = 0; space != but && j < space->modules.count;
		     j++)
			if (space->modules.data[j].module == module)
				return true;
	}
	return false;
}

void space_drop_module(struct probe *probe, struct space *space,
		       const struct loaded *loaded)
{
	struct module *module = loaded->module;
	struct module *twin = find_twin(probe, module);
	struct site *site;
	size_t cursor = 0;
	uint64_t address;

	remember_searched(probe, loaded);
	while ((site = map_next(&space->sites, &cursor, &address))) {
		if (address < module->low || address >= module->high)
			continue;
		map_remove(&space->sites, address);
		fast_remember(probe, space, site);
		/* The slot stays reserved for the site's address, in case the
		 * module is mapped there again. */
		error_destroy(store_leave(space, site));
		fast_site_drop(space, site);
		site_destroy(site);
	}
	tails_drop_module(space, module);
	if (is_used_elsewhere(probe, space, module))
		return;
	for (size_t i = 0; i < probe->breakpoints.count; i++) {
		struct breakpoint *at = probe->breakpoints.data[i];

		if (at && twin)
			places_move(at, module, twin);
		else if (at)
			places_drop(at, module);
	}
}

void space_outdate(struct space *space)
{
	space->is_outdated = space->is_all_outdated = true;
}

/* ---- slots --------------------------------------------------------------- */

bool space_map_pc(struct space *space, const struct thread *thread,
		  struct user_regs_struct *regs)
{
	struct arch_slot slot;
	struct undone undone;

	/* The pc that replaces one in a trampoline may be a pc in a slot. */
	bool was_in = fast_map_pc(space, thread, regs, &undone);

	return (space_slot_at(space, regs->rip, &slot) &&
		arch_slot_pc(&slot, regs)) ||
	       was_in;
}

struct error *space_move_out(struct space *space, struct process *process)
{
	struct error *first = NULL;

	for (size_t i = 0; i < process->threads.count; i++) {
		struct thread *thread = process->threads.data[i];
		struct user_regs_struct regs;
		struct error *error;

		if (thread->state != THREAD_STOPPED)
			continue;
		error = target_get_regs(thread, &regs);
		if (!error && space_map_pc(space, thread, &regs))
			error = target_set_regs(thread, &regs);
		first = error_first(first, error);
	}
	return first;
}

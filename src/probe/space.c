/*
 * space.c - the memory of a process as the probe layer sees it: modules, sites
 * and the areas where slots are
 *
 * An area is never given back while the process lives: frames and threads may
 * be anywhere in it.
 */
#include <stdlib.h>

#include "internal.h"
#include "perftool/base/alloc.h"

struct space *space_create(struct process *process)
{
	struct space *space = xcalloc(1, sizeof(*space));

	space->process = process;
	process->owner = space;
	return space;
}

void space_destroy(struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	if (!space)
		return;
	while ((site = map_next(&space->sites, &cursor, NULL)))
		site_destroy(site);
	map_deinit(&space->sites);
	for (size_t i = 0; i < space->areas.count; i++)
		free(space->areas.data[i]);
	vec_free(&space->areas);
	for (size_t i = 0; i < space->modules.count; i++)
		module_destroy(space->modules.data[i]);
	vec_free(&space->modules);
	free(space);
}

struct thread *space_stopped_thread(struct space *space)
{
	for (size_t i = 0; i < space->process->threads.count; i++)
		if (space->process->threads.data[i]->state == THREAD_STOPPED)
			return space->process->threads.data[i];
	return NULL;
}

/* Of a breakpoint that is left without a place, the last one stays, for the
 * tables to tell of. True: one did. */
static bool drop_places(struct place_list *places, const struct module *module)
{
	struct place last = {0};

	for (size_t i = places->count; i-- > 0;) {
		if (places->data[i].module != module)
			continue;
		last = places->data[i];
		vec_remove(places, i);
	}
	if (places->count || !last.module)
		return false;
	last.gone = true;
	vec_push(places, last);
	return true;
}

void space_drop_module(struct probe *probe, struct space *space,
		       struct module *module)
{
	struct site *site;
	size_t cursor = 0;
	uint64_t address;

	while ((site = map_next(&space->sites, &cursor, &address))) {
		if (address < module->low || address >= module->high)
			continue;
		map_remove(&space->sites, address);
		/* its slot stays taken, but means nothing any more */
		for (size_t i = 0; i < space->areas.count; i++)
			for (size_t j = 0; j < SLOTS_PER_AREA; j++)
				if (space->areas.data[i]->sites[j] == site)
					space->areas.data[i]->sites[j] = NULL;
		site_destroy(site);
	}
	for (size_t i = 0; i < probe->breakpoints.count; i++)
		if (probe->breakpoints.data[i])
			module->retired |= drop_places(
				&probe->breakpoints.data[i]->places, module);
}

/* A displacement of 32 bits reaches this far; less what an area is long and
 * what an instruction refers to beyond its module. */
#define REACH (2047UL * 1024 * 1024)

struct error *space_reserve(struct space *space, struct thread *thread,
			    uint64_t low, uint64_t high)
{
	struct area *area;
	uint64_t address;

	TRY(target_map_near(thread, low, high, REACH, AREA_SIZE, STORE_NAME,
			    &address));
	area = xcalloc(1, sizeof(*area));
	area->address = address;
	vec_push(&space->areas, area);
	if (!space->areas_low || address < space->areas_low)
		space->areas_low = address;
	if (address + AREA_SIZE > space->areas_high)
		space->areas_high = address + AREA_SIZE;
	return NULL;
}

static bool reaches(const struct area *area, uint64_t low, uint64_t high)
{
	uint64_t area_end = area->address + AREA_SIZE;
	uint64_t from = low < area->address ? low : area->address;
	uint64_t to = high > area_end ? high : area_end;

	return to - from <= REACH;
}

struct error *space_find_area(struct space *space, struct thread *thread,
			      uint64_t low, uint64_t high, size_t slots,
			      struct area **out)
{
	for (size_t i = 0; i < space->areas.count; i++) {
		struct area *area = space->areas.data[i];

		if (area->used + slots <= SLOTS_PER_AREA &&
		    reaches(area, low, high)) {
			*out = area;
			return NULL;
		}
	}
	if (!thread)
		return error_create(ERROR_OTHER,
				    "no thread is stopped to map memory in");
	TRY(space_reserve(space, thread, low, high));
	*out = space->areas.data[space->areas.count - 1];
	return NULL;
}

struct error *space_code(struct space *space, struct thread *thread,
			 const void *code, size_t size, uint64_t *address)
{
	size_t slots = (size + ARCH_SLOT_SIZE - 1) / ARCH_SLOT_SIZE;
	struct area *area;

	TRY(space_find_area(space, thread, space->modules.data[0]->low,
			    space->modules.data[0]->high, slots, &area));
	*address = area->address + area->used * ARCH_SLOT_SIZE;
	TRY(target_write(space->process, *address, code, size));
	area->used += slots;
	return NULL;
}

struct site *space_slot_at(struct space *space, uint64_t pc)
{
	if (pc < space->areas_low || pc >= space->areas_high)
		return NULL;
	for (size_t i = 0; i < space->areas.count; i++) {
		struct area *area = space->areas.data[i];

		if (pc >= area->address && pc < area->address + AREA_SIZE)
			return area
				->sites[(pc - area->address) / ARCH_SLOT_SIZE];
	}
	return NULL;
}

struct error *space_write_originals(struct space *space,
				    struct process *process)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL)))
		if (site->inserted)
			TRY(target_write(process, site->address,
					 site->insn.bytes, 1));
	return NULL;
}

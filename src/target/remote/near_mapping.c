/*
 * near_mapping.c - maps memory of the tool into a process, near the code for
 * which the memory is used
 */
#include <inttypes.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "remote.h"
#include "target/proc/proc.h"
#include "target/target_state.h"

/* The room that the tool leaves free on either side of a mapping of the
 * program, so that the mapping can grow (mremap, guard pages). */
#define MARGIN (1024 * 1024)
#define GIB (1024UL * 1024 * 1024)
#define LOWEST 0x10000UL         /* vm.mmap_min_addr */
#define HIGHEST 0x7ffffffff000UL /* the end of user space */

struct search {
	uint64_t low, high; /* range in which the mapping must be */
	uint64_t near, size;
	uint64_t heap_room; /* free room above the heap */
	uint64_t margin;    /* free room beside mappings of the program */
	const char *name;   /* of the new mapping, and of the tool's others */
	uint64_t best, best_distance;
};

/* The addresses [low, high) are free. Note the place in them that is nearest to
 * `near`, if it is nearer than the best place so far. */
static void consider(struct search *search, uint64_t low, uint64_t high)
{
	uint64_t address, distance;

	if (low < search->low)
		low = search->low;
	if (low < LOWEST)
		low = LOWEST;
	if (high > search->high)
		high = search->high;
	if (high > HIGHEST)
		high = HIGHEST;
	low = (low + ARCH_PAGE - 1) & ~(uint64_t)(ARCH_PAGE - 1);
	if (high < low || high - low < search->size)
		return;
	high = (high - search->size) & ~(uint64_t)(ARCH_PAGE - 1);
	address = search->near < low ? low : high;
	if (search->near > low && search->near < high)
		address = search->near & ~(uint64_t)(ARCH_PAGE - 1);
	distance = address > search->near ? address - search->near
					  : search->near - address;
	if (distance < search->best_distance) {
		search->best = address;
		search->best_distance = distance;
	}
}

static uint64_t find_heap_end(const struct mapping_list *maps,
			      uint64_t start_brk)
{
	uint64_t heap_end = start_brk;

	for (size_t i = mapping_list_above(maps, start_brk); i < maps->count;
	     i++) {
		const struct mapping *map = &maps->data[i];

		if (str_equal(map->path, "[heap]"))
			heap_end = map->high;
		else if (map->low >= start_brk)
			break;
	}
	return heap_end;
}

static bool is_named(const struct mapping *map, const char *name)
{
	const char *prefix = "/memfd:", *rest;

	if (!str_starts(map->path, prefix))
		return false;
	rest = map->path + strlen(prefix);
	return str_starts(rest, name) && rest[strlen(name)] == ' ';
}

/* The tool's own mappings do not grow. There may be so many of them that no gap
 * has a margin on either side. */
static uint64_t margin_of(const struct mapping *map,
			  const struct search *search)
{
	return search->margin && !is_named(map, search->name) ? search->margin
							      : 0;
}

/* The end of the room below the mapping. The stack needs more room to grow. */
static uint64_t end_below(const struct mapping *map,
			  const struct search *search)
{
	uint64_t room =
		str_equal(map->path, "[stack]") ? GIB : margin_of(map, search);

	return map->low > room ? map->low - room : map->low;
}

static uint64_t find_gap(const struct mapping_list *maps, uint64_t start_brk,
			 struct search *search)
{
	uint64_t heap_end = find_heap_end(maps, start_brk);
	size_t i = mapping_list_above(maps, search->low);
	uint64_t previous =
		i ? maps->data[i - 1].high +
				margin_of(&maps->data[i - 1], search)
		  : 0;

	for (; i < maps->count && previous < search->high; i++) {
		const struct mapping *map = &maps->data[i];
		uint64_t low = previous, high = end_below(map, search);

		previous = map->high + margin_of(map, search);
		if (start_brk && low < heap_end + search->heap_room &&
		    high > start_brk) {
			if (low < start_brk)
				consider(search, low, start_brk);
			low = heap_end + search->heap_room;
		}
		if (low < high)
			consider(search, low, high);
	}
	return search->best;
}

uint64_t target_start_of_heap(pid_t pid, pid_t tid)
{
	struct proc_stat stat = {0};

	proc_stat(pid, tid, &stat);
	return stat.start_brk;
}

static struct error *find(const struct mapping_list *maps,
			  uint64_t start_of_heap, const char *name,
			  struct search *search)
{
	search->name = name;
	search->best_distance = UINT64_MAX;
	if (!find_gap(maps, start_of_heap, search))
		return error_create(
			ERROR_OTHER,
			"the process has no free range of addresses "
			"near 0x%" PRIx64,
			search->near);
	return NULL;
}

struct error *target_map_near(struct thread *thread, uint64_t low,
			      uint64_t high, uint64_t reach, uint64_t size,
			      const char *name, uint64_t *address)
{
	struct search search = {.low = high > reach ? high - reach : 0,
				.high = low + reach,
				.near = low,
				.size = size,
				.heap_room = TARGET_HEAP_ROOM,
				.margin = MARGIN};
	pid_t pid = thread->process->pid;
	struct mapping_list maps;
	struct error *error;

	/* What is still to be mapped is not in the list. */
	TRY(target_settle(thread->process->target));
	TRY(target_read_maps(pid, &maps));
	error = find(&maps, target_start_of_heap(pid, thread->tid), name,
		     &search);
	mapping_list_deinit(&maps);
	TRY(error);
	*address = search.best;
	return target_map_at(thread, search.best, size, name);
}

/* Enter a new mapping in the list, as the next target_read_maps() would show
 * it. The members about the file are missing. */
static void enter_mapping(struct mapping_list *maps, uint64_t low,
			  uint64_t size, const char *name)
{
	size_t i = mapping_list_above(maps, low);
	const struct mapping mapping = {
		.low = low,
		.high = low + size,
		.readable = true,
		.executable = true,
		.path = xasprintf("/memfd:%s (deleted)", name)};

	vec_push(maps, mapping);
	memmove(maps->data + i + 1, maps->data + i,
		(maps->count - 1 - i) * sizeof(mapping));
	maps->data[i] = mapping;
}

struct error *target_map_within(struct thread *thread, uint64_t low,
				uint64_t high, uint64_t size,
				uint64_t start_of_heap, uint64_t heap_room,
				const char *name, struct mapping_list *maps,
				uint64_t *address)
{
	struct search search = {.low = low,
				.high = high,
				.near = low,
				.size = size,
				.heap_room = heap_room};

	if (!maps->count) {
		TRY(target_settle(thread->process->target));
		TRY(target_read_maps(thread->process->pid, maps));
	}
	TRY(find(maps, start_of_heap, name, &search));
	*address = search.best;
	TRY(map_at_some_time(thread, search.best, size, name));
	enter_mapping(maps, *address, size, name);
	return NULL;
}

bool target_has_room(const struct mapping_list *maps, uint64_t start_of_heap,
		     uint64_t heap_room, uint64_t low, uint64_t high,
		     uint64_t size)
{
	struct search search = {.low = low,
				.high = high,
				.near = low,
				.size = size,
				.heap_room = heap_room,
				.best_distance = UINT64_MAX};

	return find_gap(maps, start_of_heap, &search) != 0;
}

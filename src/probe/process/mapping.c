/*
 * mapping.c - what is mapped in a process, and which file is mapped where
 *
 * /proc/PID/maps is read when a function of the layer first asks what is
 * mapped. The result is kept until the next event, or until the tool itself
 * maps memory.
 */
#include "mapping.h"
#include "perftool/target/memory_maps.h"
#include "perftool/target/remote_calls.h"
#include "probe/probe_state.h"

/* ---- what is mapped ------------------------------------------------------ */

void space_forget_maps(struct space *space)
{
	if (space->maps.list.count)
		mapping_list_deinit(&space->maps.list);
}

const struct mapping *find_mapping(const struct mapping_list *maps,
				   uint64_t address)
{
	size_t i = mapping_list_above(maps, address);

	return i < maps->count && address >= maps->data[i].low ? &maps->data[i]
							       : NULL;
}

const struct mapping_list *space_maps(struct space *space)
{
	struct mapping_list *maps = &space->maps.list;

	if (!maps->count) {
		pid_t pid = space->process->pid;

		error_destroy(target_read_maps(pid, maps));
		space->maps.start_of_heap = target_start_of_heap(pid, pid);
	}
	return maps;
}

uint64_t space_heap_room(const struct space *space)
{
	return space->maps.is_scarce ? TARGET_HEAP_LEAST : TARGET_HEAP_ROOM;
}

bool space_has_room(struct space *space, uint64_t low, uint64_t high,
		    uint64_t size)
{
	const struct mapping_list *maps = space_maps(space);

	return target_has_room(maps, space->maps.start_of_heap,
			       space_heap_room(space), low, high, size);
}

const struct mapping *space_mapping_at(struct space *space, uint64_t address)
{
	return find_mapping(space_maps(space), address);
}

/* ---- where a file is loaded ---------------------------------------------- */

bool is_mapping_of(const struct mapping *mapping, uint64_t device,
		   uint64_t inode)
{
	return mapping->inode == inode && mapping->device == device;
}

bool is_mapped_from(const struct mapping *mapping, uint64_t address,
		    uint64_t offset)
{
	return mapping->offset + (address - mapping->low) == offset;
}

bool is_load_bias(const struct mapping_list *maps, const struct mapping *of,
		  const struct debugfile *file, uint64_t bias)
{
	size_t segments = 0, mapped = 0;
	struct loadable segment;

	while (debugfile_loadable(file, segments, &segment)) {
		uint64_t address = segment.address + bias;
		const struct mapping *mapping = find_mapping(maps, address);

		segments++;
		mapped += mapping &&
			  is_mapping_of(mapping, of->device, of->inode) &&
			  is_mapped_from(mapping, address, segment.offset);
	}
	return mapped * 2 > segments;
}

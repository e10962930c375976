/*
 * overwritten.c - breakpoints that the program has written over
 *
 * A compiler that makes code while the program runs may make it anew where it
 * was: the int3 is gone, and its hits with it. It is not put in again, for the
 * program may be about to write the rest. (Who wants that disables and enables
 * the breakpoint.)
 */
#include <string.h>

#include "internal.h"

static bool is_overwritten(struct space *space, const struct site *site)
{
	const struct mapping *mapping;
	static const uint8_t int3 = ARCH_INT3;
	const uint8_t *ours = site->is_jump ? site->patch.bytes : &int3;
	uint8_t bytes[PATCH_SIZE];
	size_t size = site_patched(site);

	if (!size ||
	    !target_read_callback(space->process, site->address, bytes, size) ||
	    memcmp(bytes, ours, size) == 0)
		return false;
	/* in data that is there now no code has been missed */
	mapping = store_mapping_at(space, site->address);
	return mapping && mapping->executable;
}

void note_overwritten(struct probe *probe, struct space *space)
{
	struct site *site;
	size_t cursor = 0;

	if (!space->process)
		return;
	/* thousands of them are a few pages */
	store_begin(space);
	while ((site = map_next(&space->sites, &cursor, NULL))) {
		if (!site->attachments.count || !is_overwritten(space, site))
			continue;
		for (size_t i = 0; i < site->attachments.count; i++)
			note(probe,
			     "process %d: the program has overwritten "
			     "breakpoint %u; hits since are not counted",
			     space->process->pid,
			     site->attachments.data[i]->breakpoint->id);
	}
	/* nothing was written */
	error_destroy(store_end(space));
}

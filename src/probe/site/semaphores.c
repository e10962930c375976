/*
 * semaphores.c - the semaphores of static probes
 *
 * A program may compute the arguments of a static probe only while somebody
 * watches the probe. It then has a counter of 16 bits for the probe, its
 * semaphore, and passes the probe only while the counter is not 0. Each tool
 * that watches adds 1. Several breakpoints of this tool count as one.
 *
 * If the tool is killed, its 1 stays: the program then computes the arguments
 * for nobody, which costs time and nothing else.
 */
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "site.h"

static bool has(const struct address_list *list, uint64_t address)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->data[i] == address)
			return true;
	return false;
}

/* Add `change` to the counter. False: the memory is not there, or a counter
 * that is 0 is not to be lowered. */
static bool count(struct space *space, uint64_t address, int change)
{
	uint16_t value;
	struct error *error;
	bool is_written;

	if (!target_read_callback(space->process, address, &value,
				  sizeof(value)) ||
	    (change < 0 && !value))
		return false;
	value = (uint16_t)(value + change);
	error = target_write(space->process, address, &value, sizeof(value));
	is_written = !error;
	error_destroy(error);
	return is_written;
}

/* Find the semaphores of the breakpoints that are in memory. */
static void find_wanted(const struct space *space, struct address_list *out)
{
	struct site *site;
	size_t cursor = 0;

	while ((site = map_next(&space->sites, &cursor, NULL))) {
		for (size_t i = 0;
		     site->inserted && i < site->attachments.count; i++) {
			const struct attachment *at = site->attachments.data[i];

			if (at->semaphore && at->breakpoint->enabled &&
			    !has(out, at->semaphore))
				vec_push(out, at->semaphore);
		}
	}
}

void semaphores_update(struct space *space)
{
	struct address_list wanted = {0};

	find_wanted(space, &wanted);
	for (size_t i = space->semaphores.count; i-- > 0;) {
		if (has(&wanted, space->semaphores.data[i]))
			continue;
		count(space, space->semaphores.data[i], -1);
		vec_remove(&space->semaphores, i);
	}
	for (size_t i = 0; i < wanted.count; i++)
		if (!has(&space->semaphores, wanted.data[i]) &&
		    count(space, wanted.data[i], 1))
			vec_push(&space->semaphores, wanted.data[i]);
	vec_free(&wanted);
}

void semaphores_lower(struct space *space)
{
	for (size_t i = 0; space->process && i < space->semaphores.count; i++)
		count(space, space->semaphores.data[i], -1);
	vec_free(&space->semaphores);
}

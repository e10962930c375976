/*
 * tail_jumps.c - the targets to which tail jumps have led so far
 *
 * Attachments are shared by the spaces of forked processes. What is known about
 * a jump is not shared, because each space on its own follows the functions to
 * which its jumps lead.
 */
#include <stdlib.h>

#include "perftool/base/alloc.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "tails.h"

/* A jump with more targets than a trampoline can know gets no trampoline: it
 * stays an int3, so that the tool looks at its target each time. Its targets
 * are kept all the same, because threads that count by themselves must do their
 * part in all functions where a frame may end. The code that a program makes at
 * run time may be any number of targets, so there is a limit. */
#define MOST_TARGETS 2000

struct tail_jump {
	uint64_t address; /* a run-time address */
	VEC(uint64_t) targets;
};

static void destroy(struct tail_jump *jump)
{
	vec_free(&jump->targets);
	free(jump);
}

static struct tail_jump *find(const struct space *space,
			      const struct attachment *attachment)
{
	return map_get(&space->tails.jumps, attachment->address);
}

bool tails_is_untaken(const struct space *space,
		      const struct attachment *attachment)
{
	return is_of_tails(attachment) && attachment->role == ROLE_JUMP &&
	       !find(space, attachment);
}

const uint64_t *tails_targets(const struct space *space,
			      const struct attachment *attachment,
			      size_t *count)
{
	const struct tail_jump *jump = find(space, attachment);

	*count = jump ? jump->targets.count : 0;
	return jump ? jump->targets.data : NULL;
}

/* The trampoline of the jump has to know another target. */
static void outdate_jump(struct space *space, uint64_t address)
{
	struct site *site = map_get(&space->sites, address);
	struct site *stand = site && site->stand
				     ? map_get(&space->sites, site->stand)
				     : NULL;

	if (site)
		site_outdate(space, site);
	if (stand)
		site_outdate(space, stand);
	/* If there is no site, this jump only counts for the legs. */
	space->is_outdated = true;
}

bool tails_note_target(struct space *space, uint64_t address, uint64_t target)
{
	struct tail_jump *jump = map_get(&space->tails.jumps, address);

	if (!jump) {
		jump = xcalloc(1, sizeof(*jump));
		jump->address = address;
		map_set(&space->tails.jumps, address, jump);
	}
	for (size_t i = 0; i < jump->targets.count; i++)
		if (jump->targets.data[i] == target)
			return false;
	if (jump->targets.count == MOST_TARGETS)
		return false;
	vec_push(&jump->targets, target);
	outdate_jump(space, address);
	return true;
}

/* ---- spaces -------------------------------------------------------------- */

void tail_jumps_copy(const struct space *from, struct space *to)
{
	const struct tail_jump *at;
	size_t cursor = 0;

	while ((at = map_next(&from->tails.jumps, &cursor, NULL))) {
		struct tail_jump *copy = xcalloc(1, sizeof(*copy));

		copy->address = at->address;
		for (size_t i = 0; i < at->targets.count; i++)
			vec_push(&copy->targets, at->targets.data[i]);
		map_set(&to->tails.jumps, copy->address, copy);
	}
}

static bool is_in(const struct module *module, uint64_t address)
{
	return address >= module->low && address < module->high;
}

/* Another module may be mapped where this one was. If the jump leads there, the
 * function that it leads to is another one, which nobody follows yet. */
static void drop_targets(struct space *space, struct tail_jump *jump,
			 const struct module *module)
{
	size_t count = jump->targets.count;

	for (size_t i = count; i-- > 0;)
		if (is_in(module, jump->targets.data[i]))
			vec_remove(&jump->targets, i);
	if (jump->targets.count < count)
		outdate_jump(space, jump->address);
}

void tail_jumps_drop_module(struct space *space, const struct module *module)
{
	struct tail_jump *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.jumps, &cursor, NULL))) {
		if (!is_in(module, at->address)) {
			drop_targets(space, at, module);
			continue;
		}
		map_remove(&space->tails.jumps, at->address);
		destroy(at);
	}
}

void tail_jumps_remove(struct space *space, const struct map *addresses)
{
	struct tail_jump *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.jumps, &cursor, NULL))) {
		if (!map_get_number(addresses, at->address))
			continue;
		map_remove(&space->tails.jumps, at->address);
		destroy(at);
	}
}

void tail_jumps_forget(struct space *space)
{
	struct tail_jump *at;
	size_t cursor = 0;

	while ((at = map_next(&space->tails.jumps, &cursor, NULL)))
		destroy(at);
	map_deinit(&space->tails.jumps);
	space->tails.jumps = (struct map){0};
}

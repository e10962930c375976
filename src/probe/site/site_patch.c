/*
 * site_patch.c - turning the int3 of a site into a jump, and back
 *
 * The first byte of the jump is an int3 while the other bytes are written. So a
 * thread can never execute half a jump, even if the tool dies in between.
 *
 * The displacement of a jump may end in bytes of the next instruction, which
 * the jump leaves as they are in memory. Those bytes may be an int3 or a jump
 * of the tool. So before such bytes change, the jumps whose displacement
 * contains them are turned into int3s; and sites are changed from higher
 * addresses to lower ones, so that a jump is made after the bytes that it
 * contains.
 */
#include <string.h>

#include "probe/probe_state.h"
#include "site.h"
#include "store.h"

/* The next jump before the address whose displacement contains the byte there.
 * `*distance` is that of the last one found, or 0. NULL: there is no other. */
static struct site *jump_before(const struct space *space, uint64_t address,
				size_t *distance)
{
	while (space->jumps && ++*distance < PATCH_MOST_SPAN) {
		struct site *site = map_get(&space->sites, address - *distance);

		if (site && site->is_jump && site->patch.span > *distance)
			return site;
	}
	return NULL;
}

struct error *patch_make_way(struct space *space, uint64_t address)
{
	struct site *site;
	size_t distance = 0;

	while ((site = jump_before(space, address, &distance))) {
		TRY(patch_out(space, site));
		/* It can be made again when the bytes are as they will stay. */
		site->is_outdated = true;
	}
	return NULL;
}

/* Between store_begin() and store_end(), changes are written to memory page by
 * page. If the jump spans two pages, the int3 must be in the first page before
 * the bytes in the second page change. */
static struct error *settle_first_byte(const struct space *space,
				       const struct site *site)
{
	return site->address % ARCH_PAGE + site->patch.length > ARCH_PAGE
		       ? target_write_kept(space->process->target)
		       : NULL;
}

/* Another tool or the program has overwritten the first byte of the jump. The
 * other bytes are still the tool's, and they must not be executed as the rest
 * of the instruction that begins there now: restore them. */
static struct error *restore_rest(struct space *space, const struct site *site)
{
	return site->patch.length > 1
		       ? target_write(space->process, site->address + 1,
				      site->displaced + 1,
				      site->patch.length - 1U)
		       : NULL;
}

static struct error *write_jump(const struct space *space,
				const struct site *site)
{
	struct process *process = space->process;
	const struct patch *patch = &site->patch;

	TRY(settle_first_byte(space, site));
	if (patch->length > 1)
		TRY(target_write(process, site->address + 1, patch->bytes + 1,
				 patch->length - 1U));
	return target_write(process, site->address, patch->bytes, 1);
}

struct error *patch_in(struct space *space, struct site *site,
		       const struct patch *patch)
{
	struct error *error;

	TRY(patch_make_way(space, site->address));
	site->patch = *patch;
	site->is_jump = true;
	error = store_enter(space, site);
	if (!error)
		error = write_jump(space, site);
	if (error) {
		/* The jump could not be made. The first byte in memory is still
		 * the int3, so the site must count as an int3 again:
		 * site_take_out() then restores that one byte. */
		site->is_jump = false;
		error_destroy(restore_rest(space, site));
		return error;
	}
	space->jumps++;
	return NULL;
}

struct error *patch_out(struct space *space, struct site *site)
{
	static const uint8_t int3 = ARCH_INT3;
	struct process *process = space->process;
	enum standing standing;

	if (!site->is_jump)
		return NULL;
	TRY(patch_make_way(space, site->address));
	standing = site_standing(space, site);
	site->is_jump = false;
	space->jumps--;
	if (standing == STANDS_INT3)
		/* The jump was never written to memory: only the int3 stands
		 * there. */
		return NULL;
	if (standing != STANDS) {
		/* Another program has changed the first byte: leave it as it
		 * is. */
		site->inserted = false;
		site->lost = true;
		return standing == STANDS_REST ? restore_rest(space, site)
					       : NULL;
	}
	TRY(target_write(process, site->address, &int3, 1));
	TRY(settle_first_byte(space, site));
	return restore_rest(space, site);
}

struct error *evict_no_more(struct space *space, struct site *site)
{
	struct site *next =
		site->evicts ? map_get(&space->sites, site->evicts) : NULL;
	size_t distance = 0;

	site->evicts = 0;
	if (!next || !next->is_evicted)
		return NULL;
	next->is_evicted = false;
	layout_note(&space->layout, next->address);
	/* If the displacement of another jump ends in the bytes of that
	 * instruction, that jump must be made again. (The jump of `site` is out
	 * already. It may be made again at once, at each update. If the space
	 * were outdated then, updates would never end.) */
	if (jump_before(space, next->address, &distance))
		space->is_outdated = true;
	return site_update(space, next);
}

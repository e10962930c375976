/*
 * site_patch.c - from an int3 to a jump, and back
 *
 * The first byte is an int3 while the others are written: at no moment can a
 * thread execute half a jump, be it that the tool dies in the middle.
 *
 * The displacement of a jump may end in bytes of the next instruction, as they
 * are in memory: there may be an int3 or a jump of ours. So whoever changes
 * these makes way before, and is changed before: from higher addresses to lower
 * ones.
 */
#include <string.h>

#include "probe/probe_state.h"
#include "site.h"
#include "store.h"

/* From the first byte of an instruction to the last of a displacement. */
#define MOST_SPAN (ARCH_MAX_INSN + PATCH_SIZE)

struct error *patch_make_way(struct space *space, uint64_t address)
{
	for (size_t i = 1; space->jumps && i < MOST_SPAN; i++) {
		struct site *site = map_get(&space->sites, address - i);

		if (site && site->is_jump && site->patch.span > i)
			TRY(patch_out(space, site));
	}
	return NULL;
}

/* What is written together comes into memory by pages: where there are two, the
 * int3 is to be in the first before the other changes. */
static struct error *settle_first_byte(const struct space *space,
				       const struct site *site)
{
	return site->address % ARCH_PAGE + site->patch.length > ARCH_PAGE
		       ? target_settle(space->process->target)
		       : NULL;
}

/* Of a jump that another tool, or the program, has written over by its first
 * byte: the others are ours still, and must not be executed as the rest of
 * whatever begins there. */
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
		/* the int3 is there still, and is to be taken out as one */
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
		/* the jump that was to be here was never written */
		return NULL;
	if (standing != STANDS) {
		/* what stands there is to be left as it is */
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

	site->evicts = 0;
	if (!next || !next->is_evicted)
		return NULL;
	next->is_evicted = false;
	/* another jump may have ended in its bytes, and is to be made again */
	space->is_outdated = true;
	return site_update(space, next);
}

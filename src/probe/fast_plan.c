/*
 * fast_plan.c - which bytes become the jump of a site
 *
 * The bytes of the instruction, and what is never executed behind it; the rest
 * of the jump is what follows in memory and stays as it is.
 */
#include <string.h>

#include "fast_site.h"
#include "internal.h"
#include "stands.h"

/* User space ends there. */
#define HIGHEST 0x7fffffffe000UL

/* Its part within user space; false: there is none. */
static bool clip(struct patch_window *window)
{
	/* below 0 it goes on at the other end */
	if (window->low > window->high || window->low < ARCH_PAGE)
		window->low = ARCH_PAGE;
	if (window->high >= HIGHEST)
		window->high = HIGHEST - 1;
	return window->low <= window->high;
}

/* Nothing falls through to what is behind it. */
static bool is_last(const struct insn *insn)
{
	return insn->kind == INSN_RETURN || insn->kind == INSN_JUMP ||
	       insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_STOP;
}

/* A function may begin with what looks like padding. */
static bool begins_function(struct space *space, uint64_t address)
{
	const struct module *module = space_module_at(space, address);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;

	return file &&
	       debugfile_function_at(file, address - module->bias, &function) &&
	       function.address == address - module->bias;
}

/* How many bytes the jump may be written over; they are noted. */
static struct error *find_room(struct space *space, struct site *site,
			       size_t *room)
{
	uint8_t length = site->insn.length;
	uint8_t bytes[PATCH_SIZE + ARCH_MAX_INSN];
	size_t got, padding;

	*room = length;
	memcpy(site->displaced, site->insn.bytes,
	       length < PATCH_SIZE ? length : PATCH_SIZE);
	if (length >= PATCH_SIZE || !is_last(&site->insn))
		return NULL;
	TRY(read_original(space, site->address + length, bytes, sizeof(bytes),
			  &got));
	padding = arch_padding(bytes, got);
	while (*room < PATCH_SIZE && *room - length < padding &&
	       !map_get(&space->sites, site->address + *room) &&
	       !begins_function(space, site->address + *room)) {
		site->displaced[*room] = bytes[*room - length];
		++*room;
	}
	return NULL;
}

/* As they are in memory: none of them changes while the jump is in. */
static size_t read_following(struct space *space, uint64_t address,
			     uint8_t bytes[2 * PATCH_SIZE])
{
	size_t size = 2 * PATCH_SIZE;

	while (size &&
	       !target_read_callback(space->process, address, bytes, size))
		size--;
	return size;
}

#define PREFIX_LOCK 0xf0

/* Older libcs jump past the prefix when there is but one thread: into the
 * middle of a jump of ours. */
static bool has_second_entry(struct space *space, const struct insn *insn)
{
	return insn->bytes[0] == PREFIX_LOCK && is_jumped_into(space, insn);
}

struct error *find_patch(struct space *space, struct site *site,
			 struct patch *out, const char **refusal)
{
	struct patch_window windows[PATCH_WINDOWS];
	uint8_t following[2 * PATCH_SIZE];
	size_t room, count, got;
	uint64_t landing;

	if (has_second_entry(space, &site->insn)) {
		*refusal = "its lock prefix is jumped over";
		return NULL;
	}
	TRY(find_room(space, site, &room));
	got = read_following(space, site->address + room, following);
	count = patch_windows(&site->insn, room, following, got, windows);
	*refusal = "its instruction is too short for a jump";
	for (size_t i = 0; i < count; i++) {
		if (!clip(&windows[i]))
			continue;
		*refusal = NULL;
		TRY(find_landing(space, site, &windows[i], &landing, refusal));
		if (*refusal)
			continue;
		patch_in_window(&site->insn, room, &windows[i], landing, out);
		return NULL;
	}
	return NULL;
}

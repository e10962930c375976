/*
 * patch_plan.c - planning the jump of a site: which bytes it is written over,
 * and which bytes it ends in
 *
 * The jump is written over the bytes of the instruction, and over bytes behind
 * it that are never executed (the room). If the jump is longer, it ends in the
 * bytes that follow in memory, which stay as they are. A window is a range of
 * addresses to which such a jump can lead.
 */
#include <string.h>

#include "fast_site.h"
#include "perftool/probe/loaded_modules.h"
#include "probe/probe_state.h"
#include "probe/process/process.h"
#include "probe/site/site.h"
#include "stand.h"

/* The end of user space. */
#define HIGHEST 0x7fffffffe000UL

/* Reduce a window to its part within user space. Returns false if there is
 * none. */
static bool clip(struct patch_window *window)
{
	/* If the window begins below address 0, it continues at the other end
	 * of the address space. */
	if (window->low > window->high || window->low < ARCH_PAGE)
		window->low = ARCH_PAGE;
	if (window->high >= HIGHEST)
		window->high = HIGHEST - 1;
	return window->low <= window->high;
}

/* Does the processor never continue with the next instruction after this
 * one? */
static bool is_last(const struct insn *insn)
{
	return insn->kind == INSN_RETURN || insn->kind == INSN_JUMP ||
	       insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_STOP;
}

/* Does a function begin at the address? It may begin with bytes that look like
 * padding. */
bool begins_function(struct space *space, uint64_t address)
{
	const struct module *module = space_module_at(space, address);
	struct debugfile *file = module ? module_file(module) : NULL;
	struct function function;

	return file &&
	       debugfile_function_at(file, address - module->bias, &function) &&
	       function.address == address - module->bias;
}

/* May the padding behind an instruction such as a return be executed? Go marks
 * the beginning of inlined code with a no-operation there, and jumps to it. */
static bool leads_into_padding(struct space *space, const struct site *site,
			       size_t room)
{
	struct insn with_padding = site->insn;

	with_padding.length = (uint8_t)room;
	return is_jumped_into(space, &with_padding);
}

/* Determine how many bytes the jump may overwrite (*room), and copy the
 * program's contents of these bytes to site->displaced. */
static struct error *find_room(struct space *space, struct site *site,
			       size_t *room)
{
	uint8_t length = site->insn.length;
	uint8_t bytes[PATCH_SIZE + ARCH_MAX_INSN];
	size_t got, padding, certain;

	*room = certain = length;
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
		if (*room == certain && bytes[*room - length] == ARCH_INT3)
			certain++;
		++*room;
	}
	if (*room > certain && leads_into_padding(space, site, *room))
		*room = certain;
	return NULL;
}

/* Read the bytes as they are in memory, with patches of the tool. None of them
 * changes while the jump is inserted. */
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

/* May a jump lead behind the lock prefix of the instruction? Older C libraries
 * jump there while the program has only one thread, which would be the middle
 * of the tool's jump. */
static bool has_second_entry(struct space *space, const struct insn *insn)
{
	return insn->bytes[0] == PREFIX_LOCK && is_jumped_into(space, insn);
}

/* Is it certain that the bytes behind the room, in which the jump ends, do not
 * change while the jump is in memory? If they differ from the file, another
 * tool or the program has changed them and may change them again. */
static struct error *is_settled(struct space *space, const struct site *site,
				size_t room, const struct patch *patch,
				bool *settled)
{
	uint8_t bytes[PATCH_SIZE];
	size_t got = 0;

	*settled = true;
	if (patch->span <= room)
		return NULL;
	TRY(read_original(space, site->address + room, bytes,
			  patch->span - room, &got));
	*settled = is_of_file(space, site->address + room, bytes, got);
	return NULL;
}

size_t plan_windows(const struct site *site, size_t room,
		    const uint8_t *following, size_t count,
		    struct patch_window out[PATCH_WINDOWS])
{
	struct patch_window all[PATCH_WINDOWS];
	size_t found = 0;

	count = patch_windows(&site->insn, room, following, count, all);
	for (size_t i = 0; i < count; i++)
		if (clip(&all[i]))
			out[found++] = all[i];
	return found;
}

struct error *plan_patch(struct space *space, struct site *site,
			 struct plan *out, const char **refusal)
{
	*refusal = "the program may jump past its lock prefix";
	if (has_second_entry(space, &site->insn))
		return NULL;
	TRY(find_room(space, site, &out->room));
	out->following_count = read_following(space, site->address + out->room,
					      out->following);
	*refusal = NULL;
	return NULL;
}

struct error *make_patch(struct space *space, struct site *site,
			 const struct plan *plan,
			 const struct patch_window *window, struct patch *out,
			 const char **refusal)
{
	uint64_t landing;
	bool settled;

	TRY(find_landing(space, site, window, &landing, refusal));
	if (*refusal)
		return NULL;
	patch_in_window(&site->insn, plan->room, window, landing, out);
	TRY(is_settled(space, site, plan->room, out, &settled));
	if (!settled)
		*refusal = "the next instruction has been changed";
	return NULL;
}

struct error *find_patch(struct space *space, struct site *site,
			 struct patch *out, const char **refusal)
{
	struct patch_window windows[PATCH_WINDOWS];
	struct plan plan;
	size_t count;

	TRY(plan_patch(space, site, &plan, refusal));
	if (*refusal)
		return NULL;
	count = plan_windows(site, plan.room, plan.following,
			     plan.following_count, windows);
	*refusal = "its instruction is too short for a jump";
	for (size_t i = 0; i < count && *refusal; i++) {
		*refusal = NULL;
		TRY(make_patch(space, site, &plan, &windows[i], out, refusal));
	}
	return NULL;
}

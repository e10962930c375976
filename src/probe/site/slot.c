/*
 * slot.c - which instruction a slot (memory for a displaced instruction) in the
 * target belongs to
 */
#include <string.h>

#include "probe/probe_state.h"
#include "site.h"
#include "slot.h"
#include "store.h"

bool space_is_slot_of(struct space *space, const struct insn *insn,
		      uint64_t slot, struct arch_slot *out)
{
	uint8_t code[ARCH_SLOT_SIZE];
	struct error *error = arch_relocate(insn, slot, out);

	if (error) {
		error_destroy(error);
		return false;
	}
	return target_read_callback(space->process, slot, code, out->length) &&
	       memcmp(code, out->code, out->length) == 0;
}

bool space_read_slot(struct space *space, uint64_t address, uint64_t slot,
		     struct arch_slot *out)
{
	uint8_t bytes[ARCH_MAX_INSN];
	struct error *error;
	struct insn insn;
	size_t got;

	error = read_original(space, address, bytes, sizeof(bytes), &got);
	if (!error)
		error = arch_decode(bytes, got, address, &insn);
	if (error) {
		error_destroy(error);
		return false;
	}
	return space_is_slot_of(space, &insn, slot, out);
}

bool space_slot_at(struct space *space, uint64_t pc, struct arch_slot *out)
{
	uint64_t slot = pc & ~(uint64_t)(ARCH_SLOT_SIZE - 1), address;
	const struct site *site;

	if (pc < space->store.low || pc >= space->store.high)
		return false;
	address = store_site_of(space, slot);
	if (!address)
		return false;
	site = map_get(&space->sites, address);
	if (site && site->has_slot && site->slot.address == slot) {
		*out = site->slot;
		return true;
	}
	return space_read_slot(space, address, slot, out);
}

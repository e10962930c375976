/*
 * slot.h - which instruction a slot in the target's memory is of: slot.c
 */
#ifndef PROBE_SLOT_H
#define PROBE_SLOT_H

#include "perftool/arch.h"

struct space;

/* The instruction whose slot holds this pc; false: none. */
bool space_slot_at(struct space *space, uint64_t pc, struct arch_slot *out);
/* Does memory hold, there, the slot of this instruction? */
bool space_is_slot_of(struct space *space, const struct insn *insn,
		      uint64_t slot, struct arch_slot *out);
/* Is this slot, once made for that address, right for what is there now? */
bool space_read_slot(struct space *space, uint64_t address, uint64_t slot,
		     struct arch_slot *out);

#endif

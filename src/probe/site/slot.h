/*
 * slot.h - which instruction a slot in the target's memory belongs to: slot.c
 */
#ifndef PROBE_SLOT_H
#define PROBE_SLOT_H

#include "perftool/arch.h"

struct space;

/* Find the slot that contains this pc. Returns false if there is none. */
bool space_slot_at(struct space *space, uint64_t pc, struct arch_slot *out);
/* Does memory hold the slot of this instruction at address `slot`? */
bool space_is_slot_of(struct space *space, const struct insn *insn,
		      uint64_t slot, struct arch_slot *out);
/* The slot was made for the instruction at `address` earlier. Is it right for
 * the instruction that is there now? */
bool space_read_slot(struct space *space, uint64_t address, uint64_t slot,
		     struct arch_slot *out);

#endif

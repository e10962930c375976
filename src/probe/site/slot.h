/*
 * slot.h - which instruction a slot in the target's memory belongs to: slot.c
 *
 * A slot is memory in which threads execute the instruction that a site has
 * displaced.
 */
#ifndef PROBE_SLOT_H
#define PROBE_SLOT_H

#include "perftool/arch.h"

struct space;

/* Find the slot that contains this pc. Returns false if there is none. */
bool space_slot_at(struct space *space, uint64_t pc, struct arch_slot *out);
/* Does memory at address `slot` hold what a slot for this instruction would
 * hold? */
bool space_is_slot_of(struct space *space, const struct insn *insn,
		      uint64_t slot, struct arch_slot *out);
/* A slot was made for the instruction that was at `address` earlier. Does it
 * fit the instruction that is there now? */
bool space_read_slot(struct space *space, uint64_t address, uint64_t slot,
		     struct arch_slot *out);

#endif

/*
 * decode.h - what Zydis says about an instruction, for the files of this layer
 */
#ifndef ARCH_DECODE_H
#define ARCH_DECODE_H

#include <Zydis/Zydis.h>

#include "perftool/arch.h"

/* An instruction with all its operands. */
struct decoded {
	ZydisDecodedInstruction zydis;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

/* Decode again what arch_decode() accepted. */
struct error *decode_full(const struct insn *insn, struct decoded *out);

/* The memory operand relative to the instruction pointer, or NULL. */
const ZydisDecodedOperand *decoded_rip_operand(const struct decoded *decoded);

/*
 * A branch with an operand size prefix and no REX.W: processors of Intel
 * ignore the prefix, those of AMD read a shorter displacement and cut the
 * instruction pointer to 16 bits.
 */
bool decoded_depends_on_vendor(const struct decoded *decoded);

#endif

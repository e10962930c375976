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

/* Decode once more an instruction that arch_decode() has accepted, with all its
 * operands. Fails only if `insn` does not come from arch_decode(). */
struct error *decode_full(const struct insn *insn, struct decoded *out);

/* The memory operand that is relative to the instruction pointer, or NULL if
 * there is none. */
const ZydisDecodedOperand *decoded_rip_operand(const struct decoded *decoded);

/*
 * Does the meaning of this branch depend on the vendor of the processor? This
 * is the case for a branch with an operand size prefix and without REX.W.
 * Processors of Intel ignore the prefix. Processors of AMD read a shorter
 * displacement and cut the instruction pointer to 16 bits.
 */
bool decoded_depends_on_vendor(const struct decoded *decoded);

#endif

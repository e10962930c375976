/*
 * stack_load.c - instructions that give the stack pointer a value from
 * elsewhere
 *
 * Encodings: Intel's Software Developer's Manual, volume 2, "MOV".
 */
#include "perftool/arch.h"

#define REX_W 0x48
#define REX_R 4
#define REX_B 1
/* the numbers of the registers in instructions */
#define RSP 4
#define RBP 5

bool arch_loads_stack_pointer(const struct insn *insn)
{
	const uint8_t *bytes = insn->bytes;
	unsigned rex = bytes[0], mod, reg, rm;

	if (insn->length < 3 || (rex & 0xf8) != REX_W)
		return false;
	mod = bytes[2] >> 6;
	reg = (bytes[2] >> 3 & 7U) | (rex & REX_R ? 8U : 0U);
	rm = (bytes[2] & 7U) | (rex & REX_B ? 8U : 0U);
	/* A function that has a frame pointer leaves its own frame by
	 * mov %rbp, %rsp. */
	if (bytes[1] == 0x89) /* mov %reg, %rsp */
		return mod == 3 && rm == RSP && reg != RBP;
	if (bytes[1] == 0x8b) /* mov .., %rsp */
		return reg == RSP && !(mod == 3 && rm == RBP);
	return false;
}

/*
 * effect.c - instructions that only change registers
 *
 * These are the instructions with which functions begin and end: they save and
 * restore registers, make room on the stack, and move arguments. They access no
 * memory except the top of the stack.
 */
#include "decode.h"
#include "perftool/straight.h"

#define RSP 4

static bool is_known(ZydisMnemonic mnemonic)
{
	switch (mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_ENDBR64:
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_NOT:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_CDQE:
	case ZYDIS_MNEMONIC_CWDE:
	case ZYDIS_MNEMONIC_CDQ:
	case ZYDIS_MNEMONIC_CQO:
		return true;
	default:
		return false;
	}
}

static bool is_stack(const struct decoded *decoded)
{
	return decoded->zydis.mnemonic == ZYDIS_MNEMONIC_PUSH ||
	       decoded->zydis.mnemonic == ZYDIS_MNEMONIC_POP;
}

/* Is this a push or pop of a 64-bit register other than rsp, or a push of a
 * constant? Such an instruction moves the stack pointer by 8. */
static bool is_plain_stack(const struct decoded *decoded)
{
	const ZydisDecodedOperand *operand = &decoded->operands[0];

	if (decoded->zydis.operand_width != 64)
		return false;
	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return true;
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(operand->reg.value) ==
		       ZYDIS_REGCLASS_GPR64 &&
	       operand->reg.value != ZYDIS_REGISTER_RSP;
}

/* Is this an add, sub or lea that moves rsp by a constant? If not, the new
 * value of rsp cannot be known in advance. */
static bool moves_stack(const struct decoded *decoded, int64_t *by)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	if (operands[0].reg.value != ZYDIS_REGISTER_RSP)
		return false;
	switch (decoded->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		*by = operands[1].imm.value.s;
		if (decoded->zydis.mnemonic == ZYDIS_MNEMONIC_SUB)
			*by = -*by;
		return operands[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
	case ZYDIS_MNEMONIC_LEA:
		*by = operands[1].mem.disp.value;
		return operands[1].mem.base == ZYDIS_REGISTER_RSP &&
		       operands[1].mem.index == ZYDIS_REGISTER_NONE &&
		       operands[1].mem.segment == ZYDIS_REGISTER_SS;
	default:
		return false;
	}
}

/* Add to `out` that the instruction writes the register `operand`. Returns
 * false if the register is neither one of the 16 general ones nor the flags, or
 * if the new value of rsp is not known. */
static bool writes(const struct decoded *decoded,
		   const ZydisDecodedOperand *operand, struct effect *out)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
		ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
	ZyanI8 id = ZydisRegisterGetId(whole);
	int64_t by;

	if (ZydisRegisterGetClass(operand->reg.value) == ZYDIS_REGCLASS_FLAGS)
		return true;
	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64 || id < 0 ||
	    id > 15)
		return false;
	if (id != RSP) {
		out->written |= (uint16_t)(1U << id);
		return true;
	}
	if (is_stack(decoded))
		return true;
	if (!moves_stack(decoded, &by) || by > INT16_MAX || by < INT16_MIN)
		return false;
	out->sp = (int32_t)by;
	return true;
}

/* Add to `out` what the instruction does to one operand. Returns false if that
 * is more than `struct effect` can describe. */
static bool adds(const struct decoded *decoded,
		 const ZydisDecodedOperand *operand, struct effect *out)
{
	switch (operand->type) {
	case ZYDIS_OPERAND_TYPE_IMMEDIATE:
		return true;
	case ZYDIS_OPERAND_TYPE_REGISTER:
		if (!(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return ZydisRegisterGetClass(operand->reg.value) !=
				       ZYDIS_REGCLASS_SEGMENT &&
			       ZydisRegisterGetClass(operand->reg.value) !=
				       ZYDIS_REGCLASS_CONTROL &&
			       ZydisRegisterGetClass(operand->reg.value) !=
				       ZYDIS_REGCLASS_DEBUG;
		return writes(decoded, operand, out);
	case ZYDIS_OPERAND_TYPE_MEMORY:
		if (operand->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		    decoded->zydis.mnemonic == ZYDIS_MNEMONIC_NOP)
			return true;
		return is_stack(decoded) &&
		       operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
	default:
		return false;
	}
}

bool arch_effect(const struct insn *insn, struct effect *out)
{
	struct decoded decoded;
	struct error *error = decode_full(insn, &decoded);

	*out = (struct effect){0};
	if (error) {
		error_destroy(error);
		return false;
	}
	if (insn->kind != INSN_PLAIN || !is_known(decoded.zydis.mnemonic))
		return false;
	if (is_stack(&decoded)) {
		if (!is_plain_stack(&decoded))
			return false;
		out->stores = decoded.zydis.mnemonic == ZYDIS_MNEMONIC_PUSH;
		out->sp = out->stores ? -8 : 8;
	}
	for (int i = 0; i < decoded.zydis.operand_count; i++)
		if (!adds(&decoded, &decoded.operands[i], out))
			return false;
	return true;
}

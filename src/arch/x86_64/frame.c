/*
 * frame.c - how far the frame pointer is from the stack pointer
 *
 * The code must have the form that compilers give to a function whose stack
 * pointer does not move behind its prologue: push %rbp; mov %rsp,%rbp; some
 * registers saved; one subtraction from rsp. An instruction behind this
 * prologue that changes rsp or rbp begins an epilogue, which must run straight
 * to a return. arch_frame_size() gives up on code of any other form (arguments
 * pushed, alloca, a jump out of the function or through a table).
 */
#include "decode.h"

enum part {
	PART_START,
	PART_MOVE,
	PART_SAVE,
	PART_BODY,
	PART_END,
};

struct sweep {
	enum part part;
	uint64_t settled; /* offset in the function from which on the stack
			     pointer does not move */
	uint64_t frame;   /* how many bytes the stack pointer is below the frame
			     pointer */
};

static bool is_register(const ZydisDecodedOperand *operand, ZydisRegister reg)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       operand->reg.value == reg;
}

static bool moves_pointers(const struct decoded *decoded)
{
	for (int i = 0; i < decoded->zydis.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];
		ZydisRegister whole;

		if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		whole = ZydisRegisterGetLargestEnclosing(
			ZYDIS_MACHINE_MODE_LONG_64, operand->reg.value);
		if (whole == ZYDIS_REGISTER_RSP || whole == ZYDIS_REGISTER_RBP)
			return true;
	}
	return false;
}

static bool is_push(const struct decoded *decoded, ZydisRegister reg)
{
	return decoded->zydis.mnemonic == ZYDIS_MNEMONIC_PUSH &&
	       is_register(&decoded->operands[0], reg);
}

/* Is this a push of a register that belongs to the caller, which the function
 * must therefore save? Such a push is no argument of a call. */
static bool is_save(const struct decoded *decoded)
{
	static const ZydisRegister saved[] = {
		ZYDIS_REGISTER_RBX, ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13,
		ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15};

	for (size_t i = 0; i < sizeof(saved) / sizeof(*saved); i++)
		if (is_push(decoded, saved[i]))
			return true;
	return false;
}

/* Does the instruction make room on the stack, by a subtraction or by the
 * addition of a negative number? */
static bool makes_room(const struct decoded *decoded, uint64_t *size)
{
	const ZydisDecodedOperand *operands = decoded->operands;

	if (!is_register(&operands[0], ZYDIS_REGISTER_RSP) ||
	    operands[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return false;
	if (decoded->zydis.mnemonic == ZYDIS_MNEMONIC_SUB)
		*size = operands[1].imm.value.u;
	else if (decoded->zydis.mnemonic == ZYDIS_MNEMONIC_ADD)
		*size = -operands[1].imm.value.u;
	else
		return false;
	return (int64_t)*size > 0;
}

/* Apply an instruction of the prologue to `sweep`. `after` is the offset behind
 * the instruction. Returns false if the function does not set up a frame. */
static bool set_up(struct sweep *sweep, const struct decoded *decoded,
		   uint64_t after)
{
	uint64_t size;

	if (sweep->part == PART_START) {
		if (decoded->zydis.mnemonic == ZYDIS_MNEMONIC_ENDBR64)
			return true;
		sweep->part = PART_MOVE;
		return is_push(decoded, ZYDIS_REGISTER_RBP);
	}
	if (sweep->part == PART_MOVE) {
		sweep->part = PART_SAVE;
		sweep->settled = after;
		return decoded->zydis.mnemonic == ZYDIS_MNEMONIC_MOV &&
		       is_register(&decoded->operands[0], ZYDIS_REGISTER_RBP) &&
		       is_register(&decoded->operands[1], ZYDIS_REGISTER_RSP);
	}
	if (is_save(decoded)) {
		sweep->frame += 8;
		sweep->settled = after;
		return true;
	}
	sweep->part = PART_BODY;
	if (makes_room(decoded, &size)) {
		sweep->frame += size;
		sweep->settled = after;
	}
	return true;
}

/* Apply an instruction behind the prologue to `sweep`. Returns false if its
 * effect on the stack pointer or on the control flow is not known. */
static bool go_on(struct sweep *sweep, const struct decoded *decoded,
		  const struct insn *insn, size_t size)
{
	switch (insn->kind) {
	case INSN_PLAIN:
		if (moves_pointers(decoded))
			sweep->part = PART_END;
		return true;
	case INSN_RETURN:
		if (sweep->part != PART_END)
			return false;
		sweep->part = PART_BODY;
		return true;
	case INSN_JUMP:
	case INSN_JUMP_IF:
		return sweep->part == PART_BODY &&
		       insn->target >= sweep->settled && insn->target < size;
	case INSN_JUMP_INDIRECT:
		return false;
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_SYSCALL:
	case INSN_STOP:
		break;
	}
	return sweep->part == PART_BODY;
}

/* The whole function is decoded, and not only the part before `offset`, because
 * an instruction behind `offset` may move the stack pointer and jump back. */
bool arch_frame_size(const uint8_t *code, size_t size, size_t offset,
		     uint64_t *out)
{
	struct sweep sweep = {.part = PART_START};
	struct decoded decoded;
	bool found = false;
	struct insn insn;

	for (size_t at = 0; at < size; at += insn.length) {
		struct error *error =
			arch_decode(code + at, size - at, at, &insn);
		uint64_t settled = sweep.settled;

		if (!error)
			error = decode_full(&insn, &decoded);
		if (error) {
			error_destroy(error);
			return false;
		}
		if (at == offset) {
			found = sweep.part == PART_SAVE ||
				sweep.part == PART_BODY;
			*out = sweep.frame;
		}
		if (sweep.part < PART_BODY &&
		    !set_up(&sweep, &decoded, at + insn.length))
			return false;
		if (sweep.part >= PART_BODY && sweep.settled == settled &&
		    !go_on(&sweep, &decoded, &insn, size))
			return false;
	}
	return found && sweep.part == PART_BODY;
}

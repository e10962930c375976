/*
 * decode.c - instructions: their length, kind and direct target
 *
 * Invariant: an `insn` that arch_decode() has returned holds a valid
 * instruction, so that decode_full() of it succeeds.
 */
#include "decode.h"

#include <inttypes.h>
#include <string.h>

static struct error *decode(const uint8_t *bytes, size_t size, uint64_t address,
			    struct decoded *out)
{
	ZydisDecoder decoder;
	ZyanStatus status;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	status = ZydisDecoderDecodeFull(&decoder, bytes, size, &out->zydis,
					out->operands);
	if (status == ZYDIS_STATUS_NO_MORE_DATA)
		return error_create(
			ERROR_OTHER,
			"the code ends within the instruction at 0x%" PRIx64,
			address);
	if (!ZYAN_SUCCESS(status))
		return error_create(ERROR_OTHER,
				    "no valid instruction at 0x%" PRIx64,
				    address);
	return NULL;
}

static bool is_filling(const struct decoded *decoded)
{
	const ZydisDecodedInstruction *zydis = &decoded->zydis;

	/* 66 90 is an xchg of ax with itself, and does nothing. With REX.B it
	 * is an xchg of r8 with rax. */
	return zydis->mnemonic == ZYDIS_MNEMONIC_NOP ||
	       zydis->mnemonic == ZYDIS_MNEMONIC_INT3 ||
	       (zydis->mnemonic == ZYDIS_MNEMONIC_XCHG &&
		zydis->opcode == 0x90 && !zydis->raw.rex.B);
}

size_t arch_padding(const uint8_t *bytes, size_t size)
{
	struct decoded decoded;
	size_t at = 0;

	while (at < size) {
		struct error *error =
			decode(bytes + at, size - at, 0, &decoded);

		if (error) {
			error_destroy(error);
			break;
		}
		if (!is_filling(&decoded))
			break;
		at += decoded.zydis.length;
	}
	return at;
}

struct error *decode_full(const struct insn *insn, struct decoded *out)
{
	return decode(insn->bytes, insn->length, insn->address, out);
}

/*
 * Is this a conditional jump? Zydis counts two more instructions as conditional
 * branches, and these are not jumps: xend has no target, and the processor goes
 * to the target of xbegin only if the transaction aborts.
 */
static bool is_jump_if(const struct decoded *decoded)
{
	const ZydisDecodedOperand *operand = &decoded->operands[0];

	return decoded->zydis.meta.category == ZYDIS_CATEGORY_COND_BR &&
	       decoded->zydis.mnemonic != ZYDIS_MNEMONIC_XBEGIN &&
	       operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	       operand->imm.is_relative;
}

static enum insn_kind kind_of(const struct decoded *decoded)
{
	const ZydisDecodedInstruction *zydis = &decoded->zydis;
	bool direct = decoded->operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE;

	switch (zydis->mnemonic) {
	case ZYDIS_MNEMONIC_RET:
		return zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR
			       ? INSN_STOP
			       : INSN_RETURN;
	case ZYDIS_MNEMONIC_CALL:
		if (zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return INSN_STOP;
		return direct ? INSN_CALL : INSN_CALL_INDIRECT;
	case ZYDIS_MNEMONIC_JMP:
		if (zydis->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return INSN_STOP;
		return direct ? INSN_JUMP : INSN_JUMP_INDIRECT;
	case ZYDIS_MNEMONIC_SYSCALL:
		return INSN_SYSCALL;
	case ZYDIS_MNEMONIC_INT:
		/* int 0x80 is the system call gate of 32-bit programs. The
		 * kernel returns to the next instruction. */
		return decoded->operands[0].imm.value.u == 0x80 ? INSN_PLAIN
								: INSN_STOP;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		return INSN_STOP;
	default:
		return is_jump_if(decoded) ? INSN_JUMP_IF : INSN_PLAIN;
	}
}

struct error *arch_decode(const uint8_t *bytes, size_t size, uint64_t address,
			  struct insn *out)
{
	struct decoded decoded;
	struct insn insn = {.address = address};

	TRY(decode(bytes, size, address, &decoded));
	insn.length = decoded.zydis.length;
	memcpy(insn.bytes, bytes, insn.length);
	insn.kind = kind_of(&decoded);
	if (insn.kind == INSN_JUMP || insn.kind == INSN_JUMP_IF ||
	    insn.kind == INSN_CALL)
		insn.target =
			address + insn.length + decoded.operands[0].imm.value.u;
	*out = insn;
	return NULL;
}

const ZydisDecodedOperand *decoded_rip_operand(const struct decoded *decoded)
{
	for (int i = 0; i < decoded->zydis.operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    (operand->mem.base == ZYDIS_REGISTER_RIP ||
		     operand->mem.base == ZYDIS_REGISTER_EIP))
			return operand;
	}
	return NULL;
}

bool decoded_depends_on_vendor(const struct decoded *decoded)
{
	const ZydisDecodedInstruction *zydis = &decoded->zydis;

	if (zydis->raw.rex.W)
		return false;
	for (int i = 0; i < zydis->raw.prefix_count; i++)
		if (zydis->raw.prefixes[i].value == 0x66)
			return true;
	return false;
}

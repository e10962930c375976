/*
 * branch.c - where a branch leads, given the registers of the thread; whether
 * an instruction was executed, given the registers behind it
 *
 * Rules: Intel's Software Developer's Manual, volume 2, Jcc (table of
 * conditions), JRCXZ, LOOP, JMP, CALL.
 */
#include "decode.h"

#include <inttypes.h>
#include <string.h>

enum {
	OPCODE_LOOPNE = 0xe0,
	OPCODE_LOOPE = 0xe1,
	OPCODE_LOOP = 0xe2,
	OPCODE_JRCXZ = 0xe3,
};

/* The value of a general register of 64 bits, by its number in instructions. */
static uint64_t general(const struct user_regs_struct *regs, int id)
{
	/* DWARF numbers the first eight registers in another order. */
	static const uint8_t dwarf_numbers[] = {0, 2, 1, 3, 7, 6, 4, 5};
	uint64_t value = 0;

	arch_dwarf_register(id < 8 ? dwarf_numbers[id] : (unsigned)id, regs,
			    &value);
	return value;
}

static bool flag(const struct user_regs_struct *regs, uint64_t mask)
{
	return (regs->eflags & mask) != 0;
}

/* Does one of the 16 conditions of jcc hold? Each odd condition is the opposite
 * of the even condition before it. */
static bool condition_holds(unsigned condition,
			    const struct user_regs_struct *regs)
{
	bool carry = flag(regs, ZYDIS_CPUFLAG_CF);
	bool zero = flag(regs, ZYDIS_CPUFLAG_ZF);
	bool less =
		flag(regs, ZYDIS_CPUFLAG_SF) != flag(regs, ZYDIS_CPUFLAG_OF);
	bool holds;

	switch (condition >> 1) {
	case 0:
		holds = flag(regs, ZYDIS_CPUFLAG_OF);
		break;
	case 1:
		holds = carry;
		break;
	case 2:
		holds = zero;
		break;
	case 3:
		holds = carry || zero;
		break;
	case 4:
		holds = flag(regs, ZYDIS_CPUFLAG_SF);
		break;
	case 5:
		holds = flag(regs, ZYDIS_CPUFLAG_PF);
		break;
	case 6:
		holds = less;
		break;
	default:
		holds = less || zero;
		break;
	}
	return holds != (condition & 1);
}

/* Does this processor execute `repe loopne` as `loope`? No manual says whether
 * processors do so; therefore the function tries it on the processor that it
 * runs on. */
static bool does_prefix_overrule(void)
{
	bool jumped = false;

	/* xor sets ZF, and rcx counts two rounds: loope jumps, and loopne does
	 * not. */
	__asm__ volatile("mov $2, %%ecx\n\t"
			 "xor %%eax, %%eax\n\t"
			 ".byte 0xf3, 0xe0, 2\n\t" /* repe loopne 1f */
			 "jmp 2f\n"
			 "1:\tmovb $1, %0\n"
			 "2:"
			 : "+m"(jumped)
			 :
			 : "rax", "rcx", "cc");
	return jumped;
}

/*
 * Does this loope or loopne loop while ZF is set? The opcode tells the two
 * apart. On processors of AMD (and in Intel's XED) the last rep prefix
 * overrules the opcode; on processors of Intel it does not.
 */
static bool loops_while_zero(const ZydisDecodedInstruction *zydis)
{
	bool result = zydis->opcode == OPCODE_LOOPE;

	for (int i = 0; i < zydis->raw.prefix_count; i++) {
		uint8_t prefix = zydis->raw.prefixes[i].value;

		if ((prefix == 0xf3 || prefix == 0xf2) &&
		    does_prefix_overrule())
			result = prefix == 0xf3;
	}
	return result;
}

bool arch_jump_taken(const struct insn *insn,
		     const struct user_regs_struct *regs)
{
	struct decoded decoded;
	struct error *error;
	bool zero = flag(regs, ZYDIS_CPUFLAG_ZF);
	uint64_t count;

	if (insn->kind != INSN_JUMP_IF)
		return insn->kind == INSN_JUMP;
	error = decode_full(insn, &decoded);
	if (error) { /* `insn` does not come from arch_decode() */
		error_destroy(error);
		return false;
	}
	count = decoded.zydis.address_width == 32 ? (uint32_t)regs->rcx
						  : regs->rcx;
	switch (decoded.zydis.opcode) {
	case OPCODE_LOOPNE:
	case OPCODE_LOOPE:
		return count != 1 && loops_while_zero(&decoded.zydis) == zero;
	case OPCODE_LOOP:
		return count != 1;
	case OPCODE_JRCXZ:
		return count == 0;
	default:
		return condition_holds(decoded.zydis.opcode & 0xf, regs);
	}
}

/* The value of a register that is a part of an address. `reg` is no register, a
 * general register or rip. `next` is the value of rip, the address behind the
 * instruction. */
static uint64_t address_part(ZydisRegister reg, uint64_t next,
			     const struct user_regs_struct *regs)
{
	switch (reg) {
	case ZYDIS_REGISTER_NONE:
		return 0;
	case ZYDIS_REGISTER_RIP:
	case ZYDIS_REGISTER_EIP:
		return next;
	default:
		return general(regs, ZydisRegisterGetId(reg));
	}
}

static uint64_t effective_address(const ZydisDecodedOperandMem *mem,
				  bool narrow, uint64_t next,
				  const struct user_regs_struct *regs)
{
	uint64_t address = address_part(mem->base, next, regs) +
			   address_part(mem->index, next, regs) * mem->scale +
			   (uint64_t)mem->disp.value;

	if (narrow)
		address = (uint32_t)address;
	if (mem->segment == ZYDIS_REGISTER_FS)
		address += regs->fs_base;
	if (mem->segment == ZYDIS_REGISTER_GS)
		address += regs->gs_base;
	return address;
}

struct error *arch_indirect_target(const struct insn *insn,
				   const struct user_regs_struct *regs,
				   arch_read_fn *read, void *context,
				   uint64_t *target)
{
	const ZydisDecodedOperand *operand;
	struct decoded decoded;
	uint64_t address, value;

	TRY(decode_full(insn, &decoded));
	operand = &decoded.operands[0];
	if (decoded_depends_on_vendor(&decoded))
		return error_create(ERROR_OTHER,
				    "the branch at 0x%" PRIx64
				    " is executed differently by processors of "
				    "Intel and of AMD",
				    insn->address);
	if (insn->kind == INSN_RETURN) {
		address = regs->rsp;
	} else if (insn->kind != INSN_JUMP_INDIRECT &&
		   insn->kind != INSN_CALL_INDIRECT) {
		return error_create(ERROR_OTHER,
				    "no indirect branch at 0x%" PRIx64,
				    insn->address);
	} else if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		*target = general(regs, ZydisRegisterGetId(operand->reg.value));
		return NULL;
	} else {
		address = effective_address(&operand->mem,
					    decoded.zydis.address_width == 32,
					    insn->address + insn->length, regs);
	}
	if (!read(context, address, &value, sizeof(value)))
		return error_create(ERROR_EVALUATE,
				    "cannot read the target of the branch at "
				    "0x%" PRIx64 " from 0x%" PRIx64,
				    insn->address, address);
	*target = value;
	return NULL;
}

bool arch_stub_word(const uint8_t *code, size_t size, uint64_t address,
		    uint64_t *word)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	int32_t displacement;
	size_t at = 0;

	if (size >= sizeof(endbr64) &&
	    memcmp(code, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	/* bnd, of processors with MPX */
	at += at < size && code[at] == 0xf2;
	if (size < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&displacement, code + at + 2, sizeof(displacement));
	*word = address + at + 6 + (uint64_t)(int64_t)displacement;
	return true;
}

enum {
	OPCODE_PUSH = 0x50, /* and the next seven */
	OPCODE_POP = 0x58,
	OPCODE_RET = 0xc3,
	OPCODE_LEAVE = 0xc9,
	RSP = 4,
	RBP = 5,
};

bool arch_is_unexecuted(const struct insn *insn,
			const struct user_regs_struct *regs, arch_read_fn *read,
			void *context)
{
	const uint8_t opcode = insn->bytes[0];
	const int id = opcode == OPCODE_LEAVE ? RBP : opcode % 8;
	const bool pushes = (opcode & 0xf8) == OPCODE_PUSH;
	uint64_t value;

	if (insn->length != 1)
		return false;
	if (opcode == OPCODE_RET)
		return true;
	if (id == RSP || (!pushes && (opcode & 0xf8) != OPCODE_POP &&
			  opcode != OPCODE_LEAVE))
		return false;
	/* What was pushed is on top of the stack; what was popped is below it
	 * until something is pushed. */
	return !read(context, pushes ? regs->rsp : regs->rsp - 8, &value,
		     sizeof(value)) ||
	       value != general(regs, id);
}

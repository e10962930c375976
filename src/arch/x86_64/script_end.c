/*
 * script_end.c - what a script of remote calls still does when it is left in
 * its middle
 *
 * Behind its last system call a script only loads registers and jumps
 * (script.c). Behind a clone(2) it branches. If a tool has left a thread in
 * this part, another tool can give the thread the final state at once, and the
 * thread need not execute the rest.
 */
#include <string.h>

#include "decode.h"
#include "perftool/arch.h"

static bool find_register(ZydisRegister reg, struct arch_register *out)
{
	const char *name = ZydisRegisterGetString(reg);

	return name && arch_register_find(name, out);
}

/* Apply mov REGISTER, with an immediate or a register, to `regs`. A mov of 32
 * bits clears the upper half. */
static bool move(const struct decoded *decoded, struct user_regs_struct *regs)
{
	const ZydisDecodedOperand *to = &decoded->operands[0];
	const ZydisDecodedOperand *from = &decoded->operands[1];
	struct arch_register target, source;
	uint64_t value;

	if (to->type != ZYDIS_OPERAND_TYPE_REGISTER || to->size < 32 ||
	    !find_register(to->reg.value, &target))
		return false;
	if (from->type == ZYDIS_OPERAND_TYPE_IMMEDIATE)
		value = from->imm.value.u;
	else if (from->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		 find_register(from->reg.value, &source))
		value = arch_register_read(&source, regs);
	else
		return false;
	if (to->size == 32)
		value = (uint32_t)value;
	memcpy((uint8_t *)regs + target.offset, &value, sizeof(value));
	return true;
}

/* Apply jmp rel32 to `regs`, or jmp [rip + n] if the address that it loads is
 * within the code. */
static bool jump(const struct decoded *decoded, const uint8_t *code,
		 size_t size, size_t at, uint64_t pc,
		 struct user_regs_struct *regs)
{
	const ZydisDecodedOperand *to = &decoded->operands[0];
	size_t next = at + decoded->zydis.length;
	uint64_t target;

	if (to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		regs->rip = pc + decoded->zydis.length + to->imm.value.u;
		return true;
	}
	if (to->type != ZYDIS_OPERAND_TYPE_MEMORY ||
	    to->mem.base != ZYDIS_REGISTER_RIP || to->mem.disp.value < 0 ||
	    next + (uint64_t)to->mem.disp.value + sizeof(target) > size)
		return false;
	memcpy(&target, code + next + to->mem.disp.value, sizeof(target));
	regs->rip = target;
	return true;
}

/* Does jrcxz jump, and where to? Otherwise the next instruction follows. */
static uint64_t branch(const struct decoded *decoded, uint64_t pc,
		       const struct user_regs_struct *regs)
{
	uint64_t next = pc + decoded->zydis.length;

	return regs->rcx ? next : next + decoded->operands[0].imm.value.u;
}

/* No script has so many instructions. */
#define MOST_STEPS 1000

enum script_place arch_script_end(const uint8_t *code, size_t size,
				  uint64_t address,
				  struct user_regs_struct *regs)
{
	struct user_regs_struct state = *regs;
	struct decoded decoded;

	for (int i = 0; i < MOST_STEPS && state.rip - address < size; i++) {
		const uint64_t pc = state.rip;
		const size_t at = pc - address;
		struct insn insn;
		struct error *error =
			arch_decode(code + at, size - at, pc, &insn);

		if (!error)
			error = decode_full(&insn, &decoded);
		if (error) {
			error_destroy(error);
			return SCRIPT_NONE;
		}
		state.rip = pc + decoded.zydis.length;
		switch (decoded.zydis.mnemonic) {
		case ZYDIS_MNEMONIC_SYSCALL:
			return SCRIPT_CALLS;
		case ZYDIS_MNEMONIC_MOV:
			if (!move(&decoded, &state))
				return SCRIPT_NONE;
			break;
		case ZYDIS_MNEMONIC_JRCXZ:
			state.rip = branch(&decoded, pc, &state);
			break;
		case ZYDIS_MNEMONIC_JMP:
			if (!jump(&decoded, code, size, at, pc, &state))
				return SCRIPT_NONE;
			if (state.rip - address < size)
				break; /* the branch behind a clone(2) */
			*regs = state;
			return SCRIPT_ENDS;
		default:
			return SCRIPT_NONE;
		}
	}
	return SCRIPT_NONE;
}

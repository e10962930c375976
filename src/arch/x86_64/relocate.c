/*
 * relocate.c - displaced instructions that are executed in a slot
 *
 * The code in a slot does what the instruction does at its site, and leaves no
 * trace of the slot on the stack or in a register. Most instructions are
 * copied, and a jump back follows. Instructions that depend on the instruction
 * pointer are written in another way:
 *
 *	memory [rip + x]   with a new displacement
 *	jmp, jcc           with 32-bit displacements, or through an address
 *	jrcxz, loop        hop over the jump back to a jump to their target
 *	call               push the true return address, jump to the target
 *	syscall            followed by a load of rcx, because the processor sets
 *	                   rcx to the address behind the instruction
 *	xbegin             with the displacement to its true abort handler
 *
 * Invariant: a thread can be found at each address in a slot. The last point at
 * or before the address says how to turn the state of the thread into a state
 * that the program knows. A call through a register or memory is incomplete
 * between its push and its jump. For a thread in this state arch_slot_pc()
 * undoes the push. The memory that the push wrote is then below the stack
 * pointer, and the call itself will write the same memory.
 *
 * Known differences between the code in a slot and the instruction at its site:
 *  - An x87 instruction leaves the address of its slot in the x87 "last
 *    instruction" pointer. The si_call_addr of a SIGSYS (seccomp) is the
 *    address of the slot's syscall.
 *  - An indirect call pushes before it reads its target. If the operand is in
 *    the 8 bytes directly below the stack pointer, and is named by another
 *    register than rsp, the call reads the return address there. If neither the
 *    stack nor the operand can be accessed, the fault of the stack comes first.
 *  - A program that sets its own trap flag with popf is trapped one instruction
 *    too early.
 *  - The shadow stack of a processor (CET) does not know a relocated call, and
 *    takes its return for an attack. Calls of such a process must not be
 *    relocated.
 */
#include "decode.h"

#include <inttypes.h>
#include <string.h>

#include "emit.h"

#define PUSH_SIZE 8 /* number of bytes by which a push lowers rsp */

struct relocation {
	const struct insn *insn;
	struct decoded decoded;
	uint64_t next; /* the address behind the instruction at the site */
	struct arch_slot *slot;
	struct emit emit;
};

static struct error *refuse(const struct relocation *relocation,
			    const char *why)
{
	return error_create(ERROR_OTHER,
			    "the instruction at 0x%" PRIx64
			    " cannot be executed at another address: %s",
			    relocation->insn->address, why);
}

static struct slot_point *add_point(struct relocation *relocation, bool done,
				    uint64_t pc)
{
	struct arch_slot *slot = relocation->slot;
	struct slot_point *point = &slot->points[slot->point_count++];

	*point = (struct slot_point){
		.start = (uint8_t)relocation->emit.length,
		.done = done,
		.pc = pc,
	};
	return point;
}

/* Here the displaced instruction is complete and leads to `pc`. Add a point
 * that says so, and emit the jump to `pc`. */
static void leave(struct relocation *relocation, uint64_t pc)
{
	add_point(relocation, true, pc);
	emit_jump(&relocation->emit, pc);
}

/*
 * Emit `bytes`, a version of the instruction that is as long as the instruction
 * itself. If it has a [rip + x] operand, the operand gets a new displacement,
 * so that it names the same memory as at the site.
 */
static struct error *emit_aimed(struct relocation *relocation,
				const uint8_t *bytes)
{
	const struct decoded *decoded = &relocation->decoded;
	const ZydisDecodedOperand *operand = decoded_rip_operand(decoded);
	uint8_t length = decoded->zydis.length, copy[ARCH_MAX_INSN];
	uint64_t end = emit_here(&relocation->emit) + length, target;
	uint32_t displacement;

	memcpy(copy, bytes, length);
	if (operand) {
		target = relocation->next + (uint64_t)operand->mem.disp.value;
		/* With 32-bit addresses, all arithmetic is modulo 2^32, so that
		 * every target is in reach. */
		if (operand->mem.base == ZYDIS_REGISTER_RIP &&
		    !emit_in_reach(end, target))
			return refuse(relocation,
				      "the memory it names is out of reach");
		displacement = (uint32_t)(target - end);
		memcpy(copy + decoded->zydis.raw.disp.offset, &displacement,
		       sizeof(displacement));
	}
	emit_bytes(&relocation->emit, copy, length);
	return NULL;
}

static struct error *relocate_plain(struct relocation *relocation)
{
	TRY(emit_aimed(relocation, relocation->insn->bytes));
	leave(relocation, relocation->next);
	return NULL;
}

static struct error *relocate_jump_if(struct relocation *relocation)
{
	const struct insn *insn = relocation->insn;
	const ZydisDecodedInstruction *zydis = &relocation->decoded.zydis;
	struct emit *emit = &relocation->emit;
	uint64_t next = relocation->next;
	size_t hop;

	if (zydis->raw.imm[0].size == 32 ||
	    (zydis->opcode & 0xf0) == 0x70) { /* jcc; not jrcxz, loop */
		uint8_t condition = zydis->opcode & 0xf;
		uint64_t end = emit_here(emit) + 6;

		if (emit_in_reach(end, insn->target)) {
			emit_u8(emit, 0x0f);
			emit_u8(emit, 0x80 | condition);
			emit_u32(emit, (uint32_t)(insn->target - end));
			leave(relocation, next);
			return NULL;
		}
		emit_u8(emit, 0x70 | condition);
	} else {
		emit_bytes(emit, insn->bytes, insn->length - 1U);
	}
	hop = emit_jump_size(emit_here(emit) + 1, next);
	emit_u8(emit, (uint8_t)hop);
	leave(relocation, next);
	leave(relocation, insn->target);
	return NULL;
}

/* Behind an xbegin the transaction begins; if the transaction aborts, the
 * processor goes to the target of the xbegin. */
static struct error *relocate_xbegin(struct relocation *relocation)
{
	struct emit *emit = &relocation->emit;
	uint64_t end = emit_here(emit) + 6, next = relocation->next;
	uint64_t target = next + relocation->decoded.operands[0].imm.value.u;
	bool near = emit_in_reach(end, target);

	emit_bytes(emit, "\xc7\xf8", 2);
	emit_u32(emit, near ? (uint32_t)(target - end)
			    : (uint32_t)emit_jump_size(end, next));
	leave(relocation, next);
	if (!near)
		leave(relocation, target);
	return NULL;
}

static struct error *relocate_syscall(struct relocation *relocation)
{
	struct emit *emit = &relocation->emit;

	emit_bytes(emit, relocation->insn->bytes, relocation->insn->length);
	add_point(relocation, true, relocation->next)->set_rcx = true;
	emit_load(emit, 1, relocation->next);
	emit_jump(emit, relocation->next);
	return NULL;
}

/*
 * Emit push qword [rip + K]. The caller then emits the jump, and calls
 * end_call(), which places the return address behind the jump and fills in K.
 */
static void begin_call(struct relocation *relocation)
{
	emit_bytes(&relocation->emit, "\xff\x35\0\0\0\0", 6);
}

static void end_call(struct relocation *relocation)
{
	struct emit *emit = &relocation->emit;
	uint32_t displacement = (uint32_t)emit->length - 6;

	memcpy(emit->code + 2, &displacement, sizeof(displacement));
	emit_u64(emit, relocation->next);
}

static struct error *relocate_call(struct relocation *relocation)
{
	begin_call(relocation);
	leave(relocation, relocation->insn->target);
	end_call(relocation);
	return NULL;
}

static bool is_stack_pointer(ZydisRegister reg)
{
	return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_ESP;
}

/*
 * Emit jmp [rsp + x + 8] for call [rsp + x], because the push before it has
 * lowered rsp by 8. The displacement becomes one of 32 bits.
 */
static struct error *emit_jump_by_stack(struct relocation *relocation)
{
	const struct decoded *decoded = &relocation->decoded;
	const ZydisDecodedOperandMem *mem = &decoded->operands[0].mem;
	const uint8_t *bytes = relocation->insn->bytes;
	uint8_t modrm = decoded->zydis.raw.modrm.offset;
	struct emit *emit = &relocation->emit;
	int64_t displacement = mem->disp.value + PUSH_SIZE;

	if (mem->index == ZYDIS_REGISTER_NONE && displacement > -PUSH_SIZE &&
	    displacement < PUSH_SIZE)
		return refuse(relocation,
			      "it reads its target from the memory into which "
			      "it pushes the return address");
	if (displacement > INT32_MAX)
		return refuse(relocation, "its displacement is too large");
	if (modrm + 2 + sizeof(uint32_t) > ARCH_MAX_INSN)
		return refuse(relocation, "it has too many prefixes");
	emit_bytes(emit, bytes, modrm);
	emit_u8(emit, 0xa4); /* mod 2: displacement of 32 bits; reg 4: jmp; rm
				4: SIB */
	emit_u8(emit, bytes[modrm + 1]);
	emit_u32(emit, (uint32_t)displacement);
	return NULL;
}

static struct error *relocate_call_indirect(struct relocation *relocation)
{
	const struct decoded *decoded = &relocation->decoded;
	const ZydisDecodedOperand *operand = &decoded->operands[0];
	uint8_t copy[ARCH_MAX_INSN];

	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    operand->reg.value == ZYDIS_REGISTER_RSP)
		return refuse(relocation, "it calls the address in rsp");
	begin_call(relocation);
	add_point(relocation, false, relocation->insn->address)->pushed =
		PUSH_SIZE;
	if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	    is_stack_pointer(operand->mem.base)) {
		TRY(emit_jump_by_stack(relocation));
	} else {
		memcpy(copy, relocation->insn->bytes, relocation->insn->length);
		/* In the reg field, ff /2 (call) becomes ff /4 (jmp). */
		copy[decoded->zydis.raw.modrm.offset] ^= 0x30;
		TRY(emit_aimed(relocation, copy));
	}
	end_call(relocation);
	return NULL;
}

static bool is_branch(enum insn_kind kind)
{
	return kind == INSN_JUMP || kind == INSN_JUMP_IF || kind == INSN_CALL ||
	       kind == INSN_CALL_INDIRECT;
}

static struct error *write_slot(struct relocation *relocation)
{
	const ZydisDecodedInstruction *zydis = &relocation->decoded.zydis;
	const struct insn *insn = relocation->insn;
	bool xbegin = zydis->mnemonic == ZYDIS_MNEMONIC_XBEGIN;

	if ((is_branch(insn->kind) || xbegin) &&
	    decoded_depends_on_vendor(&relocation->decoded))
		return refuse(relocation, "processors of Intel and of AMD "
					  "execute its prefix 66 differently");
	if (zydis->mnemonic == ZYDIS_MNEMONIC_SYSENTER)
		return refuse(relocation,
			      "sysenter returns to another address");
	if (xbegin)
		return relocate_xbegin(relocation);

	switch (insn->kind) {
	case INSN_RETURN:
	case INSN_JUMP_INDIRECT:
		return emit_aimed(relocation, insn->bytes);
	case INSN_JUMP:
		emit_jump(&relocation->emit, insn->target);
		return NULL;
	case INSN_JUMP_IF:
		return relocate_jump_if(relocation);
	case INSN_CALL:
		return relocate_call(relocation);
	case INSN_CALL_INDIRECT:
		return relocate_call_indirect(relocation);
	case INSN_SYSCALL:
		return relocate_syscall(relocation);
	case INSN_STOP:
		if (zydis->mnemonic == ZYDIS_MNEMONIC_CALL)
			return refuse(relocation, "it is a far call");
		/* Such an instruction raises a signal, and the program's
		 * handler of the signal may let the thread go on behind the
		 * instruction. */
		return relocate_plain(relocation);
	case INSN_PLAIN:
		return relocate_plain(relocation);
	}
	return refuse(relocation, "its kind is unknown");
}

struct error *arch_relocate(const struct insn *insn, uint64_t slot_address,
			    struct arch_slot *out)
{
	struct arch_slot slot = {.site = insn->address,
				 .address = slot_address};
	struct relocation relocation = {
		.insn = insn,
		.next = insn->address + insn->length,
		.slot = &slot,
		.emit = {.code = slot.code,
			 .capacity = sizeof(slot.code),
			 .address = slot_address},
	};

	TRY(decode_full(insn, &relocation.decoded));
	add_point(&relocation, false, insn->address);
	TRY(write_slot(&relocation));
	if (relocation.emit.overflow)
		return refuse(&relocation, "it does not fit into a slot");
	slot.length = (uint8_t)relocation.emit.length;
	*out = slot;
	return NULL;
}

bool arch_slot_pc(const struct arch_slot *slot, struct user_regs_struct *regs)
{
	uint64_t offset = regs->rip - slot->address;
	const struct slot_point *point = &slot->points[0];

	if (offset >= slot->length)
		return false;
	for (int i = 1; i < slot->point_count; i++)
		if (slot->points[i].start <= offset)
			point = &slot->points[i];
	regs->rip = point->pc;
	regs->rsp += point->pushed;
	if (point->set_rcx)
		regs->rcx = point->pc;
	return true;
}

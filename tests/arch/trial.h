/*
 * trial.h - one instruction with one state of the machine, made so that the
 * instruction has something to do
 *
 * Included by one test program; it holds its code. Registers, vectors and
 * memory are random, the same at every run. Then what an instruction refers to
 * is aimed: addresses at the arena (or, in some variants, where they fault),
 * branches at the landing place. The encoding keeps its kind: displacements
 * change their value and never their size.
 */
#ifndef TESTS_ARCH_TRIAL_H
#define TESTS_ARCH_TRIAL_H

#include <Zydis/Zydis.h>
#include <cpuid.h>
#include <sys/syscall.h>

#include "machine.h"

enum variant {
	VARIANT_ALIGNED,
	VARIANT_UNALIGNED,
	VARIANT_MEMORY_FAULT, /* operands and branch targets unmapped */
	VARIANT_STACK_FAULT,  /* stack unmapped; x87 and SSE exceptions on */
	VARIANTS,
	/* conditional branches have more trials, all with new flags */
	BRANCH_VARIANTS = 16,
};

struct trial {
	struct insn insn; /* as it stands at SITE */
	ZydisDecodedInstruction zydis;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	unsigned variant;
	uint64_t random;
	uint64_t
		where[ZYDIS_MAX_OPERAND_COUNT]; /* memory operands' addresses */
	struct machine_state state;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* Small, special and wild numbers, so that divisions and shifts succeed too. */
static uint64_t random_value(uint64_t *state)
{
	uint64_t x = next_random(state);

	switch (x >> 61) {
	case 0:
		return 0;
	case 1:
		return x & 0x3f;
	case 2:
		return x & 0xffff;
	case 3:
		return (uint32_t)x;
	case 4:
		return UINT64_MAX - (x & 7);
	default:
		return next_random(state);
	}
}

static void random_fill(uint64_t *state, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t value = next_random(state);

		memcpy(bytes + i, &value,
		       size - i < sizeof(value) ? size - i : sizeof(value));
	}
}

static unsigned long long *trial_register(struct trial *trial,
					  ZydisRegister reg)
{
	struct user_regs_struct *regs = &trial->state.regs;
	unsigned long long *const general[] = {
		&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx,
		&regs->rsp, &regs->rbp, &regs->rsi, &regs->rdi,
		&regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
		ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
		return NULL;
	return general[ZydisRegisterGetId(whole)];
}

/* A component's place in the state as ptrace gives it; rule: CPUID leaf 13. */
static size_t component_place(unsigned number, size_t *size)
{
	unsigned bytes, offset, c, d;

	if (!__get_cpuid_count(0xd, number, &bytes, &offset, &c, &d))
		bytes = offset = 0;
	*size = bytes;
	return offset;
}

/* ---- the random part ---------------------------------------------------- */

static void randomize_vectors(struct machine *machine, struct trial *trial)
{
	uint8_t *xsave = trial->state.xsave;
	uint16_t control = 0x37f; /* all exceptions masked */
	uint32_t mxcsr = 0x1f80;

	memcpy(xsave, machine->template, machine->xsave_size);
	memcpy(xsave + XSAVE_HEADER, &machine->components,
	       sizeof(machine->components));
	if (trial->variant == VARIANT_STACK_FAULT) {
		control = 0x340;
		mxcsr = 0;
	}
	memset(xsave, 0, 24);
	memcpy(xsave, &control, sizeof(control));
	xsave[4] = 0xff; /* all x87 registers in use */
	memcpy(xsave + XSAVE_MXCSR, &mxcsr, sizeof(mxcsr));
	for (size_t i = 0; i < 8; i++)
		random_fill(&trial->random, xsave + XSAVE_X87 + i * 16,
			    XSAVE_X87_BYTES);
	random_fill(&trial->random, xsave + XSAVE_SSE, 16 * 16);
	for (unsigned i = 2; i < 8; i++) {
		size_t size, offset = component_place(i, &size);

		if (machine->components >> i & 1)
			random_fill(&trial->random, xsave + offset, size);
	}
}

#define ARITHMETIC_FLAGS 0xcd5UL /* CF PF AF ZF SF DF OF */

static void randomize(struct machine *machine, struct trial *trial,
		      const struct machine_state *patterns)
{
	struct user_regs_struct *regs = &trial->state.regs;
	uint64_t *random = &trial->random;

	*regs = patterns->regs;
	memcpy(trial->state.arena, patterns->arena, ARENA_SIZE);
	for (int id = 0; id < 16; id++)
		*trial_register(trial, ZydisRegisterEncode(ZYDIS_REGCLASS_GPR64,
							   (ZyanU8)id)) =
			random_value(random);
	regs->eflags = 0x202 | (next_random(random) & ARITHMETIC_FLAGS);
	regs->orig_rax = UINT64_MAX;
	regs->fs_base = ARENA + 0x4000;
	regs->gs_base = ARENA + 0x5000;
	regs->rbp = ARENA + 0x7000 + 16 * (next_random(random) & 7);
	regs->rsp = ARENA + 0x6000 + 16 * (next_random(random) & 7);
	if (trial->variant == VARIANT_STACK_FAULT)
		regs->rsp = UNMAPPED;
	randomize_vectors(machine, trial);
}

/* ---- what instructions need --------------------------------------------- */

/* Gathers: every index small, read as 32 and as 64 bits. */
static void small_lanes(struct machine *machine, struct trial *trial,
			ZydisRegister reg)
{
	unsigned id = (unsigned)ZydisRegisterGetId(reg);
	static const uint64_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
	uint8_t *xsave = trial->state.xsave;
	size_t size;

	if (id >= 16) {
		memcpy(xsave + component_place(7, &size) + (id - 16) * 64UL,
		       lanes, 64);
		return;
	}
	memcpy(xsave + XSAVE_SSE + 16UL * id, lanes, 16);
	if (machine->components & 4)
		memcpy(xsave + component_place(2, &size) + 16UL * id, lanes + 2,
		       16);
	if (machine->components & 0x40)
		memcpy(xsave + component_place(6, &size) + 32UL * id, lanes + 4,
		       32);
}

static uint64_t segment_base(const struct trial *trial, ZydisRegister segment)
{
	if (segment == ZYDIS_REGISTER_FS)
		return trial->state.regs.fs_base;
	if (segment == ZYDIS_REGISTER_GS)
		return trial->state.regs.gs_base;
	return 0;
}

static void set_displacement(struct trial *trial, uint64_t value)
{
	memcpy(trial->insn.bytes + trial->zydis.raw.disp.offset, &value,
	       trial->zydis.raw.disp.size / 8U);
}

/* Make memory operand `mem` name the address `where`. */
static void aim(struct machine *machine, struct trial *trial,
		const ZydisDecodedOperandMem *mem, uint64_t where)
{
	uint64_t rest = where - segment_base(trial, mem->segment), garbage;
	unsigned long long *base = trial_register(trial, mem->base);
	unsigned long long *index = trial_register(trial, mem->index);
	bool narrow = trial->zydis.address_width == 32;

	if (mem->base == ZYDIS_REGISTER_RIP ||
	    mem->base == ZYDIS_REGISTER_EIP) {
		set_displacement(trial, where - (SITE + trial->insn.length));
		return;
	}
	garbage = narrow && mem->base != ZYDIS_REGISTER_ESP
			  ? next_random(&trial->random) << 32
			  : 0;
	if (mem->index != ZYDIS_REGISTER_NONE && !index)
		small_lanes(machine, trial, mem->index);
	if (base && base == index) {
		*base = (rest - (uint64_t)mem->disp.value) / (1U + mem->scale);
		return;
	}
	if (index) {
		*index = next_random(&trial->random) & 7;
		rest -= *index * mem->scale;
		*index += garbage;
	}
	if (!base) {
		if (trial->zydis.raw.disp.size >= 32)
			set_displacement(trial, rest);
		return;
	}
	rest -= (uint64_t)mem->disp.value;
	*base = narrow ? (uint32_t)rest + garbage : rest;
}

static uint64_t place_of_operand(const struct trial *trial, int number)
{
	uint64_t where = ARENA + 0x8000 + 0x400 * (uint64_t)number;

	if (trial->variant == VARIANT_MEMORY_FAULT)
		return UNMAPPED;
	if (trial->variant == VARIANT_UNALIGNED)
		where += 1 + trial->random % 15;
	return where;
}

/* Explicit operands last: they win when both use the same register. */
static void aim_operands(struct machine *machine, struct trial *trial)
{
	for (int i = trial->zydis.operand_count - 1; i >= 0; i--) {
		const ZydisDecodedOperand *operand = &trial->operands[i];
		bool visible =
			operand->visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;

		if (operand->type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (!visible && operand->mem.base == ZYDIS_REGISTER_RSP)
			continue; /* the stack is where it should be */
		trial->where[i] = place_of_operand(trial, i);
		aim(machine, trial, &operand->mem, trial->where[i]);
	}
}

static void aim_branch(struct trial *trial)
{
	const ZydisDecodedInstruction *zydis = &trial->zydis;
	const ZydisDecodedOperand *operand = &trial->operands[0];
	uint64_t next = SITE + trial->insn.length;
	uint64_t target = zydis->raw.imm[0].size == 8 ? next + 0x30 : LANDING;
	uint64_t distance = target - next;

	if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
	    operand->imm.is_relative)
		memcpy(trial->insn.bytes + zydis->raw.imm[0].offset, &distance,
		       zydis->raw.imm[0].size / 8U);
}

static void put_word(struct trial *trial, uint64_t address, uint64_t value)
{
	if (address - ARENA <= ARENA_SIZE - sizeof(value))
		memcpy(trial->state.arena + (address - ARENA), &value,
		       sizeof(value));
}

/* Where indirect branches and returns lead. */
static void aim_indirect(struct trial *trial)
{
	const ZydisDecodedOperand *operand = &trial->operands[0];
	unsigned long long *reg;
	uint64_t target = LANDING;

	if (trial->variant == VARIANT_MEMORY_FAULT)
		target = UNMAPPED;
	if (trial->variant == VARIANT_STACK_FAULT)
		target = NOT_CANONICAL;
	switch (trial->insn.kind) {
	case INSN_RETURN:
		put_word(trial, trial->state.regs.rsp, target);
		break;
	case INSN_JUMP_INDIRECT:
	case INSN_CALL_INDIRECT:
		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			put_word(trial, trial->where[0], target);
			break;
		}
		reg = trial_register(trial, operand->reg.value);
		if (reg)
			*reg = target;
		break;
	default:
		break;
	}
}

#define USER_CODE_SELECTOR 0x33
#define USER_DATA_SELECTOR 0x2b

/* What far returns find on the stack. */
static void place_frame(struct trial *trial)
{
	uint64_t rsp = trial->state.regs.rsp;

	if (trial->zydis.mnemonic == ZYDIS_MNEMONIC_IRETQ) {
		put_word(trial, rsp, LANDING);
		put_word(trial, rsp + 8, USER_CODE_SELECTOR);
		put_word(trial, rsp + 16, 0x202);
		put_word(trial, rsp + 24, rsp + 0x100);
		put_word(trial, rsp + 32, USER_DATA_SELECTOR);
	} else if (trial->zydis.mnemonic == ZYDIS_MNEMONIC_RET &&
		   trial->insn.kind == INSN_STOP) {
		put_word(trial, rsp,
			 LANDING | (uint64_t)USER_CODE_SELECTOR << 32);
	}
}

/* What instructions that load processor state find there: a valid one. */
static void place_state(struct machine *machine, struct trial *trial)
{
	const uint8_t *xsave = trial->state.xsave;
	uint64_t offset = trial->where[0] - ARENA;

	if (offset > ARENA_SIZE - machine->xsave_size)
		return;
	switch (trial->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR:
		memcpy(trial->state.arena + offset, xsave + XSAVE_MXCSR, 4);
		break;
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
		memcpy(trial->state.arena + offset, xsave, machine->xsave_size);
		memset(trial->state.arena + offset + XSAVE_XCR0, 0, 48);
		break;
	default:
		break;
	}
}

/* Numbers that must be small, system calls that must be harmless. */
static void tame(struct trial *trial)
{
	struct user_regs_struct *regs = &trial->state.regs;
	static const uint64_t counts[] = {
		0, 1, 2, 0x100000000, 0x100000001, UINT64_MAX,
	};
	unsigned long long *reg;
	uint64_t flags;

	if (trial->zydis.attributes &
	    (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
	     ZYDIS_ATTRIB_HAS_REPNE))
		regs->rcx = next_random(&trial->random) % 6;
	switch (trial->zydis.mnemonic) {
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE:
		regs->rcx = counts[trial->variant % 6];
		break;
	case ZYDIS_MNEMONIC_SYSCALL:
		regs->rax = trial->variant & 1 ? 4000 : SYS_getpid;
		break;
	case ZYDIS_MNEMONIC_INT:
		regs->rax = 20; /* getpid for int 0x80 */
		break;
	case ZYDIS_MNEMONIC_BT:
	case ZYDIS_MNEMONIC_BTC:
	case ZYDIS_MNEMONIC_BTR:
	case ZYDIS_MNEMONIC_BTS: /* a bit number reaches beyond the operand */
		reg = trial->operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER
			      ? trial_register(trial,
					       trial->operands[1].reg.value)
			      : NULL;
		if (reg)
			*reg &= 0x3f;
		break;
	case ZYDIS_MNEMONIC_DIV:
	case ZYDIS_MNEMONIC_IDIV:
		if (trial->variant == VARIANT_ALIGNED) {
			regs->rax &= 0x7f;
			regs->rdx = 0;
		}
		break;
	case ZYDIS_MNEMONIC_WRFSBASE:
	case ZYDIS_MNEMONIC_WRGSBASE: /* ptrace takes user addresses only */
		*trial_register(trial, trial->operands[0].reg.value) &=
			0x7fffffff;
		break;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFQ: /* a program that steps itself: see doc */
		flags = 0x202 |
			(next_random(&trial->random) & ARITHMETIC_FLAGS);
		put_word(trial, regs->rsp, flags);
		break;
	default:
		break;
	}
}

static void trial_decode(struct trial *trial)
{
	ZydisDecoder decoder;
	struct error *error;

	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
			 ZYDIS_STACK_WIDTH_64);
	error = arch_decode(trial->insn.bytes, trial->insn.length, SITE,
			    &trial->insn);
	machine_must(!error, "arch_decode of a moved instruction");
	machine_must(ZYAN_SUCCESS(ZydisDecoderDecodeFull(
			     &decoder, trial->insn.bytes, trial->insn.length,
			     &trial->zydis, trial->operands)),
		     "decoding a moved instruction");
}

/*
 * `patterns` holds the registers that are not random (segments) and the
 * arena's contents.
 */
static void trial_init(struct trial *trial, struct machine *machine,
		       const struct insn *insn, unsigned variant,
		       const struct machine_state *patterns)
{
	trial->insn = *insn;
	trial->variant = variant;
	trial->random = 0x5eed + variant;
	for (int i = 0; i < insn->length; i++)
		trial->random = trial->random * 31 + insn->bytes[i];
	memset(trial->where, 0, sizeof(trial->where));
	trial_decode(trial);
	randomize(machine, trial, patterns);
	tame(trial);
	aim_operands(machine, trial);
	aim_branch(trial);
	trial_decode(trial);
	aim_indirect(trial);
	place_state(machine, trial);
	place_frame(trial);
}

#endif

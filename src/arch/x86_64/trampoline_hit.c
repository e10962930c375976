/*
 * trampoline_hit.c - the part of a trampoline that tests whether a thread that
 * has reached the site makes hits there
 *
 * The trampoline tests the conditions of the breakpoints. If the displaced
 * instruction is a jump that may leave the function, the trampoline also tests
 * whether a conditional jump is taken, and whether an indirect jump leads out
 * of the function.
 */
#include <inttypes.h>

#include "decode.h"
#include "trampoline.h"

/* With more known targets than this, those near the first one are compared as
 * distances from an address that is NEAR_BEFORE below it. */
#define FEW_KNOWN 4
#define NEAR_BEFORE UINT64_C(0x80000000)

struct error *refuse(const struct builder *builder, const char *why)
{
	return error_create(ERROR_OTHER, "the instruction at 0x%" PRIx64 " %s",
			    builder->spec->insn->address, why);
}

struct error *when_taken(struct builder *builder)
{
	struct decoded decoded;
	size_t size;

	TRY(decode_full(builder->spec->insn, &decoded));
	if (builder->spec->insn->kind != INSN_JUMP_IF ||
	    decoded.zydis.mnemonic == ZYDIS_MNEMONIC_JRCXZ ||
	    decoded.zydis.mnemonic == ZYDIS_MNEMONIC_JECXZ ||
	    decoded.zydis.mnemonic == ZYDIS_MNEMONIC_LOOP ||
	    decoded.zydis.mnemonic == ZYDIS_MNEMONIC_LOOPE ||
	    decoded.zydis.mnemonic == ZYDIS_MNEMONIC_LOOPNE)
		return refuse(builder, "is no jump by the flags");
	size = emit_jump_size(emit_here(&builder->emit) + 2,
			      builder->out->trampoline.slot);
	emit_u8(&builder->emit, 0x70 | (decoded.zydis.opcode & 15));
	emit_u8(&builder->emit, (uint8_t)size);
	go_to_slot(builder);
	return NULL;
}

/* The number of a register in instructions. Returns false if the register is
 * none of the 16 general registers of 64 bits. */
static bool register_number(ZydisRegister reg, unsigned *number)
{
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64)
		return false;
	*number = (unsigned)ZydisRegisterGetId(reg);
	return *number < 16;
}

struct error *load_target(struct builder *builder)
{
	const struct insn *insn = builder->spec->insn;
	const ZydisDecodedOperand *operand;
	struct decoded decoded;
	unsigned base, index;

	TRY(decode_full(insn, &decoded));
	operand = &decoded.operands[0];
	if (insn->kind != INSN_JUMP_INDIRECT ||
	    decoded_depends_on_vendor(&decoded))
		return refuse(builder, "is no indirect jump");
	if (operand->type == ZYDIS_OPERAND_TYPE_REGISTER) {
		if (!register_number(operand->reg.value, &base))
			return refuse(builder, "jumps by an odd register");
		load_register(builder, RAX, base);
		return NULL;
	}
	if (operand->mem.segment != ZYDIS_REGISTER_DS &&
	    operand->mem.segment != ZYDIS_REGISTER_SS)
		return refuse(builder, "jumps by thread-local memory");
	if (operand->mem.base == ZYDIS_REGISTER_RIP) {
		emit_load(&builder->emit, RAX,
			  insn->address + insn->length +
				  (uint64_t)operand->mem.disp.value);
		load_memory(builder, 8, false, 0);
		return NULL;
	}
	if (operand->mem.base == ZYDIS_REGISTER_NONE)
		emit_load(&builder->emit, RAX, 0);
	else if (register_number(operand->mem.base, &base))
		load_register(builder, RAX, base);
	else
		return refuse(builder, "has 32-bit addresses");
	if (operand->mem.index != ZYDIS_REGISTER_NONE) {
		if (!register_number(operand->mem.index, &index))
			return refuse(builder, "has 32-bit addresses");
		load_register(builder, RCX, index);
		/* lea rax, [rax + rcx * scale] */
		CODE(builder, "\x48\x8d\x04");
		emit_u8(&builder->emit,
			(uint8_t)(operand->mem.scale == 8   ? 0xc8
				  : operand->mem.scale == 4 ? 0x88
				  : operand->mem.scale == 2 ? 0x48
							    : 0x08));
	}
	load_memory(builder, 8, false, (int32_t)operand->mem.disp.value);
	return NULL;
}

static bool has_whichever(const struct trampoline_spec *spec)
{
	return spec->when == FAST_JUMP_LEAVES && spec->whichever;
}

/* Emit the test whether an indirect jump leaves the function. A jump to `entry`
 * counts as leaving although `entry` is in one of the ranges. */
static struct error *when_leaving(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	TRY(load_target(builder));
	emit_load(&builder->emit, RCX, spec->entry);
	CODE(builder, "\x48\x39\xc8"); /* cmp rax, rcx */
	jump_if(builder, 4, LABEL_RECORD);
	for (size_t i = 0; i < spec->range_count; i++) {
		const struct fast_range *range = &spec->inside[i];

		emit_load(&builder->emit, RCX, range->low);
		/* mov rdx, rax; sub rdx, rcx */
		CODE(builder, "\x48\x89\xc2\x48\x29\xca");
		emit_load(&builder->emit, RCX, range->high - range->low);
		CODE(builder, "\x48\x39\xca"); /* cmp rdx, rcx */
		jump_if(builder, 2,
			has_whichever(spec) ? LABEL_STAYS : LABEL_RESTORE);
	}
	return NULL;
}

/* Is the target in the 4 GiB around the first one? */
static bool is_near(const struct trampoline_spec *spec, uint64_t target)
{
	return target - (spec->known[0] - NEAR_BEFORE) <= UINT32_MAX;
}

/* Emit the comparisons with the targets that are near the first one, as numbers
 * of 32 bits. They are shorter than those of addresses. */
static void compare_near(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;
	uint64_t base = spec->known[0] - NEAR_BEFORE;

	emit_load(&builder->emit, RCX, base);
	/* mov rdx, rax; sub rdx, rcx; mov ecx, edx; cmp rcx, rdx */
	CODE(builder, "\x48\x89\xc2\x48\x29\xca\x89\xd1\x48\x39\xd1");
	jump_if(builder, 5, LABEL_FAR);
	for (size_t i = 0; i < spec->known_count; i++) {
		if (!is_near(spec, spec->known[i]))
			continue;
		CODE(builder, "\x81\xfa"); /* cmp edx, .. */
		emit_u32(&builder->emit, (uint32_t)(spec->known[i] - base));
		jump_if(builder, 4, LABEL_KNOWN);
	}
	place(builder, LABEL_FAR);
}

/* Emit the test whether the tool knows the target of the jump, which is in
 * rax. The code changes rcx and rdx. */
static void ask(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;
	bool has_near = spec->known_count > FEW_KNOWN;

	if (has_near)
		compare_near(builder);
	for (size_t i = 0; i < spec->known_count; i++) {
		if (has_near && is_near(spec, spec->known[i]))
			continue;
		emit_load(&builder->emit, RCX, spec->known[i]);
		CODE(builder, "\x48\x39\xc8"); /* cmp rax, rcx */
		jump_if(builder, 4, LABEL_KNOWN);
	}
	jump(builder, LABEL_FOREIGN);
	place(builder, LABEL_KNOWN);
}

/* Emit the code that puts the mask of the parts that may be hit into the
 * scratch: all parts if the jump leaves the function, else only those of
 * `whichever`. */
static void note_way(struct builder *builder)
{
	emit_load(&builder->emit, RCX, UINT32_MAX);
	jump(builder, LABEL_BOTH);
	place(builder, LABEL_STAYS);
	emit_load(&builder->emit, RCX, builder->spec->whichever);
	place(builder, LABEL_BOTH);
	keep_register(builder, RCX);
}

static bool is_conditional(const struct trampoline_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (spec->parts[i].count)
			return true;
	return false;
}

bool has_mask(const struct trampoline_spec *spec)
{
	return has_whichever(spec) ||
	       (spec->part_count > 1 && is_conditional(spec));
}

/* The mask of the parts that have no condition. */
static uint32_t always(const struct trampoline_spec *spec)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		if (!spec->parts[i].count)
			mask |= 1U << i;
	return mask;
}

/* Emit the code that puts the mask of the parts whose conditions are true into
 * the scratch. If the mask is 0, the thread makes no record. */
static void test_conditions(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	emit_load(&builder->emit, RAX, always(spec));
	keep_register(builder, RAX);
	for (size_t i = 0; i < spec->part_count; i++) {
		if (!spec->parts[i].count)
			continue;
		emit_program(builder, &spec->parts[i]);
		/* test rax, rax; setne al; movzx eax, al; shl eax, i */
		CODE(builder, "\x48\x85\xc0\x0f\x95\xc0\x0f\xb6\xc0\xc1\xe0");
		emit_u8(&builder->emit, (uint8_t)i);
		/* The `or` has 64 bits, as all accesses to this word have. If
		 * the word were stored in two sizes, the processor could not
		 * forward it from the stores to a load, and would wait. */
		combine_kept(builder);
	}
	take_register(builder, RAX);
	if (has_whichever(spec)) {
		take_register(builder, RCX);
		CODE(builder, "\x21\xc8"); /* and eax, ecx */
	}
	CODE(builder, "\x85\xc0"); /* test eax, eax */
	jump_if(builder, 4, LABEL_RESTORE);
	keep_register(builder, RAX);
}

/* Emit the test of the only condition. If the condition is false, the thread
 * makes no record. */
static void test_condition(struct builder *builder)
{
	emit_program(builder, &builder->spec->parts[0]);
	CODE(builder, "\x48\x85\xc0"); /* test rax, rax */
	jump_if(builder, 4, LABEL_RESTORE);
}

struct error *is_it_a_hit(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	if (spec->when == FAST_JUMP_LEAVES)
		TRY(when_leaving(builder));
	place(builder, LABEL_RECORD);
	if (spec->when == FAST_JUMP_LEAVES && spec->asks)
		ask(builder);
	if (has_whichever(spec))
		note_way(builder);
	if (has_mask(spec))
		test_conditions(builder);
	else if (is_conditional(spec))
		test_condition(builder);
	return NULL;
}

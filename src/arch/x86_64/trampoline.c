/*
 * trampoline.c - the code that a fast node jumps to
 *
 *	save rax, rcx, rdx and the flags below the red zone
 *	is there a block of ours?			else: foreign
 *	is it a hit?					else: restore
 *	compute mask and values, onto the stack
 *	reserve cells; is there room?			else: wait
 *	write them, the counter, and the site last
 *	restore:
 *	restore what was saved, go on in the slot
 *	wait:
 *	note when, int3 (the tool makes room and sends the thread on; with no
 *	tool left: ask for no room any more), note when, back to the question
 *	foreign:
 *	restore, int3 (the tool counts it), go on in the slot
 *
 * All this hides behind the time that rdtsc takes, so that the plainest way was
 * taken everywhere. It must not fault where the program would not: that is why
 * programs (fast.h) read so little.
 */
#include <inttypes.h>
#include <string.h>

#include "decode.h"
#include "perftool/ring.h"
#include "trampoline.h"

#define GS 0x65

static void code(struct builder *builder, const char *bytes, size_t size)
{
	emit_bytes(&builder->emit, bytes, size);
}

#define CODE(builder, bytes) code(builder, bytes, sizeof(bytes) - 1)

/* ---- what the code is made of ---------------------------------------------
 */

void mark(struct builder *builder)
{
	struct trampoline_code *out = builder->out;
	uint8_t *count = &out->trampoline.point_count;
	struct trampoline_point point = {
		.start = (uint16_t)builder->emit.length,
		.phase = builder->phase,
		.saved = builder->saved,
		.rax_saved = builder->rax_saved,
		.masked = builder->masked,
		.depth = builder->depth,
	};

	if (*count && out->points[*count - 1].start == point.start) {
		out->points[*count - 1] = point;
		return;
	}
	if (*count == TRAMPOLINE_POINTS) {
		builder->overflow = true;
		return;
	}
	out->points[(*count)++] = point;
}

void push_register(struct builder *builder, unsigned reg)
{
	emit_u8(&builder->emit, (uint8_t)(0x50 | reg));
	builder->depth += 8;
	mark(builder);
}

void pop_register(struct builder *builder, unsigned reg)
{
	emit_u8(&builder->emit, (uint8_t)(0x58 | reg));
	builder->depth -= 8;
	mark(builder);
}

/* mov or lea `to`, [rsp + offset] */
static void from_stack(struct builder *builder, uint8_t opcode, unsigned to,
		       uint32_t offset)
{
	emit_u8(&builder->emit, 0x48);
	emit_u8(&builder->emit, opcode);
	emit_u8(&builder->emit, (uint8_t)(0x84 | to << 3));
	emit_u8(&builder->emit, 0x24);
	emit_u32(&builder->emit, offset);
}

void load_register(struct builder *builder, unsigned to, unsigned reg)
{
	static const uint16_t saved[] = {SAVED_RAX, SAVED_RCX, SAVED_RDX};

	if (reg <= RDX) {
		from_stack(builder, 0x8b, to, builder->depth - saved[reg]);
	} else if (reg == RSP) {
		from_stack(builder, 0x8d, to, builder->depth);
	} else { /* mov to, reg */
		emit_u8(&builder->emit, reg > 7 ? 0x4c : 0x48);
		emit_u8(&builder->emit, 0x89);
		emit_u8(&builder->emit, (uint8_t)(0xc0 | (reg & 7) << 3 | to));
	}
}

void load_memory(struct builder *builder, unsigned size, bool is_signed,
		 int32_t offset)
{
	switch (size) {
	case 1:
		if (is_signed)
			CODE(builder, "\x48\x0f\xbe\x80");
		else
			CODE(builder, "\x0f\xb6\x80");
		break;
	case 2:
		if (is_signed)
			CODE(builder, "\x48\x0f\xbf\x80");
		else
			CODE(builder, "\x0f\xb7\x80");
		break;
	case 4:
		if (is_signed)
			CODE(builder, "\x48\x63\x80");
		else
			CODE(builder, "\x8b\x80");
		break;
	default:
		CODE(builder, "\x48\x8b\x80");
		break;
	}
	emit_u32(&builder->emit, (uint32_t)offset);
}

static void use(struct builder *builder, enum label label)
{
	if (builder->use_count == MOST_USES) {
		builder->overflow = true;
		return;
	}
	builder->uses[builder->use_count].at = (uint16_t)builder->emit.length;
	builder->uses[builder->use_count++].label = (uint8_t)label;
	emit_u32(&builder->emit, 0);
}

void jump_if(struct builder *builder, unsigned condition, enum label label)
{
	emit_u8(&builder->emit, 0x0f);
	emit_u8(&builder->emit, (uint8_t)(0x80 | condition));
	use(builder, label);
}

void jump(struct builder *builder, enum label label)
{
	emit_u8(&builder->emit, 0xe9);
	use(builder, label);
}

void place(struct builder *builder, enum label label)
{
	builder->labels[label] = (uint16_t)builder->emit.length;
}

static void resolve_labels(struct builder *builder)
{
	for (size_t i = 0; i < builder->use_count; i++) {
		uint16_t at = builder->uses[i].at;
		uint32_t displacement =
			builder->labels[builder->uses[i].label] - at - 4U;

		memcpy(builder->out->bytes + at, &displacement,
		       sizeof(displacement));
	}
}

/* An instruction on gs:[offset], without the prefix. */
static void on_header(struct builder *builder, const char *opcode, size_t size,
		      uint32_t offset)
{
	emit_u8(&builder->emit, GS);
	emit_bytes(&builder->emit, opcode, size);
	emit_u32(&builder->emit, offset);
}

/* The same on gs:[rcx + offset], into the cells. */
static void on_cell(struct builder *builder, const char *opcode, size_t size,
		    uint32_t offset)
{
	on_header(builder, opcode, size, RING_CELLS + offset);
}

/* ---- saving and restoring --------------------------------------------------
 */

static void save(struct builder *builder)
{
	CODE(builder, "\x48\x8d\x64\x24\x80"); /* lea rsp, [rsp - 128] */
	builder->depth = 128;
	mark(builder);
	builder->rax_saved = true;
	push_register(builder, RAX);
	CODE(builder, "\x9f\x0f\x90\xc0"); /* lahf; seto al */
	push_register(builder, RAX);
	push_register(builder, RCX);
	builder->saved = true;
	push_register(builder, RDX);
}

/* What was popped is in memory still, below rsp: `saved` is true until rax
 * is back. */
static void restore(struct builder *builder)
{
	pop_register(builder, RDX);
	pop_register(builder, RCX);
	pop_register(builder, RAX);
	CODE(builder, "\x04\x7f\x9e"); /* add al, 127; sahf */
	builder->saved = builder->rax_saved = false;
	pop_register(builder, RAX);
	CODE(builder, "\x48\x8d\xa4\x24\x80\0\0\0"); /* lea rsp, [rsp + 128] */
	builder->depth = 0;
	mark(builder);
}

static void go_to_slot(struct builder *builder)
{
	if (builder->out->trampoline.slot)
		emit_jump(&builder->emit, builder->out->trampoline.slot);
	else /* jmp gs:[slot] */
		on_header(builder, "\xff\x24\x25", 3,
			  offsetof(struct ring_header, slot));
}

/* ---- is it a hit? ----------------------------------------------------------
 */

static struct error *refuse(const struct builder *builder, const char *why)
{
	return error_create(ERROR_OTHER, "the instruction at 0x%" PRIx64 " %s",
			    builder->spec->insn->address, why);
}

/* Before anything is saved: the flags are the program's. */
static struct error *when_taken(struct builder *builder)
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

/* As instructions encode it; false: none of the 16. */
static bool register_number(ZydisRegister reg, unsigned *number)
{
	if (ZydisRegisterGetClass(reg) != ZYDIS_REGCLASS_GPR64)
		return false;
	*number = (unsigned)ZydisRegisterGetId(reg);
	return *number < 16;
}

/* rax := where an indirect jump goes. */
static struct error *load_target(struct builder *builder)
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

/* Push the parts that may be hit. */
static void note_way(struct builder *builder)
{
	emit_load(&builder->emit, RCX, UINT32_MAX);
	jump(builder, LABEL_BOTH);
	place(builder, LABEL_STAYS);
	emit_load(&builder->emit, RCX, builder->spec->whichever);
	place(builder, LABEL_BOTH);
	push_register(builder, RCX);
}

/* ---- the record ------------------------------------------------------------
 */

static bool is_conditional(const struct trampoline_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (spec->parts[i].count)
			return true;
	return false;
}

/* Not of one part: without its hit there is no record. */
static bool has_mask(const struct trampoline_spec *spec)
{
	return has_whichever(spec) ||
	       (spec->part_count > 1 && is_conditional(spec));
}

/* The parts that have no condition. */
static uint32_t always(const struct trampoline_spec *spec)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < spec->part_count; i++)
		if (!spec->parts[i].count)
			mask |= 1U << i;
	return mask;
}

/* Push which conditions are true; none of them: no record. */
static void test_conditions(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	emit_load(&builder->emit, RAX, always(spec));
	push_register(builder, RAX);
	for (size_t i = 0; i < spec->part_count; i++) {
		if (!spec->parts[i].count)
			continue;
		emit_program(builder, &spec->parts[i]);
		/* test rax, rax; setne al; movzx eax, al; shl eax, i */
		CODE(builder, "\x48\x85\xc0\x0f\x95\xc0\x0f\xb6\xc0\xc1\xe0");
		emit_u8(&builder->emit, (uint8_t)i);
		/* or [rsp], rax: the processor cannot forward to a load what
		 * was stored in two sizes, and would wait */
		CODE(builder, "\x48\x09\x04\x24");
	}
	pop_register(builder, RAX);
	if (has_whichever(spec)) {
		pop_register(builder, RCX);
		CODE(builder, "\x21\xc8"); /* and eax, ecx */
	}
	CODE(builder, "\x85\xc0"); /* test eax, eax */
	jump_if(builder, 4, LABEL_RESTORE);
	push_register(builder, RAX);
}

/* A condition that is false: no record. */
static void test_condition(struct builder *builder)
{
	emit_program(builder, &builder->spec->parts[0]);
	CODE(builder, "\x48\x85\xc0"); /* test rax, rax */
	jump_if(builder, 4, LABEL_RESTORE);
}

static void reserve(struct builder *builder)
{
	uint32_t bytes = builder->out->trampoline.cells *
			 (uint32_t)sizeof(struct ring_cell);

	emit_load(&builder->emit, RCX, bytes);
	/* xadd gs:[head], rcx */
	on_header(builder, "\x48\x0f\xc1\x0c\x25", 5,
		  offsetof(struct ring_header, head));
	builder->phase = TRAMPOLINE_RESERVED;
	mark(builder);
	place(builder, LABEL_AGAIN);
	/* lea rax, [rcx + bytes - 1]; cmp rax, gs:[limit] */
	CODE(builder, "\x48\x8d\x81");
	emit_u32(&builder->emit, bytes - 1);
	on_header(builder, "\x48\x3b\x04\x25", 4,
		  offsetof(struct ring_header, limit));
	jump_if(builder, 3, LABEL_WAIT);
}

/* Pop a value and write it. */
static void write_value(struct builder *builder, uint32_t index)
{
	uint32_t offset = ring_value_offset(index), in_cell = offset % 32;

	pop_register(builder, RAX);
	if (offset < 32) { /* mov gs:[rcx + ..], rax */
		on_cell(builder, "\x48\x89\x81", 3, offset);
		return;
	}
	CODE(builder, "\x8d\x91"); /* lea edx, [rcx + ..] */
	emit_u32(&builder->emit, offset - in_cell);
	CODE(builder, "\x81\xe2"); /* and edx, .. */
	emit_u32(&builder->emit, RING_BYTES - 1);
	on_cell(builder, "\x48\x89\x82", 3, in_cell); /* mov gs:[rdx + ..] */
}

static void write_record(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	CODE(builder, "\x81\xe1"); /* and ecx, .. */
	emit_u32(&builder->emit, RING_BYTES - 1);
	builder->masked = true;
	mark(builder);
	for (size_t i = spec->value_count; i-- > 0;)
		write_value(builder, (uint32_t)i);
	if (has_mask(spec)) {
		pop_register(builder, RAX);
		on_cell(builder, "\x89\x81", 2,
			offsetof(struct ring_cell, mask));
	}
	/* what comes behind hides in its time, what comes before does not */
	CODE(builder, "\x0f\x31"); /* rdtsc */
	on_cell(builder, "\x89\x81", 2, offsetof(struct ring_cell, time));
	on_cell(builder, "\x89\x91", 2, offsetof(struct ring_cell, time) + 4);
	load_register(builder, RAX, spec->base);
	on_cell(builder, "\x48\x89\x81", 3, offsetof(struct ring_cell, base));
	if (has_mask(spec))
		on_cell(builder, "\xc7\x81", 2,
			offsetof(struct ring_cell, site));
	else /* mask, too: 0 */
		on_cell(builder, "\x48\xc7\x81", 3,
			offsetof(struct ring_cell, site));
	emit_u32(&builder->emit, spec->site);
	builder->phase = TRAMPOLINE_AFTER;
	mark(builder);
}

/* ---- the three ways out ----------------------------------------------------
 */

static void way_out(struct builder *builder)
{
	builder->phase = TRAMPOLINE_AFTER;
	builder->depth = SAVED_RDX;
	place(builder, LABEL_RESTORE);
	mark(builder);
	restore(builder);
	go_to_slot(builder);
}

/* rdtsc; shl rdx, 32; or rax, rdx; mov gs:[..], rax */
static void write_counter(struct builder *builder, uint32_t offset)
{
	CODE(builder, "\x0f\x31\x48\xc1\xe2\x20\x48\x09\xd0");
	on_header(builder, "\x48\x89\x04\x25", 4, offset);
}

/* `depth`: as it is where the question is asked. */
static void wait_for_room(struct builder *builder, uint16_t depth)
{
	builder->phase = TRAMPOLINE_RESERVED;
	builder->depth = depth;
	builder->saved = builder->rax_saved = true;
	builder->masked = false;
	place(builder, LABEL_WAIT);
	mark(builder);
	write_counter(builder, offsetof(struct ring_header, stall_from));
	builder->out->trampoline.wait = (uint16_t)builder->emit.length;
	emit_u8(&builder->emit, ARCH_INT3);
	/* mov gs:[limit], -1 */
	on_header(builder, "\x48\xc7\x04\x25", 4,
		  offsetof(struct ring_header, limit));
	emit_u32(&builder->emit, UINT32_MAX);
	builder->out->trampoline.again = (uint16_t)builder->emit.length;
	write_counter(builder, offsetof(struct ring_header, stall_to));
	jump(builder, LABEL_AGAIN);
}

static void be_foreign(struct builder *builder)
{
	builder->phase = TRAMPOLINE_BEFORE;
	builder->depth = SAVED_RDX;
	place(builder, LABEL_FOREIGN);
	mark(builder);
	restore(builder);
	builder->out->trampoline.foreign = (uint16_t)builder->emit.length;
	emit_u8(&builder->emit, ARCH_INT3);
	builder->phase = TRAMPOLINE_AFTER;
	mark(builder);
	go_to_slot(builder);
}

static struct error *check(const struct trampoline_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (spec->parts[i].count && !fast_is_sound(&spec->parts[i]))
			return error_create(ERROR_OTHER, "bad condition");
	for (size_t i = 0; i < spec->value_count; i++)
		if (!fast_is_sound(&spec->values[i]))
			return error_create(ERROR_OTHER, "bad value");
	return NULL;
}

struct error *trampoline_build(const struct trampoline_spec *spec,
			       uint64_t address, uint64_t slot,
			       struct trampoline_code *out)
{
	struct builder builder = {.spec = spec,
				  .out = out,
				  .emit = {.code = out->bytes,
					   .capacity = TRAMPOLINE_SIZE,
					   .address = address}};
	uint16_t depth;

	TRY(check(spec));
	out->trampoline = (struct trampoline){
		.points = out->points,
		.address = address,
		.slot = slot,
		.site = spec->insn->address,
		.cells = (uint8_t)ring_cells((uint32_t)spec->value_count)};
	mark(&builder);
	if (spec->when == FAST_JUMP_TAKEN)
		TRY(when_taken(&builder));
	save(&builder);
	/* cmp dword gs:[cookie], .. */
	on_header(&builder, "\x81\x3c\x25", 3,
		  offsetof(struct ring_header, cookie));
	emit_u32(&builder.emit, spec->cookie);
	jump_if(&builder, 5, LABEL_FOREIGN);
	if (spec->when == FAST_JUMP_LEAVES)
		TRY(when_leaving(&builder));
	place(&builder, LABEL_RECORD);
	if (has_whichever(spec))
		note_way(&builder);
	if (has_mask(spec))
		test_conditions(&builder);
	else if (is_conditional(spec))
		test_condition(&builder);
	for (size_t i = 0; i < spec->value_count; i++) {
		emit_program(&builder, &spec->values[i]);
		push_register(&builder, RAX);
	}
	reserve(&builder);
	depth = builder.depth;
	write_record(&builder);
	way_out(&builder);
	wait_for_room(&builder, depth);
	be_foreign(&builder);
	if (builder.overflow || builder.emit.overflow)
		return refuse(&builder, "would have too long a trampoline");
	resolve_labels(&builder);
	out->trampoline.length = (uint16_t)builder.emit.length;
	return NULL;
}

/*
 * trampoline_code.c - the pieces of which the code of a trampoline is made
 */
#include <string.h>

#include "perftool/ring.h"
#include "trampoline.h"

#define GS 0x65

void mark(struct builder *builder)
{
	struct trampoline_code *out = builder->out;
	uint8_t *count = &out->trampoline.point_count;
	struct trampoline_point point = {
		.start = (uint16_t)builder->emit.length,
		.phase = builder->phase,
		.saved = builder->saved,
		.rax_saved = builder->rax_saved,
		.more_saved = builder->more_saved,
		.rsp_saved = builder->rsp_saved,
		.call_counted = builder->call_counted,
		.below = builder->below,
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

/* Emit an instruction whose operands are `reg` and the word at `offset` in the
 * header: gs:[disp32], which names no register. */
static void absolute(struct builder *builder, uint8_t opcode, unsigned reg,
		     size_t offset)
{
	const char code[] = {0x48, (char)opcode, (char)(0x04 | reg << 3), 0x25};

	on_header(builder, code, sizeof(code), offset);
}

void store_in_header(struct builder *builder, unsigned reg, size_t offset)
{
	absolute(builder, 0x89, reg, offset);
}

void load_from_header(struct builder *builder, unsigned reg, size_t offset)
{
	absolute(builder, 0x8b, reg, offset);
}

static size_t scratch_offset(const struct builder *builder)
{
	return offsetof(struct ring_header, saved.scratch) +
	       sizeof(uint64_t) * builder->scratch;
}

void keep_register(struct builder *builder, unsigned reg)
{
	if (builder->scratch == RING_SCRATCH) {
		builder->overflow = true;
		return;
	}
	store_in_header(builder, reg, scratch_offset(builder));
	builder->scratch++;
}

void take_register(struct builder *builder, unsigned reg)
{
	builder->scratch--;
	load_from_header(builder, reg, scratch_offset(builder));
}

void combine_kept(struct builder *builder)
{
	absolute(builder, 0x09, RAX,
		 scratch_offset(builder) - sizeof(uint64_t));
}

void load_kept(struct builder *builder)
{
	load_from_header(builder, RAX,
			 scratch_offset(builder) - sizeof(uint64_t));
}

/* Emit mov or lea `to`, [rsp + offset]. */
static void from_stack(struct builder *builder, uint8_t opcode, unsigned to,
		       uint32_t offset)
{
	emit_u8(&builder->emit, 0x48);
	emit_u8(&builder->emit, opcode);
	emit_u8(&builder->emit, (uint8_t)(0x84 | to << 3));
	emit_u8(&builder->emit, 0x24);
	emit_u32(&builder->emit, offset);
}

static void load_saved(struct builder *builder, unsigned to, unsigned reg)
{
	static const uint16_t on_stack[] = {STACK_RAX, STACK_RCX, STACK_RDX};
	static const size_t in_header[] = {
		offsetof(struct ring_header, saved.rax),
		offsetof(struct ring_header, saved.rcx),
		offsetof(struct ring_header, saved.rdx)};

	if (builder->spec->on_stack)
		from_stack(builder, 0x8b, to, builder->below - on_stack[reg]);
	else
		load_from_header(builder, to, in_header[reg]);
}

void load_register(struct builder *builder, unsigned to, unsigned reg)
{
	if (reg <= RDX) {
		load_saved(builder, to, reg);
	} else if (reg == RSP) {
		from_stack(builder, 0x8d, to, builder->below);
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

void resolve_labels(struct builder *builder)
{
	for (size_t i = 0; i < builder->use_count; i++) {
		uint16_t at = builder->uses[i].at;
		uint32_t displacement =
			builder->labels[builder->uses[i].label] - at - 4U;

		memcpy(builder->out->bytes + at, &displacement,
		       sizeof(displacement));
	}
}

void on_header(struct builder *builder, const char *opcode, size_t size,
	       size_t offset)
{
	emit_u8(&builder->emit, GS);
	emit_bytes(&builder->emit, opcode, size);
	emit_u32(&builder->emit, (uint32_t)(RING_DISTANCE + offset));
}

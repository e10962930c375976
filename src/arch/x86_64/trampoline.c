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
 * Most of this hides behind the time that lfence and rdtsc take, so that the
 * plainest way was taken nearly everywhere. It must not fault where the
 * program would not: that is why programs (fast.h) read so little.
 */
#include "trampoline.h"
#include "perftool/ring.h"

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

void go_to_slot(struct builder *builder)
{
	if (builder->out->trampoline.slot)
		emit_jump(&builder->emit, builder->out->trampoline.slot);
	else /* jmp gs:[slot] */
		on_header(builder, "\xff\x24\x25", 3,
			  offsetof(struct ring_header, slot));
}

#define LFENCE "\x0f\xae\xe8"
#define RDTSC "\x0f\x31"

/* ---- the record ------------------------------------------------------------
 */

/* The same on gs:[rcx + offset], into the cells. */
static void on_cell(struct builder *builder, const char *opcode, size_t size,
		    uint32_t offset)
{
	on_header(builder, opcode, size, RING_CELLS + offset);
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
	load_register(builder, RAX, spec->base);
	on_cell(builder, "\x48\x89\x81", 3, offsetof(struct ring_cell, base));
	/* rdtsc: as late as can be, for what stands behind it overlaps with
	 * the program's own instructions, each time another way */
	if (spec->ordered)
		CODE(builder, LFENCE);
	CODE(builder, RDTSC);
	on_cell(builder, "\x89\x81", 2, offsetof(struct ring_cell, time));
	on_cell(builder, "\x89\x91", 2, offsetof(struct ring_cell, time) + 4);
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

/* lfence; rdtsc; shl rdx, 32; or rax, rdx; mov gs:[..], rax */
static void write_counter(struct builder *builder, uint32_t offset)
{
	CODE(builder, LFENCE RDTSC "\x48\xc1\xe2\x20\x48\x09\xd0");
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
	TRY(is_it_a_hit(&builder));
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

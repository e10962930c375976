/*
 * trampoline.c - the code that the jump of a fast node leads to
 *
 *	save rax, rcx, rdx and the flags
 *	does the thread have a block of the tool?	else: foreign
 *	is the tool alive, if the program outlives it?	else: restore
 *	is the arrival a hit?				else: restore
 *	does the jump lead to a place that the tool has
 *	not looked at?					then: foreign
 *	compute mask and values, into the block's scratch
 *	reserve cells; is there room?			else: wait
 *	write the cells, then the counter, and the site last
 *	restore:
 *	restore what was saved, go on in the slot
 *	wait:
 *	write the time, int3 (the tool makes room and sends the thread on; if
 *	the tool is gone: switch waiting off), write the time, ask for room
 *	again
 *	foreign:
 *	restore, int3 (the tool counts the hit), go on in the slot
 *
 * A trampoline whose hits the thread counts by itself calls the counting code
 * (counting.h) instead of all that comes after the test for a hit:
 * trampoline_counting.c.
 *
 * A condition or a value that follows a pointer goes to foreign, too, if the
 * thread is not known to be able to read there (FAST_LOAD).
 *
 * A block is the memory that a thread shares with the tool (ring.h). Most of
 * this code adds no time to a hit, because the processor executes it during the
 * time that lfence and rdtsc take anyway. Therefore the code is the simplest
 * possible nearly everywhere. The code must not fault where the program would
 * not; this is why programs (fast_node.h) look before they follow a pointer.
 */
#include "trampoline.h"
#include "perftool/ring.h"

/* ---- saving and restoring ----------------------------------------------- */

#define LAHF_SETO "\x9f\x0f\x90\xc0" /* lahf; seto al */

static void push(struct builder *builder, unsigned reg)
{
	emit_u8(&builder->emit, (uint8_t)(0x50 | reg));
	builder->below += 8;
	mark(builder);
}

static void pop(struct builder *builder, unsigned reg)
{
	emit_u8(&builder->emit, (uint8_t)(0x58 | reg));
	builder->below -= 8;
	mark(builder);
}

static void save_on_stack(struct builder *builder)
{
	CODE(builder, "\x48\x8d\x64\x24\x80"); /* lea rsp, [rsp - 128] */
	builder->below = 128;
	mark(builder);
	builder->rax_saved = true;
	push(builder, RAX);
	CODE(builder, LAHF_SETO);
	push(builder, RAX);
	push(builder, RCX);
	builder->saved = true;
	push(builder, RDX);
}

static void save_in_block(struct builder *builder)
{
	store_in_header(builder, RAX, offsetof(struct ring_header, saved.rax));
	builder->rax_saved = true;
	mark(builder);
	CODE(builder, LAHF_SETO);
	store_in_header(builder, RAX,
			offsetof(struct ring_header, saved.flags));
	store_in_header(builder, RCX, offsetof(struct ring_header, saved.rcx));
	store_in_header(builder, RDX, offsetof(struct ring_header, saved.rdx));
	builder->saved = true;
	mark(builder);
}

static void save(struct builder *builder)
{
	if (builder->spec->on_stack)
		save_on_stack(builder);
	else
		save_in_block(builder);
}

/* Set the state in `builder` to that of the code between save() and restore().
 * The caller then places a label, which a thread reaches by a jump and not from
 * the code before it. */
static void be_saved(struct builder *builder, uint8_t phase)
{
	builder->phase = phase;
	builder->below = builder->spec->on_stack ? STACK_RDX : 0;
	builder->saved = builder->rax_saved = true;
}

#define RESTORE_FLAGS "\x04\x7f\x9e" /* add al, 127; sahf */

/* Until another push, the popped values are still in memory below rsp. So
 * trampoline_undo() finds them there. */
static void restore_from_stack(struct builder *builder)
{
	pop(builder, RDX);
	pop(builder, RCX);
	pop(builder, RAX);
	CODE(builder, RESTORE_FLAGS);
	builder->saved = builder->rax_saved = false;
	pop(builder, RAX);
	CODE(builder, "\x48\x8d\xa4\x24\x80\0\0\0"); /* lea rsp, [rsp + 128] */
	builder->below = 0;
	mark(builder);
}

static void restore_from_block(struct builder *builder)
{
	load_from_header(builder, RDX, offsetof(struct ring_header, saved.rdx));
	load_from_header(builder, RCX, offsetof(struct ring_header, saved.rcx));
	load_from_header(builder, RAX,
			 offsetof(struct ring_header, saved.flags));
	CODE(builder, RESTORE_FLAGS);
	load_from_header(builder, RAX, offsetof(struct ring_header, saved.rax));
	builder->saved = builder->rax_saved = false;
	mark(builder);
}

/* Everything that was saved stays in memory until rax, the last register,
 * is restored. So trampoline_undo() can restore the registers at any
 * instruction. */
static void restore(struct builder *builder)
{
	if (builder->spec->on_stack)
		restore_from_stack(builder);
	else
		restore_from_block(builder);
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

/* ---- the record --------------------------------------------------------- */

/* Emit an instruction on a cell: its operand is gs:[register + offset in the
 * cell], and `opcode` names the register. */
static void on_cell(struct builder *builder, const char *opcode, size_t size,
		    size_t offset)
{
	on_header(builder, opcode, size, RING_CELLS + offset);
}

/* Emit the code that reserves the cells of the record, and goes to LABEL_WAIT
 * if the ring has no room for them. At LABEL_AGAIN the position is in rcx. */
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

#define LAST_CELL (RING_BYTES - sizeof(struct ring_cell))

/* Convert a position in ecx to an offset in the ring. The second `and` keeps
 * the offset within the block even if the program has overwritten the mask. */
static void mask_ecx(struct builder *builder)
{
	/* and ecx, gs:[mask]; and ecx, .. */
	on_header(builder, "\x23\x0c\x25", 3,
		  offsetof(struct ring_header, mask));
	CODE(builder, "\x81\xe1");
	emit_u32(&builder->emit, LAST_CELL);
}

/* Convert a position in edx to an offset in the ring, in the same way. */
static void mask_edx(struct builder *builder)
{
	/* and edx, gs:[mask]; and edx, .. */
	on_header(builder, "\x23\x14\x25", 3,
		  offsetof(struct ring_header, mask));
	CODE(builder, "\x81\xe2");
	emit_u32(&builder->emit, LAST_CELL);
}

/* Emit the code that takes the last word from the scratch, and writes it as
 * value `index` of the record. */
static void write_value(struct builder *builder, uint32_t index)
{
	uint32_t offset = ring_value_offset(index), in_cell = offset % 32;

	take_register(builder, RAX);
	if (offset < 32) { /* mov gs:[rcx + ..], rax */
		on_cell(builder, "\x48\x89\x81", 3, offset);
		return;
	}
	CODE(builder, "\x8d\x91"); /* lea edx, [rcx + ..] */
	emit_u32(&builder->emit, offset - in_cell);
	mask_edx(builder);
	on_cell(builder, "\x48\x89\x82", 3, in_cell); /* mov gs:[rdx + ..] */
}

/* Emit the code that copies the words of a text into the record, as its values
 * from `first` on. The address of the text is taken from the scratch. */
static void write_text(struct builder *builder, uint32_t first, uint32_t words)
{
	uint32_t cell = 0;

	for (uint32_t i = 0; i < words; i++) {
		uint32_t offset = ring_value_offset(first + i);

		if (offset / 32 != cell) {
			cell = offset / 32;
			CODE(builder, "\x8d\x91"); /* lea edx, [rcx + ..] */
			emit_u32(&builder->emit, cell * 32);
			mask_edx(builder);
		}
		load_kept(builder);
		load_memory(builder, 8, false, (int32_t)(8 * i));
		/* mov gs:[rdx + ..], rax */
		on_cell(builder, "\x48\x89\x82", 3, offset % 32);
	}
	take_register(builder, RAX);
}

/* Emit the code that writes the values. They are taken from the scratch, the
 * last one first. */
static void write_values(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;
	uint32_t first = trampoline_values(spec);

	for (size_t i = spec->value_count; i-- > 0;) {
		first -= spec->text_words[i];
		if (spec->text_words[i])
			write_text(builder, first, spec->text_words[i]);
		write_value(builder, (uint32_t)i);
	}
}

/* Emit the code that writes the record. `site` comes last, because it tells the
 * reader that the record is complete. */
static void write_record(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;
	bool amid_counts = spec->action == TRAMPOLINE_RECORDS_AMID_COUNTS;

	mask_ecx(builder);
	write_values(builder);
	if (has_mask(spec))
		take_register(builder, RAX);
	if (amid_counts)
		combine_counted(builder, has_mask(spec));
	if (has_mask(spec) || amid_counts)
		on_cell(builder, "\x89\x81", 2,
			offsetof(struct ring_cell, mask));
	load_register(builder, RAX, spec->base);
	on_cell(builder, "\x48\x89\x81", 3, offsetof(struct ring_cell, base));
	/* The rdtsc comes as late as possible. The processor executes the
	 * instructions behind it together with the program's own instructions,
	 * so that their cost differs from hit to hit. */
	if (spec->ordered)
		CODE(builder, LFENCE);
	CODE(builder, RDTSC);
	on_cell(builder, "\x89\x81", 2, offsetof(struct ring_cell, time));
	on_cell(builder, "\x89\x91", 2, offsetof(struct ring_cell, time) + 4);
	if (spec->resumes)
		add_resumed(builder);
	if (has_mask(spec) || amid_counts)
		on_cell(builder, "\xc7\x81", 2,
			offsetof(struct ring_cell, site));
	else /* writes the mask, too: 0 */
		on_cell(builder, "\x48\xc7\x81", 3,
			offsetof(struct ring_cell, site));
	emit_u32(&builder->emit, spec->site);
	builder->phase = TRAMPOLINE_AFTER;
	if (spec->resumes)
		builder->call_counted = false;
	mark(builder);
	if (amid_counts)
		add_record_cost(builder);
}

/* ---- the three ways out ------------------------------------------------- */

static void way_out(struct builder *builder)
{
	be_saved(builder, TRAMPOLINE_AFTER);
	place(builder, LABEL_RESTORE);
	mark(builder);
	restore(builder);
	go_to_slot(builder);
}

/* Emit lfence; rdtsc; shl rdx, 32; or rax, rdx; mov gs:[..], rax. */
static void write_counter(struct builder *builder, size_t offset)
{
	CODE(builder, LFENCE RDTSC "\x48\xc1\xe2\x20\x48\x09\xd0");
	store_in_header(builder, RAX, offset);
}

/* Emit the code for a full ring. The thread traps, and the tool sends it to
 * `again`. If the tool is gone, the thread goes on behind the int3 and sets
 * `limit` to the largest value, so that no thread waits for this ring again. */
static void wait_for_room(struct builder *builder)
{
	be_saved(builder, TRAMPOLINE_RESERVED);
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

/* Emit the code for a thread whose arrival cannot be recorded here, so
 * that the tool must handle the arrival. At the int3 the thread has the
 * registers of the program. */
static void be_foreign(struct builder *builder)
{
	be_saved(builder, TRAMPOLINE_BEFORE);
	place(builder, LABEL_FOREIGN);
	mark(builder);
	restore(builder);
	builder->out->trampoline.foreign = (uint16_t)builder->emit.length;
	emit_u8(&builder->emit, ARCH_INT3);
	builder->phase = TRAMPOLINE_AFTER;
	mark(builder);
	go_to_slot(builder);
}

/* If the tool is gone, do nothing. The block then belongs to more than one
 * thread: a new thread has the block of its creator, and a signal may have
 * interrupted the thread while it was in a trampoline. */
static void be_alive(struct builder *builder)
{
	if (!builder->spec->life)
		return;
	emit_load(&builder->emit, RAX, builder->spec->life);
	CODE(builder, "\xf7\x00"); /* test dword [rax], .. */
	emit_u32(&builder->emit, RING_LIFE_MASK);
	jump_if(builder, 4, LABEL_RESTORE);
}

static bool loads(const struct fast_program *program)
{
	for (size_t i = 0; i < program->count; i++)
		if (program->steps[i].operation == FAST_LOAD)
			return true;
	return false;
}

bool trampoline_follows_pointers(const struct trampoline_spec *spec)
{
	for (size_t i = 0; i < spec->part_count; i++)
		if (loads(&spec->parts[i]))
			return true;
	for (size_t i = 0; i < spec->value_count; i++)
		if (spec->text_words[i] || loads(&spec->values[i]))
			return true;
	return false;
}

uint32_t trampoline_values(const struct trampoline_spec *spec)
{
	uint32_t count = (uint32_t)spec->value_count;

	for (size_t i = 0; i < spec->value_count; i++)
		count += spec->text_words[i];
	return count;
}

/* Emit the code that computes the values of the record into the scratch. */
static struct error *compute_values(struct builder *builder)
{
	const struct trampoline_spec *spec = builder->spec;

	for (size_t i = 0; i < spec->value_count; i++) {
		if (i + 1 == spec->target_value)
			TRY(load_target(builder));
		else
			emit_program(builder, &spec->values[i]);
		if (spec->text_words[i])
			keep_text(builder, spec->text_words[i]);
		else
			keep_register(builder, RAX);
	}
	return NULL;
}

/* The programs of the spec come from another layer. Refuse programs that
 * emit_program() could not compile. */
static struct error *check(const struct trampoline_spec *spec)
{
	/* (Whether an indirect jump leaves the function does not matter to
	 * calls.) */
	if (is_counting(spec) && spec->value_count)
		return error_create(ERROR_OTHER, "cannot be counted");
	if (is_counting(spec) && spec->action != TRAMPOLINE_COUNTS_CALL &&
	    has_mask(spec))
		return error_create(ERROR_OTHER, "cannot be counted");
	if (calls_counting(spec) && spec->on_stack && !spec->life)
		return error_create(ERROR_OTHER, "cannot be counted");
	/* Nothing would tell the trampoline that a fault kills the program. */
	if (spec->on_stack && !spec->life && trampoline_follows_pointers(spec))
		return error_create(ERROR_OTHER, "cannot follow a pointer");
	if (trampoline_values(spec) > RING_VALUES_MOST)
		return error_create(ERROR_OTHER, "too many values");
	for (size_t i = 0; i < spec->part_count; i++)
		if (spec->parts[i].count && !fast_is_sound(&spec->parts[i]))
			return error_create(ERROR_OTHER, "bad condition");
	for (size_t i = 0; i < spec->value_count; i++)
		if (i + 1 != spec->target_value &&
		    !fast_is_sound(&spec->values[i]))
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
	bool is_early;

	TRY(check(spec));
	out->trampoline = (struct trampoline){
		.points = out->points,
		.address = address,
		.slot = slot,
		.site = spec->insn->address,
		.cells = (uint8_t)ring_cells(trampoline_values(spec)),
		.wait = TRAMPOLINE_NO_WAIT,
		.on_stack = spec->on_stack};
	mark(&builder);
	if (spec->when == FAST_JUMP_TAKEN)
		TRY(when_taken(&builder));
	save(&builder);
	/* cmp dword gs:[cookie], .. */
	on_header(&builder, "\x81\x3c\x25", 3,
		  offsetof(struct ring_header, cookie));
	emit_u32(&builder.emit, spec->cookie);
	jump_if(&builder, 5, LABEL_FOREIGN);
	be_alive(&builder);
	TRY(is_it_a_hit(&builder));
	/* A thread that cannot follow a pointer leaves the whole hit to the
	 * tool, so nothing may be counted before. */
	is_early = trampoline_follows_pointers(spec);
	if (is_early)
		TRY(compute_values(&builder));
	if (calls_counting(spec))
		call_counting(&builder);
	if (!is_early)
		TRY(compute_values(&builder));
	if (is_counting(spec)) {
		way_out(&builder);
	} else {
		reserve(&builder);
		write_record(&builder);
		way_out(&builder);
		wait_for_room(&builder);
	}
	be_foreign(&builder);
	if (builder.overflow || builder.emit.overflow)
		return refuse(&builder, "would have too long a trampoline");
	resolve_labels(&builder);
	out->trampoline.length = (uint16_t)builder.emit.length;
	return NULL;
}

/*
 * test_arch_trampoline.c - what a trampoline records, and that nobody notices
 *
 * Trampolines with random conditions and values are executed by a traced child
 * (machine.h) from random states. Registers, flags, vector state and memory
 * must be what they were, the record what a model of the programs says. Then
 * the thread is stopped before each instruction of the trampoline: undone, it
 * must be as it was before, or done with it.
 *
 * tier: core full
 * covers: arch/x86_64
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "../arch/fast_model.h"
#include "decoded.h"
#include "perftool/base/clock.h"
#include "perftool/base/str.h"
#include "perftool/ring.h"
#include "sampling.h"

#define BLOCK 0x600000000000UL
#define TRAMPOLINE (CODE + 0x2000)
#define COOKIE 0x5eed0001U
#define SITE_NUMBER 77U
/* what a trampoline that saves on the stack uses below the red zone */
#define STACK_USED 32U
#define COUNTING_USED 64U
/* the word that says whether the tool lives */
#define LIFE (BLOCK + offsetof(struct ring_header, spare3))

struct context {
	struct machine machine;
	struct machine_state state;
	struct machine_end end;
	struct trampoline_spec spec;
	struct trampoline_code code;
	uint64_t random;
	uint64_t head; /* of the ring, before */
	uint64_t slot; /* where it goes on */
	size_t undone, waited, recorded;
	uint32_t allowed; /* parts that may be hit */
	uint64_t resume_mask;
};

/* what stops have taken, before */
#define HELD 0x123456789UL

static struct ring_header *header(void)
{
	return (struct ring_header *)machine_memory(BLOCK);
}

/* Of the record that begins at `position`, so many bytes on. */
static uint8_t *in_ring(uint64_t position, uint64_t offset)
{
	return machine_memory(BLOCK + RING_CELLS +
			      ((position + offset / 32 * 32) & header()->mask) +
			      offset % 32);
}

static struct ring_cell cell_at(uint64_t position)
{
	struct ring_cell cell;

	memcpy(&cell, in_ring(position, 0), sizeof(cell));
	return cell;
}

static void clear_cells(const struct context *context)
{
	for (uint32_t i = 0; i < context->code.trampoline.cells; i++)
		memset(in_ring(context->head, 32 * i), 0, 32);
}

/* ---- a trial ----------------------------------------------------------- */

#define ARITHMETIC_FLAGS 0xcd5UL /* CF PF AF ZF SF DF OF */

static void random_state(struct context *context)
{
	struct user_regs_struct *regs = &context->state.regs;
	uint64_t *random = &context->random;
	unsigned long long *const general[] = {
		&regs->rax, &regs->rcx, &regs->rdx, &regs->rbx, &regs->rsi,
		&regs->rdi, &regs->r8,  &regs->r9,  &regs->r10, &regs->r11,
		&regs->r12, &regs->r13, &regs->r14, &regs->r15,
	};
	uint64_t components = context->machine.components & 3;

	machine_get_regs(&context->machine, regs);
	for (size_t i = 0; i < sizeof(general) / sizeof(*general); i++)
		*general[i] = draw_number(random);
	regs->eflags = 0x202 | (draw(random) & ARITHMETIC_FLAGS);
	regs->orig_rax = UINT64_MAX;
	regs->gs_base = BLOCK - RING_DISTANCE;
	regs->fs_base = ARENA + 0x4000;
	regs->rsp = ARENA + 0x6000 + draw_below(random, 64);
	regs->rbp = ARENA + 0x7000 + draw_below(random, 64);
	for (size_t i = 0; i < ARENA_SIZE; i += 8) {
		uint64_t value = draw_number(random);

		memcpy(context->state.arena + i, &value, 8);
	}
	memcpy(context->state.xsave, context->machine.template, XSAVE_SIZE);
	memcpy(context->state.xsave + XSAVE_HEADER, &components, 8);
	for (size_t i = 0; i < 256; i += 8) {
		uint64_t value = draw(random);

		memcpy(context->state.xsave + XSAVE_SSE + i, &value, 8);
	}
}

static void random_spec(struct context *context, struct insn *insn)
{
	struct trampoline_spec *spec = &context->spec;
	uint64_t *random = &context->random;

	context->allowed = UINT32_MAX;
	*spec = (struct trampoline_spec){
		.insn = insn,
		.site = SITE_NUMBER,
		.cookie = COOKIE,
		.base = (uint8_t)draw_below(random, 16),
		.on_stack = draw(random) & 1,
		.part_count = 1 + draw_below(random, 4),
		.value_count = draw_below(random, FAST_VALUES + 1),
		.resumes = draw(random) & 1,
	};
	context->resume_mask = draw(random) & 1 ? UINT64_MAX : 0;
	for (size_t i = 0; i < spec->part_count; i++)
		if (draw(random) & 1)
			random_program(random, &spec->parts[i]);
	for (size_t i = 0; i < spec->value_count; i++)
		random_program(random, &spec->values[i]);
	if (spec->on_stack && trampoline_follows_pointers(spec))
		spec->life = LIFE;
}

static void build(struct context *context)
{
	struct error *error = trampoline_build(&context->spec, TRAMPOLINE,
					       context->slot, &context->code);

	if (error)
		fail_msg("%s", error_message(error));
	memset(machine_memory(TRAMPOLINE), 0xcc, TRAMPOLINE_SIZE);
	memcpy(machine_memory(TRAMPOLINE), context->code.bytes,
	       context->code.trampoline.length);
}

/* The ring is used up to somewhere, often near its end, and has room. */
static void set_ring(struct context *context)
{
	context->head = (draw_below(&context->random, 1000) + 1) * RING_BYTES -
			32 * draw_below(&context->random, 6);
	*header() = (struct ring_header){
		.head = context->head,
		.self = BLOCK,
		.cookie = COOKIE,
		.limit = context->head + 32 * context->code.trampoline.cells,
		.mask = (uint32_t)((RING_BYTES >>
				    draw_below(&context->random, 5)) -
				   1),
		.calls = {.held = HELD, .resume_mask = context->resume_mask},
		.spare3 = {1}, /* the tool lives: LIFE */
	};
	header()->readable[draw_below(&context->random, RING_READABLE)] =
		(struct ring_readable){.low = ARENA,
				       .numbers = ARENA_SIZE - 7,
				       .texts = ARENA_SIZE - RING_TEXT + 1};
	clear_cells(context);
}

/* ---- checks ------------------------------------------------------------ */

/* All registers but the pc are those of the state. */
static void check_registers(struct context *context,
			    const struct user_regs_struct *regs)
{
	struct user_regs_struct copy = *regs, *wanted = &context->state.regs;

	copy.rip = wanted->rip;
	copy.orig_rax = wanted->orig_rax;
	copy.eflags &= ~0x10000ULL; /* resume: a stop may set it */
	if (copy.eflags != wanted->eflags)
		fail_msg("flags %llx not %llx", copy.eflags, wanted->eflags);
	if (copy.rax != wanted->rax)
		fail_msg("rax %llx not %llx", copy.rax, wanted->rax);
	assert_memory_equal(&copy, wanted, sizeof(copy));
}

static void check_memory(struct context *context)
{
	const uint8_t *was = context->state.arena, *is = context->end.arena;
	uint64_t red_zone = context->state.regs.rsp - ARENA - 128;
	uint64_t used = context->spec.on_stack ? STACK_USED : 0;

	if (context->spec.on_stack && context->spec.action)
		used += COUNTING_USED;

	assert_memory_equal(is, was, red_zone - used);
	assert_memory_equal(is + red_zone, was + red_zone,
			    ARENA_SIZE - red_zone);
	assert_memory_equal(context->end.xsave + XSAVE_SSE,
			    context->state.xsave + XSAVE_SSE, 256);
	assert_memory_equal(context->end.xsave, context->state.xsave,
			    XSAVE_X87_IP);
}

static uint32_t expected_mask(const struct context *context)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < context->spec.part_count; i++)
		if (!context->spec.parts[i].count ||
		    model_run(&context->spec.parts[i], &context->state))
			mask |= 1U << i;
	return mask & context->allowed;
}

/* Whether the record has to tell which parts are hit. */
static bool has_mask(const struct context *context)
{
	if (context->spec.when == FAST_JUMP_LEAVES && context->spec.whichever)
		return true;
	for (size_t i = 0; i < context->spec.part_count; i++)
		if (context->spec.parts[i].count)
			return context->spec.part_count > 1;
	return false;
}

/* The text that is value `index` of the record, behind all values. */
static void check_text(const struct context *context, uint32_t index)
{
	const struct trampoline_spec *spec = &context->spec;
	uint64_t address = model_run(&spec->values[index], &context->state);
	uint32_t at = (uint32_t)spec->value_count;

	for (uint32_t i = 0; i < index; i++)
		at += spec->text_words[i];
	for (uint32_t i = 0; address && i < spec->text_words[index]; i++)
		assert_memory_equal(
			in_ring(context->head, ring_value_offset(at + i)),
			context->state.arena + (address - ARENA) + 8 * i, 8);
}

static void check_record(struct context *context, bool is_hit, uint64_t before)
{
	struct ring_cell cell = cell_at(context->head);
	uint32_t mask = expected_mask(context);

	if (!is_hit || !mask) {
		assert_int_equal(cell.site, 0);
		assert_int_equal(header()->head, context->head);
		return;
	}
	assert_int_equal(header()->head,
			 context->head + 32 * context->code.trampoline.cells);
	assert_int_equal(cell.site, SITE_NUMBER);
	assert_int_equal(cell.mask, has_mask(context) ? mask : 0);
	assert_int_equal(cell.base, model_register(&context->state.regs,
						   context->spec.base));
	assert_true(cell.time > before && cell.time < clock_read_tsc());
	assert_int_equal(header()->calls.held - HELD,
			 context->spec.resumes
				 ? cell.time << COUNTING_COST_BITS &
					   context->resume_mask
				 : 0);
	for (uint32_t i = 0; i < context->spec.value_count; i++) {
		uint64_t value;

		memcpy(&value, in_ring(context->head, ring_value_offset(i)), 8);
		if (value !=
		    model_run(&context->spec.values[i], &context->state))
			fail_msg("value %u is %lx", i, value);
		check_text(context, i);
	}
	context->recorded++;
}

static void run_whole(struct context *context, bool is_hit)
{
	uint64_t before;

	set_ring(context);
	before = clock_read_tsc();
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.signal.si_signo, SIGTRAP);
	assert_int_equal(context->end.regs.rip, context->slot + 1);
	check_registers(context, &context->end.regs);
	check_memory(context);
	check_record(context, is_hit, before);
}

/* The ring is full: the thread traps, is given room, and goes on. */
static void run_waiting(struct context *context)
{
	struct user_regs_struct regs;
	uint64_t before = clock_read_tsc();

	set_ring(context);
	header()->limit -= 32;
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_get_regs(&context->machine, &regs);
	assert_int_equal(regs.rip,
			 TRAMPOLINE + context->code.trampoline.wait + 1);
	header()->limit += 32;
	regs.rip = TRAMPOLINE + context->code.trampoline.again;
	machine_continue(&context->machine, &regs);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.regs.rip, context->slot + 1);
	check_registers(context, &context->end.regs);
	check_record(context, true, before);

	/* with no tool, it goes on behind the int3 */
	set_ring(context);
	header()->limit -= 32;
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_get_regs(&context->machine, &regs);
	machine_continue(&context->machine, &regs);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.regs.rip, context->slot + 1);
	check_registers(context, &context->end.regs);
	check_record(context, true, before);
	assert_int_equal(header()->limit, UINT64_MAX);
	context->waited++;
}

/* The thread leaves the hit to the tool. */
static void run_to_the_tool(struct context *context)
{
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.regs.rip,
			 TRAMPOLINE + context->code.trampoline.foreign + 1);
	check_registers(context, &context->end.regs);
	check_memory(context);
	assert_int_equal(header()->head, context->head);
}

static void run_foreign(struct context *context)
{
	set_ring(context);
	header()->cookie = COOKIE + 1;
	run_to_the_tool(context);
}

static bool read_child(void *memory, uint64_t address, void *buffer,
		       size_t size)
{
	(void)memory;
	if (address - ARENA > ARENA_SIZE - size &&
	    address - BLOCK > RING_CELLS - size)
		return false;
	memcpy(buffer, machine_memory(address), size);
	return true;
}

/* Stopped before the instruction at `offset`, if it comes by there. */
static void run_interrupted(struct context *context, uint16_t offset)
{
	uint8_t *code = machine_memory(TRAMPOLINE + offset), saved = *code;
	struct user_regs_struct regs;
	struct undone undone;

	set_ring(context);
	*code = 0xcc;
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	*code = saved;
	machine_get_regs(&context->machine, &regs);
	if (--regs.rip != TRAMPOLINE + offset)
		return;
	assert_true(trampoline_undo(&context->code.trampoline, &regs,
				    read_child, NULL, &undone));
	check_registers(context, &regs);
	assert_int_equal(regs.rip, undone.recorded ? context->slot : SITE);
	if (undone.recorded) {
		assert_int_equal(cell_at(context->head).site != 0,
				 header()->head != context->head);
	} else {
		assert_int_equal(cell_at(context->head).site, 0);
		assert_int_equal(undone.reserved,
				 header()->head != context->head);
	}
	if (context->spec.resumes && context->resume_mask)
		assert_int_equal(header()->calls.held != HELD,
				 undone.call_counted ||
					 (undone.recorded &&
					  cell_at(context->head).site));
	else
		assert_int_equal(header()->calls.held, HELD);
	if (undone.reserved)
		assert_int_equal(undone.position & header()->mask,
				 context->head & header()->mask);
	context->undone++;
}

static void interrupt_everywhere(struct context *context)
{
	const struct trampoline *trampoline = &context->code.trampoline;
	size_t offset = 0;

	while (offset < trampoline->length) {
		struct insn insn;

		assert_null(arch_decode(context->code.bytes + offset,
					trampoline->length - offset,
					TRAMPOLINE + offset, &insn));
		run_interrupted(context, (uint16_t)offset);
		offset += insn.length;
		/* the address behind a far jump */
		if (insn.kind == INSN_JUMP_INDIRECT)
			offset += 8;
	}
}

static void trial(struct context *context, bool is_hit)
{
	build(context);
	run_whole(context, is_hit);
	interrupt_everywhere(context);
	if (!is_hit || !expected_mask(context))
		return;
	run_waiting(context);
	run_foreign(context);
}

/* ---- tests ------------------------------------------------------------- */

static struct context *new_context(void)
{
	struct context *context = test_calloc(1, sizeof(*context));

	machine_map(BLOCK, RING_BLOCK);
	machine_init(&context->machine);
	context->random = 0x5eed;
	context->slot = NEAR_SLOT;
	return context;
}

static void end_context(struct context *context)
{
	machine_deinit(&context->machine);
	munmap(machine_memory(BLOCK), RING_BLOCK);
	test_free(context);
}

#define TRIALS 150

static void test_random_programs_record_as_the_model(void **state)
{
	struct context *context = new_context();
	struct insn insn = decoded("0f1f440000", SITE);

	(void)state;
	for (size_t i = 0; i < TRIALS; i++) {
		random_state(context);
		random_spec(context, &insn);
		context->slot = i % 8 == 7 ? FAR_SLOT : NEAR_SLOT;
		trial(context, true);
	}
	print_message("%zu records, %zu stops undone, %zu waits\n",
		      context->recorded, context->undone, context->waited);
	assert_true(context->recorded > TRIALS / 2);
	assert_true(context->undone > TRIALS * 20);
	end_context(context);
}

/* A condition through rdi, a number through rsi, and texts at r8 and r9. */
static void pointer_spec(struct context *context, struct insn *insn)
{
	static const uint8_t registers[] = {7, 6, 8, 9};
	struct trampoline_spec *spec = &context->spec;
	uint64_t *random = &context->random;

	context->allowed = UINT32_MAX;
	context->resume_mask = 0;
	*spec = (struct trampoline_spec){.insn = insn,
					 .site = SITE_NUMBER,
					 .cookie = COOKIE,
					 .base = fast_register(7),
					 .on_stack = draw(random) & 1,
					 .part_count = 1,
					 .value_count = 3,
					 .text_words = {0, RING_TEXT / 8, 3}};
	if (spec->on_stack)
		spec->life = LIFE;
	for (size_t i = 0; i < 4; i++) {
		struct fast_program *program =
			i ? &spec->values[i - 1] : &spec->parts[0];

		fast_add(program, (struct fast_step){.operation = FAST_REGISTER,
						     .reg = registers[i]});
		if (i < 2)
			fast_add(program, (struct fast_step){
						  .operation = FAST_LOAD,
						  .size = i ? 8 : 4,
						  .is_signed = i != 0,
						  .number = 8 - 16 * i,
					  });
	}
}

/* The thread reads only where the tool has said that it can, and leaves the hit
 * to the tool where it cannot. */
static void test_pointers_are_followed(void **state)
{
	struct context *context = new_context();
	struct insn insn = decoded("0f1f440000", SITE);
	struct user_regs_struct *regs = &context->state.regs;
	/* a good one, and those to the first byte and behind the last one */
	const uint64_t good = ARENA + 0x9000;
	const uint64_t bad[] = {0, ARENA - 4096, ARENA + ARENA_SIZE - 7,
				UINT64_C(0x8000000000000000)};
	const uint64_t bad_text[] = {1, ARENA - 1,
				     ARENA + ARENA_SIZE - RING_TEXT + 1};
	const uint32_t one = 1;

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		random_state(context);
		pointer_spec(context, &insn);
		regs->rdi = regs->rsi = regs->r8 = regs->r9 = good;
		memcpy(context->state.arena + (good + 8 - ARENA), &one, 4);
		if (i == 1)
			regs->r8 = 0; /* has no text */
		if (i == 2)
			regs->r9 = ARENA;
		if (i == 3)
			regs->r8 = ARENA + ARENA_SIZE - RING_TEXT;
		if (i < 4) {
			trial(context, true);
			continue;
		}
		if (i < 8)
			regs->rdi = bad[i - 4] - 8;
		else if (i < 11)
			regs->r9 = bad_text[i - 8];
		build(context);
		set_ring(context);
		if (i == 11)
			memset(header()->readable, 0,
			       sizeof(header()->readable));
		run_to_the_tool(context);
		assert_int_equal(header()->unread, i < 8    ? bad[i - 4]
						   : i < 11 ? bad_text[i - 8]
							    : good + 8);
	}
	assert_true(context->recorded >= 4);
	end_context(context);
}

/* The word that would tell that the tool is gone is missing. */
static void test_pointers_need_a_living_tool(void **state)
{
	struct context *context = new_context();
	struct insn insn = decoded("0f1f440000", SITE);
	struct error *error;

	(void)state;
	pointer_spec(context, &insn);
	context->spec.on_stack = true;
	context->spec.life = 0;
	error = trampoline_build(&context->spec, TRAMPOLINE, context->slot,
				 &context->code);
	assert_non_null(error);
	error_destroy(error);
	end_context(context);
}

/* All conditional jumps by the flags, long and short. */
static void test_taken_jumps_are_recorded(void **state)
{
	struct context *context = new_context();
	size_t taken = 0;

	(void)state;
	for (unsigned i = 0; i < 16 * 8; i++) {
		struct insn insn;
		char hex[16];
		bool is_taken;

		snprintf(hex, sizeof(hex), i & 1 ? "0f8%x00010000" : "7%x40",
			 i / 8);
		insn = decoded(hex, SITE);
		random_state(context);
		random_spec(context, &insn);
		context->spec.when = FAST_JUMP_TAKEN;
		context->slot = i % 8 == 7 ? FAR_SLOT : NEAR_SLOT;
		is_taken = arch_jump_taken(&insn, &context->state.regs);
		taken += is_taken;
		trial(context, is_taken);
	}
	assert_true(taken > 16 && taken < 16 * 7);
	end_context(context);
}

static void put_word(struct context *context, uint64_t address, uint64_t value)
{
	memcpy(context->state.arena + (address - ARENA), &value, 8);
}

#define POINTER (ARENA + 0x9000)

/* Indirect jumps, by a register and by memory. */
static void test_jumps_out_of_a_function_are_recorded(void **state)
{
	static const struct {
		const char *hex;
		bool by_memory;
	} jumps[] = {
		{"ffe0", false},          /* jmp rax */
		{"ffe1", false},          /* jmp rcx */
		{"41ffe3", false},        /* jmp r11 */
		{"3effe2", false},        /* notrack jmp rdx */
		{"ff20", true},           /* jmp [rax] */
		{"ff6510", true},         /* jmp [rbp + 16] */
		{"ff6424f8", true},       /* jmp [rsp - 8] */
		{"ff24cd00000030", true}, /* jmp [rcx * 8 + ARENA] */
		{"42ff24e0", true},       /* jmp [rax + r12 * 8] */
		{"ff2500900000", true},   /* jmp [rip + ..] */
	};
	struct context *context = new_context();

	(void)state;
	for (size_t i = 0; i < 3 * sizeof(jumps) / sizeof(*jumps); i++) {
		const char *hex = jumps[i / 3].hex;
		struct insn insn = decoded(hex, SITE);
		uint64_t targets[] = {SITE + 0x40, LANDING, SITE - 0x100};
		uint64_t target = targets[i % 3], found;
		struct user_regs_struct *regs = &context->state.regs;

		if (insn.bytes[1] == 0x25) {
			uint32_t distance = (uint32_t)(POINTER - (SITE + 6));

			memcpy(insn.bytes + 2, &distance, 4);
		}
		random_state(context);
		random_spec(context, &insn);
		if (jumps[i / 3].by_memory) {
			regs->rcx = (POINTER - ARENA) / 8;
			regs->r12 = 5;
			regs->rax =
				insn.bytes[0] == 0x42 ? POINTER - 40 : POINTER;
			put_word(context, POINTER, target);
			put_word(context, regs->rsp - 8, target);
			put_word(context, regs->rbp + 16, target);
		} else {
			regs->rax = regs->rcx = regs->rdx = regs->r11 = target;
		}
		memcpy(machine_memory(ARENA), context->state.arena, ARENA_SIZE);
		assert_null(arch_indirect_target(&insn, regs, read_child, NULL,
						 &found));
		assert_int_equal(found, target);
		context->spec.when = FAST_JUMP_LEAVES;
		context->spec.entry = SITE - 0x100;
		context->spec.range_count = 2;
		context->spec.inside[0] =
			(struct fast_range){SITE - 0x100, SITE + 0x100};
		context->spec.inside[1] =
			(struct fast_range){FAR_CODE, FAR_CODE + 0x10};
		/* within the function, but to its entry: that is a hit */
		trial(context, i % 3 != 0);
		/* there are others, to whom it does not matter */
		context->spec.whichever = (uint32_t)draw_below(
			&context->random, 1U << context->spec.part_count);
		if (i % 3 == 0)
			context->allowed = context->spec.whichever;
		trial(context, true);
	}
	end_context(context);
}

/* One of the addresses to which a jump has led: two of three are within 4 GiB
 * around the first one, on both sides of it, and at the ends of this range. */
static uint64_t known_target(size_t i)
{
	const uint64_t first = SITE + 0x40;

	switch (i) {
	case 0:
		return first;
	case 1:
		return first - 0x80000000;
	case 2:
		return first + 0x7fffffff;
	default:
		return i % 3 ? first + 0x1000 * i
			     : first + 0x80000000 + 0x100000000 * i;
	}
}

/* A jump whose target is known is recorded; any other one is left to the tool,
 * also if it differs from a known one by 4 GiB. */
static void test_targets_that_are_not_known_are_told(void **state)
{
	static const size_t counts[] = {0, 1, 4, 5, 30, FAST_KNOWN};
	struct context *context = new_context();
	struct insn insn = decoded("ffe0", SITE);

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		random_state(context);
		random_spec(context, &insn);
		context->spec.part_count = 1;
		context->spec.parts[0].count = 0;
		context->spec.value_count = 0;
		context->spec.when = FAST_JUMP_LEAVES;
		context->spec.entry = SITE - 0x100;
		context->spec.asks = true;
		context->spec.known_count = counts[i];
		for (size_t j = 0; j < counts[i]; j++)
			context->spec.known[j] = known_target(j);
		for (size_t j = 0; j < FAST_KNOWN; j++) {
			uint64_t target = known_target(j);

			context->state.regs.rax = target;
			build(context);
			if (j < counts[i]) {
				run_whole(context, true);
				target += 0x100000000;
			}
			context->state.regs.rax = target;
			set_ring(context);
			run_to_the_tool(context);
		}
		if (counts[i]) {
			context->state.regs.rax = known_target(counts[i] - 1);
			trial(context, true);
		}
	}
	end_context(context);
}

static void test_unfit_jumps_are_refused(void **state)
{
	static const struct {
		const char *hex;
		enum fast_when when;
		const char *message;
	} cases[] = {
		{"e340", FAST_JUMP_TAKEN, "no jump by the flags"},
		{"e240", FAST_JUMP_TAKEN, "no jump by the flags"},
		{"ffe0", FAST_JUMP_TAKEN, "no jump by the flags"},
		{"90", FAST_JUMP_LEAVES, "no indirect jump"},
		{"64ff20", FAST_JUMP_LEAVES, "thread-local"},
		{"67ff20", FAST_JUMP_LEAVES, "32-bit"},
	};
	static struct trampoline_code trampoline;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct insn insn = decoded(cases[i].hex, SITE);
		struct trampoline_spec spec = {.insn = &insn,
					       .site = 1,
					       .when = cases[i].when,
					       .part_count = 1};
		struct error *error = trampoline_build(&spec, TRAMPOLINE,
						       NEAR_SLOT, &trampoline);

		assert_non_null(error);
		if (!strstr(error_message(error), cases[i].message))
			fail_msg("%s", error_message(error));
		error_destroy(error);
	}
}

static void test_unsound_programs_are_recognized(void **state)
{
	struct fast_program program = {0};

	(void)state;
	assert_false(fast_is_sound(&program));
	assert_true(fast_add(&program,
			     (struct fast_step){.operation = FAST_CONSTANT}));
	assert_true(fast_is_sound(&program));
	fast_add(&program, (struct fast_step){.operation = FAST_ADD});
	assert_false(fast_is_sound(&program));
	program.count = 1;
	fast_add(&program, (struct fast_step){.operation = FAST_DIVIDE});
	assert_false(fast_is_sound(&program));
	program.steps[1].number = UINT64_MAX;
	assert_false(fast_is_sound(&program));
	program.steps[1].number = 2;
	assert_true(fast_is_sound(&program));
	for (size_t i = 0; i < FAST_STACK; i++)
		fast_add(&program,
			 (struct fast_step){.operation = FAST_CONSTANT});
	assert_false(fast_is_sound(&program));
	while (fast_add(&program, (struct fast_step){.operation = FAST_NOT}))
		;
	assert_int_equal(program.count, FAST_STEPS);
}

/* ---- counting ---------------------------------------------------------- */

#define COUNTING (CODE + 0x3400)
#define COUNTED_LEG 7U
#define CALLED_FUNCTION 9U

static struct call_block *calls(void)
{
	return (struct call_block *)machine_memory(BLOCK + COUNTING_CALLS);
}

static struct counting_leg *counted_leg(void)
{
	return (struct counting_leg *)machine_memory(BLOCK + COUNTING_LEGS) +
	       COUNTED_LEG;
}

static bool read_block(void *memory, uint64_t address, void *buffer,
		       size_t size)
{
	(void)memory;
	if (address - ARENA > ARENA_SIZE - size &&
	    address - BLOCK > RING_BLOCK - size)
		return false;
	memcpy(buffer, machine_memory(address), size);
	return true;
}

static bool write_block(void *memory, uint64_t address, const void *data,
			size_t size)
{
	(void)memory;
	if (address - BLOCK > RING_BLOCK - size)
		return false;
	memcpy(machine_memory(address), data, size);
	return true;
}

static void set_calls(const struct counting_code *code)
{
	memset(calls(), 0, sizeof(*calls()));
	call_block_init(calls(), &counting_calls_size);
	memset(call_block_index(calls()), 0, COUNTING_CALLS_INDEX_SIZE);
	calls()->stack_low = ARENA;
	calls()->stack_size = ARENA_SIZE;
	header()->calls.enter = COUNTING + code->call_enter;
	header()->calls.leave = COUNTING + code->call_leave;
	header()->calls.jump = COUNTING + code->call_jump;
}

/* An empty ring, and nothing counted. */
static void set_counts(struct context *context,
		       const struct counting_code *code)
{
	struct counting_state *counting;

	set_ring(context);
	header()->limit = UINT64_MAX;
	counting = &header()->counting;
	counting->fresh = sizeof(struct counting_open);
	counting->next_buckets = COUNTING_BUCKETS;
	counting->counted = 5;
	counting->stack_low = ARENA;
	counting->stack_size = ARENA_SIZE;
	counting->enter = COUNTING + code->enter;
	counting->enter_again = COUNTING + code->enter_again;
	counting->enter_and_go = COUNTING + code->enter_and_go;
	counting->leave = COUNTING + code->leave;
	counting->follow = COUNTING + code->follow;
	counting->arrive = COUNTING + code->arrive;
	counting->jump = COUNTING + code->jump;
	counting->come = COUNTING + code->come;
	counting->end = COUNTING + code->end;
	header()->spare3[0] = 4321;
	counting->order_from = COUNTING + code->order_from;
	counting->order_to = COUNTING + code->order_to;
	counting->order_both = COUNTING + code->order_both;
	counting->since = 1;
	set_calls(code);
	memset(machine_memory(BLOCK + COUNTING_ORDER), 0, COUNTING_ORDER_SIZE);
	*counted_leg() = (struct counting_leg){0};
	((struct counting_open *)machine_memory(BLOCK + COUNTING_OPEN))->frame =
		UINT64_MAX;
	((struct counting_out *)machine_memory(BLOCK + COUNTING_OUT))->frame =
		UINT64_MAX;
}

static void random_counting(struct context *context, const struct insn *insn)
{
	uint64_t *random = &context->random;
	struct trampoline_spec *spec = &context->spec;

	context->allowed = UINT32_MAX;
	*spec = (struct trampoline_spec){.insn = insn,
					 .site = SITE_NUMBER,
					 .cookie = COOKIE,
					 .base = fast_register(7),
					 .part_count = 1,
					 .leg = COUNTED_LEG,
					 .frame_offset = 8,
					 .ordered = draw(random) & 1};
	spec->on_stack = draw(random) & 1;
	if (spec->on_stack)
		spec->life = LIFE;
	spec->action = 1 + (unsigned)draw_below(random, 8);
	spec->call = (unsigned)draw_below(random, 5);
	if (spec->action == TRAMPOLINE_COUNTS_CALL && !spec->call)
		spec->call = TRAMPOLINE_ENTERS_CALL;
	spec->function = CALLED_FUNCTION;
	spec->jumps_to = CALLED_FUNCTION + 1;
	spec->order = COUNTED_LEG;
	if (spec->action == TRAMPOLINE_ORDER_BOTH)
		spec->order |= (COUNTED_LEG + 1) << COUNTING_NEXT_SHIFT;
	spec->first = (unsigned)draw_below(random, 4);
	spec->again = spec->first != TRAMPOLINE_NOTES_ENTRY && draw(random) & 1;
	spec->comes = draw(random) & 1;
	spec->comes_to = COUNTED_LEG + (unsigned)draw_below(random, 2);
	if (draw(random) & 1)
		random_program(random, &spec->parts[0]);
}

/* What has the hit changed? `hits`: how often it was made. */
static void check_counts(struct context *context, unsigned hits)
{
	const struct counting_state *counting = &header()->counting;
	struct ring_cell cell = cell_at(context->head);

	if (!expected_mask(context))
		hits = 0;
	switch (context->spec.action) {
	case TRAMPOLINE_COUNTS_FROM:
	case TRAMPOLINE_ORDER_FROM:
		assert_int_equal(counted_leg()->entered, hits);
		break;
	case TRAMPOLINE_COUNTS_TO:
	case TRAMPOLINE_ORDER_TO:
	case TRAMPOLINE_ORDER_BOTH:
		assert_int_equal(counted_leg()->ignored, hits);
		break;
	case TRAMPOLINE_FOLLOWS:
		assert_int_equal(counting->followed, hits);
		break;
	case TRAMPOLINE_COUNTS_CALL:
		break;
	default:
		assert_int_equal(cell.site, hits ? SITE_NUMBER : 0);
		if (hits)
			assert_int_equal(cell.mask, (5 + calls()->hits)
							    << RING_MASK_BITS);
		return;
	}
	assert_int_equal(header()->head, context->head);
}

/* What has the hit counted for the profile of calls? `whole`: the whole hit is
 * counted, and not only the entry. */
static void check_call(struct context *context, bool counted, bool whole)
{
	unsigned call = context->spec.call;
	bool enters = call == TRAMPOLINE_ENTERS_CALL ||
		      call == TRAMPOLINE_ENTERS_AND_JUMPS;
	uint64_t hits;

	counted = counted && call && expected_mask(context);
	hits = !counted ? 0 : call == TRAMPOLINE_ENTERS_AND_JUMPS ? 2 : 1;
	if (whole || calls()->hits != 1)
		assert_int_equal(calls()->hits, hits);
	assert_int_equal(calls()->ignored,
			 counted && call == TRAMPOLINE_LEAVES_CALL);
	assert_int_equal(calls()->top, counted && enters);
	if (!calls()->top)
		return;
	assert_int_equal(call_block_open(calls(), 1)->function,
			 CALLED_FUNCTION);
	assert_int_equal(call_block_open(calls(), 1)->coming,
			 calls()->hits == 2 ? CALLED_FUNCTION + 1
					    : CALL_NO_FUNCTION);
}

static void run_counting(struct context *context,
			 const struct counting_code *code)
{
	set_counts(context, code);
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.regs.rip, context->slot + 1);
	check_registers(context, &context->end.regs);
	check_memory(context);
	check_counts(context, 1);
	check_call(context, true, true);
}

/* The tool is gone: the kernel has marked the word. */
static void run_without_tool(struct context *context,
			     const struct counting_code *code)
{
	if (!context->spec.life)
		return;
	set_counts(context, code);
	header()->spare3[0] = 0x40000000;
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	machine_finish(&context->machine, &context->end);
	assert_int_equal(context->end.regs.rip, context->slot + 1);
	check_registers(context, &context->end.regs);
	check_memory(context);
	check_counts(context, 0);
	check_call(context, false, true);
	assert_int_equal(header()->counting.counted, 5);
	assert_int_equal(header()->head, context->head);
}

/* Where the function of the counting code that was called last returns to. */
static uint64_t called_from(const struct context *context)
{
	uint64_t stack = context->spec.on_stack ? header()->counting_saved.rsp
						: BLOCK + COUNTING_STACK;
	uint64_t from;

	memcpy(&from, machine_memory(stack - sizeof(from)), sizeof(from));
	return from;
}

/* Stopped before the instruction at an address, if it comes by there. */
static void interrupt_counting(struct context *context,
			       const struct counting_code *code,
			       uint64_t address)
{
	uint8_t *at = machine_memory(address), saved = *at;
	struct counting_undone inside;
	struct user_regs_struct regs;
	struct undone undone;

	set_counts(context, code);
	*at = 0xcc;
	machine_start(&context->machine, &context->state, TRAMPOLINE);
	*at = saved;
	machine_get_regs(&context->machine, &regs);
	if (--regs.rip != address)
		return;
	if (address - COUNTING < code->size) {
		assert_true(counting_finish(address - COUNTING, &regs,
					    read_block, write_block, NULL,
					    &inside));
		assert_true(trampoline_undo_call(
			&context->code.trampoline, called_from(context),
			&inside, &regs, read_block, NULL, &undone));
	} else {
		assert_true(trampoline_undo(&context->code.trampoline, &regs,
					    read_block, NULL, &undone));
	}
	check_registers(context, &regs);
	assert_int_equal(regs.rip, undone.recorded ? context->slot : SITE);
	if (!undone.reserved)
		check_counts(context, undone.recorded);
	check_call(context, undone.recorded || undone.call_counted,
		   undone.recorded);
	context->undone++;
}

static void interrupt_counting_everywhere(struct context *context,
					  const struct counting_code *code)
{
	const struct trampoline *trampoline = &context->code.trampoline;
	const uint8_t *bytes = machine_memory(COUNTING);
	struct insn insn;

	for (size_t at = 0; at < trampoline->length; at += insn.length) {
		assert_null(arch_decode(context->code.bytes + at,
					trampoline->length - at,
					TRAMPOLINE + at, &insn));
		interrupt_counting(context, code, TRAMPOLINE + at);
	}
	for (size_t at = 0; at < code->size; at += insn.length) {
		assert_null(arch_decode(bytes + at, code->size - at,
					COUNTING + at, &insn));
		interrupt_counting(context, code, COUNTING + at);
	}
}

/* Whatever a trampoline has the counting code do, and wherever the thread is
 * found in either, the program sees nothing of it. */
static void test_counting_is_not_noticed(void **state)
{
	struct context *context = new_context();
	struct insn insn = decoded("0f1f440000", SITE);
	const unsigned rounds = sampled(70, 7);
	struct counting_code code;

	(void)state;
	arch_counting(&code);
	assert_in_range(code.size, 1, CODE + CODE_SIZE - COUNTING);
	arch_counting_write(machine_memory(COUNTING));
	for (size_t i = 0; i < rounds; i++) {
		random_state(context);
		random_counting(context, &insn);
		build(context);
		run_counting(context, &code);
		run_without_tool(context, &code);
		interrupt_counting_everywhere(context, &code);
	}
	assert_true(context->undone > rounds * 40);
	end_context(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_programs_record_as_the_model),
		cmocka_unit_test(test_pointers_are_followed),
		cmocka_unit_test(test_pointers_need_a_living_tool),
		cmocka_unit_test(test_taken_jumps_are_recorded),
		cmocka_unit_test(test_jumps_out_of_a_function_are_recorded),
		cmocka_unit_test(test_targets_that_are_not_known_are_told),
		cmocka_unit_test(test_unfit_jumps_are_refused),
		cmocka_unit_test(test_counting_is_not_noticed),
		cmocka_unit_test(test_unsound_programs_are_recognized),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

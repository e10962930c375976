/*
 * fast_model.h - random programs of fast nodes, and what they mean
 *
 * Included by one test program; it holds its code. The model computes on the
 * registers and the arena of a state of the machine (machine.h).
 */
#ifndef TESTS_ARCH_FAST_MODEL_H
#define TESTS_ARCH_FAST_MODEL_H

#include "fast_steps.h"
#include "machine.h"

static uint64_t arena_load(const void *context, uint64_t address, unsigned size)
{
	const struct machine_state *state = context;
	uint64_t value = 0;

	machine_must(address - ARENA < ARENA_SIZE - 8, "outside the arena");
	memcpy(&value, state->arena + (address - ARENA), size);
	return value;
}

static uint64_t model_run(const struct fast_program *program,
			  const struct machine_state *state)
{
	return fast_steps_run(program, &state->regs, arena_load, state);
}

static struct fast_step random_operand(uint64_t *random)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 0};
	struct fast_step step = {
		.operation = (uint8_t)(FAST_CONSTANT + draw_below(random, 5)),
		.reg = (uint8_t)draw_below(random, 16),
		.size = sizes[draw_below(random, 5)],
		.is_signed = draw(random) & 1,
		.number = draw_number(random),
	};

	if (step.operation == FAST_FRAME) {
		step.reg = draw(random) & 1 ? 4 : 5; /* rsp, rbp */
		step.number = draw_below(random, 0x100) - 0x80;
	} else if (step.operation == FAST_MEMORY) {
		step.number = ARENA + 0x8000 + draw_below(random, 0x1000);
	} else if (step.operation == FAST_THREAD) {
		step.number = draw_below(random, 0x1000) - 0x800;
	}
	return step;
}

/* A pointer that is null or good, and what is behind where it points to. Or one
 * that is good, as nothing but the trampoline knows. */
static void random_pointer(uint64_t *random, struct fast_program *program)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 0};
	uint64_t address = ARENA + 0x8000 + draw_below(random, 0x1000);

	if (draw(random) % 8 == 0) {
		fast_add(program, (struct fast_step){.operation = FAST_CONSTANT,
						     .number = address});
		fast_add(program,
			 (struct fast_step){
				 .operation = FAST_LOAD,
				 .size = sizes[draw_below(random, 5)],
				 .is_signed = draw(random) & 1,
				 .number = draw_below(random, 0x1000) - 0x800,
			 });
		return;
	}

	fast_add(program, (struct fast_step){
				  .operation = FAST_CONSTANT,
				  .number = draw(random) & 1 ? address : 0,
			  });
	fast_add(program, (struct fast_step){
				  .operation = FAST_FOLLOW,
				  .number = draw_below(random, 0x1000),
			  });
}

static struct fast_step random_unary(uint64_t *random)
{
	static const uint8_t sizes[] = {1, 2, 4, 8};
	struct fast_step step = {
		.operation = (uint8_t)(FAST_EXTEND + draw_below(random, 8)),
		.size = sizes[draw_below(random, 4)],
		.is_signed = draw(random) & 1,
		.number = draw_number(random),
	};

	if (step.operation == FAST_LEFT || step.operation == FAST_RIGHT)
		step.number = draw_below(random, 64);
	if (step.number == 0 || step.number == UINT64_MAX)
		step.number = 3;
	return step;
}

static struct fast_step random_binary(uint64_t *random)
{
	return (struct fast_step){
		.operation = (uint8_t)(FAST_ADD + draw_below(random, 14)),
		.is_signed = draw(random) & 1,
	};
}

static void random_program(uint64_t *random, struct fast_program *program)
{
	size_t operands = 1 + draw_below(random, 5), depth = 0;

	*program = (struct fast_program){0};
	while (operands || depth > 1) {
		bool more = operands && (depth < 2 || draw(random) & 1);

		if (!more && depth > 2 && draw(random) & 1) {
			fast_add(program,
				 (struct fast_step){.operation = FAST_CHOOSE});
			depth -= 2;
			continue;
		}
		if (more && draw(random) % 8 == 0)
			random_pointer(random, program);
		else
			fast_add(program, more ? random_operand(random)
					       : random_binary(random));
		operands -= more;
		depth += more ? 1 : -1UL;
		if (draw(random) % 3 == 0)
			fast_add(program, random_unary(random));
	}
	machine_must(fast_is_sound(program), "a sound program");
}

#endif

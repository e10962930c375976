/*
 * fast_model.h - random programs of fast nodes, and what they mean
 *
 * Included by one test program; it holds its code. The model computes on the
 * registers and the arena of a state of the machine (machine.h).
 */
#ifndef TESTS_ARCH_FAST_MODEL_H
#define TESTS_ARCH_FAST_MODEL_H

#include "machine.h"
#include "perftool/fast.h"

static uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static uint64_t draw_below(uint64_t *state, uint64_t limit)
{
	return draw(state) % limit;
}

/* Small numbers meet more often than wild ones. */
static uint64_t draw_number(uint64_t *state)
{
	uint64_t x = draw(state);

	switch (x >> 61) {
	case 0:
		return 0;
	case 1:
	case 2:
		return x & 3;
	case 3:
		return (uint32_t)x;
	case 4:
		return UINT64_MAX - (x & 3);
	default:
		return x;
	}
}

static uint64_t model_register(const struct user_regs_struct *regs,
			       unsigned number)
{
	const unsigned long long values[] = {
		regs->rax, regs->rcx, regs->rdx, regs->rbx,
		regs->rsp, regs->rbp, regs->rsi, regs->rdi,
		regs->r8,  regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};

	return values[number];
}

static uint64_t model_extend(uint64_t value, unsigned size, bool is_signed)
{
	unsigned shift = size && size < 8 ? 64 - 8 * size : 0;

	value <<= shift;
	return is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static uint64_t model_load(const struct machine_state *state, uint64_t address,
			   const struct fast_step *step)
{
	uint64_t value = 0;

	machine_must(address - ARENA < ARENA_SIZE - 8, "outside the arena");
	memcpy(&value, state->arena + (address - ARENA),
	       step->size ? step->size : 8);
	return model_extend(value, step->size, step->is_signed);
}

static uint64_t model_unary(const struct fast_step *step, uint64_t x)
{
	int64_t number = (int64_t)step->number;

	switch (step->operation) {
	case FAST_EXTEND:
		return model_extend(x, step->size, step->is_signed);
	case FAST_NEGATE:
		return -x;
	case FAST_COMPLEMENT:
		return ~x;
	case FAST_NOT:
		return !x;
	case FAST_LEFT:
		return x << step->number;
	case FAST_RIGHT:
		return step->is_signed ? (uint64_t)((int64_t)x >> step->number)
				       : x >> step->number;
	case FAST_DIVIDE:
		return step->is_signed ? (uint64_t)((int64_t)x / number)
				       : x / step->number;
	default:
		return step->is_signed ? (uint64_t)((int64_t)x % number)
				       : x % step->number;
	}
}

static uint64_t model_binary(const struct fast_step *step, uint64_t x,
			     uint64_t y)
{
	bool is_signed = step->is_signed;
	bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;

	switch (step->operation) {
	case FAST_ADD:
		return x + y;
	case FAST_SUBTRACT:
		return x - y;
	case FAST_MULTIPLY:
		return x * y;
	case FAST_AND:
		return x & y;
	case FAST_OR:
		return x | y;
	case FAST_XOR:
		return x ^ y;
	case FAST_BOTH:
		return x && y;
	case FAST_EITHER:
		return x || y;
	case FAST_EQUAL:
		return x == y;
	case FAST_NOT_EQUAL:
		return x != y;
	case FAST_LESS:
		return less;
	case FAST_LESS_EQUAL:
		return less || x == y;
	case FAST_GREATER:
		return !less && x != y;
	default:
		return !less;
	}
}

static uint64_t model_run(const struct fast_program *program,
			  const struct machine_state *state)
{
	uint64_t stack[FAST_STACK] = {0};
	size_t depth = 0;

	for (size_t i = 0; i < program->count; i++) {
		const struct fast_step *step = &program->steps[i];
		uint64_t from = model_register(&state->regs, step->reg);

		switch (step->operation) {
		case FAST_CONSTANT:
			stack[depth++] = step->number;
			break;
		case FAST_REGISTER:
			stack[depth++] = from;
			break;
		case FAST_FRAME:
			stack[depth++] =
				model_load(state, from + step->number, step);
			break;
		case FAST_MEMORY:
			stack[depth++] = model_load(state, step->number, step);
			break;
		case FAST_CHOOSE:
			depth -= 2;
			stack[depth - 1] = stack[depth - 1] ? stack[depth]
							    : stack[depth + 1];
			break;
		default:
			if (step->operation <= FAST_REMAINDER) {
				stack[depth - 1] =
					model_unary(step, stack[depth - 1]);
				break;
			}
			depth--;
			stack[depth - 1] = model_binary(step, stack[depth - 1],
							stack[depth]);
			break;
		}
	}
	return stack[0];
}

static struct fast_step random_operand(uint64_t *random)
{
	static const uint8_t sizes[] = {1, 2, 4, 8, 0};
	struct fast_step step = {
		.operation = (uint8_t)(FAST_CONSTANT + draw_below(random, 4)),
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
	}
	return step;
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
		fast_add(program,
			 more ? random_operand(random) : random_binary(random));
		operands -= more;
		depth += more ? 1 : -1UL;
		if (draw(random) % 3 == 0)
			fast_add(program, random_unary(random));
	}
	machine_must(fast_is_sound(program), "a sound program");
}

#endif

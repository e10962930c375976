/*
 * fast_steps.h - what the steps of a fast node's program mean
 *
 * The model that the machine code of trampolines and the compiler of
 * expressions are compared with.
 */
#ifndef TESTS_ARCH_FAST_STEPS_H
#define TESTS_ARCH_FAST_STEPS_H

#include "perftool/fast_node.h"

static inline uint64_t draw(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15; /* splitmix64 */

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

static inline uint64_t draw_below(uint64_t *state, uint64_t limit)
{
	return draw(state) % limit;
}

/* Small numbers meet more often than wild ones. */
static inline uint64_t draw_number(uint64_t *state)
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

static inline uint64_t model_register(const struct user_regs_struct *regs,
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

static inline uint64_t model_extend(uint64_t value, unsigned size,
				    bool is_signed)
{
	unsigned shift = size && size < 8 ? 64 - 8 * size : 0;

	value <<= shift;
	return is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static inline uint64_t model_unary(const struct fast_step *step, uint64_t x)
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

static inline uint64_t model_binary(const struct fast_step *step, uint64_t x,
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

/* What is in memory, the lowest byte first. */
typedef uint64_t fast_steps_load_fn(const void *context, uint64_t address,
				    unsigned size);

static inline uint64_t fast_steps_load(const struct fast_step *step,
				       uint64_t address,
				       fast_steps_load_fn *load,
				       const void *context)
{
	unsigned size = step->size ? step->size : 8;

	return model_extend(load(context, address, size), size,
			    step->is_signed);
}

static inline uint64_t fast_steps_run(const struct fast_program *program,
				      const struct user_regs_struct *regs,
				      fast_steps_load_fn *load,
				      const void *context)
{
	uint64_t stack[FAST_STACK] = {0};
	size_t depth = 0;

	for (size_t i = 0; i < program->count; i++) {
		const struct fast_step *step = &program->steps[i];
		uint64_t from = model_register(regs, step->reg);

		switch (step->operation) {
		case FAST_CONSTANT:
			stack[depth++] = step->number;
			break;
		case FAST_REGISTER:
			stack[depth++] = from;
			break;
		case FAST_FRAME:
			stack[depth++] = fast_steps_load(
				step, from + step->number, load, context);
			break;
		case FAST_THREAD:
			stack[depth++] =
				load(context, regs->fs_base + step->number, 8);
			break;
		case FAST_MEMORY:
			stack[depth++] = fast_steps_load(step, step->number,
							 load, context);
			break;
		case FAST_FOLLOW:
			if (stack[depth - 1])
				stack[depth - 1] = load(
					context,
					stack[depth - 1] + step->number, 8);
			break;
		case FAST_LOAD:
			stack[depth - 1] = fast_steps_load(
				step, stack[depth - 1] + step->number, load,
				context);
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

#endif

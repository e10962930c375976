/*
 * stack_entry.c - entries of the compiler's stack; see stack_entry.h
 *
 * If the operands of an operation are constants, the compiler computes the
 * result itself, and no step is needed.
 */
#include "stack_entry.h"
#include "perftool/debuginfo/debug_variables.h"

#include <string.h>

static enum expr_refusal add(struct entry *entry, struct fast_step step)
{
	return fast_add(&entry->program, step) ? EXPR_COMPILED : EXPR_LONG;
}

static enum expr_refusal add_constant(struct entry *entry, uint64_t number)
{
	return add(entry, (struct fast_step){.operation = FAST_CONSTANT,
					     .number = number});
}

/* Add the steps that compute the register of `place` plus `offset`. */
static enum expr_refusal
add_sum(struct entry *entry, const struct simple_place *place, uint64_t offset)
{
	CHECK(add(entry, (struct fast_step){.operation = FAST_REGISTER,
					    .reg = fast_register(place->reg)}));
	if (!offset)
		return EXPR_COMPILED;
	CHECK(add_constant(entry, offset));
	return add(entry, (struct fast_step){.operation = FAST_ADD});
}

enum expr_refusal entry_settle(struct entry *entry)
{
	uint64_t offset = entry->place.offset + entry->offset;

	if (entry->kind != ENTRY_PLACE)
		return EXPR_COMPILED;
	/* a value in a register has no address */
	if (entry->place.kind == SIMPLE_VALUE)
		return EXPR_ADDRESS;
	if (!entry->place.has_register)
		return entry_constant(entry, offset);
	entry->kind = ENTRY_PROGRAM;
	return add_sum(entry, &entry->place, offset);
}

/* Turn the entry, which may be a constant, into a program. */
static enum expr_refusal expand(struct entry *entry)
{
	CHECK(entry_settle(entry));
	if (entry->kind == ENTRY_PROGRAM)
		return EXPR_COMPILED;
	entry->kind = ENTRY_PROGRAM;
	entry->program.count = 0;
	return add_constant(entry, entry->number);
}

static enum expr_refusal append(struct entry *entry, const struct entry *other)
{
	for (size_t i = 0; i < other->program.count; i++)
		CHECK(add(entry, other->program.steps[i]));
	return EXPR_COMPILED;
}

static uint64_t extend(uint64_t number, unsigned size, bool is_signed)
{
	unsigned spare = size && size < 8 ? 64 - 8 * size : 0;

	number <<= spare;
	return is_signed ? (uint64_t)((int64_t)number >> spare)
			 : number >> spare;
}

static uint64_t compute(uint64_t number, const struct fast_step *step)
{
	switch (step->operation) {
	case FAST_EXTEND:
		return extend(number, step->size, step->is_signed);
	case FAST_NEGATE:
		return -number;
	case FAST_COMPLEMENT:
		return ~number;
	case FAST_NOT:
		return !number;
	case FAST_LEFT:
		return number << step->number;
	default: /* FAST_RIGHT; number_compute() computes divisions */
		return step->is_signed
			       ? (uint64_t)((int64_t)number >> step->number)
			       : number >> step->number;
	}
}

enum expr_refusal entry_unary(struct entry *entry, struct fast_step step)
{
	CHECK(entry_settle(entry));
	if (step.operation == FAST_NOT)
		entry->is_truth = true;
	else
		entry->is_truth = false;
	if (entry->kind == ENTRY_CONSTANT) {
		entry->number = compute(entry->number, &step);
		return EXPR_COMPILED;
	}
	return add(entry, step);
}

enum expr_refusal entry_binary(struct entry *left, struct entry *right,
			       struct fast_step step)
{
	CHECK(expand(left));
	CHECK(expand(right));
	CHECK(append(left, right));
	left->is_truth = step.operation >= FAST_BOTH;
	return add(left, step);
}

enum expr_refusal entry_choose(struct entry *condition, struct entry *yes,
			       struct entry *no)
{
	CHECK(expand(condition));
	CHECK(expand(yes));
	CHECK(expand(no));
	CHECK(append(condition, yes));
	CHECK(append(condition, no));
	condition->is_truth = yes->is_truth && no->is_truth;
	return add(condition, (struct fast_step){.operation = FAST_CHOOSE});
}

enum expr_refusal entry_truth(struct entry *entry)
{
	CHECK(entry_settle(entry));
	if (entry->is_truth)
		return EXPR_COMPILED;
	CHECK(entry_unary(entry, (struct fast_step){.operation = FAST_NOT}));
	return entry_unary(entry, (struct fast_step){.operation = FAST_NOT});
}

enum expr_refusal entry_convert(struct entry *entry, struct type from,
				struct type to)
{
	uint64_t size = type_size(to);

	if (type_is_float(from) || type_is_float(to))
		return EXPR_FLOATING;
	if (type_is_wide(from) || type_is_wide(to))
		return EXPR_WIDE;
	if (to.class == TYPE_BOOL && !type_is_pointer(to))
		return entry_truth(entry);
	if (entry->is_truth || (size != 1 && size != 2 && size != 4))
		return EXPR_COMPILED;
	return entry_unary(entry,
			   (struct fast_step){.operation = FAST_EXTEND,
					      .size = (uint8_t)size,
					      .is_signed = to.is_signed});
}

/* ---- memory ---- */

/* Are `size` bytes at `offset` from the place within the memory that can be
 * read without a fault? */
static bool can_read(const struct simple_place *place, int64_t offset,
		     uint64_t size)
{
	uint64_t end;

	if (offset < 0)
		return (uint64_t)-offset <= place->before &&
		       size <= place->after;
	return !__builtin_add_overflow((uint64_t)offset, size, &end) &&
	       end <= place->after;
}

static enum expr_refusal load_value(struct entry *entry, struct fast_step step)
{
	const struct simple_place place = entry->place;
	uint64_t shift = entry->offset * 8;

	entry_constant(entry, place.offset);
	if (place.has_register) {
		entry->kind = ENTRY_PROGRAM;
		CHECK(add_sum(entry, &place, place.offset));
	}
	if (shift)
		CHECK(entry_unary(entry,
				  (struct fast_step){.operation = FAST_RIGHT,
						     .number = shift}));
	if (step.size == 8)
		return EXPR_COMPILED;
	step.operation = FAST_EXTEND;
	return entry_unary(entry, step);
}

static enum expr_refusal load(struct entry *entry, unsigned size,
			      bool is_signed)
{
	const struct simple_place *place = &entry->place;
	struct fast_step step = {.size = (uint8_t)size,
				 .is_signed = is_signed,
				 .number = place->offset + entry->offset};
	int64_t distance = (int64_t)step.number;

	if (!can_read(place, (int64_t)entry->offset, size))
		return EXPR_BEYOND;
	if (place->kind == SIMPLE_VALUE)
		return load_value(entry, step);
	step.operation = FAST_MEMORY;
	if (place->has_register) {
		if (distance != (int32_t)distance)
			return EXPR_BEYOND;
		step.operation = FAST_FRAME;
		step.reg = fast_register(place->reg);
	}
	entry->kind = ENTRY_PROGRAM;
	return add(entry, step);
}

/* Read a bit-field. All of its bits must be in one number of 1, 2, 4 or 8 bytes
 * that can be read. */
static enum expr_refusal load_bits(struct entry *entry, bool is_signed,
				   const struct bits *bits)
{
	uint64_t offset = entry->offset, shift;

	for (unsigned size = 1; size <= 8; size *= 2) {
		for (uint64_t back = 0; back < size; back++) {
			struct fast_step step = {.is_signed = is_signed};

			shift = back * 8 + bits->offset;
			if (shift + bits->size > size * 8 ||
			    !can_read(&entry->place, (int64_t)(offset - back),
				      size))
				continue;
			entry->offset = offset - back;
			CHECK(load(entry, size, false));
			step.operation = FAST_LEFT;
			step.number = 64 - shift - bits->size;
			if (step.number)
				CHECK(entry_unary(entry, step));
			step.operation = FAST_RIGHT;
			step.number = 64u - bits->size;
			return step.number ? entry_unary(entry, step)
					   : EXPR_COMPILED;
		}
	}
	return EXPR_BITS;
}

enum expr_refusal entry_load(struct entry *entry, uint64_t size, bool is_signed,
			     const struct bits *bits)
{
	if (entry->kind != ENTRY_PLACE)
		return EXPR_POINTER;
	if (!can_read(&entry->place, (int64_t)entry->offset,
		      bits->size ? bits_bytes(bits) : size))
		return EXPR_BEYOND;
	if (bits->size)
		return load_bits(entry, is_signed, bits);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return EXPR_SCATTERED;
	return load(entry, (unsigned)size, is_signed);
}

enum expr_refusal entry_follow(struct entry *entry, uint64_t offset,
			       uint64_t size, bool is_signed)
{
	int64_t distance = (int64_t)offset;

	if (distance != (int32_t)distance)
		return EXPR_BEYOND;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return EXPR_SCATTERED;
	CHECK(expand(entry));
	entry->is_truth = false;
	CHECK(add(entry, (struct fast_step){.operation = FAST_FOLLOW,
					    .number = offset}));
	if (size == 8)
		return EXPR_COMPILED;
	return add(entry, (struct fast_step){.operation = FAST_EXTEND,
					     .size = (uint8_t)size,
					     .is_signed = is_signed});
}

/* Read a bit-field behind a pointer. All of its bits must be in the 8 bytes or
 * fewer that begin at its address. */
static enum expr_refusal follow_bits(struct entry *entry, uint64_t offset,
				     bool is_signed, const struct bits *bits)
{
	const unsigned end = bits->offset + bits->size;
	const uint8_t size = end <= 8 ? 1 : end <= 16 ? 2 : end <= 32 ? 4 : 8;

	if (end > 64)
		return EXPR_BITS;
	CHECK(add(entry, (struct fast_step){.operation = FAST_LOAD,
					    .size = size,
					    .number = offset}));
	if (end < 64)
		CHECK(add(entry, (struct fast_step){.operation = FAST_LEFT,
						    .number = 64 - end}));
	if (bits->size == 64)
		return EXPR_COMPILED;
	return add(entry, (struct fast_step){.operation = FAST_RIGHT,
					     .is_signed = is_signed,
					     .number = 64u - bits->size});
}

enum expr_refusal entry_follow_any(struct entry *entry, uint64_t offset,
				   uint64_t size, bool is_signed,
				   const struct bits *bits)
{
	int64_t distance = (int64_t)offset;

	if (distance != (int32_t)distance)
		return EXPR_BEYOND;
	CHECK(expand(entry));
	entry->is_truth = false;
	if (bits->size)
		return follow_bits(entry, offset, is_signed, bits);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return EXPR_SCATTERED;
	return add(entry, (struct fast_step){.operation = FAST_LOAD,
					     .size = (uint8_t)size,
					     .is_signed = is_signed,
					     .number = offset});
}

/*
 * evaluate.c - run the code of a bound expression
 *
 * Nothing is allocated but errors. What C leaves undefined is either defined
 * here as compilers do it (arithmetic wraps, a negative number shifted left is
 * shifted as its bits) or ERROR_EVALUATE (division by zero, shifts by too
 * much); the tool's own arithmetic is unsigned and never undefined.
 */
#include <string.h>

#include "code.h"

static struct error *fail(const struct instruction *at, const char *why)
{
	return error_create(ERROR_EVALUATE, "column %zu: %s", at->node->column,
			    why);
}

/* A conversion the program asked for, which can fail. */
static struct error *convert(const struct instruction *at, union number *number)
{
	struct error *error = number_convert(number, at->from, at->type);

	return error ? error_prefix(error, "column %zu", at->node->column)
		     : NULL;
}

static bool truth(union number number, struct type type)
{
	return type_is_float(type) ? number.f != 0 : number.u != 0;
}

/* A variable's value, as the stack has numbers of its type. */
static struct error *read_variable(const struct instruction *at,
				   const struct frame_reader *reader,
				   union number *out)
{
	struct type from = type_unsigned_long;
	struct value value;
	struct error *error;

	error = variable_read(at->variable, reader, &value);
	if (error)
		return error_prefix(error, "column %zu: '%s'", at->node->column,
				    at->node->text);
	switch (value.kind) {
	case VALUE_NONE:
		return fail(at, "the variable has no value here");
	case VALUE_SIGNED:
		from = type_long;
		out->i = value.i;
		break;
	case VALUE_UNSIGNED:
		out->u = value.u;
		break;
	case VALUE_FLOAT:
		from = type_double;
		out->f = value.f;
		break;
	}
	return number_convert(out, from, at->type);
}

static struct error *read_registers(const struct instruction *at,
				    const struct expr_input *input,
				    union number *out)
{
	const struct user_regs_struct *regs = input->reader.regs;

	if (!regs)
		return fail(at, "there are no registers here");
	switch (at->code) {
	case CODE_ARGUMENT:
		out->u = arch_argument(regs, (unsigned)at->number.u);
		return NULL;
	case CODE_RETURN_VALUE:
		out->u = arch_return_value(regs);
		return NULL;
	default:
		out->u = arch_register_read(&at->reg, regs);
		return number_convert(out, type_unsigned_long, at->type);
	}
}

static struct error *node_count(const struct instruction *at,
				const struct expr_input *input,
				union number *out)
{
	uint32_t node = (uint32_t)at->number.u;

	if (!input->node_count ||
	    !input->node_count(input->context, node, &out->u))
		return error_create(ERROR_EVALUATE,
				    "column %zu: there is no node %u",
				    at->node->column, node);
	return NULL;
}

static struct error *unreadable(const struct instruction *at, uint64_t address)
{
	return error_create(ERROR_EVALUATE,
			    "column %zu: cannot read memory at 0x%lx",
			    at->node->column, (unsigned long)address);
}

static bool read_memory(const struct expr_input *input, uint64_t address,
			void *buffer, size_t size)
{
	return input->reader.read &&
	       input->reader.read(input->reader.context, address, buffer, size);
}

static struct error *load(const struct instruction *at,
			  const struct expr_input *input, union number *top)
{
	unsigned size = type_size(at->type);
	uint64_t address = top->u;
	union {
		uint64_t u;
		float f;
		double d;
		long double l;
	} memory = {0};

	if (!read_memory(input, address, &memory, size))
		return unreadable(at, address);
	if (!type_is_float(at->type)) {
		top->u = memory.u;
		return number_convert(top, type_unsigned_long, at->type);
	}
	top->f = size == 4   ? (double)memory.f
		 : size == 8 ? memory.d
			     : (double)memory.l;
	return NULL;
}

/*
 * Does the memory hold the string, with its zero? Read page by page and no
 * further than the first difference: behind it, nothing need be mapped.
 */
static struct error *compare_string(const struct instruction *at,
				    const struct expr_input *input,
				    union number *top)
{
	const char *expected = at->node->text;
	size_t left = at->node->length + 1;
	uint64_t address = top->u;
	char buffer[256];

	top->u = 0;
	if (!address) /* no string at all */
		return NULL;
	while (left) {
		size_t size = sizeof(buffer) - address % sizeof(buffer);

		if (size > left)
			size = left;
		if (!read_memory(input, address, buffer, size))
			return unreadable(at, address);
		if (memcmp(buffer, expected, size) != 0)
			return NULL;
		expected += size;
		address += size;
		left -= size;
	}
	top->u = 1;
	return NULL;
}

static struct error *divide(const struct instruction *at, union number *left,
			    union number right)
{
	bool remainder = at->code == CODE_REMAINDER;
	int64_t least = at->type.size == 4 ? INT32_MIN : INT64_MIN;

	if (type_is_float(at->type)) {
		left->f /= right.f; /* by zero: infinity, as in C */
		return number_convert(left, type_double, at->type);
	}
	if (!right.u)
		return fail(at, "division by zero");
	if (!at->type.is_signed)
		left->u = remainder ? left->u % right.u : left->u / right.u;
	else if (right.i == -1 && left->i == least)
		return fail(at, "the quotient does not fit");
	else
		left->i = remainder ? left->i % right.i : left->i / right.i;
	return NULL;
}

static struct error *shift(const struct instruction *at, union number *left,
			   union number right)
{
	unsigned bits = at->type.size * 8u;

	/* a negative count is a huge one */
	if (right.u >= bits)
		return error_create(
			ERROR_EVALUATE,
			at->from.is_signed
				? "column %zu: a %u-bit number is shifted by "
				  "%ld"
				: "column %zu: a %u-bit number is shifted by "
				  "%lu",
			at->node->column, bits, right.u);
	if (at->code == CODE_LEFT)
		left->u <<= right.u;
	else if (at->type.is_signed)
		left->i >>= right.u;
	else
		left->u >>= right.u;
	return number_convert(left, at->type, at->type);
}

static struct error *arithmetic(const struct instruction *at,
				union number *left, union number right)
{
	bool floating = type_is_float(at->type);

	switch (at->code) {
	case CODE_ADD:
		if (floating)
			left->f += right.f;
		else
			left->u += right.u;
		break;
	case CODE_SUBTRACT:
		if (floating)
			left->f -= right.f;
		else
			left->u -= right.u;
		break;
	default:
		if (floating)
			left->f *= right.f;
		else
			left->u *= right.u;
		break;
	}
	return number_convert(left, floating ? type_double : at->type,
			      at->type);
}

#define COMPARE(operator)                                                      \
	(type_is_float(at->type) ? left.f operator right.f                     \
	 : at->type.is_signed	 ? left.i operator right.i                      \
				 : left.u operator right.u)

static bool compare(const struct instruction *at, union number left,
		    union number right)
{
	switch (at->code) {
	case CODE_LESS:
		return COMPARE(<);
	case CODE_LESS_EQUAL:
		return COMPARE(<=);
	case CODE_GREATER:
		return COMPARE(>);
	case CODE_GREATER_EQUAL:
		return COMPARE(>=);
	case CODE_EQUAL:
		return COMPARE(==);
	default:
		return COMPARE(!=);
	}
}

/* One instruction; `*top` is the last value on the stack, `*next` the number
 * of the instruction that comes after this one. */
static struct error *step(const struct instruction *at,
			  const struct expr_input *input, union number **top,
			  size_t *next)
{
	union number *value = *top;

	switch ((enum code)at->code) {
	case CODE_PUSH:
		*++*top = at->number;
		return NULL;
	case CODE_VARIABLE:
		return read_variable(at, &input->reader, ++*top);
	case CODE_REGISTER:
	case CODE_ARGUMENT:
	case CODE_RETURN_VALUE:
		return read_registers(at, input, ++*top);
	case CODE_PID:
		(++*top)->i = input->pid;
		return NULL;
	case CODE_TID:
		(++*top)->i = input->tid;
		return NULL;
	case CODE_COUNT:
		return node_count(at, input, ++*top);
	case CODE_LOAD:
		return load(at, input, value);
	case CODE_STRING:
		return compare_string(at, input, value);
	case CODE_NEGATE:
		if (type_is_float(at->type))
			value->f = -value->f;
		else
			value->u = -value->u;
		return number_convert(value, at->type, at->type);
	case CODE_COMPLEMENT:
		value->u = ~value->u;
		return number_convert(value, at->type, at->type);
	case CODE_NOT:
		value->u = !truth(*value, at->type);
		return NULL;
	case CODE_TRUTH:
		value->u = truth(*value, at->type);
		return NULL;
	case CODE_CONVERT:
		return convert(at, value - at->under);
	case CODE_SCALE:
		(value - at->under)->u *= at->number.u;
		return NULL;
	case CODE_MULTIPLY:
	case CODE_ADD:
	case CODE_SUBTRACT:
		return arithmetic(at, --*top, *value);
	case CODE_DIVIDE:
	case CODE_REMAINDER:
		return divide(at, --*top, *value);
	case CODE_LEFT:
	case CODE_RIGHT:
		return shift(at, --*top, *value);
	case CODE_LESS:
	case CODE_LESS_EQUAL:
	case CODE_GREATER:
	case CODE_GREATER_EQUAL:
	case CODE_EQUAL:
	case CODE_NOT_EQUAL:
		--*top;
		(*top)->u = compare(at, **top, *value);
		return NULL;
	case CODE_AND:
		(--*top)->u &= value->u;
		return NULL;
	case CODE_XOR:
		(--*top)->u ^= value->u;
		return NULL;
	case CODE_OR:
		(--*top)->u |= value->u;
		return NULL;
	case CODE_AND_THEN:
	case CODE_OR_ELSE:
		if (truth(*value, at->type) == (at->code == CODE_OR_ELSE)) {
			value->u = at->code == CODE_OR_ELSE;
			*next = at->number.u;
		} else {
			--*top;
		}
		return NULL;
	case CODE_UNLESS:
		if (!truth(*value, at->type))
			*next = at->number.u;
		--*top;
		return NULL;
	case CODE_JUMP:
		*next = at->number.u;
		return convert(at, value);
	}
	return fail(at, "an instruction without meaning");
}

static struct value result(union number number, struct type type)
{
	if (type_is_float(type))
		return value_float(number.f);
	if (!type_is_pointer(type) && type.is_signed)
		return value_signed(number.i);
	return value_unsigned(number.u);
}

struct error *bound_expr_evaluate(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct value *out)
{
	/* one more below, so that `top` can point before the first value */
	union number stack[CODE_MAX_STACK + 1], *top = stack;
	size_t next = 0;

	while (next < bound->code.count) {
		const struct instruction *at = &bound->code.data[next++];

		TRY(step(at, input, &top, &next));
	}
	*out = result(*top, bound->type);
	return NULL;
}

bool value_is_true(struct value value)
{
	switch (value.kind) {
	case VALUE_NONE:
		return false;
	case VALUE_FLOAT:
		return value.f != 0;
	default:
		return value.u != 0;
	}
}

/*
 * machine.c - the machine that runs the code of a bound expression
 *
 * The machine allocates no memory, except for an error. Where C leaves a result
 * undefined, the machine either defines it as compilers do (arithmetic wraps; a
 * negative number is shifted left like its bits) or reports ERROR_EVALUATE
 * (division by zero, a shift by too much). The tool's own arithmetic is
 * unsigned and never undefined.
 */
#include "caller.h"
#include "code.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debuginfo/frame_rules.h"
#include "rtti.h"
#include "target_memory.h"

static struct error *fail(const struct instruction *at, const char *why)
{
	return error_create(ERROR_EVALUATE, "column %zu: %s", at->node->column,
			    why);
}

/* Run the conversion of a CODE_CONVERT or CODE_JUMP, which can fail. */
static struct error *convert(const struct instruction *at, union number *number)
{
	struct error *error = number_convert(number, at->from, at->type);

	return error ? error_prefix(error, "column %zu", at->node->column)
		     : NULL;
}

struct debugtype *code_sized_type(const struct instruction *at,
				  const struct frame_reader *reader)
{
	struct debugtype *type = variable_current_type(at->variable, reader);

	for (unsigned i = 0; i < at->under; i++)
		type = debugtype_target(type);
	return type;
}

struct error *code_reader(const struct instruction *at,
			  const struct expr_input *input,
			  struct frame_reader *out)
{
	const struct expr_modules *modules = &input->modules;
	const char *path;

	*out = input->reader;
	if (!at->file || (modules->bias && modules->bias(modules->context,
							 at->file, &out->bias)))
		return NULL;
	path = debugfile_path(at->file);
	return error_create(ERROR_EVALUATE,
			    "column %zu: '%s' is in %s, which "
			    "is not loaded",
			    at->node->column, at->node->text, path);
}

/* Read the value of a variable as a number of the instruction's type. */
static struct error *read_variable(const struct instruction *at,
				   const struct expr_input *input,
				   union number *out)
{
	struct type from = type_unsigned_long;
	struct frame_reader reader;
	struct value value;
	struct error *error;

	TRY(code_reader(at, input, &reader));
	error = variable_read(at->variable, &reader, &value);
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

static struct error *variable_place(const struct instruction *at,
				    const struct expr_input *input,
				    union number *out)
{
	struct frame_reader reader;
	struct error *error;

	TRY(code_reader(at, input, &reader));
	error = variable_address(at->variable, &reader, &out->u);
	return error ? error_prefix(error, "column %zu: '%s'", at->node->column,
				    at->node->text)
		     : NULL;
}

static struct error *size_now(const struct instruction *at,
			      const struct expr_input *input, union number *out)
{
	struct frame_reader reader;

	TRY(code_reader(at, input, &reader));
	out->u = debugtype_size(code_sized_type(at, &reader));
	return out->u ? NULL : fail(at, "its size is not known at this moment");
}

static struct error *function_address(const struct instruction *at,
				      const struct expr_input *input,
				      union number *out)
{
	struct frame_reader reader;

	TRY(code_reader(at, input, &reader));
	out->u = at->number.u + reader.bias;
	return NULL;
}

static struct error *no_address(const struct instruction *at)
{
	const struct node *node = at->node->children[0];

	return error_create(ERROR_EVALUATE,
			    "column %zu: '%s' is in a register and has no "
			    "address",
			    at->node->column, node->text ? node->text : "&");
}

static struct error *read_registers(const struct instruction *at,
				    const struct expr_input *input,
				    union number *out)
{
	const struct user_regs_struct *regs = input->reader.regs;

	if (!regs)
		return fail(at, "there is no thread whose registers could be "
				"read");
	switch (at->code) {
	case CODE_ARGUMENT:
		out->u = arch_argument(regs, (unsigned)at->number.u);
		return NULL;
	case CODE_RETURN_VALUE:
		out->u = arch_return_value(regs);
		return NULL;
	default:
		out->u = arch_register_read(&at->reg, regs);
		if (input->is_caller &&
		    at->reg.offset == offsetof(struct user_regs_struct, rip))
			out->u++;
		return number_convert(out, type_unsigned_long, at->type);
	}
}

static struct error *read_vector(const struct instruction *at,
				 const struct expr_input *input,
				 union number *out)
{
	static const struct bits all = {0, 0};
	const struct frame_reader *reader = &input->reader;
	struct user_fpregs_struct vectors;
	uint8_t bytes[16];

	if (!reader->read_vectors ||
	    !reader->read_vectors(reader->context, &vectors))
		return fail(at, "the vector registers cannot be read");
	arch_dwarf_vector((unsigned)at->number.u, &vectors, bytes);
	number_from_memory(out, at->type, &all, bytes);
	return NULL;
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

static struct error *goroutine_number(const struct instruction *at,
				      const struct expr_input *input,
				      union number *out)
{
	struct goroutine goroutine;

	if (!goroutine_read(at->go, &input->reader, &goroutine))
		return error_create(
			ERROR_EVALUATE,
			"column %zu: perftool cannot read '$g' (the "
			"number of the goroutine) from the memory "
			"of the Go runtime",
			at->node->column);
	out->u = goroutine.id;
	return NULL;
}

static void exchange(union number *top)
{
	union number value = top[0];

	top[0] = top[-1];
	top[-1] = value;
}

/*
 * Run one instruction. `*top` points to the top of the stack; `*next` is the
 * number of the instruction to run next.
 */
static struct error *step(const struct bound_expr *bound,
			  const struct instruction *at,
			  const struct expr_input *input, union number **top,
			  size_t *next)
{
	union number *value = *top;

	switch ((enum code)at->code) {
	case CODE_PUSH:
		*++*top = at->number;
		return NULL;
	case CODE_VARIABLE:
		return read_variable(at, input, ++*top);
	case CODE_ADDRESS:
		return variable_place(at, input, ++*top);
	case CODE_SIZE:
		return size_now(at, input, ++*top);
	case CODE_FUNCTION:
		return function_address(at, input, ++*top);
	case CODE_REGISTER:
	case CODE_ARGUMENT:
	case CODE_RETURN_VALUE:
		return read_registers(at, input, ++*top);
	case CODE_VECTOR:
		return read_vector(at, input, ++*top);
	case CODE_PID:
		(++*top)->i = input->pid;
		return NULL;
	case CODE_TID:
		(++*top)->i = input->tid;
		return NULL;
	case CODE_GOROUTINE:
		return goroutine_number(at, input, ++*top);
	case CODE_COUNT:
		return node_count(at, input, ++*top);
	case CODE_CALLER:
		return caller_address(bound, at, input, &(++*top)->u);
	case CODE_OFFSET:
		value->u += at->number.u;
		return NULL;
	case CODE_LOAD:
		return memory_load(at, input, value);
	case CODE_ADJUST:
		if (value->u)
			value->u += at->number.u;
		return NULL;
	case CODE_VIRTUAL:
		return dynamic_base(at, input, value);
	case CODE_DYNAMIC:
		return dynamic_cast_of(at, input, value);
	case CODE_BLOCKS:
		return memory_find_element(at, input, value->i, --*top);
	case CODE_REAL:
		return scratch_has(value->u) ? no_address(at) : NULL;
	case CODE_STRING:
		return memory_compare(at, input, value);
	case CODE_TEXT:
		return memory_compare_text(at, input, value);
	case CODE_VARIANT:
		return memory_check_variant(at, input, value);
	case CODE_CALLING:
		caller_function(at, input, value);
		return NULL;
	case CODE_CALLED_BY:
		caller_compare(at, input, value);
		return NULL;
	case CODE_NEGATE:
		if (type_is_long_double(at->type))
			value->l = -value->l;
		else if (type_is_float(at->type))
			value->f = -value->f;
		else if (type_is_wide(at->type))
			value->wide_u = -value->wide_u;
		else
			value->u = -value->u;
		return number_convert(value, at->type, at->type);
	case CODE_COMPLEMENT:
		if (type_is_wide(at->type))
			value->wide_u = ~value->wide_u;
		else
			value->u = ~value->u;
		return number_convert(value, at->type, at->type);
	case CODE_NOT:
		value->u = !number_truth(value, at->type);
		return NULL;
	case CODE_TRUTH:
		value->u = number_truth(value, at->type);
		return NULL;
	case CODE_CONVERT:
		return convert(at, value - at->under);
	case CODE_SCALE:
		(value - at->under)->u *= at->number.u;
		return NULL;
	case CODE_EXCHANGE:
		exchange(value);
		return NULL;
	case CODE_MULTIPLY:
	case CODE_DIVIDE:
	case CODE_REMAINDER:
	case CODE_ADD:
	case CODE_SUBTRACT:
	case CODE_LEFT:
	case CODE_RIGHT:
	case CODE_LESS:
	case CODE_LESS_EQUAL:
	case CODE_GREATER:
	case CODE_GREATER_EQUAL:
	case CODE_EQUAL:
	case CODE_NOT_EQUAL:
	case CODE_AND:
	case CODE_XOR:
	case CODE_OR:
		return number_compute(at, --*top, value);
	case CODE_AND_THEN:
	case CODE_OR_ELSE:
		if (number_truth(value, at->type) ==
		    (at->code == CODE_OR_ELSE)) {
			value->u = at->code == CODE_OR_ELSE;
			*next = at->number.u;
		} else {
			--*top;
		}
		return NULL;
	case CODE_UNLESS:
		if (!number_truth(value, at->type))
			*next = at->number.u;
		--*top;
		return NULL;
	case CODE_JUMP:
		*next = at->number.u;
		return convert(at, value);
	}
	return fail(at, "an instruction without meaning");
}

static struct value result(const union number *number, struct type type)
{
	if (type_is_long_double(type))
		return value_float((double)number->l);
	if (type_is_float(type))
		return value_float(number->f);
	if (!type_is_pointer(type) && type.is_signed)
		return value_signed(number->i);
	return (struct value){.kind = VALUE_UNSIGNED,
			      .is_address = type_is_pointer(type),
			      .u = number->u};
}

static struct error *wide_result(const union number *number, struct type type,
				 struct value *out)
{
	if (type.is_signed && number->wide_i == number->i)
		*out = value_signed(number->i);
	else if (number->wide_u == number->u)
		*out = value_unsigned(number->u);
	else
		return error_create(ERROR_EVALUATE,
				    "column 1: the value does not fit in 64 "
				    "bits; compare it, or cast it");
	return NULL;
}

struct error *code_run(const struct bound_expr *bound,
		       const struct expr_input *input, union number *out)
{
	/* one element more, so that `top` can point below the first value */
	union number stack[CODE_MAX_STACK + 1], *top = stack;
	size_t next = 0;

	while (next < bound->code.count) {
		const struct instruction *at = &bound->code.data[next++];

		TRY(step(bound, at, input, &top, &next));
	}
	*out = *top;
	return NULL;
}

struct error *bound_expr_evaluate(const struct bound_expr *bound,
				  const struct expr_input *input,
				  struct value *out)
{
	struct expr_input own = *input;
	struct scratch scratch;
	struct error *error;
	union number number;

	if (!own.reader.scratch) {
		scratch.used = 0;
		own.reader.scratch = &scratch;
	}
	error = bound_expr_require_number(bound);
	if (error) {
		const char *message = error_message(error);
		struct error *other =
			error_create(ERROR_EVALUATE, "%s", message);

		error_destroy(error);
		return other;
	}
	TRY(code_run(bound, &own, &number));
	if (type_is_wide(bound->type))
		return wide_result(&number, bound->type, out);
	*out = result(&number, bound->type);
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

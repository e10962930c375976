/*
 * compiler.c - from the code of a bound expression to a program of a fast node
 *
 * The compiler goes through the code once, with entries (stack_entry.h) in
 * place of values. A program has no jumps, so both sides of && || and ?: are
 * computed. The result is the same, because nothing that the compiler accepts
 * can fail.
 */
#include "compiler.h"
#include "perftool/debuginfo/debug_variables.h"

/* ---- one value ---- */

static enum expr_refusal compile_load(struct compiler *compiler,
				      const struct instruction *at)
{
	struct entry *entry = top(compiler);
	struct type type = at->type;

	CHECK(check_type(type));
	if (entry->kind != ENTRY_PLACE && compiler->bound->trusts_pointers &&
	    !at->bits.size)
		return entry_follow(entry, at->number.u, type_size(type),
				    type.is_signed && !type_is_pointer(type));
	if (entry->kind != ENTRY_PLACE)
		return entry_follow_any(
			entry, at->number.u, type_size(type),
			type.is_signed && !type_is_pointer(type), &at->bits);
	entry->offset += at->number.u;
	/* number_from_memory() takes a pointer for unsigned, too */
	return entry_load(entry, type_size(type),
			  type.is_signed && !type_is_pointer(type), &at->bits);
}

/* Add a constant to the entry. */
static enum expr_refusal compile_offset(struct entry *entry, uint64_t number)
{
	struct entry other;

	if (entry->kind == ENTRY_PLACE) {
		entry->offset += number;
		return EXPR_COMPILED;
	}
	if (entry->kind == ENTRY_CONSTANT)
		return entry_constant(entry, entry->number + number);
	entry_constant(&other, number);
	return entry_binary(entry, &other,
			    (struct fast_step){.operation = FAST_ADD});
}

static enum expr_refusal compile_scale(struct entry *entry, uint64_t number)
{
	struct entry other;

	CHECK(entry_settle(entry));
	if (entry->kind == ENTRY_CONSTANT)
		return entry_constant(entry, entry->number * number);
	entry_constant(&other, number);
	return entry_binary(entry, &other,
			    (struct fast_step){.operation = FAST_MULTIPLY});
}

static enum expr_refusal compile_unary(struct entry *entry,
				       const struct instruction *at)
{
	struct fast_step step = {.operation = at->code == CODE_NEGATE
						      ? FAST_NEGATE
						      : FAST_COMPLEMENT};

	CHECK(check_type(at->type));
	CHECK(entry_unary(entry, step));
	return entry_convert(entry, at->type, at->type);
}

/* ---- two values ---- */

static uint8_t operation_of(enum code code)
{
	switch (code) {
	case CODE_MULTIPLY:
		return FAST_MULTIPLY;
	case CODE_DIVIDE:
		return FAST_DIVIDE;
	case CODE_REMAINDER:
		return FAST_REMAINDER;
	case CODE_ADD:
		return FAST_ADD;
	case CODE_SUBTRACT:
		return FAST_SUBTRACT;
	case CODE_LEFT:
		return FAST_LEFT;
	case CODE_RIGHT:
		return FAST_RIGHT;
	case CODE_LESS:
		return FAST_LESS;
	case CODE_LESS_EQUAL:
		return FAST_LESS_EQUAL;
	case CODE_GREATER:
		return FAST_GREATER;
	case CODE_GREATER_EQUAL:
		return FAST_GREATER_EQUAL;
	case CODE_EQUAL:
		return FAST_EQUAL;
	case CODE_NOT_EQUAL:
		return FAST_NOT_EQUAL;
	case CODE_AND:
		return FAST_AND;
	case CODE_XOR:
		return FAST_XOR;
	default:
		return FAST_OR;
	}
}

/*
 * Refuse a division or a shift if its right operand is no constant, or if it
 * could fail.
 */
static enum expr_refusal check_right(const struct instruction *at,
				     const struct entry *right)
{
	bool known = right->kind == ENTRY_CONSTANT;

	switch (at->code) {
	case CODE_DIVIDE:
	case CODE_REMAINDER:
		if (!known)
			return EXPR_DIVISOR;
		return right->number == 0 || right->number == UINT64_MAX
			       ? EXPR_DIVISION
			       : EXPR_COMPILED;
	case CODE_LEFT:
	case CODE_RIGHT:
		CHECK(check_type(at->from));
		if (!known)
			return EXPR_SHIFT;
		return right->number >= at->type.size * 8u ? EXPR_SHIFT_FAR
							   : EXPR_COMPILED;
	default:
		return EXPR_COMPILED;
	}
}

/*
 * Compute an operator on two constants. Operations that could fail were refused
 * before.
 */
static enum expr_refusal fold(const struct instruction *at, struct entry *left,
			      const struct entry *right)
{
	union number a = {.u = left->number}, b = {.u = right->number};
	struct error *error = number_compute(at, &a, &b);

	error_destroy(error);
	return error ? EXPR_DIVISION : entry_constant(left, a.u);
}

static bool is_place(const struct entry *entry)
{
	return entry->kind == ENTRY_PLACE;
}

/* If the operator adds a constant to a place, or subtracts it, the result is a
 * place. False: the operator does something else. */
static bool combine_places(const struct instruction *at, struct entry *left,
			   struct entry *right)
{
	if (at->code == CODE_ADD && is_place(right) &&
	    left->kind == ENTRY_CONSTANT) {
		right->offset += left->number;
		*left = *right;
		return true;
	}
	if ((at->code != CODE_ADD && at->code != CODE_SUBTRACT) ||
	    !is_place(left) || right->kind != ENTRY_CONSTANT)
		return false;
	left->offset += at->code == CODE_ADD ? right->number : -right->number;
	return true;
}

static enum expr_refusal compile_binary(struct compiler *compiler,
					const struct instruction *at)
{
	struct entry *right = top(compiler), *left = right - 1;
	struct fast_step step = {
		.operation = operation_of((enum code)at->code),
		.is_signed = at->type.is_signed,
	};

	CHECK(check_type(at->type));
	compiler->count--;
	if (combine_places(at, left, right))
		return EXPR_COMPILED;
	CHECK(entry_settle(left));
	CHECK(entry_settle(right));
	CHECK(check_right(at, right));
	if (left->kind == ENTRY_CONSTANT && right->kind == ENTRY_CONSTANT)
		return fold(at, left, right);
	step.number = right->number;
	switch (at->code) {
	case CODE_DIVIDE:
	case CODE_REMAINDER:
		return entry_unary(left, step);
	case CODE_LEFT:
	case CODE_RIGHT:
		CHECK(entry_unary(left, step));
		break;
	case CODE_MULTIPLY:
	case CODE_ADD:
	case CODE_SUBTRACT:
		CHECK(entry_binary(left, right, step));
		break;
	default:
		return entry_binary(left, right, step);
	}
	return entry_convert(left, at->type, at->type);
}

/* ---- sequences of instructions ---- */

static enum expr_refusal compile(struct compiler *compiler, size_t from,
				 size_t to);

/* Compile && or ||: both sides or, if the first side is a constant, only the
 * side that decides the result. */
static enum expr_refusal compile_logical(struct compiler *compiler, size_t at,
					 size_t *next)
{
	const struct instruction *code = &compiler->bound->code.data[at];
	bool either = code->code == CODE_OR_ELSE;
	struct fast_step step = {.operation = either ? FAST_EITHER : FAST_BOTH};
	struct entry *left = top(compiler);

	*next = code->number.u;
	CHECK(check_type(code->type));
	CHECK(entry_settle(left));
	if (left->kind == ENTRY_CONSTANT) {
		if ((left->number != 0) == either)
			return entry_constant(left, either);
		compiler->count--;
		return compile(compiler, at + 1, *next);
	}
	CHECK(compile(compiler, at + 1, *next));
	compiler->count--;
	return entry_binary(left, left + 1, step);
}

/*
 * Compile ?: in the form that bind_choice() writes: a jump ends the first
 * branch.
 */
static enum expr_refusal compile_choice(struct compiler *compiler, size_t at,
					size_t *next)
{
	const struct instruction *code = compiler->bound->code.data;
	size_t second = code[at].number.u;
	const struct instruction *jump = &code[second - 1];
	struct entry *condition = top(compiler);
	bool is_known, is_true;

	*next = jump->number.u;
	CHECK(check_type(code[at].type));
	CHECK(entry_settle(condition));
	is_known = condition->kind == ENTRY_CONSTANT;
	is_true = condition->number != 0;
	if (is_known)
		compiler->count--;
	if (!is_known || is_true) {
		CHECK(compile(compiler, at + 1, second - 1));
		CHECK(entry_convert(top(compiler), jump->from, jump->type));
	}
	if (!is_known || !is_true)
		CHECK(compile(compiler, second, *next));
	if (is_known)
		return EXPR_COMPILED;
	compiler->count -= 2;
	return entry_choose(condition, condition + 1, condition + 2);
}

static void exchange(struct entry *top)
{
	struct entry entry = top[0];

	top[0] = top[-1];
	top[-1] = entry;
}

static enum expr_refusal step(struct compiler *compiler,
			      const struct instruction *at)
{
	struct entry *entry = top(compiler);

	switch ((enum code)at->code) {
	case CODE_PUSH:
		CHECK(check_type(at->type));
		CHECK(push(compiler));
		return entry_constant(top(compiler), at->number.u);
	case CODE_VARIABLE:
		return compile_variable(compiler, at);
	case CODE_ADDRESS:
		return compile_address(compiler, at);
	case CODE_FUNCTION:
		return compile_function(compiler, at);
	case CODE_REGISTER:
		return compile_register(compiler, at);
	case CODE_VECTOR:
		return EXPR_REGISTER;
	case CODE_ARGUMENT:
		return compile_argument(compiler, at);
	case CODE_RETURN_VALUE:
		return compile_return_value(compiler);
	case CODE_OFFSET:
		return compile_offset(entry, at->number.u);
	case CODE_LOAD:
		return compile_load(compiler, at);
	case CODE_ADJUST:
		return is_place(entry) ? compile_offset(entry, at->number.u)
				       : EXPR_POINTER;
	case CODE_REAL:
		return is_place(entry) && entry->place.kind == SIMPLE_MEMORY
			       ? EXPR_COMPILED
			       : EXPR_ADDRESS;
	case CODE_NEGATE:
	case CODE_COMPLEMENT:
		return compile_unary(entry, at);
	case CODE_NOT:
		CHECK(check_type(at->type));
		return entry_unary(entry,
				   (struct fast_step){.operation = FAST_NOT});
	case CODE_TRUTH:
		CHECK(check_type(at->type));
		return entry_truth(entry);
	case CODE_CONVERT:
		return entry_convert(entry - at->under, at->from, at->type);
	case CODE_SCALE:
		return compile_scale(entry - at->under, at->number.u);
	case CODE_EXCHANGE:
		exchange(entry);
		return EXPR_COMPILED;
	case CODE_PID:
	case CODE_TID:
		return EXPR_THREAD;
	case CODE_GOROUTINE:
		return compile_goroutine(compiler, at);
	case CODE_COUNT:
		return EXPR_COUNT;
	case CODE_CALLER:
		return compile_caller(compiler, at);
	case CODE_CALLING:
		/* The tool finds the function when it reads the record. */
		return bound_expr_is_caller(compiler->bound) ? EXPR_COMPILED
							     : EXPR_CALLER;
	case CODE_CALLED_BY:
		return EXPR_CALLER;
	case CODE_SIZE:
		return EXPR_LENGTH;
	case CODE_BLOCKS:
		return EXPR_POINTER;
	case CODE_STRING:
	case CODE_TEXT:
		return EXPR_STRING;
	case CODE_VIRTUAL:
	case CODE_DYNAMIC:
	case CODE_VARIANT:
		return EXPR_CLASS;
	default:
		return compile_binary(compiler, at);
	}
}

/* Compile the instructions from number `from` to the one before `to`. */
static enum expr_refusal compile(struct compiler *compiler, size_t from,
				 size_t to)
{
	while (from < to) {
		const struct instruction *at =
			&compiler->bound->code.data[from];

		if (at->code == CODE_AND_THEN || at->code == CODE_OR_ELSE) {
			CHECK(compile_logical(compiler, from, &from));
		} else if (at->code == CODE_UNLESS) {
			CHECK(compile_choice(compiler, from, &from));
		} else {
			CHECK(step(compiler, at));
			from++;
		}
	}
	return EXPR_COMPILED;
}

static enum expr_refusal check_result(const struct bound_expr *bound)
{
	struct error *error = bound_expr_require_number(bound);

	error_destroy(error);
	if (bound->is_text)
		return EXPR_TEXT;
	return error ? EXPR_STRUCTURE : check_type(bound->type);
}

static enum expr_refusal finish(struct compiler *compiler,
				struct fast_program *out, struct value *form)
{
	struct type type = compiler->bound->type;
	struct entry *entry = top(compiler);

	CHECK(entry_settle(entry));
	if (entry->kind == ENTRY_CONSTANT) {
		entry->program.count = 0;
		fast_add(&entry->program,
			 (struct fast_step){.operation = FAST_CONSTANT,
					    .number = entry->number});
	}
	if (!fast_is_sound(&entry->program))
		return EXPR_LONG;
	*out = entry->program;
	*form = (struct value){.kind = !type_is_pointer(type) && type.is_signed
					       ? VALUE_SIGNED
					       : VALUE_UNSIGNED,
			       .is_address = type_is_pointer(type)};
	return EXPR_COMPILED;
}

enum expr_refusal bound_expr_compile(const struct bound_expr *bound,
				     const struct expr_input *input,
				     struct fast_program *out,
				     struct value *form)
{
	struct compiler compiler = {.bound = bound, .input = input};

	CHECK(check_result(bound));
	mark_registers(&compiler);
	CHECK(compile(&compiler, 0, bound->code.count));
	return finish(&compiler, out, form);
}

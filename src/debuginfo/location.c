/* location.c - see location.h */
#include "location.h"

#include <string.h>

#include "frames.h"
#include "perftool/arch.h"

#define STACK_SIZE 64
#define MAX_STEPS 4096

struct machine {
	const struct location_context *context;
	struct bytes expression;
	struct cursor cursor;
	uint64_t stack[STACK_SIZE];
	unsigned depth;
	struct location result;
	bool finished; /* by an operation that says what the result is */
};

static struct error *unsupported(const char *what)
{
	return error_create(ERROR_EVALUATE, "%s", what);
}

static struct error *bad(void)
{
	return error_create(ERROR_EVALUATE,
			    "its location in the debug information makes no "
			    "sense");
}

static struct error *push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_SIZE)
		return bad();
	machine->stack[machine->depth++] = value;
	return NULL;
}

static struct error *pop(struct machine *machine, uint64_t *value)
{
	if (!machine->depth)
		return bad();
	*value = machine->stack[--machine->depth];
	return NULL;
}

static struct error *read_register(const struct machine *machine,
				   uint64_t number, uint64_t *value)
{
	if (number > UINT8_MAX ||
	    !arch_dwarf_register((unsigned)number,
				 machine->context->reader->regs, value))
		return unsupported("it is in a register that cannot be read");
	return NULL;
}

static struct error *push_register(struct machine *machine, uint64_t number,
				   int64_t offset)
{
	uint64_t value;

	TRY(read_register(machine, number, &value));
	return push(machine, value + (uint64_t)offset);
}

static struct error *push_indexed(struct machine *machine, uint64_t index,
				  uint64_t bias)
{
	const struct location_context *context = machine->context;
	uint64_t address;

	if (!context->file || !context->unit ||
	    !unit_address(context->file, context->unit, index, &address))
		return bad();
	return push(machine, address + bias);
}

static struct error *push_frame_base(struct machine *machine, int64_t offset)
{
	struct location_context context = *machine->context;
	struct location base;
	uint64_t value;

	if (context.in_frame_base || !context.frame_base.size)
		return bad();
	context.in_frame_base = true;
	TRY(location_find(&context, context.frame_base, &base));
	switch (base.kind) {
	case LOCATION_REGISTER:
		TRY(read_register(machine, base.value, &value));
		break;
	case LOCATION_MEMORY:
	case LOCATION_VALUE:
		value = base.value;
		break;
	default:
		return bad();
	}
	return push(machine, value + (uint64_t)offset);
}

static struct error *push_cfa(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t cfa;

	if (!context->file)
		return bad();
	TRY(frames_cfa(context->file, context->reader, &cfa));
	return push(machine, cfa);
}

static struct error *dereference(struct machine *machine, unsigned size)
{
	const struct frame_reader *reader = machine->context->reader;
	uint64_t address, value = 0;

	TRY(pop(machine, &address));
	if (size == 0 || size > 8)
		return bad();
	if (!reader->read(reader->context, address, &value, size))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", address);
	return push(machine, value);
}

/* Another copy of the entry `index` below the top. */
static struct error *pick(struct machine *machine, unsigned index)
{
	if (index >= machine->depth)
		return bad();
	return push(machine, machine->stack[machine->depth - 1 - index]);
}

static struct error *divide(int64_t a, int64_t b, uint64_t *out)
{
	if (b == 0)
		return unsupported("its location divides by zero");
	*out = b == -1 ? 0 - (uint64_t)a : (uint64_t)(a / b);
	return NULL;
}

/* `a` as a signed number, shifted right by `bits`. */
static uint64_t shift_arithmetic(uint64_t a, uint64_t bits)
{
	bool negative = a >> 63;

	if (bits >= 64)
		return negative ? UINT64_MAX : 0;
	if (!bits || !negative)
		return a >> bits;
	return a >> bits | UINT64_MAX << (64 - bits);
}

static struct error *binary(struct machine *machine, unsigned opcode)
{
	uint64_t a, b, result = 0;
	int64_t sa, sb;

	TRY(pop(machine, &b));
	TRY(pop(machine, &a));
	sa = (int64_t)a;
	sb = (int64_t)b;
	switch (opcode) {
	case DW_OP_and:
		result = a & b;
		break;
	case DW_OP_or:
		result = a | b;
		break;
	case DW_OP_xor:
		result = a ^ b;
		break;
	case DW_OP_plus:
		result = a + b;
		break;
	case DW_OP_minus:
		result = a - b;
		break;
	case DW_OP_mul:
		result = a * b;
		break;
	case DW_OP_div:
		TRY(divide(sa, sb, &result));
		break;
	case DW_OP_mod:
		if (!b)
			return unsupported("its location divides by zero");
		result = a % b;
		break;
	case DW_OP_shl:
		result = b < 64 ? a << b : 0;
		break;
	case DW_OP_shr:
		result = b < 64 ? a >> b : 0;
		break;
	case DW_OP_shra:
		result = shift_arithmetic(a, b);
		break;
	case DW_OP_eq:
		result = a == b;
		break;
	case DW_OP_ne:
		result = a != b;
		break;
	case DW_OP_lt:
		result = sa < sb;
		break;
	case DW_OP_le:
		result = sa <= sb;
		break;
	case DW_OP_gt:
		result = sa > sb;
		break;
	case DW_OP_ge:
		result = sa >= sb;
		break;
	default:
		return bad();
	}
	return push(machine, result);
}

static struct error *unary(struct machine *machine, unsigned opcode)
{
	uint64_t a;

	TRY(pop(machine, &a));
	switch (opcode) {
	case DW_OP_abs:
		return push(machine, (int64_t)a < 0 ? 0 - a : a);
	case DW_OP_neg:
		return push(machine, 0 - a);
	case DW_OP_not:
		return push(machine, ~a);
	default: /* DW_OP_plus_uconst */
		return push(machine, a + cursor_uleb(&machine->cursor));
	}
}

static struct error *shuffle(struct machine *machine, unsigned opcode)
{
	uint64_t a, b, c;

	switch (opcode) {
	case DW_OP_drop:
		return pop(machine, &a);
	case DW_OP_swap:
		TRY(pop(machine, &a));
		TRY(pop(machine, &b));
		TRY(push(machine, a));
		return push(machine, b);
	default: /* DW_OP_rot */
		TRY(pop(machine, &a));
		TRY(pop(machine, &b));
		TRY(pop(machine, &c));
		TRY(push(machine, a));
		TRY(push(machine, c));
		return push(machine, b);
	}
}

static struct error *branch(struct machine *machine, bool always)
{
	int64_t delta = (int16_t)cursor_u16(&machine->cursor);
	int64_t at = machine->cursor.at - machine->expression.data;
	uint64_t condition = 1;

	if (!always)
		TRY(pop(machine, &condition));
	if (!condition)
		return NULL;
	at += delta;
	if (at < 0)
		return bad();
	machine->cursor = cursor_at(machine->expression, (uint64_t)at);
	return NULL;
}

static struct error *push_constant(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;

	switch (opcode) {
	case DW_OP_const1u:
		return push(machine, cursor_u8(cursor));
	case DW_OP_const1s:
		return push(machine, (uint64_t)(int8_t)cursor_u8(cursor));
	case DW_OP_const2u:
		return push(machine, cursor_u16(cursor));
	case DW_OP_const2s:
		return push(machine, (uint64_t)(int16_t)cursor_u16(cursor));
	case DW_OP_const4u:
		return push(machine, cursor_u32(cursor));
	case DW_OP_const4s:
		return push(machine, (uint64_t)(int32_t)cursor_u32(cursor));
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push(machine, cursor_u64(cursor));
	case DW_OP_constu:
		return push(machine, cursor_uleb(cursor));
	default: /* DW_OP_consts */
		return push(machine, (uint64_t)cursor_sleb(cursor));
	}
}

static void finish(struct machine *machine, enum location_kind kind,
		   uint64_t value)
{
	machine->result.kind = kind;
	machine->result.value = value;
	machine->finished = true;
}

/* The operations that do not merely compute. */
static struct error *step_location(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t bias = machine->context->reader->bias, value;
	struct cursor block;
	int64_t offset;

	switch (opcode) {
	case DW_OP_addr:
		return push(machine, cursor_u64(cursor) + bias);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indexed(machine, cursor_uleb(cursor), bias);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indexed(machine, cursor_uleb(cursor), 0);
	case DW_OP_fbreg:
		return push_frame_base(machine, cursor_sleb(cursor));
	case DW_OP_call_frame_cfa:
		return push_cfa(machine);
	case DW_OP_regx:
		finish(machine, LOCATION_REGISTER, cursor_uleb(cursor));
		return NULL;
	case DW_OP_bregx:
		value = cursor_uleb(cursor);
		offset = cursor_sleb(cursor);
		return push_register(machine, value, offset);
	case DW_OP_stack_value:
		TRY(pop(machine, &value));
		finish(machine, LOCATION_VALUE, value);
		return NULL;
	case DW_OP_implicit_value:
		block = cursor_take(cursor, cursor_uleb(cursor));
		machine->result.bytes =
			(struct bytes){block.at, cursor_left(&block)};
		finish(machine, LOCATION_BYTES, 0);
		return NULL;
	case DW_OP_deref:
		return dereference(machine, 8);
	case DW_OP_deref_size:
		return dereference(machine, cursor_u8(cursor));
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return unsupported("it is thread-local (TLS), which cannot be "
				   "read");
	case DW_OP_piece:
	case DW_OP_bit_piece:
		return unsupported("it is spread over several places");
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return unsupported("optimized out: only its value at the "
				   "function's entry was known");
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return unsupported("optimized out: it points to what has no "
				   "place in memory");
	default:
		return unsupported("its location is of a kind that is not "
				   "supported");
	}
}

static struct error *step(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	unsigned opcode = cursor_u8(cursor);

	if (opcode >= DW_OP_lit0 && opcode <= DW_OP_lit31)
		return push(machine, opcode - DW_OP_lit0);
	if (opcode >= DW_OP_breg0 && opcode <= DW_OP_breg31)
		return push_register(machine, opcode - DW_OP_breg0,
				     cursor_sleb(cursor));
	if (opcode >= DW_OP_reg0 && opcode <= DW_OP_reg31) {
		finish(machine, LOCATION_REGISTER, opcode - DW_OP_reg0);
		return NULL;
	}
	if (opcode >= DW_OP_const1u && opcode <= DW_OP_consts)
		return push_constant(machine, opcode);
	switch (opcode) {
	case DW_OP_nop:
		return NULL;
	case DW_OP_dup:
		return pick(machine, 0);
	case DW_OP_over:
		return pick(machine, 1);
	case DW_OP_pick:
		return pick(machine, cursor_u8(cursor));
	case DW_OP_drop:
	case DW_OP_swap:
	case DW_OP_rot:
		return shuffle(machine, opcode);
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst:
		return unary(machine, opcode);
	case DW_OP_skip:
		return branch(machine, true);
	case DW_OP_bra:
		return branch(machine, false);
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_div:
	case DW_OP_mod:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_eq:
	case DW_OP_ne:
	case DW_OP_lt:
	case DW_OP_le:
	case DW_OP_gt:
	case DW_OP_ge:
		return binary(machine, opcode);
	default:
		return step_location(machine, opcode);
	}
}

static struct error *run(struct machine *machine)
{
	for (unsigned steps = 0; cursor_left(&machine->cursor); steps++) {
		if (steps == MAX_STEPS || machine->finished) {
			/* what follows a register or value is a piece */
			return machine->finished
				       ? unsupported("it is spread over "
						     "several places")
				       : bad();
		}
		TRY(step(machine));
		if (machine->cursor.failed)
			return bad();
	}
	return NULL;
}

struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct location *out)
{
	struct machine machine = {
		.context = context,
		.expression = expression,
		.cursor = cursor_at(expression, 0),
	};

	if (!expression.size)
		return unsupported("optimized out");
	TRY(run(&machine));
	if (!machine.finished) {
		TRY(pop(&machine, &machine.result.value));
		machine.result.kind = LOCATION_MEMORY;
	}
	*out = machine.result;
	return NULL;
}

struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out)
{
	struct machine machine = {
		.context = context,
		.expression = expression,
		.cursor = cursor_at(expression, 0),
	};

	if (initial)
		TRY(push(&machine, *initial));
	TRY(run(&machine));
	if (machine.finished)
		return bad();
	return pop(&machine, out);
}

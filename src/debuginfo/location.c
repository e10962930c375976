/* location.c - see location.h */
#include "location.h"

#include <string.h>

#include "debugtype.h"
#include "entry_value.h"
#include "frames.h"
#include "location_list.h"
#include "perftool/arch.h"
#include "tls.h"

#define STACK_SIZE 64
#define MAX_STEPS 4096

/*
 * `current` is what the last operation said, until a piece is made of it: a
 * register, constant bytes ...; else the top of the stack is an address in
 * memory, or (`is_value`) the value itself.
 */
struct machine {
	const struct location_context *context;
	struct bytes expression;
	struct cursor cursor;
	struct number *stack; /* STACK_SIZE of them */
	unsigned depth, steps, calls;
	struct piece current;
	bool has_current;
	struct place *place; /* NULL: only a number is wanted */
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

static struct error *push_number(struct machine *machine, struct number number)
{
	if (machine->depth == STACK_SIZE)
		return bad();
	machine->stack[machine->depth++] = number;
	return NULL;
}

static struct error *push(struct machine *machine, uint64_t value)
{
	return push_number(machine, number_generic(value));
}

static struct error *pop_number(struct machine *machine, struct number *number)
{
	if (!machine->depth)
		return bad();
	*number = machine->stack[--machine->depth];
	return NULL;
}

/* An address, an offset: an integer. */
static struct error *pop(struct machine *machine, uint64_t *value)
{
	struct number number;

	TRY(pop_number(machine, &number));
	if (number.type.kind == NUMBER_FLOAT ||
	    number.type.kind == NUMBER_OTHER)
		return bad();
	TRY(number_as(&number, number_generic(0).type, &number));
	*value = (uint64_t)number.bits;
	return NULL;
}

/* ---- operands ------------------------------------------------------------ */

static struct error *read_register(const struct machine *machine,
				   uint64_t number, uint64_t *value)
{
	uint8_t bytes[16];
	size_t size;

	TRY(place_register(machine->context->reader, number, bytes, &size));
	memcpy(value, bytes, sizeof(*value));
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
	    !unit_address(context->unit, index, &address))
		return bad();
	return push(machine, address + bias);
}

static struct error *push_frame_base(struct machine *machine, int64_t offset)
{
	struct location_context context = *machine->context;
	struct place base;
	uint64_t value = 0;

	if (context.in_frame_base || !context.frame_base.size)
		return bad();
	context.in_frame_base = true;
	TRY(location_find(&context, context.frame_base, &base));
	if (base.count != 1 || base.pieces[0].bits)
		return bad();
	switch (base.pieces[0].kind) {
	case PIECE_REGISTER:
		TRY(read_register(machine, base.pieces[0].value, &value));
		break;
	case PIECE_MEMORY:
		value = base.pieces[0].value;
		break;
	case PIECE_NUMBER:
		value = (uint64_t)base.pieces[0].number;
		break;
	default:
		return bad();
	}
	return push(machine, value + (uint64_t)offset);
}

bool location_known_cfa(const struct location_context *context, uint64_t *cfa)
{
	const struct frame_reader *reader = context->reader;
	const struct known_cfa *known = context->cfa;

	if (!known || known->file != context->file || !reader->regs ||
	    reader->regs->rip - reader->bias != known->address ||
	    !arch_dwarf_register(known->rule.reg, reader->regs, cfa))
		return false;
	*cfa += (uint64_t)known->rule.offset;
	return true;
}

static struct error *push_cfa(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t cfa;

	if (!context->file)
		return bad();
	if (!location_known_cfa(context, &cfa))
		TRY(frames_cfa(context->file, context->reader, &cfa));
	return push(machine, cfa);
}

static struct error *read_memory(const struct machine *machine,
				 uint64_t address, unsigned size,
				 unsigned __int128 *out)
{
	*out = 0;
	if (size == 0 || size > sizeof(*out))
		return bad();
	if (!frame_read(machine->context->reader, address, out, size))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", address);
	return NULL;
}

static struct error *dereference(struct machine *machine, unsigned size)
{
	unsigned __int128 bits;
	uint64_t address;

	TRY(pop(machine, &address));
	if (size > 8)
		return bad();
	TRY(read_memory(machine, address, size, &bits));
	return push(machine, (uint64_t)bits);
}

/* The base type at an offset of the unit; 0: the generic one. */
static struct error *find_type(const struct machine *machine, uint64_t offset,
			       struct number_type *out)
{
	const struct location_context *context = machine->context;
	struct attribute encoding, size;
	struct die die;

	*out = number_generic(0).type;
	if (!offset)
		return NULL;
	if (!context->file || !context->unit ||
	    offset > context->unit->end - context->unit->offset ||
	    !die_read(context->file, context->unit,
		      context->unit->offset + offset, &die) ||
	    !die.abbrev || die_tag(&die) != DW_TAG_base_type ||
	    !die_attribute(context->file, &die, DW_AT_byte_size, &size) ||
	    !size.number || size.number > 16 ||
	    !die_attribute(context->file, &die, DW_AT_encoding, &encoding))
		return bad();
	out->size = (uint8_t)size.number;
	switch (encoding.number) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		out->kind = NUMBER_SIGNED;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
	case DW_ATE_address:
		out->kind = NUMBER_UNSIGNED;
		break;
	case DW_ATE_float:
		if (debugtype_kind(debugtype_at(context->file, die)) ==
		    DEBUGTYPE_FLOAT)
			out->kind = NUMBER_FLOAT;
		else
			out->kind = NUMBER_OTHER;
		break;
	default:
		out->kind = NUMBER_OTHER;
		break;
	}
	return NULL;
}

static struct error *push_typed_constant(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	unsigned __int128 bits = 0;
	struct number_type type;
	struct cursor block;

	TRY(find_type(machine, cursor_uleb(cursor), &type));
	block = cursor_take(cursor, cursor_u8(cursor));
	if (cursor->failed || cursor_left(&block) != type.size)
		return bad();
	memcpy(&bits, block.at, type.size);
	return push_number(machine, number_of_bits(type, bits));
}

static struct error *push_typed_register(struct machine *machine)
{
	uint64_t number = cursor_uleb(&machine->cursor);
	unsigned __int128 bits = 0;
	struct number_type type;
	uint8_t bytes[16] = {0};
	size_t size;

	TRY(find_type(machine, cursor_uleb(&machine->cursor), &type));
	TRY(place_register(machine->context->reader, number, bytes, &size));
	if (type.size > size && !(size == 10 && type.kind == NUMBER_FLOAT))
		return bad();
	memcpy(&bits, bytes, sizeof(bytes));
	return push_number(machine, number_of_bits(type, bits));
}

static struct error *push_typed_memory(struct machine *machine)
{
	unsigned size = cursor_u8(&machine->cursor);
	struct number_type type;
	unsigned __int128 bits;
	uint64_t address;

	TRY(find_type(machine, cursor_uleb(&machine->cursor), &type));
	TRY(pop(machine, &address));
	if (size > type.size)
		return bad();
	TRY(read_memory(machine, address, size, &bits));
	return push_number(machine, number_of_bits(type, bits));
}

static struct error *convert(struct machine *machine, bool reinterpret)
{
	struct number_type type;
	struct number number;

	TRY(find_type(machine, cursor_uleb(&machine->cursor), &type));
	TRY(pop_number(machine, &number));
	if (!reinterpret)
		TRY(number_as(&number, type, &number));
	else if (number.type.size != type.size)
		return bad();
	else
		number.type = type;
	return push_number(machine, number);
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

/* ---- the stack ------------------------------------------------------------
 */

/* Another copy of the entry `index` below the top. */
static struct error *pick(struct machine *machine, unsigned index)
{
	if (index >= machine->depth)
		return bad();
	return push_number(machine, machine->stack[machine->depth - 1 - index]);
}

static struct error *binary(struct machine *machine, unsigned opcode)
{
	struct number a, b, result;

	TRY(pop_number(machine, &b));
	TRY(pop_number(machine, &a));
	TRY(number_binary(opcode, &a, &b, &result));
	return push_number(machine, result);
}

static struct error *unary(struct machine *machine, unsigned opcode)
{
	struct number a;

	TRY(pop_number(machine, &a));
	TRY(number_unary(opcode, &a, &a));
	return push_number(machine, a);
}

static struct error *add_constant(struct machine *machine)
{
	struct number a;

	TRY(pop_number(machine, &a));
	if (a.type.kind == NUMBER_FLOAT || a.type.kind == NUMBER_OTHER)
		return bad();
	return push_number(
		machine,
		number_of_bits(a.type, a.bits + cursor_uleb(&machine->cursor)));
}

static struct error *shuffle(struct machine *machine, unsigned opcode)
{
	struct number a, b, c;

	switch (opcode) {
	case DW_OP_drop:
		return pop_number(machine, &a);
	case DW_OP_swap:
		TRY(pop_number(machine, &a));
		TRY(pop_number(machine, &b));
		TRY(push_number(machine, a));
		return push_number(machine, b);
	default: /* DW_OP_rot */
		TRY(pop_number(machine, &a));
		TRY(pop_number(machine, &b));
		TRY(pop_number(machine, &c));
		TRY(push_number(machine, a));
		TRY(push_number(machine, c));
		return push_number(machine, b);
	}
}

static struct error *branch(struct machine *machine, bool always)
{
	int64_t delta = (int16_t)cursor_u16(&machine->cursor);
	int64_t at = machine->cursor.at - machine->expression.data;
	struct number condition = number_generic(1);

	if (!always)
		TRY(pop_number(machine, &condition));
	if (!condition.bits)
		return NULL;
	at += delta;
	if (at < 0)
		return bad();
	machine->cursor = cursor_at(machine->expression, (uint64_t)at);
	return NULL;
}

/* ---- what an expression comes to --------------------------------------- */

static struct error *finish(struct machine *machine, struct piece piece)
{
	if (machine->has_current)
		return bad();
	machine->current = piece;
	machine->has_current = true;
	return NULL;
}

static struct error *finish_register(struct machine *machine, uint64_t number)
{
	return finish(machine,
		      (struct piece){.kind = PIECE_REGISTER, .value = number});
}

static struct error *finish_value(struct machine *machine)
{
	struct number number;

	TRY(pop_number(machine, &number));
	return finish(machine, (struct piece){.kind = PIECE_NUMBER,
					      .size = number.type.size,
					      .number = number.bits});
}

static struct error *finish_bytes(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	struct cursor block = cursor_take(cursor, cursor_uleb(cursor));

	if (cursor->failed)
		return bad();
	return finish(machine,
		      (struct piece){.kind = PIECE_BYTES,
				     .bytes = {block.at, cursor_left(&block)}});
}

/* A DIE by its offset in .debug_info, as dwarf.h has offsets. */
static uint64_t info_reference(struct machine *machine)
{
	const struct unit *unit = machine->context->unit;

	if (!unit) {
		machine->cursor.failed = true;
		return 0;
	}
	return unit->source->base +
	       cursor_unsigned(&machine->cursor,
			       unit->version <= 2 ? 8 : unit->offset_size);
}

static struct error *finish_pointer(struct machine *machine)
{
	uint64_t die = info_reference(machine);
	int64_t offset = cursor_sleb(&machine->cursor);

	return finish(machine, (struct piece){.kind = PIECE_POINTER,
					      .value = die,
					      .offset = offset});
}

/* The next part of the whole is `bits` of what was said last. */
static struct error *add_piece(struct machine *machine, uint64_t bits,
			       uint64_t bit_offset)
{
	struct place *place = machine->place;
	struct piece piece = {.kind = PIECE_NOWHERE};

	if (!place || place->count == MAX_PIECES || bits > UINT32_MAX ||
	    bit_offset > UINT32_MAX)
		return bad();
	if (machine->has_current) {
		piece = machine->current;
	} else if (machine->depth) {
		piece.kind = PIECE_MEMORY;
		TRY(pop(machine, &piece.value));
	}
	machine->has_current = false;
	/* of none: there is nothing to add, and 0 would mean all */
	if (!bits)
		return NULL;
	piece.bits = bits;
	piece.bit_offset = bit_offset;
	place->pieces[place->count++] = piece;
	return NULL;
}

/* ---- other expressions ------------------------------------------------- */

static struct error *run(struct machine *machine);

/* DW_OP_call: what the location of another DIE does to the stack. */
static struct error *call(struct machine *machine, uint64_t offset)
{
	const struct location_context *context = machine->context;
	struct bytes caller = machine->expression, called;
	struct cursor after = machine->cursor;
	struct unit *unit;
	struct error *error;
	struct die die;
	bool is_list;

	unit = context->file ? unit_of_die(context->file, offset) : NULL;
	if (!unit || machine->calls == LOCATION_MAX_DEPTH ||
	    !die_read(context->file, unit, offset, &die) || !die.abbrev)
		return bad();
	if (unit != context->unit)
		return unsupported("its location is of a kind that is not "
				   "supported");
	if (!location_list_of(context->file, &die, DW_AT_location,
			      context->address, &called, &is_list))
		return NULL;
	machine->calls++;
	machine->expression = called;
	machine->cursor = cursor_at(called, 0);
	error = run(machine);
	machine->calls--;
	machine->expression = caller;
	machine->cursor = after;
	return error;
}

static struct error *call_in_unit(struct machine *machine, unsigned size)
{
	uint64_t offset = cursor_unsigned(&machine->cursor, size);

	if (!machine->context->unit)
		return bad();
	return call(machine, machine->context->unit->offset + offset);
}

static struct error *push_entry_value(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	struct cursor block = cursor_take(cursor, cursor_uleb(cursor));
	struct number number;

	if (cursor->failed || !machine->context->file)
		return bad();
	TRY(entry_value_find(machine->context,
			     (struct bytes){block.at, cursor_left(&block)},
			     &number));
	return push_number(machine, number);
}

static struct error *push_parameter(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t offset = cursor_u32(&machine->cursor);
	struct number number;

	if (machine->cursor.failed || !context->file || !context->unit)
		return bad();
	TRY(entry_value_of_parameter(context, context->unit->offset + offset,
				     &number));
	return push_number(machine, number);
}

static struct error *push_thread_local(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t offset, address;

	TRY(pop(machine, &offset));
	if (!context->file)
		return bad();
	TRY(tls_address(context->file, context->reader, offset, &address));
	return push(machine, address);
}

/* ---- the operations ------------------------------------------------------
 */

/* The operations that do not merely compute. */
static struct error *step_location(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t bias = machine->context->reader->bias, value;
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
		return finish_register(machine, cursor_uleb(cursor));
	case DW_OP_bregx:
		value = cursor_uleb(cursor);
		offset = cursor_sleb(cursor);
		return push_register(machine, value, offset);
	case DW_OP_stack_value:
		return finish_value(machine);
	case DW_OP_implicit_value:
		return finish_bytes(machine);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return finish_pointer(machine);
	case DW_OP_piece:
		value = cursor_uleb(cursor);
		return value > UINT32_MAX ? bad()
					  : add_piece(machine, value * 8, 0);
	case DW_OP_bit_piece:
		value = cursor_uleb(cursor);
		return add_piece(machine, value, cursor_uleb(cursor));
	case DW_OP_deref:
		return dereference(machine, 8);
	case DW_OP_deref_size:
		return dereference(machine, cursor_u8(cursor));
	case DW_OP_push_object_address:
		if (!machine->context->object)
			return unsupported("its location depends on an object "
					   "that is not known");
		return push(machine, *machine->context->object);
	case DW_OP_call2:
		return call_in_unit(machine, 2);
	case DW_OP_call4:
		return call_in_unit(machine, 4);
	case DW_OP_call_ref:
		return call(machine, info_reference(machine));
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return push_thread_local(machine);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(machine);
	case DW_OP_GNU_parameter_ref:
		return push_parameter(machine);
	case DW_OP_GNU_variable_value:
		return unsupported("its location depends on a variable that "
				   "was optimized out");
	default:
		return unsupported("its location is of a kind that is not "
				   "supported");
	}
}

static struct error *step_typed(struct machine *machine, unsigned opcode)
{
	switch (opcode) {
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return push_typed_constant(machine);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_typed_register(machine);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return push_typed_memory(machine);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
		return convert(machine, false);
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(machine, true);
	default:
		return step_location(machine, opcode);
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
	if (opcode >= DW_OP_reg0 && opcode <= DW_OP_reg31)
		return finish_register(machine, opcode - DW_OP_reg0);
	if (opcode >= DW_OP_const1u && opcode <= DW_OP_consts)
		return push_constant(machine, opcode);
	switch (opcode) {
	case DW_OP_nop:
	case DW_OP_GNU_uninit: /* that it may have no value yet */
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
		return unary(machine, opcode);
	case DW_OP_plus_uconst:
		return add_constant(machine);
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
		return step_typed(machine, opcode);
	}
}

static bool is_piece(unsigned opcode)
{
	return opcode == DW_OP_piece || opcode == DW_OP_bit_piece ||
	       opcode == DW_OP_nop || opcode == DW_OP_GNU_uninit;
}

static struct error *run(struct machine *machine)
{
	while (cursor_left(&machine->cursor)) {
		/* what follows a register or a value is a piece */
		if (machine->steps++ == MAX_STEPS ||
		    (machine->has_current && !is_piece(*machine->cursor.at)))
			return bad();
		TRY(step(machine));
		if (machine->cursor.failed)
			return bad();
	}
	return NULL;
}

struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct place *out)
{
	struct number stack[STACK_SIZE];
	struct machine machine = {
		.context = context,
		.stack = stack,
		.expression = expression,
		.cursor = cursor_at(expression, 0),
		.place = out,
	};
	struct piece piece = {.kind = PIECE_MEMORY};

	out->count = 0;
	if (!expression.size)
		return unsupported("optimized out");
	TRY(run(&machine));
	if (out->count)
		return machine.has_current ? bad() : NULL;
	if (machine.has_current)
		piece = machine.current;
	else
		TRY(pop(&machine, &piece.value));
	out->pieces[out->count++] = piece;
	return NULL;
}

struct error *location_number(const struct location_context *context,
			      struct bytes expression, struct number *out)
{
	struct number stack[STACK_SIZE];
	struct machine machine = {
		.context = context,
		.stack = stack,
		.expression = expression,
		.cursor = cursor_at(expression, 0),
	};

	TRY(run(&machine));
	if (machine.has_current) {
		/* `DW_OP_stack_value` is not needed here, but may be there */
		if (machine.current.kind != PIECE_NUMBER)
			return bad();
		*out = number_generic((uint64_t)machine.current.number);
		return NULL;
	}
	return pop_number(&machine, out);
}

struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out)
{
	struct number stack[STACK_SIZE];
	struct machine machine = {
		.context = context,
		.stack = stack,
		.expression = expression,
		.cursor = cursor_at(expression, 0),
	};

	if (initial)
		TRY(push(&machine, *initial));
	TRY(run(&machine));
	if (machine.has_current)
		return bad();
	return pop(&machine, out);
}

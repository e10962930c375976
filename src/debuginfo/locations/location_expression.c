/*
 * location_expression.c - see location_expression.h; runs expressions, and has
 * the operations that say where the value is
 */
#include "location_expression.h"

#include "expression_machine.h"
#include "location_list.h"

#define MAX_STEPS 4096

struct error *location_unsupported(const char *what)
{
	return error_create(ERROR_EVALUATE, "%s", what);
}

struct error *location_bad(void)
{
	return error_create(ERROR_EVALUATE,
			    "its location in the debug information makes no "
			    "sense");
}

/* ---- places and pieces --------------------------------------------------- */

static struct error *finish(struct machine *machine, struct piece piece)
{
	if (machine->has_current)
		return location_bad();
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

	TRY(machine_pop_number(machine, &number));
	return finish(machine, (struct piece){.kind = PIECE_NUMBER,
					      .size = number.type.size,
					      .number = number.bits});
}

static struct error *finish_bytes(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	struct cursor block = cursor_take(cursor, cursor_uleb(cursor));

	if (cursor->failed)
		return location_bad();
	return finish(machine,
		      (struct piece){.kind = PIECE_BYTES,
				     .bytes = {block.at, cursor_left(&block)}});
}

/* Read an operand that is the offset of a DIE in .debug_info, and add the base
 * of the unit's source, because unit_source.h numbers DIEs so. */
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

/* Add a piece: the next `bits` bits of the value are at the place that the
 * last operations gave. */
static struct error *add_piece(struct machine *machine, uint64_t bits,
			       uint64_t bit_offset)
{
	struct place *place = machine->place;
	struct piece piece = {.kind = PIECE_NOWHERE};

	if (!place || place->count == MAX_PIECES || bits > UINT32_MAX ||
	    bit_offset > UINT32_MAX)
		return location_bad();
	if (machine->has_current) {
		piece = machine->current;
	} else if (machine->depth) {
		piece.kind = PIECE_MEMORY;
		TRY(machine_pop(machine, &piece.value));
	}
	machine->has_current = false;
	/* A piece of no bits adds nothing. It must not be stored, because 0
	 * bits would mean all bits. */
	if (!bits)
		return NULL;
	piece.bits = bits;
	piece.bit_offset = bit_offset;
	place->pieces[place->count++] = piece;
	return NULL;
}

/* ---- other expressions --------------------------------------------------- */

static struct error *run(struct machine *machine);

/* DW_OP_call: run the location expression of another DIE on the same stack. */
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
		return location_bad();
	if (unit != context->unit)
		return location_unsupported(
			"its location is of a kind that is not "
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
		return location_bad();
	return call(machine, machine->context->unit->offset + offset);
}

/* ---- the whole expression ------------------------------------------------ */

struct error *machine_conclude(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t value;

	if (opcode >= DW_OP_reg0 && opcode <= DW_OP_reg31)
		return finish_register(machine, opcode - DW_OP_reg0);
	switch (opcode) {
	case DW_OP_regx:
		return finish_register(machine, cursor_uleb(cursor));
	case DW_OP_stack_value:
		return finish_value(machine);
	case DW_OP_implicit_value:
		return finish_bytes(machine);
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return finish_pointer(machine);
	case DW_OP_piece:
		value = cursor_uleb(cursor);
		return value > UINT32_MAX ? location_bad()
					  : add_piece(machine, value * 8, 0);
	case DW_OP_bit_piece:
		value = cursor_uleb(cursor);
		return add_piece(machine, value, cursor_uleb(cursor));
	case DW_OP_call2:
		return call_in_unit(machine, 2);
	case DW_OP_call4:
		return call_in_unit(machine, 4);
	case DW_OP_call_ref:
		return call(machine, info_reference(machine));
	case DW_OP_GNU_variable_value:
		return location_unsupported(
			"its location depends on a variable that "
			"was optimized out");
	default:
		return location_unsupported(
			"its location is of a kind that is not "
			"supported");
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
		/* After an operation that says where the value is, only a piece
		 * (DW_OP_piece, DW_OP_bit_piece) may follow, or an operation
		 * without effect. */
		if (machine->steps++ == MAX_STEPS ||
		    (machine->has_current && !is_piece(*machine->cursor.at)))
			return location_bad();
		TRY(machine_compute(machine, cursor_u8(&machine->cursor)));
		if (machine->cursor.failed)
			return location_bad();
	}
	return NULL;
}

/* The stack is large and is not initialized, because its entries are written
 * before they are read. */
static void machine_init(struct machine *machine,
			 const struct location_context *context,
			 struct bytes expression)
{
	machine->context = context;
	machine->expression = expression;
	machine->cursor = cursor_at(expression, 0);
	machine->depth = machine->steps = machine->calls = 0;
	machine->has_current = false;
	machine->place = NULL;
}

struct error *location_find(const struct location_context *context,
			    struct bytes expression, struct place *out)
{
	struct piece piece = {.kind = PIECE_MEMORY};
	struct machine machine;

	machine_init(&machine, context, expression);
	machine.place = out;
	out->count = 0;
	if (!expression.size)
		return location_unsupported("optimized out");
	TRY(run(&machine));
	if (out->count)
		return machine.has_current ? location_bad() : NULL;
	if (machine.has_current)
		piece = machine.current;
	else
		TRY(machine_pop(&machine, &piece.value));
	out->pieces[out->count++] = piece;
	return NULL;
}

static struct error *find_number(const struct location_context *context,
				 struct bytes expression,
				 const uint64_t *initial, struct number *out)
{
	struct machine machine;

	machine_init(&machine, context, expression);
	if (initial)
		TRY(machine_push(&machine, *initial));
	TRY(run(&machine));
	if (!machine.has_current)
		return machine_pop_number(&machine, out);
	/* An expression for a number does not need DW_OP_stack_value at its
	 * end, but may have it. */
	if (machine.current.kind != PIECE_NUMBER)
		return location_bad();
	*out = number_generic((uint64_t)machine.current.number);
	return NULL;
}

struct error *location_number(const struct location_context *context,
			      struct bytes expression, struct number *out)
{
	return find_number(context, expression, NULL, out);
}

struct error *location_evaluate(const struct location_context *context,
				struct bytes expression,
				const uint64_t *initial, uint64_t *out)
{
	struct number number;

	TRY(find_number(context, expression, initial, &number));
	return number_integer(&number, out);
}

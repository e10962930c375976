/*
 * expression_arithmetic.c - the operations of DWARF expressions for constants,
 * the stack, arithmetic and branches
 *
 * These operations need nothing from outside the expression. For arithmetic,
 * this file pops the numbers and pushes the result; expression_number.c
 * computes.
 */
#include "expression_machine.h"

struct error *machine_push_number(struct machine *machine, struct number number)
{
	if (machine->depth == LOCATION_STACK_SIZE)
		return location_bad();
	machine->stack[machine->depth++] = number;
	return NULL;
}

struct error *machine_push(struct machine *machine, uint64_t value)
{
	return machine_push_number(machine, number_generic(value));
}

struct error *machine_pop_number(struct machine *machine, struct number *number)
{
	if (!machine->depth)
		return location_bad();
	*number = machine->stack[--machine->depth];
	return NULL;
}

struct error *machine_pop(struct machine *machine, uint64_t *value)
{
	struct number number;

	TRY(machine_pop_number(machine, &number));
	return number_integer(&number, value);
}

static struct error *push_constant(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;

	switch (opcode) {
	case DW_OP_const1u:
		return machine_push(machine, cursor_u8(cursor));
	case DW_OP_const1s:
		return machine_push(machine,
				    (uint64_t)(int8_t)cursor_u8(cursor));
	case DW_OP_const2u:
		return machine_push(machine, cursor_u16(cursor));
	case DW_OP_const2s:
		return machine_push(machine,
				    (uint64_t)(int16_t)cursor_u16(cursor));
	case DW_OP_const4u:
		return machine_push(machine, cursor_u32(cursor));
	case DW_OP_const4s:
		return machine_push(machine,
				    (uint64_t)(int32_t)cursor_u32(cursor));
	case DW_OP_const8u:
	case DW_OP_const8s:
		return machine_push(machine, cursor_u64(cursor));
	case DW_OP_constu:
		return machine_push(machine, cursor_uleb(cursor));
	default: /* DW_OP_consts */
		return machine_push(machine, (uint64_t)cursor_sleb(cursor));
	}
}

/* Push a copy of the entry that is `index` entries below the top of the
 * stack. */
static struct error *pick(struct machine *machine, unsigned index)
{
	if (index >= machine->depth)
		return location_bad();
	return machine_push_number(machine,
				   machine->stack[machine->depth - 1 - index]);
}

static struct error *binary(struct machine *machine, unsigned opcode)
{
	struct number a, b, result;

	TRY(machine_pop_number(machine, &b));
	TRY(machine_pop_number(machine, &a));
	TRY(number_binary(opcode, &a, &b, &result));
	return machine_push_number(machine, result);
}

static struct error *unary(struct machine *machine, unsigned opcode)
{
	struct number a;

	TRY(machine_pop_number(machine, &a));
	TRY(number_unary(opcode, &a, &a));
	return machine_push_number(machine, a);
}

static struct error *add_constant(struct machine *machine)
{
	struct number a = {0};

	TRY(machine_pop_number(machine, &a));
	if (a.type.kind == NUMBER_FLOAT || a.type.kind == NUMBER_OTHER)
		return location_bad();
	return machine_push_number(
		machine,
		number_of_bits(a.type, a.bits + cursor_uleb(&machine->cursor)));
}

static struct error *shuffle(struct machine *machine, unsigned opcode)
{
	struct number a, b, c;

	switch (opcode) {
	case DW_OP_drop:
		return machine_pop_number(machine, &a);
	case DW_OP_swap:
		TRY(machine_pop_number(machine, &a));
		TRY(machine_pop_number(machine, &b));
		TRY(machine_push_number(machine, a));
		return machine_push_number(machine, b);
	default: /* DW_OP_rot */
		TRY(machine_pop_number(machine, &a));
		TRY(machine_pop_number(machine, &b));
		TRY(machine_pop_number(machine, &c));
		TRY(machine_push_number(machine, a));
		TRY(machine_push_number(machine, c));
		return machine_push_number(machine, b);
	}
}

static struct error *branch(struct machine *machine, bool always)
{
	int64_t delta = (int16_t)cursor_u16(&machine->cursor);
	int64_t at = machine->cursor.at - machine->expression.data;
	struct number condition = number_generic(1);

	if (!always)
		TRY(machine_pop_number(machine, &condition));
	if (!condition.bits)
		return NULL;
	at += delta;
	if (at < 0)
		return location_bad();
	machine->cursor = cursor_at(machine->expression, (uint64_t)at);
	return NULL;
}

struct error *machine_compute(struct machine *machine, unsigned opcode)
{
	if (opcode >= DW_OP_lit0 && opcode <= DW_OP_lit31)
		return machine_push(machine, opcode - DW_OP_lit0);
	if (opcode >= DW_OP_const1u && opcode <= DW_OP_consts)
		return push_constant(machine, opcode);
	switch (opcode) {
	case DW_OP_nop:
	/* DW_OP_GNU_uninit says that the value may not be initialized yet. */
	case DW_OP_GNU_uninit:
		return NULL;
	case DW_OP_dup:
		return pick(machine, 0);
	case DW_OP_over:
		return pick(machine, 1);
	case DW_OP_pick:
		return pick(machine, cursor_u8(&machine->cursor));
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
		return machine_fetch(machine, opcode);
	}
}

/*
 * simple_location.c - finds the place of a variable in a form that simple code
 * can use
 *
 * The tool can let code run in the program, at the address for which the
 * variable was looked up, that reads the variable. This code can read a
 * register, memory at a register plus a constant, or memory at an address. To
 * find such a place, this file runs the variable's DWARF expression without a
 * thread: the entries of the stack are sums instead of numbers. A sum has at
 * most one register, a constant, and at most once the load bias of the file. If
 * the result of an expression is not such a sum, the place is not simple.
 *
 * A place in memory relative to a register is safe to read only if it is in an
 * existing frame. This is so in two cases. Either the register is the stack
 * pointer, and the place is above it or in the red zone below it. Or the
 * register is the one from which the call frame information computes the CFA,
 * and the prologue has made the frame. Other registers may hold anything.
 */
#include <string.h>

#include "debuginfo/locations/locations.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "variable.h"

#define RED_ZONE 128
#define RSP 7
#define GENERAL 16 /* number of general registers */

struct sum {
	bool has_register, is_biased;
	unsigned reg;
	uint64_t constant;
};

/* The result of an expression: a sum. `is_value`: the sum is the value itself,
 * and not its address. */
struct outcome {
	struct sum sum;
	bool is_value;
};

#define DEPTH 4

struct sums {
	const struct variable *variable;
	struct cursor cursor;
	bool in_frame_base;
	unsigned depth;
	struct sum stack[DEPTH];
};

static bool find(const struct variable *variable, struct bytes expression,
		 bool in_frame_base, struct outcome *out);

static bool push(struct sums *sums, struct sum sum)
{
	if (sums->depth == DEPTH)
		return false;
	sums->stack[sums->depth++] = sum;
	return true;
}

static bool push_constant(struct sums *sums, uint64_t constant)
{
	return push(sums, (struct sum){.constant = constant});
}

static bool push_register(struct sums *sums, uint64_t reg, int64_t offset)
{
	return reg < GENERAL &&
	       push(sums, (struct sum){.has_register = true,
				       .reg = (unsigned)reg,
				       .constant = (uint64_t)offset});
}

static bool push_indexed(struct sums *sums, bool is_biased)
{
	struct sum sum = {.is_biased = is_biased};

	return sums->variable->unit &&
	       unit_address(sums->variable->unit, cursor_uleb(&sums->cursor),
			    &sum.constant) &&
	       push(sums, sum);
}

static bool push_cfa(struct sums *sums)
{
	const struct variable *variable = sums->variable;
	const struct known_cfa *cfa = &variable->cfa;

	return cfa->file && cfa->file == variable->file &&
	       cfa->address == variable->address &&
	       push_register(sums, cfa->rule.reg, cfa->rule.offset);
}

/* Push the frame base plus the operand of DW_OP_fbreg. If DW_AT_frame_base
 * names a register, the value of the register is the frame base. */
static bool push_frame_base(struct sums *sums)
{
	int64_t offset = cursor_sleb(&sums->cursor);
	const struct variable *variable = sums->variable;
	struct outcome base;

	if (sums->in_frame_base ||
	    !find(variable, variable->frame_base, true, &base))
		return false;
	base.sum.constant += (uint64_t)offset;
	return push(sums, base.sum);
}

static bool add(struct sums *sums)
{
	struct sum *a, *b;

	if (sums->depth < 2)
		return false;
	b = &sums->stack[--sums->depth];
	a = &sums->stack[sums->depth - 1];
	if ((a->has_register && b->has_register) ||
	    (a->is_biased && b->is_biased))
		return false;
	*a = (struct sum){.has_register = a->has_register || b->has_register,
			  .is_biased = a->is_biased || b->is_biased,
			  .reg = a->has_register ? a->reg : b->reg,
			  .constant = a->constant + b->constant};
	return true;
}

static bool subtract(struct sums *sums)
{
	struct sum *top;

	if (sums->depth < 2)
		return false;
	top = &sums->stack[sums->depth - 1];
	if (top->has_register || top->is_biased)
		return false;
	top->constant = -top->constant;
	return add(sums);
}

static bool add_constant(struct sums *sums, uint64_t constant)
{
	if (!sums->depth)
		return false;
	sums->stack[sums->depth - 1].constant += constant;
	return true;
}

static bool operate(struct sums *sums, unsigned opcode)
{
	struct cursor *cursor = &sums->cursor;
	uint64_t reg;

	if (opcode >= DW_OP_lit0 && opcode <= DW_OP_lit31)
		return push_constant(sums, opcode - DW_OP_lit0);
	if (opcode >= DW_OP_breg0 && opcode <= DW_OP_breg31)
		return push_register(sums, opcode - DW_OP_breg0,
				     cursor_sleb(cursor));
	switch (opcode) {
	case DW_OP_const1u:
		return push_constant(sums, cursor_u8(cursor));
	case DW_OP_const1s:
		return push_constant(sums, (uint64_t)(int8_t)cursor_u8(cursor));
	case DW_OP_const2u:
		return push_constant(sums, cursor_u16(cursor));
	case DW_OP_const2s:
		return push_constant(sums,
				     (uint64_t)(int16_t)cursor_u16(cursor));
	case DW_OP_const4u:
		return push_constant(sums, cursor_u32(cursor));
	case DW_OP_const4s:
		return push_constant(sums,
				     (uint64_t)(int32_t)cursor_u32(cursor));
	case DW_OP_const8u:
	case DW_OP_const8s:
		return push_constant(sums, cursor_u64(cursor));
	case DW_OP_constu:
		return push_constant(sums, cursor_uleb(cursor));
	case DW_OP_consts:
		return push_constant(sums, (uint64_t)cursor_sleb(cursor));
	case DW_OP_addr:
		return push(sums, (struct sum){.is_biased = true,
					       .constant = cursor_u64(cursor)});
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_indexed(sums, true);
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		return push_indexed(sums, false);
	case DW_OP_bregx:
		reg = cursor_uleb(cursor);
		return push_register(sums, reg, cursor_sleb(cursor));
	case DW_OP_fbreg:
		return push_frame_base(sums);
	case DW_OP_call_frame_cfa:
		return push_cfa(sums);
	case DW_OP_plus_uconst:
		return add_constant(sums, cursor_uleb(cursor));
	case DW_OP_plus:
		return add(sums);
	case DW_OP_minus:
		return subtract(sums);
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* Is the operation one that names a register (DW_OP_reg0 ...)? It means that
 * the register holds the value, and must be the only operation of the
 * expression. Its register is pushed. */
static bool is_register(struct sums *sums, unsigned opcode)
{
	uint64_t reg;

	if (opcode >= DW_OP_reg0 && opcode <= DW_OP_reg31)
		reg = opcode - DW_OP_reg0;
	else if (opcode == DW_OP_regx)
		reg = cursor_uleb(&sums->cursor);
	else
		return false;
	return !sums->depth && push_register(sums, reg, 0);
}

/* Run an expression with sums. After an operation that gives the value itself
 * (DW_OP_stack_value or a register), the expression must end. False: the result
 * is not a sum. */
static bool find(const struct variable *variable, struct bytes expression,
		 bool in_frame_base, struct outcome *out)
{
	struct sums sums = {.variable = variable,
			    .cursor = cursor_at(expression, 0),
			    .in_frame_base = in_frame_base};

	*out = (struct outcome){0};
	while (cursor_left(&sums.cursor) && !out->is_value) {
		unsigned opcode = cursor_u8(&sums.cursor);

		out->is_value = is_register(&sums, opcode) ||
				(opcode == DW_OP_stack_value && sums.depth);
		if (!out->is_value && !operate(&sums, opcode))
			return false;
	}
	if (sums.cursor.failed || cursor_left(&sums.cursor) || !sums.depth)
		return false;
	out->sum = sums.stack[sums.depth - 1];
	return true;
}

/* ---- can it be read? ----------------------------------------------------- */

/* Is the address in the function's prologue, but not at its first
 * instruction? */
static bool in_prologue(struct debugfile *file, uint64_t address)
{
	struct function function;
	uint64_t end;

	if (!debugfile_function_at(file, address, &function) ||
	    function.address == address)
		return false;
	end = function.address;
	error_destroy(debugfile_skip_prologue(file, &function, &end));
	return address < end;
}

static void in_frame(const struct variable *variable, const struct sum *sum,
		     struct simple_place *out)
{
	int64_t offset = (int64_t)sum->constant;
	bool by_rsp = sum->reg == RSP;

	if (!by_rsp &&
	    (!variable->cfa.file || variable->cfa.rule.reg != sum->reg))
		return;
	out->kind = SIMPLE_MEMORY;
	out->after = debugtype_size(variable->type);
	if (by_rsp ? offset < -RED_ZONE
		   : offset < 0 &&
			     in_prologue(variable->file, variable->address))
		out->kind = SIMPLE_UNSAFE;
}

static void in_file(const struct variable *variable, const struct sum *sum,
		    struct simple_place *out)
{
	const struct segment *segment =
		image_segment_at(&variable->file->image, sum->constant);

	if (!sum->is_biased || !segment || !segment->readable)
		return;
	out->kind = SIMPLE_MEMORY;
	out->before = sum->constant - segment->address;
	out->after = segment->memory_size - out->before;
}

static void describe(const struct variable *variable,
		     const struct outcome *found, struct simple_place *out)
{
	out->has_register = found->sum.has_register;
	out->reg = found->sum.reg;
	out->is_biased = found->sum.is_biased;
	out->offset = found->sum.constant;
	if (found->is_value) {
		out->after = debugtype_size(variable->type);
		if (out->after <= sizeof(out->offset))
			out->kind = SIMPLE_VALUE;
	} else if (found->sum.has_register && !found->sum.is_biased) {
		in_frame(variable, &found->sum, out);
	} else if (!found->sum.has_register) {
		in_file(variable, &found->sum, out);
	}
}

/* ---- sources of variables ------------------------------------------------ */

static void of_piece(const struct variable *variable, const struct piece *piece,
		     struct simple_place *out)
{
	uint64_t size = debugtype_size(variable->type);

	if (!size || size > sizeof(out->offset))
		return;
	if (piece->kind == PIECE_NUMBER && piece->size >= size)
		out->offset = (uint64_t)piece->number;
	else if (piece->kind == PIECE_BYTES && piece->bytes.size >= size)
		memcpy(&out->offset, piece->bytes.data, (size_t)size);
	else
		return;
	out->kind = SIMPLE_VALUE;
	out->after = size;
}

static void of_entry(const struct variable *variable, struct simple_place *out)
{
	const struct entry_place *entry = &variable->entry;
	struct outcome found = {.sum = {.has_register = true, .reg = RSP}};

	if (entry->by_address || entry->by_register)
		return;
	if (entry->in_registers) {
		if (entry->count != 1 || entry->reg[0] >= GENERAL)
			return;
		found.is_value = true;
		found.sum.reg = entry->reg[0];
	} else {
		found.sum.constant = entry->offset;
	}
	describe(variable, &found, out);
}

static bool ends_thread_local(struct bytes expression)
{
	uint8_t last =
		expression.size ? expression.data[expression.size - 1] : 0;

	return last == DW_OP_form_tls_address ||
	       last == DW_OP_GNU_push_tls_address;
}

static void of_location(const struct variable *variable,
			struct simple_place *out)
{
	struct bytes location = variable->location;
	struct outcome found;

	if (ends_thread_local(location))
		out->kind = SIMPLE_THREAD_LOCAL;
	else if (location.size > 1 && *location.data == DW_OP_implicit_value) {
		struct cursor cursor = cursor_at(location, 1);
		uint64_t size = cursor_uleb(&cursor);
		struct piece piece = {.kind = PIECE_BYTES};

		if (cursor_left(&cursor) == size) {
			piece.bytes = (struct bytes){cursor.at, (size_t)size};
			of_piece(variable, &piece, out);
		}
	} else if (find(variable, location, false, &found)) {
		describe(variable, &found, out);
	}
}

void variable_simple_place(const struct variable *variable,
			   struct simple_place *out)
{
	struct outcome found = {.sum = {.is_biased = true}};

	*out = (struct simple_place){.kind = SIMPLE_NOT};
	switch (variable->source) {
	case SOURCE_CONSTANT:
		of_piece(variable, &variable->constant, out);
		break;
	case SOURCE_LOCATION:
		of_location(variable, out);
		break;
	case SOURCE_ENTRY:
		of_entry(variable, out);
		break;
	case SOURCE_SYMBOL:
		found.sum.constant = variable->symbol.address;
		if (variable->symbol.is_thread_local)
			out->kind = SIMPLE_THREAD_LOCAL;
		else
			describe(variable, &found, out);
		break;
	case SOURCE_NOWHERE:
		out->kind = SIMPLE_GONE;
		break;
	}
}

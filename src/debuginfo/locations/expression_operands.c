/*
 * expression_operands.c - the operations of DWARF expressions that take
 * operands from outside the expression
 *
 * Such operands are registers and memory of the stopped thread, its frame, its
 * caller's frame, thread-local storage, addresses in .debug_addr, and base
 * types.
 */
#include <string.h>

#include "debuginfo/frames/frames.h"
#include "debuginfo/types/types.h"
#include "expression_machine.h"
#include "perftool/arch.h"
#include "perftool/debuginfo/frame_rules.h"
#include "thread_storage.h"

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
	return machine_push(machine, value + (uint64_t)offset);
}

static struct error *push_indexed(struct machine *machine, uint64_t index,
				  uint64_t bias)
{
	const struct location_context *context = machine->context;
	uint64_t address;

	if (!context->file || !context->unit ||
	    !unit_address(context->unit, index, &address))
		return location_bad();
	return machine_push(machine, address + bias);
}

static struct error *push_frame_base(struct machine *machine, int64_t offset)
{
	struct location_context context = *machine->context;
	struct place base;
	uint64_t value = 0;

	if (context.in_frame_base || !context.frame_base.size)
		return location_bad();
	context.in_frame_base = true;
	TRY(location_find(&context, context.frame_base, &base));
	if (base.count != 1 || base.pieces[0].bits)
		return location_bad();
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
		return location_bad();
	}
	return machine_push(machine, value + (uint64_t)offset);
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
		return location_bad();
	if (!location_known_cfa(context, &cfa))
		TRY(frames_cfa(context->file, context->reader, &cfa));
	return machine_push(machine, cfa);
}

static struct error *read_memory(const struct machine *machine,
				 uint64_t address, unsigned size,
				 unsigned __int128 *out)
{
	*out = 0;
	if (size == 0 || size > sizeof(*out))
		return location_bad();
	if (!frame_read(machine->context->reader, address, out, size))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", address);
	return NULL;
}

static struct error *dereference(struct machine *machine, unsigned size)
{
	unsigned __int128 bits;
	uint64_t address;

	TRY(machine_pop(machine, &address));
	TRY(read_memory(machine, address, size, &bits));
	if (size <= 8)
		return machine_push(machine, (uint64_t)bits);
	/* DWARF does not allow more bytes than an address has. clang 19 takes
	 * the 16 bytes of a vector register that it has put on the stack. */
	return machine_push_number(
		machine, number_of_bits((struct number_type){NUMBER_OTHER,
							     (uint8_t)size},
					bits));
}

/* Find the base type whose DIE is at this offset in the unit. Offset 0 means
 * the generic type. */
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
		return location_bad();
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
		return location_bad();
	memcpy(&bits, block.at, type.size);
	return machine_push_number(machine, number_of_bits(type, bits));
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
		return location_bad();
	memcpy(&bits, bytes, sizeof(bytes));
	return machine_push_number(machine, number_of_bits(type, bits));
}

static struct error *push_typed_memory(struct machine *machine)
{
	unsigned size = cursor_u8(&machine->cursor);
	struct number_type type;
	unsigned __int128 bits;
	uint64_t address;

	TRY(find_type(machine, cursor_uleb(&machine->cursor), &type));
	TRY(machine_pop(machine, &address));
	if (size > type.size)
		return location_bad();
	TRY(read_memory(machine, address, size, &bits));
	return machine_push_number(machine, number_of_bits(type, bits));
}

static struct error *convert(struct machine *machine, bool reinterpret)
{
	struct number_type type;
	struct number number;

	TRY(find_type(machine, cursor_uleb(&machine->cursor), &type));
	TRY(machine_pop_number(machine, &number));
	if (!reinterpret)
		TRY(number_as(&number, type, &number));
	else if (number.type.size != type.size)
		return location_bad();
	else
		number.type = type;
	return machine_push_number(machine, number);
}

static struct error *push_entry_value(struct machine *machine)
{
	struct cursor *cursor = &machine->cursor;
	struct cursor block = cursor_take(cursor, cursor_uleb(cursor));
	struct number number;

	if (cursor->failed || !machine->context->file)
		return location_bad();
	TRY(entry_value_find(machine->context,
			     (struct bytes){block.at, cursor_left(&block)},
			     &number));
	return machine_push_number(machine, number);
}

static struct error *push_parameter(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t offset = cursor_u32(&machine->cursor);
	struct number number;

	if (machine->cursor.failed || !context->file || !context->unit)
		return location_bad();
	TRY(entry_value_of_parameter(context, context->unit->offset + offset,
				     &number));
	return machine_push_number(machine, number);
}

static struct error *push_thread_local(struct machine *machine)
{
	const struct location_context *context = machine->context;
	uint64_t offset, address;

	TRY(machine_pop(machine, &offset));
	if (!context->file)
		return location_bad();
	TRY(tls_address(context->file, context->reader, offset, &address));
	return machine_push(machine, address);
}

static struct error *fetch_typed(struct machine *machine, unsigned opcode)
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
		return machine_conclude(machine, opcode);
	}
}

struct error *machine_fetch(struct machine *machine, unsigned opcode)
{
	struct cursor *cursor = &machine->cursor;
	uint64_t bias = machine->context->reader->bias, number;

	if (opcode >= DW_OP_breg0 && opcode <= DW_OP_breg31)
		return push_register(machine, opcode - DW_OP_breg0,
				     cursor_sleb(cursor));
	switch (opcode) {
	case DW_OP_addr:
		return machine_push(machine, cursor_u64(cursor) + bias);
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
	case DW_OP_bregx:
		number = cursor_uleb(cursor);
		return push_register(machine, number, cursor_sleb(cursor));
	case DW_OP_deref:
		return dereference(machine, 8);
	case DW_OP_deref_size:
		return dereference(machine, cursor_u8(cursor));
	case DW_OP_push_object_address:
		if (!machine->context->object)
			return location_unsupported(
				"its location depends on an object "
				"that is not known");
		return machine_push(machine, *machine->context->object);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return push_thread_local(machine);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(machine);
	case DW_OP_GNU_parameter_ref:
		return push_parameter(machine);
	default:
		return fetch_typed(machine, opcode);
	}
}

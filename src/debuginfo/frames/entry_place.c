/*
 * entry_place.c - see entry_place.h
 *
 * This file goes through the parameters in their order and gives each its place
 * by the rules of the ABI. Each 8 bytes of an integer class take the next of
 * the registers rdi, rsi, rdx, rcx, r8, r9, and each 8 bytes of an SSE class
 * take the next of xmm0 to xmm7. A value that does not fit into the remaining
 * registers as a whole goes on the stack. If it is not known how a parameter is
 * passed, it is not known which registers it takes either. The places of later
 * parameters that depend on this are then refused.
 */
#include "entry_place.h"

#include <string.h>

#include "abi.h"
#include "debuginfo/types/types.h"
#include "perftool/arch.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

#define INTEGER_REGISTERS 6
#define VECTOR_REGISTERS 8

/* DWARF register numbers. */
#define RAX 0
#define RDX 1
#define RSP 7
#define XMM0 17
#define ST0 33

/* rdi, rsi, rdx, rcx, r8, r9. */
static const unsigned integer_registers[INTEGER_REGISTERS] = {5, 4, 1, 2, 8, 9};

/* How many registers of each kind, and how many bytes of the stack, the
 * parameters so far have taken. A count whose `unknown` flag is set is not
 * reliable, because it is not known how one of these parameters is passed. */
struct taken {
	unsigned integers, vectors;
	uint64_t stack;
	bool integers_unknown, vectors_unknown, stack_unknown;
};

static struct error *refuse(const char *name, const char *why)
{
	return error_create(ERROR_EVALUATE,
			    "parameter '%s' %s; use `break FUNC`, after the "
			    "prologue",
			    name, why);
}

/* ---- parameters ---------------------------------------------------------- */

/* Does this instance of the function have a parameter of this name? The caller
 * asks about __vtt_parm: only those instances of a constructor or destructor
 * that receive a VTT (table of virtual tables) have this parameter. */
static bool has_parameter(struct debugfile *file, const struct die *function,
			  const char *name)
{
	struct die_walk walk;

	die_walk_init(&walk, file, function);
	while (die_walk_next(&walk)) {
		const char *parameter = die_name(file, &walk.die);

		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_formal_parameter &&
		    parameter && str_equal(parameter, name))
			return true;
	}
	return false;
}

/* Is `name` a parameter that the compiler's abstract form of a constructor has,
 * but that callers of this instance do not pass? */
static bool is_not_passed(struct debugfile *file, const struct die *function,
			  const char *name)
{
	return str_equal(name, "__in_chrg") ||
	       (str_equal(name, "__vtt_parm") &&
		!has_parameter(file, function, name));
}

static unsigned count_class(const struct abi_passing *passing, bool integer)
{
	unsigned count = 0;

	for (unsigned i = 0; i < passing->eightbytes; i++)
		count += integer ? passing->classes[i] == CLASS_INTEGER
				 : passing->classes[i] == CLASS_SSE;
	return count;
}

/* Are the classes those of a value in x87 registers? Only results are passed
 * there. */
static bool is_for_results(const struct abi_passing *passing)
{
	return passing->classes[0] >= CLASS_X87;
}

static bool fits(const struct abi_passing *passing, const struct taken *taken)
{
	return passing->way == ABI_REGISTERS && !is_for_results(passing) &&
	       taken->integers + count_class(passing, true) <=
		       INTEGER_REGISTERS &&
	       taken->vectors + count_class(passing, false) <= VECTOR_REGISTERS;
}

/* The number of bits of the value that each register has; 0: one register has
 * all bits. */
static unsigned bits_of_each(const struct abi_passing *passing)
{
	if (passing->classes[0] == CLASS_COMPLEX_X87)
		return 128;
	if (passing->eightbytes < 2 || passing->classes[1] == CLASS_SSEUP ||
	    passing->classes[1] == CLASS_X87UP)
		return 0;
	return 64;
}

static void take_registers(const struct abi_passing *passing,
			   struct taken *taken, struct entry_place *out)
{
	out->in_registers = true;
	out->bits = bits_of_each(passing);
	for (unsigned i = 0; i < passing->eightbytes; i++) {
		if (passing->classes[i] == CLASS_INTEGER)
			out->reg[out->count++] =
				integer_registers[taken->integers++];
		else if (passing->classes[i] == CLASS_SSE)
			out->reg[out->count++] = XMM0 + taken->vectors++;
	}
}

/* Give the parameter the place of its address, which is passed like any
 * pointer. */
static void take_pointer(struct taken *taken, struct entry_place *out)
{
	out->by_address = true;
	if (taken->integers < INTEGER_REGISTERS) {
		out->in_registers = true;
		out->count = 1;
		out->reg[0] = integer_registers[taken->integers++];
		return;
	}
	out->offset = 8 + taken->stack;
	taken->stack += 8;
}

static void take_stack(uint64_t size, uint64_t alignment, struct taken *taken,
		       struct entry_place *out)
{
	taken->stack = (taken->stack + alignment - 1) & -alignment;
	out->offset = 8 + taken->stack;
	taken->stack += (size + 7) & ~7ULL;
}

/* Does the place that the parameter was just given depend on a count that is
 * not known? */
static bool is_uncertain(const struct abi_passing *passing,
			 const struct taken *taken,
			 const struct entry_place *place)
{
	if (!place->in_registers)
		return taken->stack_unknown ||
		       (taken->integers_unknown &&
			(passing->way == ABI_REFERENCE ||
			 count_class(passing, true))) ||
		       (taken->vectors_unknown && count_class(passing, false));
	if (passing->way == ABI_REFERENCE)
		return taken->integers_unknown;
	return (taken->integers_unknown && count_class(passing, true)) ||
	       (taken->vectors_unknown && count_class(passing, false));
}

/* clang 14 treats the second half of a __int128 as a parameter of its own, and
 * does not align it. */
static bool is_split(const struct abi_passing *passing, struct debugtype *type,
		     const struct unit *unit)
{
	return unit->producer && strstr(unit->producer, "clang") &&
	       debugtype_kind(type) == DEBUGTYPE_OTHER &&
	       passing->classes[0] == CLASS_INTEGER && passing->eightbytes == 2;
}

/* Is the expression `fbreg OFFSET; deref`: does the frame have the address of
 * the variable? */
static bool is_address_in_frame(struct bytes expression)
{
	struct cursor cursor = cursor_at(expression, 0);

	if (cursor_u8(&cursor) != DW_OP_fbreg)
		return false;
	cursor_sleb(&cursor);
	return cursor_u8(&cursor) == DW_OP_deref && !cursor.failed &&
	       !cursor_left(&cursor);
}

/* Does a function of Fortran, which begins at `address`, get the address of
 * this argument? The type does not tell, only the argument's location: the
 * frame has the address, or a register has it at the entry. An argument without
 * a location is not used. */
static bool is_by_reference(struct debugfile *file, const struct die *parameter,
			    uint64_t address)
{
	struct bytes location;
	bool is_list;

	if (!abi_is_fortran(parameter->unit))
		return false;
	if (!location_list_of(file, parameter, DW_AT_location, address,
			      &location, &is_list) ||
	    !location.size)
		return true;
	return is_address_in_frame(location) ||
	       (location.data[0] >= DW_OP_breg0 &&
		location.data[0] <= DW_OP_breg31);
}

/* Give the next parameter its place, and add to `taken` what it takes. */
static struct error *place_next(const char *name, struct debugtype *type,
				const struct unit *unit, bool by_reference,
				struct taken *taken, struct entry_place *out)
{
	struct abi_passing passing = abi_classify(type, unit);
	uint64_t size = debugtype_size(type);

	*out = (struct entry_place){0};
	if (by_reference)
		passing = (struct abi_passing){.way = ABI_REFERENCE};
	if (passing.way == ABI_MEMORY && !size)
		passing.way = ABI_UNKNOWN;
	if (is_split(&passing, type, unit) && !fits(&passing, taken))
		passing.way = ABI_UNKNOWN;
	if (passing.alignment & (passing.alignment - 1))
		passing.way = ABI_UNKNOWN;
	switch (passing.way) {
	case ABI_NOTHING:
		out->in_registers = true;
		return NULL;
	case ABI_REFERENCE:
		take_pointer(taken, out);
		break;
	case ABI_UNKNOWN:
		taken->integers_unknown = true;
		taken->vectors_unknown = true;
		taken->stack_unknown = true;
		return refuse(name,
			      "is passed in a way that perftool does not know");
	case ABI_REGISTERS:
	case ABI_MEMORY:
		if (fits(&passing, taken))
			take_registers(&passing, taken, out);
		else
			take_stack(size, passing.alignment, taken, out);
		break;
	}
	return is_uncertain(&passing, taken, out)
		       ? refuse(name, "comes after a parameter that is passed "
				      "in a way that perftool does not know")
		       : NULL;
}

/* If the function returns its result in memory, the caller passes the address
 * of this memory as a hidden first argument. Count the register of this
 * argument. */
static void take_result(struct debugfile *file, const struct die *function,
			struct taken *taken)
{
	struct debugtype *type = debugtype_of(file, function);
	struct abi_passing passing;

	if (debugtype_kind(type) == DEBUGTYPE_VOID)
		return;
	passing = abi_classify(type, function->unit);
	if (passing.way == ABI_MEMORY || passing.way == ABI_REFERENCE)
		taken->integers = 1;
	else if (passing.way == ABI_UNKNOWN)
		taken->integers_unknown = true;
}

/* Is the parameter, a float, passed as a double? In C this is so if the
 * function has no prototype. */
static bool is_promoted(struct debugfile *file, const struct die *function,
			struct debugtype *type)
{
	struct attribute attribute;

	return debugtype_kind(type) == DEBUGTYPE_FLOAT &&
	       debugtype_size(type) == 4 &&
	       (function->unit->language == DW_LANG_C89 ||
		function->unit->language == DW_LANG_C99 ||
		function->unit->language == DW_LANG_C11) &&
	       !die_inherited(file, function, DW_AT_prototyped, &attribute);
}

struct error *entry_find(struct debugfile *file, const struct die *function,
			 uint64_t address, const char *name,
			 struct entry_place *out)
{
	struct die declared = *function, origin;
	struct taken taken = {0};
	struct die_walk walk;

	if (!abi_is_known(function->unit))
		return refuse(name, "is passed by the convention of this "
				    "language, which perftool does not know");
	/* A copy of a function may lack parameters, but the calling convention
	 * of the original has them all. */
	if (die_reference(file, function, DW_AT_abstract_origin, &origin))
		declared = origin;
	take_result(file, &declared, &taken);
	die_walk_init(&walk, file, &declared);
	while (die_walk_next(&walk)) {
		struct entry_place found;
		struct debugtype *type;
		const char *parameter;
		struct error *error;

		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_formal_parameter)
			continue;
		parameter = die_name(file, &walk.die);
		if (parameter && is_not_passed(file, function, parameter))
			continue;
		type = debugtype_of(file, &walk.die);
		error = place_next(parameter ? parameter : "?", type,
				   function->unit,
				   is_by_reference(file, &walk.die, address),
				   &taken, &found);
		if (parameter && str_equal(parameter, name)) {
			if (!error && is_promoted(file, &declared, type))
				error = refuse(name, "is passed as a double");
			if (error)
				return error;
			*out = found;
			return NULL;
		}
		error_destroy(error);
	}
	return error_create(ERROR_NOT_FOUND, "no parameter '%s'", name);
}

/* ---- results ------------------------------------------------------------- */

static void place_result(const struct abi_passing *passing,
			 struct entry_place *out)
{
	unsigned integers = 0, vectors = 0;

	out->in_registers = true;
	out->bits = bits_of_each(passing);
	for (unsigned i = 0; i < passing->eightbytes; i++) {
		switch (passing->classes[i]) {
		case CLASS_INTEGER:
			out->reg[out->count++] = integers++ ? RDX : RAX;
			break;
		case CLASS_SSE:
			out->reg[out->count++] = XMM0 + vectors++;
			break;
		case CLASS_X87:
			out->reg[out->count++] = ST0;
			break;
		case CLASS_COMPLEX_X87:
			out->reg[out->count] = ST0 + out->count;
			out->count++;
			break;
		default:
			break;
		}
	}
}

struct error *entry_find_result(struct debugfile *file,
				const struct die *function,
				struct entry_place *out)
{
	struct debugtype *type = debugtype_of(file, function);
	struct abi_passing passing;

	if (debugtype_kind(type) == DEBUGTYPE_VOID)
		return error_create(ERROR_NOT_FOUND,
				    "the function returns nothing");
	passing = abi_classify(type, function->unit);
	*out = (struct entry_place){0};
	switch (passing.way) {
	case ABI_REGISTERS:
		place_result(&passing, out);
		return NULL;
	case ABI_NOTHING:
		out->in_registers = true;
		return NULL;
	case ABI_MEMORY:
	case ABI_REFERENCE:
		out->by_register = true;
		out->reg[0] = RAX;
		return NULL;
	case ABI_UNKNOWN:
		break;
	}
	return error_create(
		ERROR_NOT_FOUND,
		"perftool does not know how the function returns its result");
}

/* ---- at run time --------------------------------------------------------- */

static struct error *read_address(const struct entry_place *entry,
				  const struct frame_reader *reader,
				  uint64_t *address)
{
	uint64_t value = reader->regs->rsp + entry->offset;

	if (entry->in_registers) {
		arch_dwarf_register(entry->reg[0], reader->regs, address);
		return NULL;
	}
	if (!frame_read(reader, value, address, sizeof(*address)))
		return error_create(ERROR_EVALUATE,
				    "memory at %#lx cannot be read", value);
	return NULL;
}

struct error *entry_locate(const struct entry_place *entry,
			   const struct frame_reader *reader, struct place *out)
{
	uint64_t address = 0;

	out->count = 0;
	if (entry->by_address) {
		TRY(read_address(entry, reader, &address));
	} else if (entry->in_registers) {
		for (unsigned i = 0; i < entry->count; i++)
			out->pieces[out->count++] =
				(struct piece){.kind = PIECE_REGISTER,
					       .value = entry->reg[i],
					       .bits = entry->bits};
		/* The value has no bytes. If a caller reads bytes of it
		 * nevertheless, they are zero. */
		if (!out->count)
			out->pieces[out->count++] = (struct piece){
				.kind = PIECE_NUMBER, .size = 16};
		return NULL;
	} else {
		arch_dwarf_register(entry->by_register ? entry->reg[0] : RSP,
				    reader->regs, &address);
		address += entry->offset;
	}
	out->pieces[out->count++] =
		(struct piece){.kind = PIECE_MEMORY, .value = address};
	return NULL;
}

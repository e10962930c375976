/*
 * entry.c - see entry.h
 *
 * Counts through the parameters as the ABI does: integers and pointers take
 * rdi, rsi, rdx, rcx, r8, r9, floating-point numbers vector registers, what is
 * left over the stack. A structure by value may take either or none; what
 * comes after one is known only where it does not matter.
 */
#include "entry.h"

#include <string.h>

#include "perftool/base/str.h"
#include "types.h"

#define INTEGER_REGISTERS 6
#define VECTOR_REGISTERS 8

/* DWARF numbers of rdi, rsi, rdx, rcx, r8, r9. */
static const unsigned integer_registers[INTEGER_REGISTERS] = {5, 4, 1, 2, 8, 9};

enum passed {
	PASSED_INTEGER,
	PASSED_VECTOR,
	PASSED_STACK,   /* 16 bytes, aligned so: long double */
	PASSED_UNKNOWN, /* by value, in registers or on the stack */
};

/* How many of everything are taken; what is not known is not counted on. */
struct taken {
	unsigned integers, vectors;
	uint64_t stack;
	bool integers_unknown, vectors_unknown, stack_unknown;
};

static bool is_trivial_language(const struct unit *unit)
{
	switch (unit->language) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	default:
		return false;
	}
}

static enum passed passing(struct debugfile *file, const struct type_info *type)
{
	const char *name;

	if (type->is_reference)
		return PASSED_INTEGER;
	switch (type->kind) {
	case VARIABLE_SIGNED:
	case VARIABLE_UNSIGNED:
	case VARIABLE_POINTER:
		return PASSED_INTEGER;
	case VARIABLE_FLOAT:
		if (type->size < 16)
			return PASSED_VECTOR;
		name = die_name(file, &type->die);
		return name && str_equal(name, "long double") ? PASSED_STACK
							      : PASSED_VECTOR;
	default:
		return PASSED_UNKNOWN;
	}
}

/* Is the result returned in memory, its address being a hidden argument? */
static void take_result(struct debugfile *file, const struct die *function,
			struct taken *taken)
{
	struct type_info type = type_of(file, function);

	if (!type.die.abbrev || type.is_reference ||
	    type.kind != VARIABLE_OTHER)
		return;
	if (die_tag(&type.die) == DW_TAG_base_type)
		return; /* __int128, complex: in registers up to 16 bytes */
	if (type.size > 16)
		taken->integers = 1;
	else if (!is_trivial_language(function->unit))
		taken->integers_unknown = true;
}

/* Count a parameter that nobody knows the way of. */
static void take_unknown(struct taken *taken, const struct type_info *type,
			 const struct unit *unit)
{
	if (type->size > 16 && is_trivial_language(unit)) {
		/* in memory, perhaps aligned: not to be counted on */
		taken->stack_unknown = true;
		return;
	}
	taken->integers_unknown = true;
	taken->vectors_unknown = true;
	taken->stack_unknown = true;
}

static struct error *refuse(const char *name, const char *why)
{
	return error_create(ERROR_EVALUATE,
			    "parameter '%s' %s; use `break FUNC`, after the "
			    "prologue",
			    name, why);
}

/* Give the next parameter its place. */
static struct error *place(const char *name, enum passed passed,
			   struct taken *taken, struct entry_place *out)
{
	bool unknown = false;

	*out = (struct entry_place){.offset = 0};
	switch (passed) {
	case PASSED_INTEGER:
		if (taken->integers < INTEGER_REGISTERS) {
			out->in_register = true;
			out->reg = integer_registers[taken->integers++];
			unknown = taken->integers_unknown;
			break;
		}
		out->offset = 8 + taken->stack;
		taken->stack += 8;
		unknown = taken->stack_unknown || taken->integers_unknown;
		break;
	case PASSED_VECTOR:
		if (taken->vectors < VECTOR_REGISTERS) {
			taken->vectors++;
			return refuse(name, "is passed in a vector register, "
					    "which cannot be read");
		}
		out->offset = 8 + taken->stack;
		taken->stack += 8;
		unknown = taken->stack_unknown || taken->vectors_unknown;
		break;
	case PASSED_STACK:
		taken->stack = (taken->stack + 15) & ~15ULL;
		out->offset = 8 + taken->stack;
		taken->stack += 16;
		unknown = taken->stack_unknown;
		break;
	case PASSED_UNKNOWN:
		return refuse(name, "is a structure passed by value");
	}
	return unknown ? refuse(name, "comes after a structure passed by "
				      "value")
		       : NULL;
}

struct error *entry_find(struct debugfile *file, const struct die *function,
			 const char *name, struct entry_place *out)
{
	struct die declared = *function, origin;
	struct taken taken = {0};
	struct die_walk walk;

	/* a copy may lack parameters; the calling convention has them all */
	if (die_reference(file, function, DW_AT_abstract_origin, &origin))
		declared = origin;
	take_result(file, &declared, &taken);
	die_walk_init(&walk, file, &declared);
	while (die_walk_next(&walk)) {
		const char *parameter;
		struct entry_place found;
		struct type_info type;
		struct error *error;
		enum passed passed;

		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_formal_parameter)
			continue;
		parameter = die_name(file, &walk.die);
		type = type_of(file, &walk.die);
		passed = passing(file, &type);
		if (parameter && str_equal(parameter, "__in_chrg"))
			taken.integers_unknown = true;
		error = place(parameter ? parameter : "?", passed, &taken,
			      &found);
		if (parameter && str_equal(parameter, name)) {
			if (error)
				return error;
			*out = found;
			return NULL;
		}
		error_destroy(error);
		if (passed == PASSED_UNKNOWN)
			take_unknown(&taken, &type, function->unit);
	}
	return error_create(ERROR_NOT_FOUND, "no parameter '%s'", name);
}

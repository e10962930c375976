/*
 * abi_triviality.c - which C++ objects are passed by reference
 *
 * An object is passed by reference if a function has to be called to copy, move
 * or destroy it (C++ ABI, "Non-Trivial Parameters"). Newer compilers say so in
 * the DIE of the class (DW_AT_calling_convention) or of its functions
 * (DW_AT_defaulted). Older compilers do neither. This file then looks whether
 * the program has code of such a function, because a trivial function has none.
 */
#include <stdio.h>
#include <string.h>

#include "abi.h"
#include "debuginfo/types/types.h"
#include "perftool/base/str.h"

/* The deepest nesting of structures, and the most types that are looked at for
 * one type. A broken file may nest structures without end. */
#define MAX_DEPTH 32
#define MAX_LOOKS 1000

/* Is the first parameter after `this` a reference to the class, as in a copy or
 * move constructor? */
static bool takes_itself(struct debugtype *type, const struct die *function)
{
	struct die_walk walk;
	unsigned index = 0;

	die_walk_init(&walk, type->file, function);
	while (die_walk_next(&walk)) {
		struct debugtype *parameter;

		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_formal_parameter ||
		    index++ == 0)
			continue;
		parameter = debugtype_of(type->file, &walk.die);
		return debugtype_kind(parameter) == DEBUGTYPE_REFERENCE &&
		       debugtype_is_same(debugtype_target(parameter), type);
	}
	return false;
}

/* Does the unit have code of this member function, out of line or inlined? A
 * trivial function has no code. */
static bool has_code(struct debugfile *file, const struct die *function)
{
	struct die declared;
	struct die_walk walk;

	if (!die_walk_unit(&walk, file, function->unit))
		return false;
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_subprogram &&
		    die_reference(file, &walk.die, DW_AT_specification,
				  &declared) &&
		    declared.offset == function->offset)
			return true;
	}
	return false;
}

/* Did the compiler of the unit mark defaulted functions (DW_AT_defaulted)? gcc
 * marks them from version 8 on; in DWARF 4 it does so only without
 * -gstrict-dwarf. */
static bool tells_defaulted(const struct unit *unit)
{
	const char *producer = unit->producer ? unit->producer : "";
	int version;

	return str_starts(producer, "GNU C++") &&
	       sscanf(producer, "%*s %*s %d.", &version) == 1 && version >= 8 &&
	       (unit->version >= 5 || !strstr(producer, "-gstrict-dwarf"));
}

/*
 * Find out whether a member function makes its class non-trivial. A virtual
 * function does. So does a destructor or a copy or move constructor that the
 * program declares, unless the program has it defaulted (`= default`). Older
 * debug information does not say whether it is defaulted. The result is then
 * NOT_KNOWN if the unit has no code of the function.
 */
static enum triviality triviality_by(struct debugtype *type,
				     const struct die *function)
{
	struct debugfile *file = type->file;
	const char *name = die_name(file, function);
	const char *own = die_name(file, &type->die);
	struct attribute attribute;

	if (die_attribute(file, function, DW_AT_virtuality, &attribute) &&
	    attribute.number)
		return NOT_TRIVIAL;
	if (!name || !own ||
	    die_attribute(file, function, DW_AT_artificial, &attribute) ||
	    die_attribute(file, function, DW_AT_deleted, &attribute) ||
	    (die_attribute(file, function, DW_AT_defaulted, &attribute) &&
	     attribute.number == DW_DEFAULTED_in_class))
		return TRIVIAL;
	if (name[0] == '~' || (strncmp(name, own, strlen(name)) == 0 &&
			       takes_itself(type, function)))
		return tells_defaulted(function->unit) ||
				       has_code(file, function)
			       ? NOT_TRIVIAL
			       : NOT_KNOWN;
	return TRIVIAL;
}

static enum triviality triviality_of(struct debugtype *type, int depth,
				     unsigned *left)
{
	enum triviality known = TRIVIAL, one;
	const struct debugmember *members;
	struct attribute convention;
	struct die_walk walk;
	size_t count;

	while (debugtype_kind(type) == DEBUGTYPE_ARRAY && depth++ < MAX_DEPTH)
		type = debugtype_target(type);
	if (debugtype_kind(type) != DEBUGTYPE_STRUCT &&
	    debugtype_kind(type) != DEBUGTYPE_UNION)
		return TRIVIAL;
	if (depth >= MAX_DEPTH || !*left)
		return NOT_KNOWN;
	--*left;
	if (die_attribute(type->file, &type->die, DW_AT_calling_convention,
			  &convention))
		return convention.number == DW_CC_pass_by_reference
			       ? NOT_TRIVIAL
			       : TRIVIAL;
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && known != NOT_TRIVIAL; i++) {
		one = members[i].is_virtual
			      ? NOT_TRIVIAL
			      : triviality_of(members[i].type, depth + 1, left);
		known = one == TRIVIAL ? known : one;
	}
	die_walk_init(&walk, type->file, &type->die);
	while (known != NOT_TRIVIAL && die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_subprogram)
			continue;
		one = triviality_by(type, &walk.die);
		known = one == TRIVIAL ? known : one;
	}
	return known;
}

enum triviality abi_triviality(struct debugtype *type)
{
	unsigned left = MAX_LOOKS;

	return triviality_of(type, 0, &left);
}

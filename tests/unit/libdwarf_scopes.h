/*
 * libdwarf_scopes.h - functions, calls inlined into them, blocks and their
 * variables, as libdwarf reads them
 */
#ifndef LIBDWARF_SCOPES_H
#define LIBDWARF_SCOPES_H

#include "libdwarf_attributes.h"
#include "libdwarf_types.h"

struct oracle_walk {
	uint64_t base;  /* of the unit */
	size_t scope;   /* around, or ORACLE_NONE */
	unsigned depth; /* below the function */
};

static inline void oracle_add_variable(struct oracle *oracle, Dwarf_Die die,
				       size_t scope)
{
	struct oracle_variable variable = {
		.name = oracle_string(oracle, die, DW_AT_name),
		.scope = scope,
		.declaration = oracle_has(die, DW_AT_declaration) &&
			       !oracle_has(die, DW_AT_location),
	};

	if (!variable.name)
		return;
	variable.type = oracle_type(oracle, die);
	vec_push(&oracle->variables, variable);
}

VEC_STRUCT(oracle_offsets, Dwarf_Off);

/* What the children of a copy are copies of. */
static inline void oracle_copied(struct oracle *oracle, Dwarf_Die copy,
				 struct oracle_offsets *out)
{
	Dwarf_Die die, next, of;
	Dwarf_Off offset;
	int result = dwarf_child(copy, &die, NULL);

	while (result == DW_DLV_OK) {
		if (oracle_follow(oracle, die, DW_AT_abstract_origin, &of)) {
			dwarf_dieoffset(of, &offset, NULL);
			vec_push(out, offset);
			dwarf_dealloc(oracle->dbg, of, DW_DLA_DIE);
		}
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
}

static inline bool oracle_has_copy(const struct oracle_offsets *copied,
				   Dwarf_Die die)
{
	Dwarf_Off offset;

	dwarf_dieoffset(die, &offset, NULL);
	for (size_t i = 0; i < copied->count; i++)
		if (copied->data[i] == offset)
			return true;
	return false;
}

/* What a function, call or block has by what it is a copy of alone. */
static inline void oracle_add_rest(struct oracle *oracle, Dwarf_Die copy,
				   size_t scope)
{
	struct oracle_offsets copied = {0};
	Dwarf_Die origin, die, next;
	Dwarf_Half tag;
	int result;

	if (!oracle_follow(oracle, copy, DW_AT_abstract_origin, &origin))
		return;
	oracle_copied(oracle, copy, &copied);
	result = dwarf_child(origin, &die, NULL);
	while (result == DW_DLV_OK) {
		dwarf_tag(die, &tag, NULL);
		if ((tag == DW_TAG_variable ||
		     tag == DW_TAG_formal_parameter) &&
		    !oracle_has_copy(&copied, die))
			oracle_add_variable(oracle, die, scope);
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
	dwarf_dealloc(oracle->dbg, origin, DW_DLA_DIE);
	vec_free(&copied);
}

/* Enter a function, inlined call or block; returns whether it has code. */
static inline bool oracle_enter(struct oracle *oracle, Dwarf_Die die,
				Dwarf_Half tag, struct oracle_walk *walk)
{
	struct oracle_scope scope = {.tag = tag, .parent = walk->scope};
	size_t index = oracle->scopes.count;

	oracle_ranges(oracle, die, walk->base, &scope.ranges);
	if (tag == DW_TAG_subprogram)
		walk->scope = ORACLE_NONE;
	if (!scope.ranges.count ||
	    (tag != DW_TAG_subprogram && walk->scope == ORACLE_NONE)) {
		vec_free(&scope.ranges);
		return false;
	}
	if (tag == DW_TAG_subprogram) {
		walk->depth = 0;
		scope.parent = scope.function = index;
		scope.name = oracle_string(oracle, die, DW_AT_linkage_name);
		scope.linked = scope.name || !oracle->c_plus_plus;
		if (!scope.name)
			scope.name = oracle_string(oracle, die, DW_AT_name);
	} else {
		scope.function = oracle->scopes.data[walk->scope].function;
	}
	scope.depth = walk->depth++;
	vec_push(&oracle->scopes, scope);
	walk->scope = index;
	return true;
}

static inline void oracle_walk_children(struct oracle *oracle, Dwarf_Die parent,
					struct oracle_walk walk);

static inline void oracle_visit(struct oracle *oracle, Dwarf_Die die,
				struct oracle_walk walk)
{
	struct oracle_scope *function;
	size_t first_variable;
	Dwarf_Half tag;

	dwarf_tag(die, &tag, NULL);
	switch (tag) {
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		if (walk.scope != ORACLE_NONE)
			oracle_add_variable(oracle, die, walk.scope);
		return;
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
		if (!oracle_enter(oracle, die, tag, &walk))
			return;
		oracle_add_rest(oracle, die, walk.scope);
		break;
	case DW_TAG_subprogram:
		if (!oracle_enter(oracle, die, tag, &walk))
			break;
		first_variable = oracle->variables.count;
		oracle_add_rest(oracle, die, walk.scope);
		oracle_walk_children(oracle, die, walk);
		function = &oracle->scopes.data[walk.scope];
		function->end_scope = oracle->scopes.count;
		function->first_variable = first_variable;
		function->end_variable = oracle->variables.count;
		return;
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		walk.scope = ORACLE_NONE;
		break;
	default:
		return;
	}
	oracle_walk_children(oracle, die, walk);
}

static inline void oracle_walk_children(struct oracle *oracle, Dwarf_Die parent,
					struct oracle_walk walk)
{
	Dwarf_Die die, next;
	int result = dwarf_child(parent, &die, NULL);

	while (result == DW_DLV_OK) {
		oracle_visit(oracle, die, walk);
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
}

#endif

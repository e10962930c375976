/*
 * libdwarf_index.h - what is found by its name, as libdwarf reads it: inlined
 * calls, types with their scopes, variables outside of functions
 *
 * A walk over all DIEs with nothing clever in it.
 */
#ifndef LIBDWARF_INDEX_H
#define LIBDWARF_INDEX_H

#include "libdwarf_attributes.h"

/* What is around a DIE. */
struct oracle_around {
	uint64_t base;               /* of the unit */
	const char *path;            /* of scopes of types, each with "::" */
	bool code, types, variables; /* may these be here? */
};

static inline bool oracle_is_type(Dwarf_Half tag)
{
	return tag == DW_TAG_base_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_interface_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_typedef || tag == DW_TAG_unspecified_type;
}

static inline bool oracle_is_scope(Dwarf_Half tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_interface_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_module;
}

static inline bool oracle_has_code(Dwarf_Half tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
	       tag == DW_TAG_catch_block || tag == DW_TAG_namespace ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_module;
}

static inline bool oracle_inherits_flag(struct oracle *oracle, Dwarf_Die die,
					Dwarf_Half name)
{
	Dwarf_Die origin;
	bool has;

	if (oracle_has(die, name))
		return true;
	if (!oracle_follow(oracle, die, DW_AT_abstract_origin, &origin) &&
	    !oracle_follow(oracle, die, DW_AT_specification, &origin))
		return false;
	has = oracle_inherits_flag(oracle, origin, name);
	dwarf_dealloc(oracle->dbg, origin, DW_DLA_DIE);
	return has;
}

/* Where an inlined call begins: where it says so, if it has code there. */
static inline uint64_t oracle_entry(struct oracle *oracle, Dwarf_Die die,
				    const struct range_list *ranges)
{
	uint64_t low = ranges->data[0].low;
	Dwarf_Attribute attribute;
	Dwarf_Addr address = low;
	Dwarf_Unsigned distance;

	if (dwarf_attr(die, DW_AT_entry_pc, &attribute, NULL) != DW_DLV_OK)
		return low;
	if (dwarf_formaddr(attribute, &address, NULL) != DW_DLV_OK &&
	    dwarf_formudata(attribute, &distance, NULL) == DW_DLV_OK)
		address = low + distance;
	dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
	return range_list_has(ranges, address) ? address : low;
}

static inline void oracle_add_call(struct oracle *oracle, Dwarf_Die die,
				   uint64_t base)
{
	struct range_list ranges = {0};
	const char *name = oracle_string(oracle, die, DW_AT_linkage_name);
	struct oracle_call call;

	if (!name)
		name = oracle_string(oracle, die, DW_AT_MIPS_linkage_name);
	if (!name)
		name = oracle_string(oracle, die, DW_AT_name);
	oracle_ranges(oracle, die, base, &ranges);
	if (name && ranges.count) {
		call.name = name;
		call.address = oracle_entry(oracle, die, &ranges);
		if (range_list_has(&oracle->code, call.address))
			vec_push(&oracle->calls, call);
	}
	vec_free(&ranges);
}

static inline void oracle_add_global(struct oracle *oracle, Dwarf_Die die,
				     Dwarf_Off offset)
{
	const char *name = oracle_string(oracle, die, DW_AT_name);

	if (name && (oracle_has(die, DW_AT_location) ||
		     oracle_has(die, DW_AT_const_value)))
		vec_push(&oracle->globals,
			 (struct oracle_named){
				 name, offset,
				 oracle_inherits_flag(oracle, die,
						      DW_AT_external)});
}

/* The name of a type with its scopes: those of its declaration, if it is
 * defined elsewhere. */
static inline const char *oracle_whole_name(struct oracle *oracle,
					    Dwarf_Die die, const char *path,
					    const char *name)
{
	Dwarf_Die declared;
	Dwarf_Off offset = 0;

	if (oracle_follow(oracle, die, DW_AT_specification, &declared)) {
		dwarf_dieoffset(declared, &offset, NULL);
		dwarf_dealloc(oracle->dbg, declared, DW_DLA_DIE);
	}
	for (size_t i = oracle->named_types.count; offset && i--;)
		if (oracle->named_types.data[i].die == offset)
			return oracle->named_types.data[i].name;
	return oracle_printf(oracle, "%s%s", path, name);
}

static inline void oracle_index_children(struct oracle *oracle,
					 Dwarf_Die parent,
					 struct oracle_around around);

static inline void oracle_index_die(struct oracle *oracle, Dwarf_Die die,
				    struct oracle_around around)
{
	const char *name;
	Dwarf_Off offset;
	Dwarf_Half tag;

	dwarf_tag(die, &tag, NULL);
	dwarf_dieoffset(die, &offset, NULL);
	if (around.code && tag == DW_TAG_inlined_subroutine)
		oracle_add_call(oracle, die, around.base);
	if (around.variables && tag == DW_TAG_variable)
		oracle_add_global(oracle, die, offset);
	if (around.types && (oracle_is_type(tag) || oracle_is_scope(tag))) {
		name = oracle_string(oracle, die, DW_AT_name);
		if (!name && tag == DW_TAG_namespace)
			name = "(anonymous namespace)";
		if (name)
			name = oracle_whole_name(oracle, die, around.path,
						 name);
		if (name && oracle_is_type(tag))
			vec_push(&oracle->named_types,
				 (struct oracle_named){
					 name, offset,
					 oracle_has(die, DW_AT_declaration)});
		if (name)
			around.path = oracle_printf(oracle, "%s::", name);
	}
	around.code = around.code && oracle_has_code(tag);
	around.types = around.types && oracle_is_scope(tag);
	around.variables = around.variables && tag == DW_TAG_namespace;
	if (around.code || around.types || around.variables)
		oracle_index_children(oracle, die, around);
}

static inline void oracle_index_children(struct oracle *oracle,
					 Dwarf_Die parent,
					 struct oracle_around around)
{
	Dwarf_Die die, next;
	int result = dwarf_child(parent, &die, NULL);

	while (result == DW_DLV_OK) {
		oracle_index_die(oracle, die, around);
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
}

/* All of a unit. */
static inline void oracle_read_index(struct oracle *oracle, Dwarf_Die root,
				     bool is_type_unit, uint64_t base)
{
	struct oracle_around around = {
		.base = base,
		.path = "",
		.code = !is_type_unit,
		.types = true,
		.variables = !is_type_unit,
	};

	oracle_index_children(oracle, root, around);
}

#endif

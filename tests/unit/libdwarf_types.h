/*
 * libdwarf_types.h - types by kind, size and name, from what libdwarf reads
 */
#ifndef LIBDWARF_TYPES_H
#define LIBDWARF_TYPES_H

#include "libdwarf_attributes.h"

static inline enum oracle_kind oracle_kind(uint64_t encoding, uint64_t size,
					   const char *name)
{
	bool integer = size >= 1 && size <= 8;

	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return integer ? ORACLE_SIGNED : ORACLE_OTHER;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
		return integer ? ORACLE_UNSIGNED : ORACLE_OTHER;
	case DW_ATE_float:
		return size == 4 || size == 8 ||
				       (size == 16 && name &&
					(str_equal(name, "long double") ||
					 str_equal(name, "_Float64x")))
			       ? ORACLE_FLOAT
			       : ORACLE_OTHER;
	default:
		return ORACLE_OTHER;
	}
}

/* As everybody but gcc calls it. */
static inline const char *oracle_base_name(const char *name)
{
	static const char *const names[][2] = {
		{"short int", "short"},
		{"long int", "long"},
		{"long long int", "long long"},
		{"short unsigned int", "unsigned short"},
		{"long unsigned int", "unsigned long"},
		{"long long unsigned int", "unsigned long long"}};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (str_equal(name, names[i][0]))
			return names[i][1];
	return name;
}

static inline const struct oracle_type *oracle_type(struct oracle *oracle,
						    Dwarf_Die die);

/* `TYPE *`, `TYPE **`, `TYPE * const *` ... */
static inline void oracle_name_pointer(struct oracle *oracle,
				       const struct oracle_type *inner,
				       struct oracle_type *type)
{
	const char *name = inner->name;
	size_t length = name ? strlen(name) : 0;

	if (name)
		type->name = oracle_printf(
			oracle, "%s%s*", name,
			length && name[length - 1] == '*' ? "" : " ");
}

/* In front of a name, or behind the sign of a pointer; nothing of what a
 * reference refers to. */
static inline void oracle_qualify(struct oracle *oracle, const char *word,
				  bool of_pointer,
				  const struct oracle_type *inner,
				  struct oracle_type *type)
{
	*type = *inner;
	if (!inner->name || inner->is_reference)
		return;
	type->name =
		of_pointer ? oracle_printf(oracle, "%s %s", inner->name, word)
			   : oracle_printf(oracle, "%s %s", word, inner->name);
}

static inline bool oracle_is_pointer(Dwarf_Half tag)
{
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* Has an enumeration a negative enumerator? Before DWARF 3 nothing else says
 * that it has a sign. */
static inline bool oracle_has_negative(struct oracle *oracle, Dwarf_Die parent)
{
	Dwarf_Die die, next;
	bool negative = false;
	int result = dwarf_child(parent, &die, NULL);

	while (result == DW_DLV_OK) {
		Dwarf_Attribute attribute;
		Dwarf_Signed value = 0;
		Dwarf_Half form = 0;

		if (dwarf_attr(die, DW_AT_const_value, &attribute, NULL) ==
		    DW_DLV_OK) {
			dwarf_whatform(attribute, &form, NULL);
			if (form == DW_FORM_sdata)
				dwarf_formsdata(attribute, &value, NULL);
			negative |= value < 0;
			dwarf_dealloc(oracle->dbg, attribute, DW_DLA_ATTR);
		}
		result = dwarf_siblingof_b(oracle->dbg, die, true, &next, NULL);
		dwarf_dealloc(oracle->dbg, die, DW_DLA_DIE);
		die = next;
	}
	return negative;
}

static inline void oracle_describe(struct oracle *oracle, Dwarf_Die die,
				   struct oracle_type *type)
{
	const struct oracle_type *inner = oracle_type(oracle, die);
	const char *name = oracle_string(oracle, die, DW_AT_name);
	const char *word = "";
	uint64_t encoding = oracle_number(oracle, die, DW_AT_encoding);
	Dwarf_Half tag, inner_tag = 0;
	Dwarf_Die next;

	dwarf_tag(die, &tag, NULL);
	if (oracle_follow(oracle, die, DW_AT_type, &next)) {
		dwarf_tag(next, &inner_tag, NULL);
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
	}
	type->kind = ORACLE_OTHER;
	type->size = oracle_number(oracle, die, DW_AT_byte_size);
	type->size_known = true;
	switch (tag) {
	case DW_TAG_base_type:
		type->kind = oracle_kind(encoding, type->size, name);
		type->name = oracle_base_name(name);
		return;
	case DW_TAG_typedef:
		*type = *inner;
		if (!type->is_reference)
			type->name = name;
		return;
	case DW_TAG_const_type:
		oracle_qualify(oracle, "const", oracle_is_pointer(inner_tag),
			       inner, type);
		return;
	case DW_TAG_volatile_type:
		oracle_qualify(oracle, "volatile", oracle_is_pointer(inner_tag),
			       inner, type);
		return;
	case DW_TAG_restrict_type:
		oracle_qualify(oracle, "restrict", oracle_is_pointer(inner_tag),
			       inner, type);
		return;
	case DW_TAG_atomic_type:
		oracle_qualify(oracle, "_Atomic", oracle_is_pointer(inner_tag),
			       inner, type);
		return;
	case DW_TAG_pointer_type:
		type->kind = ORACLE_POINTER;
		type->size = 8;
		oracle_name_pointer(oracle, inner, type);
		return;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		/* a variable is what it refers to */
		*type = *inner;
		type->is_reference = true;
		return;
	case DW_TAG_enumeration_type:
		word = "enum ";
		type->kind = oracle_kind(encoding, type->size, name);
		if (!encoding)
			type->kind = inner->kind;
		if (!encoding && inner->kind == ORACLE_OTHER &&
		    oracle_has_negative(oracle, die))
			type->kind = ORACLE_SIGNED;
		if (type->kind != ORACLE_SIGNED)
			type->kind = ORACLE_UNSIGNED;
		break;
	case DW_TAG_structure_type:
		word = "struct ";
		break;
	case DW_TAG_union_type:
		word = "union ";
		break;
	case DW_TAG_class_type:
		word = "class ";
		break;
	case DW_TAG_unspecified_type:
		type->kind = ORACLE_POINTER;
		type->size = 8;
		break;
	default: /* arrays, functions ...: only that they are no scalars */
		type->size_known = false;
		return;
	}
	if (oracle->c_plus_plus && name)
		word = "";
	type->name = oracle_printf(oracle, "%s%s", word, name ? name : "{...}");
}

/* The type that DW_AT_type of a DIE (or of its origin) says; never NULL. */
static inline const struct oracle_type *oracle_type(struct oracle *oracle,
						    Dwarf_Die die)
{
	static const struct oracle_type no_type = {
		.kind = ORACLE_OTHER,
		.size_known = true,
		.name = "void",
	};
	const struct oracle_type *known;
	struct oracle_type *type;
	Dwarf_Die next, whole;
	Dwarf_Off offset;

	if (!oracle_follow(oracle, die, DW_AT_type, &next)) {
		if (!oracle_follow(oracle, die, DW_AT_abstract_origin, &next) &&
		    !oracle_follow(oracle, die, DW_AT_specification, &next))
			return &no_type;
		known = oracle_type(oracle, next);
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
		return known;
	}
	if (oracle_follow(oracle, next, DW_AT_signature, &whole)) {
		dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
		next = whole;
	}
	dwarf_dieoffset(next, &offset, NULL);
	type = map_get(&oracle->types, offset);
	if (!type) {
		type = xcalloc(1, sizeof(*type));
		map_set(&oracle->types, offset, type);
		oracle_describe(oracle, next, type);
	}
	dwarf_dealloc(oracle->dbg, next, DW_DLA_DIE);
	return type;
}

#endif

/*
 * debugtype_construction.c - makes types from their DIEs or from other types
 *
 * A type may refer to other types: a pointer to its target, a structure to the
 * types of its members. These functions make a type without making the types to
 * which it refers; those are made when a caller asks for them. A circle of
 * types is therefore no problem, and an endless chain in a broken file is
 * followed only as far as a caller walks along it. For one DIE there is only
 * one type as long as the file is open.
 */
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "type_chain.h"
#include "type_search.h"
#include "types.h"

/* The most dimensions of an array. The keys of the map `by_die` are the DIE's
 * offset times this number, plus the number of the dimension. */
#define MAX_DIMENSIONS 8

static struct debugtypes *types_of(struct debugfile *file)
{
	if (!file->types)
		file->types = xcalloc(1, sizeof(*file->types));
	return file->types;
}

static struct debugtype *create(struct debugfile *file,
				enum debugtype_kind kind)
{
	struct debugtype *type = xcalloc(1, sizeof(*type));

	type->file = file;
	type->kind = kind;
	type->plain = type;
	vec_push(&types_of(file)->all, type);
	return type;
}

static struct debugtype *none(struct debugfile *file)
{
	struct debugtypes *types = types_of(file);

	if (!types->none)
		types->none = create(file, DEBUGTYPE_VOID);
	return types->none;
}

void debugtypes_destroy(struct debugtypes *types)
{
	if (!types)
		return;
	for (size_t i = 0; i < types->all.count; i++) {
		struct debugtype *type = types->all.data[i];

		free(type->name);
		free(type->scope);
		vec_free(&type->sized);
		vec_free(&type->members);
		vec_free(&type->statics);
		vec_free(&type->variants);
		vec_free(&type->enumerators);
		free(type);
	}
	vec_free(&types->all);
	map_deinit(&types->by_die);
	free(types);
}

/* ---- from a DIE ---------------------------------------------------------- */

static enum debugtype_kind base_kind(uint64_t encoding)
{
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_unsigned:
	case DW_ATE_address:
		return DEBUGTYPE_INTEGER;
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_ASCII:
		return DEBUGTYPE_CHARACTER;
	case DW_ATE_boolean:
		return DEBUGTYPE_BOOL;
	case DW_ATE_float:
		return DEBUGTYPE_FLOAT;
	default:
		return DEBUGTYPE_OTHER;
	}
}

static bool is_signed_encoding(uint64_t encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/* Is this floating-point type of 16 bytes the 80-bit type of the x87? The tool
 * supports no other floating-point type of this size, because it has no C type
 * for their values. */
static bool is_long_double(struct debugfile *file, const struct die *die)
{
	const char *name = die_name(file, die);

	return name &&
	       (str_equal(name, "long double") || str_equal(name, "_Float64x"));
}

static void make_base(struct debugtype *type)
{
	uint64_t encoding;

	die_constant(type->file, &type->die, DW_AT_encoding, &encoding);
	type->kind = base_kind(encoding);
	type->is_signed = is_signed_encoding(encoding);
	if (type->kind == DEBUGTYPE_FLOAT
		    ? type->size != 4 && type->size != 8 &&
			      !(type->size == 16 &&
				is_long_double(type->file, &type->die))
		    : type->size > 8 || !type->size)
		type->kind = DEBUGTYPE_OTHER;
}

/* Find whether the enumeration is signed: by its own encoding, else by its
 * underlying type, else by its enumerators. */
static void make_enum(struct debugtype *type)
{
	struct attribute value;
	struct die_walk walk;
	struct die base;
	uint64_t encoding;

	type->kind = type->size && type->size <= 8 ? DEBUGTYPE_ENUM
						   : DEBUGTYPE_OTHER;
	if (!die_constant(type->file, &type->die, DW_AT_encoding, &encoding) &&
	    type_next(type->file, &type->die, &base) &&
	    type_strip(type->file, &base) && die_tag(&base) == DW_TAG_base_type)
		die_constant(type->file, &base, DW_AT_encoding, &encoding);
	if (encoding) {
		type->is_signed = is_signed_encoding(encoding);
		return;
	}
	die_walk_init(&walk, type->file, &type->die);
	while (die_walk_next(&walk) && !type->is_signed) {
		die_walk_skip(&walk);
		type->is_signed = die_tag(&walk.die) == DW_TAG_enumerator &&
				  die_attribute(type->file, &walk.die,
						DW_AT_const_value, &value) &&
				  value.class == ATTRIBUTE_SIGNED &&
				  (int64_t)value.number < 0;
	}
}

/* Get the DIE of subrange number `dimension` (from 0) of an array. False: the
 * array has no such dimension. */
static bool find_subrange(struct debugfile *file, const struct die *array,
			  unsigned dimension, struct die *out)
{
	struct die_walk walk;

	die_walk_init(&walk, file, array);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_subrange_type &&
		    die_tag(&walk.die) != DW_TAG_enumeration_type)
			continue;
		if (dimension-- == 0) {
			*out = walk.die;
			return true;
		}
	}
	return false;
}

static void make_array(struct debugtype *type)
{
	struct die subrange;
	uint64_t bound, low;

	type->kind = DEBUGTYPE_ARRAY;
	/* The size in the DIE is the size of the whole array with all
	 * dimensions. debugtype_size() computes the size of this dimension from
	 * its number of elements. */
	type->size = 0;
	if (!find_subrange(type->file, &type->die, type->dimension, &subrange))
		return;
	type->has_count =
		die_constant(type->file, &subrange, DW_AT_count, &type->count);
	if (type->has_count ||
	    !die_constant(type->file, &subrange, DW_AT_upper_bound, &bound))
		return;
	die_constant(type->file, &subrange, DW_AT_lower_bound, &low);
	/* For an array without elements gcc writes the upper bound -1. */
	type->has_count = true;
	type->count = bound - low + 1;
}

bool debugtype_subrange(struct debugtype *array, struct die *out)
{
	array = array->plain;
	return array->kind == DEBUGTYPE_ARRAY && array->die.abbrev &&
	       find_subrange(array->file, &array->die, array->dimension, out);
}

struct debugtype *debugtype_sized(struct debugtype *array,
				  struct debugtype *element, uint64_t count)
{
	struct debugtype *type;

	array = array->plain;
	for (size_t i = 0; i < array->sized.count; i++) {
		type = array->sized.data[i];
		if (type->count == count && type->target == element)
			return type;
	}
	type = create(array->file, DEBUGTYPE_ARRAY);
	type->die = array->die;
	type->dimension = array->dimension;
	type->has_count = true;
	type->count = count;
	type->target = element;
	vec_push(&array->sized, type);
	return type;
}

/* The size of a C++ pointer to a member. A pointer to a member function has an
 * address and a number to add to `this` (16 bytes). A pointer to another member
 * has one number (8 bytes). */
static void make_member_pointer(struct debugtype *type)
{
	struct die target;

	type->size = type_next(type->file, &type->die, &target) &&
				     type_strip(type->file, &target) &&
				     die_tag(&target) == DW_TAG_subroutine_type
			     ? 16
			     : 8;
}

static void make(struct debugtype *type)
{
	die_constant(type->file, &type->die, DW_AT_byte_size, &type->size);
	type->kind = DEBUGTYPE_OTHER;
	switch (die_tag(&type->die)) {
	case DW_TAG_base_type:
		make_base(type);
		break;
	case DW_TAG_enumeration_type:
		make_enum(type);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_unspecified_type: /* decltype(nullptr) */
		type->kind = DEBUGTYPE_POINTER;
		type->size = 8;
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->kind = DEBUGTYPE_REFERENCE;
		type->size = 8;
		break;
	case DW_TAG_array_type:
		make_array(type);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
		type->kind = DEBUGTYPE_STRUCT;
		break;
	case DW_TAG_union_type:
		type->kind = DEBUGTYPE_UNION;
		break;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		type->kind = DEBUGTYPE_FUNCTION;
		break;
	case DW_TAG_ptr_to_member_type:
		make_member_pointer(type);
		break;
	default:
		break;
	}
}

/* If the DIE only declares a type, and the file has a definition of this type,
 * replace the DIE by that of the definition. */
static void complete(struct debugfile *file, struct die *die)
{
	struct attribute declaration;
	struct die definition;

	if (die_attribute(file, die, DW_AT_declaration, &declaration) &&
	    type_names_complete(file, die, &definition))
		*die = definition;
}

static struct debugtype *dimension_of(struct debugfile *file, struct die die,
				      unsigned dimension)
{
	struct debugtypes *types = types_of(file);
	uint64_t key = die.offset * MAX_DIMENSIONS + dimension;
	struct debugtype *type = map_get(&types->by_die, key);

	if (type)
		return type;
	type = create(file, DEBUGTYPE_OTHER);
	type->die = die;
	type->dimension = dimension;
	map_set(&types->by_die, key, type);
	make(type);
	return type;
}

/* Find or make the alias for the DIE of a typedef or qualifier: a type that
 * differs from `plain` only in its name. */
static struct debugtype *alias_of(struct debugtype *plain, struct die die)
{
	struct debugtypes *types = types_of(plain->file);
	uint64_t key = die.offset * MAX_DIMENSIONS;
	struct debugtype *type = map_get(&types->by_die, key);

	if (type)
		return type;
	type = create(plain->file, plain->kind);
	type->die = plain->die;
	type->written = die;
	type->plain = plain;
	map_set(&types->by_die, key, type);
	return type;
}

struct debugtype *debugtype_at(struct debugfile *file, struct die die)
{
	struct die written = die;

	if (!type_strip(file, &die))
		return alias_of(none(file), written);
	if (die.offset != written.offset) {
		complete(file, &die);
		return alias_of(dimension_of(file, die, 0), written);
	}
	complete(file, &die);
	return dimension_of(file, die, 0);
}

struct debugtype *debugtype_of(struct debugfile *file, const struct die *die)
{
	struct die next;

	return type_next(file, die, &next) ? debugtype_at(file, next)
					   : none(file);
}

struct debugtype *debugtype_element(struct debugtype *array)
{
	struct die subrange;
	unsigned next = array->dimension + 1;

	return array->die.abbrev && next < MAX_DIMENSIONS &&
			       find_subrange(array->file, &array->die, next,
					     &subrange)
		       ? dimension_of(array->file, array->die, next)
		       : debugtype_of(array->file, &array->die);
}

/* ---- from other types ---------------------------------------------------- */

struct debugtype *debugfile_make_type(struct debugfile *file, const char *name,
				      enum debugtype_kind kind, uint64_t size,
				      bool is_signed, struct debugtype *target)
{
	struct debugtype *type = create(file, kind);

	type->name = xstrdup(name);
	type->target = target;
	type->is_signed = is_signed;
	if (kind == DEBUGTYPE_ARRAY) {
		type->has_count = true;
		type->count = size;
	} else {
		type->size = size;
	}
	return type;
}

struct debugtype *debugfile_pointer_to(struct debugfile *file,
				       struct debugtype *type)
{
	if (!type->pointer) {
		type->pointer = create(file, DEBUGTYPE_POINTER);
		type->pointer->size = 8;
		type->pointer->target = type;
	}
	return type->pointer;
}

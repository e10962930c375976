/*
 * members.c - reads the members of structures, and the enumerators of
 * enumerations
 */
#include "perftool/base/str.h"
#include "types.h"

static bool is_constant(const struct attribute *attribute)
{
	return attribute->class == ATTRIBUTE_UNSIGNED ||
	       attribute->class == ATTRIBUTE_SIGNED;
}

static uint64_t constant_of(struct debugfile *file, const struct die *die,
			    unsigned name)
{
	struct attribute attribute;

	return die_attribute(file, die, name, &attribute) &&
			       is_constant(&attribute)
		       ? attribute.number
		       : 0;
}

/* Read DW_AT_data_member_location: the member's offset, or in old versions of
 * DWARF an expression that adds the offset to the address of the structure.
 * False: the expression computes something else. */
static bool find_offset(struct debugfile *file, const struct die *die,
			uint64_t *offset)
{
	struct attribute attribute;
	struct cursor cursor;

	*offset = 0;
	if (!die_attribute(file, die, DW_AT_data_member_location, &attribute))
		/* The DIE is a member of a union, or a bit-field with
		 * DW_AT_data_bit_offset, which find_bits() reads. */
		return true;
	if (is_constant(&attribute)) {
		*offset = attribute.number;
		return true;
	}
	if (attribute.class != ATTRIBUTE_BLOCK)
		return false;
	cursor = cursor_at(attribute.block, 0);
	if (cursor_u8(&cursor) != DW_OP_plus_uconst)
		return false;
	*offset = cursor_uleb(&cursor);
	return !cursor.failed && !cursor_left(&cursor);
}

/* Find the place of a bit-field in its structure. In newer versions of DWARF,
 * DW_AT_data_bit_offset is the offset in bits from the beginning of the
 * structure. In older versions the bit-field is in a storage unit at the
 * member's offset, and DW_AT_bit_offset counts the bits from the highest bit of
 * this storage unit. */
static void find_bits(struct debugfile *file, const struct die *die,
		      struct debugmember *member)
{
	struct attribute attribute;
	uint64_t size = constant_of(file, die, DW_AT_bit_size), first, storage;

	if (!size || size > 64)
		return;
	first = member->offset * 8;
	if (die_attribute(file, die, DW_AT_data_bit_offset, &attribute)) {
		first += attribute.number;
	} else if (die_attribute(file, die, DW_AT_bit_offset, &attribute)) {
		storage = constant_of(file, die, DW_AT_byte_size);
		if (!storage)
			storage = debugtype_size(member->type);
		first += storage * 8 - attribute.number - size;
	}
	member->offset = first / 8;
	member->bit_offset = (uint8_t)(first % 8);
	member->bit_size = (uint8_t)size;
}

/* Is the DIE a static member of a class? Before DWARF 5 a static member had the
 * same tag as other members. */
static bool is_static(struct debugfile *file, const struct die *die)
{
	struct attribute attribute;

	return die_tag(die) == DW_TAG_variable ||
	       (die_tag(die) == DW_TAG_member &&
		(die_attribute(file, die, DW_AT_external, &attribute) ||
		 die_attribute(file, die, DW_AT_declaration, &attribute)));
}

/* Is the DIE a base class, or a member that is not static? */
static bool is_listed(struct debugfile *file, const struct die *die)
{
	return die_tag(die) == DW_TAG_inheritance ||
	       (die_tag(die) == DW_TAG_member && !is_static(file, die));
}

static void add_member(struct debugtype *type, const struct die *die)
{
	struct debugfile *file = type->file;
	struct debugmember member = {.is_base = die_tag(die) ==
						DW_TAG_inheritance};

	if (!member.is_base)
		member.name = die_name(file, die);
	member.type = debugtype_of(file, die);
	member.is_virtual = !find_offset(file, die, &member.offset) ||
			    constant_of(file, die, DW_AT_virtuality);
	find_bits(file, die, &member);
	vec_push(&type->members, member);
}

static void add_static(struct debugtype *type, const struct die *die)
{
	const char *name = die_name(type->file, die);

	if (name)
		vec_push(&type->statics,
			 (struct debugstatic){name, type->members.count});
}

const struct debugmember *debugtype_members(struct debugtype *type,
					    size_t *count)
{
	struct die_walk walk;

	type = type->plain;
	if (!type->members_known &&
	    (type->kind == DEBUGTYPE_STRUCT || type->kind == DEBUGTYPE_UNION)) {
		die_walk_init(&walk, type->file, &type->die);
		while (die_walk_next(&walk)) {
			die_walk_skip(&walk);
			if (is_listed(type->file, &walk.die))
				add_member(type, &walk.die);
			else if (is_static(type->file, &walk.die))
				add_static(type, &walk.die);
		}
	}
	type->members_known = true;
	*count = type->members.count;
	return type->members.data;
}

const struct debugstatic *debugtype_statics(struct debugtype *type,
					    size_t *count)
{
	type = type->plain;
	debugtype_members(type, count);
	*count = type->statics.count;
	return type->statics.data;
}

bool debugtype_contains_member(struct debugtype *type, const char *name,
			       int depth, unsigned *left)
{
	const struct debugmember *members;
	size_t count;

	if (depth >= MEMBER_MAX_DEPTH || !*left)
		return false;
	--*left;
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count; i++)
		if (members[i].name
			    ? str_equal(members[i].name, name)
			    : debugtype_contains_member(members[i].type, name,
							depth + 1, left))
			return true;
	return false;
}

bool debugtype_search_member(struct debugtype *type, const char *name,
			     int depth, unsigned *left, struct debugmember *out)
{
	const struct debugmember *members;
	size_t count;

	if (depth >= MEMBER_MAX_DEPTH || !*left)
		return false;
	--*left;
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count; i++) {
		if (members[i].name && str_equal(members[i].name, name)) {
			*out = members[i];
			return true;
		}
	}
	for (size_t i = 0; i < count; i++) {
		if (members[i].name || members[i].is_virtual ||
		    !debugtype_search_member(members[i].type, name, depth + 1,
					     left, out))
			continue;
		out->offset += members[i].offset;
		return true;
	}
	return false;
}

bool debugtype_find_member(struct debugtype *type, const char *name,
			   struct debugmember *out)
{
	unsigned left = MEMBER_MAX_LOOKS;

	return debugtype_search_member(type, name, 0, &left, out);
}

bool debugtype_member_die(struct debugtype *type, size_t index, struct die *out)
{
	const struct debugmember *members;
	struct die_walk walk;
	size_t count, at = 0;

	type = type->plain;
	members = debugtype_members(type, &count);
	if (index >= count || !members[index].is_virtual)
		return false;
	die_walk_init(&walk, type->file, &type->die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (!is_listed(type->file, &walk.die))
			continue;
		if (at++ == index) {
			*out = walk.die;
			return true;
		}
	}
	return false;
}

const struct debugenumerator *debugtype_enumerators(struct debugtype *type,
						    size_t *count)
{
	struct die_walk walk;

	type = type->plain;
	if (!type->enumerators_known && type->kind == DEBUGTYPE_ENUM) {
		die_walk_init(&walk, type->file, &type->die);
		while (die_walk_next(&walk)) {
			struct debugenumerator one = {
				.name = die_name(type->file, &walk.die)};

			die_walk_skip(&walk);
			if (die_tag(&walk.die) != DW_TAG_enumerator ||
			    !one.name)
				continue;
			one.value = (int64_t)constant_of(type->file, &walk.die,
							 DW_AT_const_value);
			vec_push(&type->enumerators, one);
		}
	}
	type->enumerators_known = true;
	*count = type->enumerators.count;
	return type->enumerators.data;
}

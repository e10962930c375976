/*
 * object_layout.c - reads from an object's memory where its virtual bases are,
 * and which variant of a Rust enumeration it holds
 */
#include "debuginfo/types/types.h"
#include "location_expression.h"
#include "perftool/base/str.h"
#include "perftool/debuginfo/frame_rules.h"

struct error *debugtype_virtual_offset(struct debugtype *type, size_t index,
				       const struct frame_reader *reader,
				       uint64_t address, uint64_t *offset)
{
	struct location_context context = {.reader = reader,
					   .file = type->file,
					   .unit = type->plain->die.unit,
					   .object = &address};
	struct attribute location;
	uint64_t base;
	struct die die;

	if (!debugtype_member_die(type, index, &die) ||
	    !die_attribute(type->file, &die, DW_AT_data_member_location,
			   &location) ||
	    location.class != ATTRIBUTE_BLOCK)
		return error_create(
			ERROR_EVALUATE,
			"the debug information does not say where an object of "
			"class '%s' has its virtual base",
			debugtype_name(type));
	TRY(location_evaluate(&context, location.block, &address, &base));
	*offset = base - address;
	return NULL;
}

static struct error *find_member_of(struct debugtype *type, const char *name,
				    const struct frame_reader *reader,
				    uint64_t address, int depth, unsigned *left,
				    bool *found, struct debugmember *out)
{
	const struct debugmember *members;
	size_t count;

	*found = debugtype_search_member(type, name, depth, left, out);
	members = debugtype_members(type, &count);
	for (size_t i = 0; i < count && !*found && depth < MEMBER_MAX_DEPTH;
	     i++) {
		struct debugtype *inner = members[i].type;
		uint64_t offset = members[i].offset;

		if (members[i].name ||
		    !debugtype_contains_member(inner, name, depth + 1, left))
			continue;
		if (members[i].is_virtual)
			TRY(debugtype_virtual_offset(type, i, reader, address,
						     &offset));
		TRY(find_member_of(inner, name, reader, address + offset,
				   depth + 1, left, found, out));
		out->offset += offset;
	}
	return NULL;
}

struct error *debugtype_find_member_of(struct debugtype *type, const char *name,
				       const struct frame_reader *reader,
				       uint64_t address,
				       struct debugmember *out)
{
	struct debugmember member = {0};
	unsigned left = MEMBER_MAX_LOOKS;
	bool found;

	TRY(find_member_of(type, name, reader, address, 0, &left, &found,
			   &member));
	if (!found)
		return error_create(ERROR_NOT_FOUND, "'%s' has no member '%s'",
				    debugtype_name(type), name);
	*out = member;
	return NULL;
}

bool debugtype_active_variant(struct debugtype *type,
			      const struct frame_reader *reader,
			      uint64_t address, size_t *index)
{
	const struct debugvariant *variants;
	uint64_t size, value = 0, mask;
	size_t count;

	type = type->plain;
	variants = debugtype_variants(type, &count);
	*index = 0;
	if (!type->discriminant.type)
		/* An enumeration with one variant needs no discriminant. */
		return count == 1;
	size = debugtype_size(type->discriminant.type);
	if (!size || size > sizeof(value) ||
	    !frame_read(reader, address + type->discriminant.offset, &value,
			(size_t)size))
		return false;
	mask = size < 8 ? (1ULL << size * 8) - 1 : UINT64_MAX;
	for (size_t i = 0; i < count; i++) {
		if (!variants[i].is_default &&
		    ((variants[i].discriminant ^ value) & mask) == 0) {
			*index = i;
			return true;
		}
	}
	/* If the value is no variant's discriminant, the object holds the
	 * variant without a discriminant, and the value is part of its data. */
	for (size_t i = 0; i < count; i++) {
		if (variants[i].is_default) {
			*index = i;
			return true;
		}
	}
	return false;
}

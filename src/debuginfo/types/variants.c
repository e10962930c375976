/*
 * variants.c - Rust enumerations whose variants hold values: reads the
 * variants, and the discriminant that says which variant a value has
 */
#include "type_chain.h"
#include "types.h"

static bool find_part(struct debugtype *type, struct die *out)
{
	struct die_walk walk;

	if (type->kind != DEBUGTYPE_STRUCT || !type->die.abbrev)
		return false;
	die_walk_init(&walk, type->file, &type->die);
	while (die_walk_next(&walk)) {
		if (die_tag(&walk.die) == DW_TAG_variant_part) {
			*out = walk.die;
			return true;
		}
		die_walk_skip(&walk);
	}
	return false;
}

/* Add the variant that a DW_TAG_variant describes. The DIE has one member,
 * which is the value that the variant holds. */
static void add_variant(struct debugtype *type, const struct die *die)
{
	struct debugvariant variant = {0};
	struct die_walk walk;
	uint64_t offset;

	variant.is_default = !die_constant(type->file, die, DW_AT_discr_value,
					   &variant.discriminant);
	die_walk_init(&walk, type->file, die);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) != DW_TAG_member)
			continue;
		die_constant(type->file, &walk.die, DW_AT_data_member_location,
			     &offset);
		variant.member.name = die_name(type->file, &walk.die);
		variant.member.type = debugtype_of(type->file, &walk.die);
		variant.member.offset = offset;
		if (variant.member.name)
			vec_push(&type->variants, variant);
		return;
	}
}

static void make(struct debugtype *type)
{
	struct die part, discriminant;
	struct die_walk walk;

	type->variants_known = true;
	if (!find_part(type, &part))
		return;
	if (die_reference(type->file, &part, DW_AT_discr, &discriminant)) {
		die_constant(type->file, &discriminant,
			     DW_AT_data_member_location,
			     &type->discriminant.offset);
		type->discriminant.type =
			debugtype_of(type->file, &discriminant);
	}
	die_walk_init(&walk, type->file, &part);
	while (die_walk_next(&walk)) {
		die_walk_skip(&walk);
		if (die_tag(&walk.die) == DW_TAG_variant)
			add_variant(type, &walk.die);
	}
}

const struct debugvariant *debugtype_variants(struct debugtype *type,
					      size_t *count)
{
	type = type->plain;
	if (!type->variants_known)
		make(type);
	*count = type->variants.count;
	return type->variants.data;
}

/*
 * die.c - reads DIEs, finds their attributes and the DIEs that they refer to,
 * and walks over the DIEs below them; see die.h
 *
 * attribute.c reads the values of the attributes.
 */
#include "die.h"

#include "abbrev.h"
#include "unit.h"

/* The most references that the reader follows from DIE to DIE. The limit ends
 * cycles in broken files. */
#define MAX_HOPS 16
/* The deepest nesting of DIEs that a walk enters. No compiler nests DIEs so
 * deeply. */
#define MAX_DEPTH 1024

/* A cursor over the bytes of the unit from `offset` on. The cursor is marked as
 * failed if `offset` is outside of the unit or in the unit's header. */
static struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct bytes bytes = {unit->data, unit->end - unit->offset};

	if (offset < unit->root || offset > unit->end)
		return cursor_at((struct bytes){0}, 0);
	return cursor_at(bytes, offset - unit->offset);
}

/* The offset (unit_source.h) of the byte at which the cursor stands. The cursor
 * is in the unit's bytes. */
static uint64_t offset_of(const struct unit *unit, const struct cursor *cursor)
{
	return unit->offset + (uint64_t)(cursor->at - unit->data);
}

static void skip_value(struct debugfile *file, const struct unit *unit,
		       const struct attribute_spec *spec, struct cursor *cursor)
{
	int size = form_size(spec->form, unit->offset_size);
	struct attribute ignored;

	if (size >= 0)
		cursor_skip(cursor, (uint64_t)size);
	else
		unit_read_value(file, unit, cursor, spec, false, &ignored);
}

static void skip_values(struct debugfile *file, const struct unit *unit,
			const struct abbrev *abbrev, struct cursor *cursor)
{
	const struct attribute_spec *specs = unit->abbrevs->specs.data;

	if (abbrev->fixed_size >= 0 && unit->offset_size == 4) {
		cursor_skip(cursor, (uint64_t)abbrev->fixed_size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->spec_count && !cursor->failed; i++)
		skip_value(file, unit, &specs[abbrev->first_spec + i], cursor);
}

bool die_read(struct debugfile *file, struct unit *unit, uint64_t offset,
	      struct die *out)
{
	struct die die = {.unit = unit, .offset = offset};
	struct cursor cursor;
	uint64_t code;

	if (!unit->abbrevs && !unit_load(file, unit))
		return false;
	cursor = unit_cursor(unit, offset);
	if (cursor.failed)
		return false;
	code = cursor_uleb(&cursor);
	if (cursor.failed)
		return false;
	die.attributes = offset_of(unit, &cursor);
	if (code) {
		die.abbrev = abbrev_find(unit->abbrevs, code);
		if (!die.abbrev)
			return false;
		skip_values(file, unit, die.abbrev, &cursor);
		if (cursor.failed)
			return false;
	}
	die.next = offset_of(unit, &cursor);
	*out = die;
	return true;
}

bool die_attribute(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out)
{
	struct unit *unit = die->unit;
	const struct attribute_spec *specs = unit->abbrevs->specs.data;
	struct attribute value = {0};
	struct cursor cursor;

	if (!die->abbrev->spec_count)
		return false;
	specs += die->abbrev->first_spec;
	for (uint32_t i = 0; i < die->abbrev->spec_count; i++) {
		if (specs[i].name != name)
			continue;
		/* The DIE has the attribute, so find its value: step over the
		 * values before it. Most DIEs lack the attribute, and for them
		 * this work is saved. */
		cursor = unit_cursor(unit, die->attributes);
		for (uint32_t j = 0; j < i; j++)
			skip_value(file, unit, &specs[j], &cursor);
		unit_read_value(file, unit, &cursor, &specs[i], true, &value);
		if (cursor.failed || value.class == ATTRIBUTE_NONE)
			return false;
		*out = value;
		return true;
	}
	return false;
}

bool die_constant(struct debugfile *file, const struct die *die, unsigned name,
		  uint64_t *number)
{
	struct attribute attribute;

	*number = 0;
	if (!die_attribute(file, die, name, &attribute) ||
	    (attribute.class != ATTRIBUTE_UNSIGNED &&
	     attribute.class != ATTRIBUTE_SIGNED))
		return false;
	*number = attribute.number;
	return true;
}

/* Read the DIE of the type that the type unit with this signature describes.
 * The unit is sought in the source of the unit `from`. */
static bool find_type_unit(struct debugfile *file, const struct unit *from,
			   uint64_t signature, struct die *out)
{
	struct unit *unit = source_type_unit(from->source, signature);

	return unit && unit_read_root(file, unit) &&
	       die_read(file, unit, unit->offset + unit->type_offset, out) &&
	       out->abbrev;
}

bool die_reference(struct debugfile *file, const struct die *die, unsigned name,
		   struct die *out)
{
	struct attribute attribute;
	struct unit *unit = die->unit;

	if (!die_attribute(file, die, name, &attribute))
		return false;
	if (attribute.class == ATTRIBUTE_TYPE)
		return find_type_unit(file, unit, attribute.number, out);
	if (attribute.class != ATTRIBUTE_DIE)
		return false;
	if (attribute.number < unit->root || attribute.number >= unit->end)
		unit = unit_of_die(file, attribute.number);
	return unit && die_read(file, unit, attribute.number, out) &&
	       out->abbrev;
}

bool die_inherited(struct debugfile *file, const struct die *die, unsigned name,
		   struct attribute *out)
{
	struct die current = *die, next;

	for (int hops = 0; hops < MAX_HOPS; hops++) {
		if (die_attribute(file, &current, name, out))
			return true;
		if (!die_reference(file, &current, DW_AT_abstract_origin,
				   &next) &&
		    !die_reference(file, &current, DW_AT_specification, &next))
			return false;
		current = next;
	}
	return false;
}

static const char *inherited_string(struct debugfile *file,
				    const struct die *die, unsigned name)
{
	struct attribute attribute;

	if (!die_inherited(file, die, name, &attribute) ||
	    attribute.class != ATTRIBUTE_STRING)
		return NULL;
	return attribute.string;
}

const char *die_name(struct debugfile *file, const struct die *die)
{
	return inherited_string(file, die, DW_AT_name);
}

const char *die_linkage_name(struct debugfile *file, const struct die *die)
{
	const char *name = inherited_string(file, die, DW_AT_linkage_name);

	if (!name)
		name = inherited_string(file, die, DW_AT_MIPS_linkage_name);
	return name ? name : die_name(file, die);
}

void die_walk_init(struct die_walk *walk, struct debugfile *file,
		   const struct die *top)
{
	*walk = (struct die_walk){
		.file = file,
		.unit = top->unit,
		.next = top->next,
		.depth = 0,
		.enter = top->abbrev->has_children,
		.done = !top->abbrev->has_children,
	};
}

bool die_walk_unit(struct die_walk *walk, struct debugfile *file,
		   struct unit *unit)
{
	struct die root;

	if (!unit_read_root(file, unit) ||
	    !die_read(file, unit, unit->root, &root) || !root.abbrev)
		return false;
	die_walk_init(walk, file, &root);
	return true;
}

bool die_walk_next(struct die_walk *walk)
{
	while (!walk->done) {
		if (walk->enter) {
			walk->enter = false;
			if (++walk->depth > MAX_DEPTH)
				break;
		}
		if (!die_read(walk->file, walk->unit, walk->next, &walk->die))
			break;
		walk->next = walk->die.next;
		if (walk->die.abbrev) {
			walk->enter = walk->die.abbrev->has_children;
			return true;
		}
		if (--walk->depth == 0)
			break;
	}
	walk->done = true;
	return false;
}

void die_walk_skip(struct die_walk *walk)
{
	struct attribute sibling;
	unsigned depth = 1;
	struct die die;

	if (!walk->enter)
		return;
	walk->enter = false;
	if (die_attribute(walk->file, &walk->die, DW_AT_sibling, &sibling) &&
	    sibling.class == ATTRIBUTE_DIE && sibling.number > walk->next &&
	    sibling.number <= walk->unit->end) {
		walk->next = sibling.number;
		return;
	}
	while (depth) {
		if (!die_read(walk->file, walk->unit, walk->next, &die)) {
			walk->done = true;
			return;
		}
		walk->next = die.next;
		if (!die.abbrev)
			depth--;
		else if (die.abbrev->has_children)
			depth++;
	}
}

bool holds_functions(unsigned tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}

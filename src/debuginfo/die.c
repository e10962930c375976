/*
 * die.c - DIEs and the values of their attributes
 */
#include <string.h>

#include "abbrev.h"
#include "dwarf.h"

/* How many references are followed from one DIE to the next. */
#define MAX_HOPS 16
/* Nesting that no compiler reaches. */
#define MAX_DEPTH 1024

/* The string at entry `index` of the unit's string offsets. */
static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	struct bytes offsets = unit_section(unit, SECTION_STR_OFFSETS);
	struct cursor cursor;
	uint64_t offset;

	if (index > offsets.size)
		return NULL;
	cursor = cursor_at(offsets, unit->str_offsets_base);
	cursor_skip(&cursor, index * unit->offset_size);
	offset = cursor_unsigned(&cursor, unit->offset_size);
	if (cursor.failed)
		return NULL;
	return bytes_string(unit_section(unit, SECTION_STR), offset);
}

bool unit_address(const struct unit *unit, uint64_t index, uint64_t *out)
{
	struct bytes addresses = unit_section(unit, SECTION_ADDR);
	struct cursor cursor;

	if (index > addresses.size)
		return false;
	cursor = cursor_at(addresses, unit->addr_base);
	cursor_skip(&cursor, index * 8);
	*out = cursor_u64(&cursor);
	return !cursor.failed;
}

static void set_string(struct attribute *out, const char *string)
{
	if (string) {
		out->class = ATTRIBUTE_STRING;
		out->string = string;
	}
}

static void set_number(struct attribute *out, enum attribute_class class,
		       uint64_t number)
{
	out->class = class;
	out->number = number;
}

static void set_block(struct attribute *out, struct cursor *cursor,
		      uint64_t size)
{
	struct cursor block = cursor_take(cursor, size);

	out->class = ATTRIBUTE_BLOCK;
	out->block = (struct bytes){block.at, cursor_left(&block)};
}

/* Strings are looked up only if they are wanted: most values are skipped. */
static void set_section_string(const struct unit *unit, struct attribute *out,
			       enum section_id id, uint64_t offset, bool wanted)
{
	if (wanted)
		set_string(out, bytes_string(unit_section(unit, id), offset));
}

static void set_indexed_string(const struct unit *unit, struct attribute *out,
			       uint64_t index, bool wanted)
{
	if (wanted)
		set_string(out, indexed_string(unit, index));
}

/* In the file that is shared with other programs. */
static void set_shared_string(struct debugfile *file, struct attribute *out,
			      uint64_t offset, bool wanted)
{
	struct source *shared = wanted ? file_shared_source(file) : NULL;

	if (shared)
		set_string(out,
			   bytes_string(source_section(shared, SECTION_STR),
					offset));
}

static void set_die(struct attribute *out, const struct source *source,
		    uint64_t offset)
{
	/* not one that would lead into another source */
	if (source && offset < SOURCE_MAX_SIZE) {
		out->class = ATTRIBUTE_DIE;
		out->number = source->base + offset;
	}
}

static void set_shared_die(struct debugfile *file, struct attribute *out,
			   uint64_t offset, bool wanted)
{
	if (wanted)
		set_die(out, file_shared_source(file), offset);
}

static void set_indexed_address(const struct unit *unit, struct attribute *out,
				uint64_t index, bool wanted)
{
	uint64_t address;

	if (wanted && unit_address(unit, index, &address))
		set_number(out, ATTRIBUTE_ADDRESS, address);
}

void unit_read_value(struct debugfile *file, const struct unit *unit,
		     struct cursor *cursor, const struct attribute_spec *spec,
		     bool wanted, struct attribute *out)
{
	unsigned offset_size = unit->offset_size, form = spec->form;

	*out = (struct attribute){0};
	for (int hops = 0; form == DW_FORM_indirect; hops++) {
		form = (unsigned)cursor_uleb(cursor);
		if (hops == MAX_HOPS || form == DW_FORM_implicit_const) {
			cursor->failed = true;
			return;
		}
	}
	switch (form) {
	case DW_FORM_addr:
		set_number(out, ATTRIBUTE_ADDRESS, cursor_u64(cursor));
		break;
	case DW_FORM_addrx:
	case DW_FORM_GNU_addr_index:
		set_indexed_address(unit, out, cursor_uleb(cursor), wanted);
		break;
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
		set_indexed_address(
			unit, out,
			cursor_unsigned(cursor, form - DW_FORM_addrx1 + 1),
			wanted);
		break;
	case DW_FORM_block1:
		set_block(out, cursor, cursor_u8(cursor));
		break;
	case DW_FORM_block2:
		set_block(out, cursor, cursor_u16(cursor));
		break;
	case DW_FORM_block4:
		set_block(out, cursor, cursor_u32(cursor));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		set_block(out, cursor, cursor_uleb(cursor));
		break;
	case DW_FORM_data16:
		set_block(out, cursor, 16);
		break;
	case DW_FORM_data1:
		set_number(out, ATTRIBUTE_UNSIGNED, cursor_u8(cursor));
		break;
	case DW_FORM_data2:
		set_number(out, ATTRIBUTE_UNSIGNED, cursor_u16(cursor));
		break;
	case DW_FORM_data4:
		set_number(out, ATTRIBUTE_UNSIGNED, cursor_u32(cursor));
		break;
	case DW_FORM_data8:
		set_number(out, ATTRIBUTE_UNSIGNED, cursor_u64(cursor));
		break;
	case DW_FORM_udata:
		set_number(out, ATTRIBUTE_UNSIGNED, cursor_uleb(cursor));
		break;
	case DW_FORM_sdata:
		set_number(out, ATTRIBUTE_SIGNED,
			   (uint64_t)cursor_sleb(cursor));
		break;
	case DW_FORM_implicit_const:
		set_number(out, ATTRIBUTE_SIGNED, (uint64_t)spec->implicit);
		break;
	case DW_FORM_flag:
		set_number(out, ATTRIBUTE_FLAG, cursor_u8(cursor));
		break;
	case DW_FORM_flag_present:
		set_number(out, ATTRIBUTE_FLAG, 1);
		break;
	case DW_FORM_string:
		set_string(out, cursor_string(cursor));
		break;
	case DW_FORM_strp:
		set_section_string(unit, out, SECTION_STR,
				   cursor_unsigned(cursor, offset_size),
				   wanted);
		break;
	case DW_FORM_line_strp:
		set_section_string(unit, out, SECTION_LINE_STR,
				   cursor_unsigned(cursor, offset_size),
				   wanted);
		break;
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
		set_indexed_string(unit, out, cursor_uleb(cursor), wanted);
		break;
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		set_indexed_string(
			unit, out,
			cursor_unsigned(cursor, form - DW_FORM_strx1 + 1),
			wanted);
		break;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
		/* 1, 2, 4 and 8 bytes, as their numbers count */
		set_number(out, ATTRIBUTE_DIE,
			   unit->offset + cursor_unsigned(
						  cursor,
						  1U << (form - DW_FORM_ref1)));
		break;
	case DW_FORM_ref_udata:
		set_number(out, ATTRIBUTE_DIE,
			   unit->offset + cursor_uleb(cursor));
		break;
	case DW_FORM_ref_addr:
		set_die(out, unit->source,
			cursor_unsigned(cursor,
					unit->version <= 2 ? 8 : offset_size));
		break;
	case DW_FORM_ref_sig8:
		set_number(out, ATTRIBUTE_TYPE, cursor_u64(cursor));
		break;
	case DW_FORM_sec_offset:
		set_number(out, ATTRIBUTE_OFFSET,
			   cursor_unsigned(cursor, offset_size));
		break;
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
		set_number(out, ATTRIBUTE_INDEX, cursor_uleb(cursor));
		break;
	case DW_FORM_ref_sup4:
		set_shared_die(file, out, cursor_u32(cursor), wanted);
		break;
	case DW_FORM_ref_sup8:
		set_shared_die(file, out, cursor_u64(cursor), wanted);
		break;
	case DW_FORM_GNU_ref_alt:
		set_shared_die(file, out, cursor_unsigned(cursor, offset_size),
			       wanted);
		break;
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		set_shared_string(file, out,
				  cursor_unsigned(cursor, offset_size), wanted);
		break;
	default: /* its size is not known: nothing after it can be read */
		cursor->failed = true;
		break;
	}
}

/* The bytes of a unit, from an offset in .debug_info. */
static struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct bytes bytes = {unit->data, unit->end - unit->offset};

	if (offset < unit->root || offset > unit->end)
		return cursor_at((struct bytes){0}, 0);
	return cursor_at(bytes, offset - unit->offset);
}

/* The offset in .debug_info that a cursor of the unit has come to. */
static uint64_t offset_of(const struct unit *unit, const struct cursor *cursor)
{
	return unit->offset + (uint64_t)(cursor->at - unit->data);
}

static void skip_values(struct debugfile *file, const struct unit *unit,
			const struct abbrev *abbrev, struct cursor *cursor)
{
	const struct attribute_spec *specs = unit->abbrevs->specs.data;
	struct attribute ignored;

	if (abbrev->fixed_size >= 0 && unit->offset_size == 4) {
		cursor_skip(cursor, (uint64_t)abbrev->fixed_size);
		return;
	}
	for (uint32_t i = 0; i < abbrev->spec_count && !cursor->failed; i++)
		unit_read_value(file, unit, cursor,
				&specs[abbrev->first_spec + i], false,
				&ignored);
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
		/* only now is it worth while to step over those before it */
		cursor = unit_cursor(unit, die->attributes);
		for (uint32_t j = 0; j <= i; j++)
			unit_read_value(file, unit, &cursor, &specs[j], j == i,
					&value);
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

/* The type DIE of the type unit with this signature. */
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

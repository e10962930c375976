/*
 * attribute.c - reads the value of an attribute in any form (DWARF 5, 7.5.6)
 *
 * Values in some forms are not in the DIE but refer to another place that has
 * the string, the address or the DIE. The reader looks this place up only if
 * the caller wants the value, because callers step over most values.
 */
#include "abbrev.h"
#include "die.h"
#include "ranges.h"
#include "unit.h"
#include "unit_source.h"

/* The most times in a row that the form which follows DW_FORM_indirect may be
 * DW_FORM_indirect again. */
#define MAX_HOPS 16

/* The string whose offset is entry `index` of the unit's part of
 * .debug_str_offsets, or NULL. */
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

/* The value is a string in the file that dwz lets several programs share;
 * `offset` is the string's offset in .debug_str of that file. */
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
	/* A larger offset would be one of another source (see
	 * unit_source.h). */
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
		/* The numbers of these forms are consecutive, and the sizes are
		 * 1, 2, 4 and 8 bytes. */
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
	default:
		/* The form is not known, and so the size of the value is not.
		 * The reader cannot find the values that follow. */
		cursor->failed = true;
		break;
	}
}

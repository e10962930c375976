/*
 * unit.c - reads the headers and the root DIEs of the units of .debug_info
 */
#include <string.h>

#include "abbrev.h"
#include "die.h"
#include "perftool/base/alloc.h"
#include "ranges.h"
#include "split_units.h"
#include "unit.h"

bool unit_read_header(struct source *source, struct bytes bytes, uint64_t left,
		      uint64_t offset, bool in_types, struct unit *unit)
{
	struct cursor cursor = cursor_at(bytes, 0);
	unsigned offset_size;
	uint64_t length = cursor_unit_length(&cursor, &offset_size);
	const uint8_t *start = cursor.at;

	*unit = (struct unit){
		.source = source,
		.offset = offset,
		.type = DW_UT_compile,
		.line_offset = NO_OFFSET,
	};
	if (cursor.failed || length > left - (uint64_t)(start - bytes.data))
		return false;
	if (length < cursor_left(&cursor))
		cursor.end = start + length;
	unit->end = offset + (uint64_t)(start - bytes.data) + length;
	unit->offset_size = (uint8_t)offset_size;
	unit->version = (uint8_t)cursor_u16(&cursor);
	if (unit->version >= 5) {
		unit->type = cursor_u8(&cursor);
		unit->address_size = cursor_u8(&cursor);
		unit->abbrev_offset = cursor_unsigned(&cursor, offset_size);
		if (unit->type == DW_UT_split_type)
			unit->type = DW_UT_type;
		if (unit->type == DW_UT_skeleton ||
		    unit->type == DW_UT_split_compile)
			unit->dwo_id = cursor_u64(&cursor);
	} else {
		unit->abbrev_offset = cursor_unsigned(&cursor, offset_size);
		unit->address_size = cursor_u8(&cursor);
		if (in_types)
			unit->type = DW_UT_type;
	}
	if (unit->type == DW_UT_type) {
		unit->signature = cursor_u64(&cursor);
		unit->type_offset = cursor_unsigned(&cursor, offset_size);
	}
	unit->root = offset + (uint64_t)(cursor.at - bytes.data);
	if (cursor.failed || unit->version < 2 || unit->version > 5 ||
	    unit->address_size != 8)
		unit->root_state = ROOT_BAD;
	return true;
}

static uint64_t size_of(struct source *source, enum section_id id)
{
	/* To read a section of the main source can take long, so take the size
	 * from the section's header. */
	return source->is_main ? file_section_size(source->file, id)
			       : source_section(source, id).size;
}

void dwarf_add_budgets(struct dwarf *dwarf, struct source *source)
{
	dwarf->abbrev_budget += 4 * size_of(source, SECTION_ABBREV) + 4096;
	dwarf->range_budget += 64 * (size_of(source, SECTION_RANGES) +
				     size_of(source, SECTION_RNGLISTS)) +
			       4096;
	dwarf->line_budget += 4 * size_of(source, SECTION_LINE);
}

struct dwarf *file_dwarf(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;

	if (dwarf)
		return dwarf;
	dwarf = file->dwarf = xcalloc(1, sizeof(*dwarf));
	dwarf->main = source_create(file, SOURCE_MAIN, false, NULL);
	dwarf->main->packed = file_packed_info(file);
	dwarf_add_budgets(dwarf, dwarf->main);
	source_read_units(dwarf->main);
	return dwarf;
}

void dwarf_destroy(struct dwarf *dwarf)
{
	if (!dwarf)
		return;
	source_destroy(dwarf->main);
	source_destroy(dwarf->shared);
	free(dwarf->shared_mismatch);
	splits_destroy(dwarf->splits);
	vec_free(&dwarf->map);
	ranges_destroy(dwarf);
	free(dwarf);
}

static uint64_t number_or(struct debugfile *file, const struct die *die,
			  unsigned name, uint64_t otherwise)
{
	struct attribute attribute;

	if (!die_attribute(file, die, name, &attribute) ||
	    (attribute.class != ATTRIBUTE_OFFSET &&
	     attribute.class != ATTRIBUTE_UNSIGNED &&
	     attribute.class != ATTRIBUTE_ADDRESS))
		return otherwise;
	return attribute.number;
}

static const char *string_or_null(struct debugfile *file, const struct die *die,
				  unsigned name)
{
	struct attribute attribute;

	if (!die_attribute(file, die, name, &attribute) ||
	    attribute.class != ATTRIBUTE_STRING)
		return NULL;
	return attribute.string;
}

bool unit_load(struct debugfile *file, struct unit *unit)
{
	if (unit->abbrevs)
		return true;
	if (unit->root_state == ROOT_BAD)
		return false;
	if (!unit->data)
		unit->data = source_unit_bytes(unit);
	if (!unit->data && !packed_unit_load(unit)) {
		unit->root_state = ROOT_BAD;
		return false;
	}
	unit->abbrevs = abbrev_table_of(file, unit);
	return unit->abbrevs;
}

static void attribute_or_none(struct debugfile *file, const struct die *die,
			      unsigned name, struct attribute *out)
{
	if (!die_attribute(file, die, name, out))
		out->class = ATTRIBUTE_NONE;
}

/* Read the base attributes of the root DIE, such as DW_AT_str_offsets_base.
 * Indexes and offsets in other attributes of the unit count from these
 * bases. */
static void read_bases(struct debugfile *file, struct unit *unit,
		       const struct die *die)
{
	/* If the unit does not have a base attribute, its entries begin
	 * directly behind the header of the section. `header` is the size of
	 * this header. */
	uint64_t header = unit->offset_size == 8 ? 16 : 8;
	const struct unit *skeleton = unit->skeleton;

	unit->str_offsets_base = number_or(file, die, DW_AT_str_offsets_base,
					   unit->version < 5 ? 0 : header) +
				 unit->parts.str_offsets;
	unit->rnglists_base =
		number_or(file, die, DW_AT_rnglists_base, header + 4) +
		unit->parts.rnglists;
	unit->loclists_base =
		number_or(file, die, DW_AT_loclists_base, header + 4) +
		unit->parts.lists;
	unit->addr_base =
		number_or(file, die, DW_AT_addr_base,
			  number_or(file, die, DW_AT_GNU_addr_base, header));
	unit->ranges_base = number_or(file, die, DW_AT_GNU_ranges_base, 0);
	if (skeleton) {
		unit->addr_base = skeleton->addr_base;
		unit->ranges_base = skeleton->ranges_base;
	}
}

/* If the unit is a split unit, copy the attributes that only its skeleton has.
 * Else read the attributes by which a skeleton names its split unit. */
static void read_split(struct debugfile *file, struct unit *unit,
		       const struct die *die)
{
	const struct unit *skeleton = unit->skeleton;

	if (skeleton) {
		unit->low_pc = skeleton->low_pc;
		if (skeleton->directory)
			unit->directory = skeleton->directory;
		return;
	}
	unit->dwo_name = string_or_null(file, die, DW_AT_dwo_name);
	if (!unit->dwo_name)
		unit->dwo_name = string_or_null(file, die, DW_AT_GNU_dwo_name);
	if (unit->dwo_name && unit->version < 5)
		unit->dwo_id = number_or(file, die, DW_AT_GNU_dwo_id, 0);
}

bool unit_read_loaded_root(struct debugfile *file, struct unit *unit)
{
	struct die die;

	unit->root_state = ROOT_BAD;
	if (!die_read(file, unit, unit->root, &die) || !die.abbrev)
		return false;
	unit->root_state = ROOT_GOOD;
	/* The values of the other attributes may be relative to the bases, so
	 * the bases must be read first. */
	read_bases(file, unit, &die);
	unit->low_pc = number_or(file, &die, DW_AT_low_pc, 0);
	unit->language = number_or(file, &die, DW_AT_language, 0);
	unit->line_offset = number_or(file, &die, DW_AT_stmt_list, NO_OFFSET);
	if (unit->line_offset != NO_OFFSET)
		unit->line_offset += unit->parts.line;
	unit->name = string_or_null(file, &die, DW_AT_name);
	unit->directory = string_or_null(file, &die, DW_AT_comp_dir);
	unit->producer = string_or_null(file, &die, DW_AT_producer);
	read_split(file, unit, &die);
	attribute_or_none(file, &die, DW_AT_low_pc, &unit->low);
	attribute_or_none(file, &die, DW_AT_high_pc, &unit->high);
	attribute_or_none(file, &die, DW_AT_ranges, &unit->range_list);
	return true;
}

bool unit_read_root(struct debugfile *file, struct unit *unit)
{
	if (unit->root_state == ROOT_UNREAD && !unit_load(file, unit))
		unit->root_state = ROOT_BAD;
	if (unit->root_state == ROOT_UNREAD)
		unit_read_loaded_root(file, unit);
	return unit->root_state == ROOT_GOOD;
}

struct unit *unit_with_header(struct debugfile *file, uint64_t offset)
{
	struct source *source = file_source(file, offset);

	return source ? source_unit(source, offset) : NULL;
}

struct unit *unit_of_die(struct debugfile *file, uint64_t offset)
{
	struct unit *unit = unit_with_header(file, offset);

	if (!unit || offset < unit->root || !unit_read_root(file, unit))
		return NULL;
	return unit;
}

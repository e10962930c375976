/*
 * unit.c - the units of .debug_info: their headers and root DIEs
 */
#include <string.h>

#include "abbrev.h"
#include "dwarf.h"
#include "line_table.h"
#include "perftool/base/alloc.h"
#include "scopes.h"

/* False: no more units that can be read. */
static bool read_header(struct bytes info, uint64_t offset, struct unit *unit)
{
	struct cursor cursor = cursor_at(info, offset);
	unsigned offset_size;
	uint64_t length = cursor_unit_length(&cursor, &offset_size);
	const uint8_t *start = cursor.at;

	*unit = (struct unit){
		.offset = offset,
		.type = DW_UT_compile,
		.line_offset = NO_OFFSET,
	};
	if (cursor.failed || length > cursor_left(&cursor))
		return false;
	cursor.end = start + length;
	unit->end = (uint64_t)(cursor.end - info.data);
	unit->offset_size = (uint8_t)offset_size;
	unit->version = (uint8_t)cursor_u16(&cursor);
	if (unit->version >= 5) {
		unit->type = cursor_u8(&cursor);
		unit->address_size = cursor_u8(&cursor);
		unit->abbrev_offset = cursor_unsigned(&cursor, offset_size);
		if (unit->type == DW_UT_type ||
		    unit->type == DW_UT_split_type) {
			unit->signature = cursor_u64(&cursor);
			unit->type_offset =
				cursor_unsigned(&cursor, offset_size);
		} else if (unit->type == DW_UT_skeleton ||
			   unit->type == DW_UT_split_compile) {
			cursor_u64(&cursor); /* dwo_id */
		}
	} else {
		unit->abbrev_offset = cursor_unsigned(&cursor, offset_size);
		unit->address_size = cursor_u8(&cursor);
	}
	unit->root = (uint64_t)(cursor.at - info.data);
	if (cursor.failed || unit->version < 2 || unit->version > 5 ||
	    unit->address_size != 8)
		unit->root_state = ROOT_BAD;
	return true;
}

struct dwarf *file_dwarf(struct debugfile *file)
{
	VEC(struct unit) units = {0};
	struct bytes info;
	struct unit unit;

	if (file->dwarf)
		return file->dwarf;
	file->dwarf = xcalloc(1, sizeof(*file->dwarf));
	info = file_section(file, SECTION_INFO);
	for (uint64_t offset = 0;
	     offset < info.size && read_header(info, offset, &unit);
	     offset = unit.end)
		vec_push(&units, unit);
	file->dwarf->units = units.data;
	file->dwarf->unit_count = units.count;
	/* what honest files need, several times over */
	file->dwarf->abbrev_budget =
		4 * (uint64_t)file_section(file, SECTION_ABBREV).size + 4096;
	file->dwarf->range_budget =
		64 * ((uint64_t)file_section(file, SECTION_RANGES).size +
		      file_section(file, SECTION_RNGLISTS).size) +
		4096;
	return file->dwarf;
}

void dwarf_destroy(struct dwarf *dwarf)
{
	size_t cursor = 0;
	void *value;

	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		scopes_destroy(dwarf->units[i].scopes);
		vec_free(&dwarf->units[i].ranges);
	}
	free(dwarf->units);
	while ((value = map_next(&dwarf->abbrev_tables, &cursor, NULL)))
		abbrev_table_destroy(value);
	map_deinit(&dwarf->abbrev_tables);
	cursor = 0;
	while ((value = map_next(&dwarf->line_tables, &cursor, NULL)))
		line_table_destroy(value);
	map_deinit(&dwarf->line_tables);
	vec_free(&dwarf->map);
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

bool unit_read_root(struct debugfile *file, struct unit *unit)
{
	/* where the entries start when the unit does not say */
	uint64_t header = unit->offset_size == 8 ? 16 : 8;
	struct die die;

	if (unit->root_state != ROOT_UNREAD)
		return unit->root_state == ROOT_GOOD;
	unit->root_state = ROOT_BAD;
	unit->abbrevs = abbrev_table_at(file, unit->abbrev_offset);
	if (!unit->abbrevs || !die_read(file, unit, unit->root, &die) ||
	    !die.abbrev)
		return false;
	unit->root_state = ROOT_GOOD;
	/* the bases first: what follows may be indexed by them */
	unit->str_offsets_base =
		number_or(file, &die, DW_AT_str_offsets_base, header);
	unit->addr_base = number_or(file, &die, DW_AT_addr_base, header);
	unit->rnglists_base =
		number_or(file, &die, DW_AT_rnglists_base, header + 4);
	unit->loclists_base =
		number_or(file, &die, DW_AT_loclists_base, header + 4);
	unit->low_pc = number_or(file, &die, DW_AT_low_pc, 0);
	unit->language = number_or(file, &die, DW_AT_language, 0);
	unit->line_offset = number_or(file, &die, DW_AT_stmt_list, NO_OFFSET);
	unit->name = string_or_null(file, &die, DW_AT_name);
	unit->directory = string_or_null(file, &die, DW_AT_comp_dir);
	unit->producer = string_or_null(file, &die, DW_AT_producer);
	if (unit->type != DW_UT_type && unit->type != DW_UT_split_type)
		die_ranges(file, &die, &unit->ranges);
	return true;
}

struct unit *unit_of_die(struct debugfile *file, uint64_t offset)
{
	struct dwarf *dwarf = file_dwarf(file);
	size_t low = 0, high = dwarf->unit_count;
	struct unit *unit;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == dwarf->unit_count)
		return NULL;
	unit = &dwarf->units[low];
	if (offset < unit->root || !unit_read_root(file, unit))
		return NULL;
	return unit;
}

/*
 * unit.c - the units of .debug_info: their headers and root DIEs
 */
#include <string.h>

#include "abbrev.h"
#include "dwarf.h"
#include "index.h"
#include "line_table.h"
#include "packed.h"
#include "perftool/base/alloc.h"
#include "scopes.h"

bool unit_read_header(struct bytes bytes, uint64_t offset, struct unit *unit)
{
	struct cursor cursor = cursor_at(bytes, 0);
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
	unit->end = offset + (uint64_t)(cursor.end - bytes.data);
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
	unit->root = offset + (uint64_t)(cursor.at - bytes.data);
	if (cursor.failed || unit->version < 2 || unit->version > 5 ||
	    unit->address_size != 8)
		unit->root_state = ROOT_BAD;
	return true;
}

/* All of them, where they lie before us. */
static void read_headers(struct dwarf *dwarf, struct bytes info)
{
	VEC(struct unit) units = {0};
	struct unit unit;

	for (uint64_t offset = 0; offset < info.size; offset = unit.end) {
		struct bytes rest = {info.data + offset, info.size - offset};

		if (!unit_read_header(rest, offset, &unit))
			break;
		vec_push(&units, unit);
	}
	dwarf->units = units.data;
	dwarf->unit_count = units.count;
}

struct dwarf *file_dwarf(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;

	if (dwarf)
		return dwarf;
	dwarf = file->dwarf = xcalloc(1, sizeof(*dwarf));
	/* what honest files need, several times over */
	dwarf->abbrev_budget =
		4 * file_section_size(file, SECTION_ABBREV) + 4096;
	dwarf->range_budget = 64 * (file_section_size(file, SECTION_RANGES) +
				    file_section_size(file, SECTION_RNGLISTS)) +
			      4096;
	dwarf->packed = file_packed_info(file);
	/* what is inflated is looked at while it is there */
	if (dwarf->packed)
		index_read_packed(file);
	else
		read_headers(dwarf, file_section(file, SECTION_INFO));
	return dwarf;
}

void dwarf_destroy(struct dwarf *dwarf)
{
	size_t cursor = 0;
	void *value;

	if (!dwarf)
		return;
	for (size_t i = 0; i < dwarf->unit_count; i++) {
		scopes_destroy(dwarf->units[i].scopes);
		if (dwarf->units[i].owns_data)
			free((void *)dwarf->units[i].data);
	}
	free(dwarf->units);
	index_destroy(dwarf->index);
	packed_close(dwarf->packed);
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

/* Inflate a unit once more. */
static bool inflate_unit(struct dwarf *dwarf, struct unit *unit)
{
	size_t size = unit->end - unit->offset;
	uint8_t *data = malloc(size);

	if (!data || !packed_seek(dwarf->packed, unit->offset) ||
	    !packed_read(dwarf->packed, data, size)) {
		free(data);
		return false;
	}
	unit->data = data;
	unit->owns_data = true;
	return true;
}

bool unit_load(struct debugfile *file, struct unit *unit)
{
	struct dwarf *dwarf = file->dwarf;

	if (unit->abbrevs)
		return true;
	if (unit->root_state == ROOT_BAD)
		return false;
	if (!unit->data && !dwarf->packed)
		unit->data =
			file_section(file, SECTION_INFO).data + unit->offset;
	if (!unit->data && !inflate_unit(dwarf, unit)) {
		unit->root_state = ROOT_BAD;
		return false;
	}
	unit->abbrevs = abbrev_table_at(file, unit->abbrev_offset);
	return unit->abbrevs;
}

static void attribute_or_none(struct debugfile *file, const struct die *die,
			      unsigned name, struct attribute *out)
{
	if (!die_attribute(file, die, name, out))
		out->class = ATTRIBUTE_NONE;
}

bool unit_read_loaded_root(struct debugfile *file, struct unit *unit)
{
	/* where the entries start when the unit does not say */
	uint64_t header = unit->offset_size == 8 ? 16 : 8;
	struct die die;

	unit->root_state = ROOT_BAD;
	if (!die_read(file, unit, unit->root, &die) || !die.abbrev)
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
	struct dwarf *dwarf = file_dwarf(file);
	size_t low = 0, high = dwarf->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->units[middle].end <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < dwarf->unit_count ? &dwarf->units[low] : NULL;
}

struct unit *unit_of_die(struct debugfile *file, uint64_t offset)
{
	struct unit *unit = unit_with_header(file, offset);

	if (!unit || offset < unit->root || !unit_read_root(file, unit))
		return NULL;
	return unit;
}

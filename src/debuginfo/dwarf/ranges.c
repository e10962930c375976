/*
 * ranges.c - finds the address ranges of a DIE's code in DW_AT_low_pc and
 * DW_AT_high_pc, in .debug_ranges, or in .debug_rnglists
 */
#include "ranges.h"

#include "die.h"
#include "perftool/base/alloc.h"
#include "unit.h"

bool range_is_real(const struct debugfile *file, uint64_t low, uint64_t high)
{
	return low < high && file_is_code(file, low);
}

static void add(const struct debugfile *file, struct range_list *out,
		uint64_t low, uint64_t high)
{
	if (range_is_real(file, low, high))
		vec_push(out, (struct range){low, high});
}

/* Read a range list of DWARF 2 to 4: pairs of addresses that are relative to a
 * base address. */
static void read_old_list(struct debugfile *file, const struct unit *unit,
			  uint64_t offset, uint64_t *budget,
			  struct range_list *out)
{
	struct cursor cursor =
		cursor_at(unit_section(unit, SECTION_RANGES), offset);
	uint64_t base = unit->low_pc;

	while (!cursor.failed && *budget) {
		uint64_t low = cursor_u64(&cursor);
		uint64_t high = cursor_u64(&cursor);

		--*budget;
		if (cursor.failed || (!low && !high))
			break;
		if (low == UINT64_MAX)
			base = high;
		else
			add(file, out, base + low, base + high);
	}
}

enum list_entry list_entry_read(const struct unit *unit, struct cursor *cursor,
				unsigned kind, struct list_bounds *out)
{
	bool known = true;

	switch (kind) {
	case DW_RLE_base_addressx:
		return unit_address(unit, cursor_uleb(cursor), &out->base)
			       ? LIST_BASE
			       : LIST_END;
	case DW_RLE_startx_endx:
		known = unit_address(unit, cursor_uleb(cursor), &out->low);
		known &= unit_address(unit, cursor_uleb(cursor), &out->high);
		break;
	case DW_RLE_startx_length:
		known = unit_address(unit, cursor_uleb(cursor), &out->low);
		out->high = out->low + cursor_uleb(cursor);
		break;
	case DW_RLE_offset_pair:
		out->low = out->base + cursor_uleb(cursor);
		out->high = out->base + cursor_uleb(cursor);
		break;
	case DW_RLE_base_address:
		out->base = cursor_u64(cursor);
		return LIST_BASE;
	case DW_RLE_start_end:
		out->low = cursor_u64(cursor);
		out->high = cursor_u64(cursor);
		break;
	case DW_RLE_start_length:
		out->low = cursor_u64(cursor);
		out->high = out->low + cursor_uleb(cursor);
		break;
	default:
		return LIST_END;
	}
	return known && !cursor->failed ? LIST_BOUNDS : LIST_NOWHERE;
}

/* Read a range list of DWARF 5. */
static void read_new_list(struct debugfile *file, const struct unit *unit,
			  uint64_t offset, uint64_t *budget,
			  struct range_list *out)
{
	struct cursor cursor =
		cursor_at(unit_section(unit, SECTION_RNGLISTS), offset);
	struct list_bounds bounds = {.base = unit->low_pc};
	enum list_entry entry = LIST_BASE;

	while (!cursor.failed && *budget && entry != LIST_END) {
		--*budget;
		entry = list_entry_read(unit, &cursor, cursor_u8(&cursor),
					&bounds);
		if (entry == LIST_BOUNDS)
			add(file, out, bounds.low, bounds.high);
	}
}

/* Get the offset, in .debug_rnglists, of range list number `index` in the
 * unit's offset table. False: there is no such list. */
static bool indexed_list(const struct unit *unit, uint64_t index,
			 uint64_t *offset)
{
	struct bytes lists = unit_section(unit, SECTION_RNGLISTS);
	struct cursor cursor;

	if (index > lists.size)
		return false;
	cursor = cursor_at(lists, unit->rnglists_base);
	cursor_skip(&cursor, index * unit->offset_size);
	*offset = unit->rnglists_base +
		  cursor_unsigned(&cursor, unit->offset_size);
	return !cursor.failed;
}

void attribute_ranges(struct debugfile *file, const struct unit *unit,
		      const struct attribute *ranges,
		      const struct attribute *low, const struct attribute *high,
		      uint64_t *budget, struct range_list *out)
{
	uint64_t offset;

	if (ranges->class == ATTRIBUTE_INDEX) {
		if (indexed_list(unit, ranges->number, &offset))
			read_new_list(file, unit, offset, budget, out);
	} else if (ranges->class == ATTRIBUTE_OFFSET ||
		   ranges->class == ATTRIBUTE_UNSIGNED) {
		if (unit->version >= 5)
			read_new_list(file, unit,
				      unit->parts.rnglists + ranges->number,
				      budget, out);
		else
			/* In a split unit the offset counts from the base that
			 * the skeleton gives (DW_AT_GNU_ranges_base). In the
			 * skeleton itself it does not. */
			read_old_list(file, unit,
				      (unit->skeleton ? unit->ranges_base : 0) +
					      ranges->number,
				      budget, out);
	}
	if (ranges->class != ATTRIBUTE_NONE || low->class != ATTRIBUTE_ADDRESS)
		return;
	if (high->class == ATTRIBUTE_ADDRESS)
		add(file, out, low->number, high->number);
	else if (high->class == ATTRIBUTE_UNSIGNED ||
		 high->class == ATTRIBUTE_SIGNED)
		add(file, out, low->number, low->number + high->number);
}

void die_read_ranges(struct debugfile *file, const struct die *die,
		     struct range_list *out)
{
	struct attribute ranges = {0}, low = {0}, high = {0};

	if (!die_attribute(file, die, DW_AT_ranges, &ranges) &&
	    (!die_attribute(file, die, DW_AT_low_pc, &low) ||
	     !die_attribute(file, die, DW_AT_high_pc, &high)))
		return;
	attribute_ranges(file, die->unit, &ranges, &low, &high,
			 &file->dwarf->range_budget, out);
}

void die_ranges(struct debugfile *file, const struct die *die,
		struct range_list *out)
{
	struct map *known = &file_dwarf(file)->ranges;
	struct range_list *list = map_get(known, die->offset);

	if (!list) {
		list = xcalloc(1, sizeof(*list));
		die_read_ranges(file, die, list);
		map_set(known, die->offset, list);
	}
	for (size_t i = 0; i < list->count; i++)
		vec_push(out, list->data[i]);
}

void ranges_destroy(struct dwarf *dwarf)
{
	struct range_list *list;
	size_t cursor = 0;

	while ((list = map_next(&dwarf->ranges, &cursor, NULL))) {
		vec_free(list);
		free(list);
	}
	map_deinit(&dwarf->ranges);
}

void unit_ranges(struct debugfile *file, const struct unit *unit,
		 struct range_list *out)
{
	if (unit->type != DW_UT_type)
		attribute_ranges(file, unit, &unit->range_list, &unit->low,
				 &unit->high, &file->dwarf->range_budget, out);
}

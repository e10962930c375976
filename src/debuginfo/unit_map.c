/*
 * unit_map.c - which unit an address belongs to
 *
 * By .debug_aranges; a unit that has no part of it (clang writes none) is asked
 * for its root DIE's ranges.
 */
#include <string.h>

#include "dwarf.h"
#include "perftool/base/alloc.h"
#include "split.h"

static size_t unit_index(const struct source *source, uint64_t offset)
{
	const struct unit *unit = source_unit(source, offset);

	return unit && unit->offset == offset ? (size_t)(unit - source->units)
					      : SIZE_MAX;
}

static void add(struct debugfile *file, size_t unit, uint64_t low,
		uint64_t high)
{
	struct unit_range range = {low, high, (uint32_t)unit};

	if (range_is_real(file, low, high))
		vec_push(&file->dwarf->map, range);
}

/* One set: the ranges of one unit. */
static void read_set(struct debugfile *file, struct cursor cursor,
		     unsigned offset_size, size_t header_size, bool *covered)
{
	size_t tuple = 16, index;
	unsigned version = cursor_u16(&cursor);
	uint64_t offset = cursor_unsigned(&cursor, offset_size);
	unsigned address_size = cursor_u8(&cursor);
	unsigned segment_size = cursor_u8(&cursor);

	header_size += 2 + offset_size + 2;
	index = unit_index(file->dwarf->main, offset);
	if (cursor.failed || version != 2 || address_size != 8 ||
	    segment_size || index == SIZE_MAX)
		return;
	cursor_skip(&cursor, (tuple - header_size % tuple) % tuple);
	while (cursor_left(&cursor) >= tuple) {
		uint64_t low = cursor_u64(&cursor);
		uint64_t size = cursor_u64(&cursor);

		if (!low && !size)
			break;
		covered[index] = true;
		add(file, index, low, low + size);
	}
}

static void read_aranges(struct debugfile *file, bool *covered)
{
	struct cursor cursor =
		cursor_at(file_section(file, SECTION_ARANGES), 0);

	while (!cursor.failed && cursor_left(&cursor)) {
		unsigned offset_size;
		const uint8_t *start = cursor.at;
		uint64_t length = cursor_unit_length(&cursor, &offset_size);
		size_t header_size = (size_t)(cursor.at - start);
		struct cursor set = cursor_take(&cursor, length);

		if (!cursor.failed)
			read_set(file, set, offset_size, header_size, covered);
	}
}

static int compare(const void *a_, const void *b_)
{
	const struct unit_range *a = a_, *b = b_;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static void make_map(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;
	struct source *source = dwarf->main;
	bool *covered = xcalloc(source->unit_count + 1, sizeof(*covered));
	struct range_list ranges = {0};

	dwarf->map_known = true;
	read_aranges(file, covered);
	for (size_t i = 0; i < source->unit_count; i++) {
		struct unit *unit = &source->units[i];

		if (covered[i] || unit->type == DW_UT_type ||
		    !unit_read_root(file, unit))
			continue;
		ranges.count = 0;
		unit_ranges(file, unit, &ranges);
		for (size_t j = 0; j < ranges.count; j++)
			add(file, i, ranges.data[j].low, ranges.data[j].high);
	}
	vec_free(&ranges);
	if (dwarf->map.count)
		qsort(dwarf->map.data, dwarf->map.count,
		      sizeof(*dwarf->map.data), compare);
	free(covered);
}

struct unit *unit_at(struct debugfile *file, uint64_t address)
{
	struct dwarf *dwarf = file_dwarf(file);
	size_t low = 0, high;

	if (!dwarf->map_known)
		make_map(file);
	high = dwarf->map.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (dwarf->map.data[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	/* ranges of honest units do not overlap; look a little further back
	 * for the sake of those that nest */
	for (size_t back = 0; low && back < 16; back++) {
		const struct unit_range *range = &dwarf->map.data[--low];
		struct unit *unit = &dwarf->main->units[range->unit];

		if (address < range->high)
			return unit_read_root(file, unit)
				       ? unit_whole(file, unit)
				       : NULL;
	}
	return NULL;
}

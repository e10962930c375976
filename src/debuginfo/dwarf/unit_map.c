/*
 * unit_map.c - finds the unit that has the code at an address
 *
 * The map is a sorted list of the address ranges of all units. .debug_aranges
 * has the ranges of some units, but not of those that clang has compiled. For
 * the other units, the root DIE has the ranges. To read all root DIEs takes
 * long if .debug_info must be inflated first. In this case the map at first has
 * only the ranges of .debug_aranges, and the reader reads the root DIEs only if
 * an address is not in this map.
 */
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "ranges.h"
#include "split_units.h"
#include "unit.h"

/* Add [low, high) to the map, as a range of the unit whose header is at
 * `unit`. */
static void add(struct debugfile *file, uint64_t unit, uint64_t low,
		uint64_t high)
{
	struct unit_range range = {low, high, unit};

	if (range_is_real(file, low, high))
		vec_push(&file->dwarf->map, range);
}

/* Read a set of .debug_aranges, which has the ranges of one unit. If the set is
 * that of unit i and has ranges, covered[i] becomes true. `covered` is NULL if
 * the list of units is not complete yet. */
static void read_set(struct debugfile *file, struct cursor cursor,
		     unsigned offset_size, size_t header_size, bool *covered)
{
	size_t tuple = 16, number = 0;
	unsigned version = cursor_u16(&cursor);
	uint64_t offset = cursor_unsigned(&cursor, offset_size);
	unsigned address_size = cursor_u8(&cursor);
	unsigned segment_size = cursor_u8(&cursor);

	header_size += 2 + offset_size + 2;
	if (covered)
		number = source_unit_number(file->dwarf->main, offset);
	if (cursor.failed || version != 2 || address_size != 8 ||
	    segment_size || number == SIZE_MAX)
		return;
	cursor_skip(&cursor, (tuple - header_size % tuple) % tuple);
	while (cursor_left(&cursor) >= tuple) {
		uint64_t low = cursor_u64(&cursor);
		uint64_t size = cursor_u64(&cursor);

		if (!low && !size)
			break;
		if (covered)
			covered[number] = true;
		add(file, offset, low, low + size);
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

/* Add the ranges of the units that .debug_aranges does not have (covered[i] is
 * false). */
static void read_others(struct debugfile *file, const bool *covered)
{
	const struct source *source = file->dwarf->main;
	struct range_list ranges = {0};

	for (size_t i = 0; i < source->units.count; i++) {
		struct unit *unit = source->units.data[i];

		if (covered[i] || unit->type == DW_UT_type ||
		    !unit_read_root(file, unit))
			continue;
		ranges.count = 0;
		unit_ranges(file, unit, &ranges);
		for (size_t j = 0; j < ranges.count; j++)
			add(file, unit->offset, ranges.data[j].low,
			    ranges.data[j].high);
	}
	vec_free(&ranges);
}

static int compare(const void *a_, const void *b_)
{
	const struct unit_range *a = a_, *b = b_;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return a->high < b->high ? -1 : a->high > b->high;
}

static void sort_map(struct dwarf *dwarf)
{
	if (dwarf->map.count)
		qsort(dwarf->map.data, dwarf->map.count,
		      sizeof(*dwarf->map.data), compare);
}

/* Make the map of all units. */
static void make_whole_map(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;
	bool *covered;

	source_complete(dwarf->main);
	dwarf->map_known = dwarf->map_whole = true;
	dwarf->map.count = 0;
	covered = xcalloc(dwarf->main->units.count + 1, sizeof(*covered));
	read_aranges(file, covered);
	read_others(file, covered);
	free(covered);
	sort_map(dwarf);
}

/* Make the map of all units, or, if the list of units is not complete yet, the
 * map of the units that .debug_aranges has. */
static void make_map(struct debugfile *file)
{
	struct dwarf *dwarf = file->dwarf;

	if (dwarf->main->complete) {
		make_whole_map(file);
		return;
	}
	dwarf->map_known = true;
	read_aranges(file, NULL);
	sort_map(dwarf);
}

/* The unit of the range, or its split unit if it is a skeleton. NULL: the unit
 * of the range cannot be read. */
static struct unit *range_unit(struct debugfile *file,
			       const struct unit_range *range)
{
	struct unit *unit = unit_with_header(file, range->unit);

	return unit && unit->offset == range->unit && unit_read_root(file, unit)
		       ? unit_whole(file, unit)
		       : NULL;
}

static struct unit *look_up(struct debugfile *file, uint64_t address)
{
	const struct dwarf *dwarf = file->dwarf;
	size_t low;

	SEARCH_FIRST(low, dwarf->map.count, dwarf->map.data[low].low > address);
	/* The ranges of correct units do not overlap. If a range of a broken
	 * unit contains other ranges, look a few ranges further back for the
	 * outer range. */
	for (size_t back = 0; low && back < 16; back++) {
		const struct unit_range *range = &dwarf->map.data[--low];

		if (address < range->high)
			return range_unit(file, range);
	}
	return NULL;
}

struct unit *unit_at(struct debugfile *file, uint64_t address)
{
	struct dwarf *dwarf = file_dwarf(file);
	struct unit *unit;

	if (!dwarf->map_known)
		make_map(file);
	unit = look_up(file, address);
	if (!unit && !dwarf->map_whole) {
		make_whole_map(file);
		unit = look_up(file, address);
	}
	return unit;
}

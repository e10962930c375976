/*
 * split_package.c - reads the index of a package of split units (.dwp)
 *
 * In a package, each section has the bytes of many units one behind the other;
 * the part of a section is the bytes of one unit. The index is a hash table
 * from the numbers (dwo_id) or signatures of units to rows. The row of a unit
 * has a column for each section, which says where the unit's part of this
 * section begins, and how long the part is (DWARF 5, 7.3.5.3). GNU tools wrote
 * version 2 before there was DWARF 5; it differs from version 5 only in the
 * numbers of the sections.
 */
#include "split_units.h"
#include "unit.h"

#define MAX_COLUMNS 16

/* The sections of a package of which a unit may have a part. */
enum part {
	PART_INFO,
	PART_TYPES,
	PART_ABBREV,
	PART_LINE,
	PART_LISTS,
	PART_STR_OFFSETS,
	PART_RNGLISTS,
	PART_COUNT
};

/* The index as it was found in its section. parts[i] is the section (enum part)
 * that column i describes. */
struct table {
	struct cursor hashes, rows, offsets, sizes;
	uint32_t columns, units, slots;
	uint8_t parts[MAX_COLUMNS];
};

/* The section that the index calls by the number `id`. PART_COUNT: the reader
 * does not need this section. */
static enum part part_of(uint32_t version, uint32_t id)
{
	switch (id) {
	case 1:
		return PART_INFO;
	case 2:
		return version == 2 ? PART_TYPES : PART_COUNT;
	case 3:
		return PART_ABBREV;
	case 4:
		return PART_LINE;
	case 5:
		return PART_LISTS; /* .debug_loc, .debug_loclists */
	case 6:
		return PART_STR_OFFSETS;
	case 8:
		return version == 5 ? PART_RNGLISTS : PART_COUNT;
	default: /* macros */
		return PART_COUNT;
	}
}

static bool read_table(struct bytes bytes, struct table *out)
{
	struct cursor cursor = cursor_at(bytes, 0), ids;
	uint32_t version = cursor_u32(&cursor);
	uint64_t cells;

	out->columns = cursor_u32(&cursor);
	out->units = cursor_u32(&cursor);
	out->slots = cursor_u32(&cursor);
	/* In version 5, the version has two bytes, and two bytes of padding
	 * follow it. */
	version = version == 2 ? 2 : version & UINT16_MAX;
	if (cursor.failed || (version != 2 && version != 5) ||
	    out->columns > MAX_COLUMNS)
		return false;
	cells = 4ULL * out->columns * out->units;
	out->hashes = cursor_take(&cursor, 8ULL * out->slots);
	out->rows = cursor_take(&cursor, 4ULL * out->slots);
	ids = cursor_take(&cursor, 4ULL * out->columns);
	out->offsets = cursor_take(&cursor, cells);
	out->sizes = cursor_take(&cursor, cells);
	for (uint32_t i = 0; i < out->columns; i++)
		out->parts[i] = (uint8_t)part_of(version, cursor_u32(&ids));
	return !cursor.failed;
}

/* Read row `row` (from 0) of the table. `offsets` gets, for each enum part, the
 * offset in its section at which the unit's part begins. The result is the
 * length in bytes of the part `info`, which is PART_INFO or PART_TYPES. */
static uint64_t read_row(const struct table *table, uint32_t row,
			 uint32_t *offsets, enum part info)
{
	struct cursor offset = table->offsets, size = table->sizes;
	uint64_t length = 0;

	cursor_skip(&offset, 4ULL * row * table->columns);
	cursor_skip(&size, 4ULL * row * table->columns);
	for (uint32_t i = 0; i < table->columns; i++) {
		uint32_t start = cursor_u32(&offset);
		uint32_t part_length = cursor_u32(&size);

		if (table->parts[i] == PART_COUNT)
			continue;
		offsets[table->parts[i]] = start;
		if (table->parts[i] == (uint8_t)info)
			length = part_length;
	}
	return length;
}

/* Store the offsets of a row in the units that the row describes: those whose
 * headers are in the `length` bytes from `start` on. Enter the units in the
 * package's map from numbers (dwo_id) to units, if they are not type units. */
static void place_units(struct source *package, uint64_t number, uint64_t start,
			uint64_t length, const uint32_t *offsets, bool types)
{
	size_t i = source_unit_number(package, start);

	if (i == SIZE_MAX)
		return;
	if (!types && !map_get(&package->split_units, number))
		map_set(&package->split_units, number, package->units.data[i]);
	for (; i < package->units.count; i++) {
		struct unit *unit = package->units.data[i];

		/* A correct file has each unit in one row only. The check of
		 * `in_row` limits the work if a broken file has a unit in
		 * several rows. */
		if (unit->offset - start >= length || unit->in_row)
			break;
		unit->in_row = true;
		unit->abbrev_offset += offsets[PART_ABBREV];
		unit->parts.line = offsets[PART_LINE];
		unit->parts.lists = offsets[PART_LISTS];
		unit->parts.str_offsets = offsets[PART_STR_OFFSETS];
		unit->parts.rnglists = offsets[PART_RNGLISTS];
		/* One row may describe several units, if they were linked into
		 * one file before. Each of them has its own number. */
		if (unit->dwo_id &&
		    !map_get(&package->split_units, unit->dwo_id))
			map_set(&package->split_units, unit->dwo_id, unit);
	}
}

static void read_index(struct source *package, enum section_id id)
{
	bool types = id == SECTION_TU_INDEX;
	struct table table;

	if (!read_table(source_section(package, id), &table))
		return;
	for (uint32_t i = 0; i < table.slots; i++) {
		uint64_t number = cursor_u64(&table.hashes);
		uint32_t row = cursor_u32(&table.rows);
		uint64_t start = package->base, length;
		uint32_t offsets[PART_COUNT] = {0};
		enum part info = PART_INFO;

		if (!row || row > table.units)
			continue;
		for (uint32_t j = 0; j < table.columns; j++)
			if (types && table.parts[j] == PART_TYPES)
				info = PART_TYPES;
		length = read_row(&table, row - 1, offsets, info);
		if (info == PART_TYPES)
			start += package->info_size;
		place_units(package, number, start + offsets[info], length,
			    offsets, types);
	}
}

void split_read_package(struct source *package)
{
	read_index(package, SECTION_CU_INDEX);
	read_index(package, SECTION_TU_INDEX);
}

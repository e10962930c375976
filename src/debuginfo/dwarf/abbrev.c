/* abbrev.c - reads abbreviation tables; see abbrev.h */
#include "abbrev.h"

#include "perftool/base/alloc.h"
#include "perftool/base/search.h"
#include "unit.h"

/* The most attributes that an abbreviation may have. No compiler writes so
 * many. Some forms have values without bytes, so without this limit a small
 * file could have DIEs with millions of attributes and keep the reader busy. */
#define MAX_SPECS 512

/* The size in bytes, plus 1, of each form whose values all have the same size.
 * OFFSET: the values have the size of a section offset of the unit. 0: the size
 * depends on the value. A table is faster than a switch, which matters because
 * form_size() is called millions of times. */
#define OFFSET UINT8_MAX
static const uint8_t form_sizes[] = {
	[DW_FORM_flag_present] = 1,
	[DW_FORM_implicit_const] = 1,
	[DW_FORM_data1] = 2,
	[DW_FORM_ref1] = 2,
	[DW_FORM_flag] = 2,
	[DW_FORM_strx1] = 2,
	[DW_FORM_addrx1] = 2,
	[DW_FORM_data2] = 3,
	[DW_FORM_ref2] = 3,
	[DW_FORM_strx2] = 3,
	[DW_FORM_addrx2] = 3,
	[DW_FORM_data4] = 5,
	[DW_FORM_ref4] = 5,
	[DW_FORM_strx4] = 5,
	[DW_FORM_addrx4] = 5,
	[DW_FORM_ref_sup4] = 5,
	[DW_FORM_addr] = 9,
	[DW_FORM_data8] = 9,
	[DW_FORM_ref8] = 9,
	[DW_FORM_ref_sig8] = 9,
	[DW_FORM_ref_sup8] = 9,
	[DW_FORM_data16] = 17,
	[DW_FORM_strp] = OFFSET,
	[DW_FORM_line_strp] = OFFSET,
	[DW_FORM_sec_offset] = OFFSET,
	[DW_FORM_strp_sup] = OFFSET,
};

int form_size(unsigned form, unsigned offset_size)
{
	unsigned size = form < sizeof(form_sizes) ? form_sizes[form] : 0;

	if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt ||
	    size == OFFSET)
		return (int)offset_size;
	return (int)size - 1;
}

/* Read an abbreviation and add it to the table. False: the table ends here, or
 * the bytes make no sense. */
static bool read_abbrev(struct cursor *cursor, struct abbrev_table *table)
{
	struct abbrev abbrev = {.code = cursor_uleb(cursor)};
	uint64_t tag;
	int size;

	if (cursor->failed || !abbrev.code)
		return false;
	tag = cursor_uleb(cursor);
	abbrev.has_children = cursor_u8(cursor);
	if (tag > UINT16_MAX || table->specs.count > UINT32_MAX / 2)
		return false;
	abbrev.tag = (uint16_t)tag;
	abbrev.first_spec = (uint32_t)table->specs.count;
	for (;;) {
		uint64_t name = cursor_uleb(cursor);
		uint64_t form = cursor_uleb(cursor);
		struct attribute_spec spec = {.implicit = 0};

		if (form == DW_FORM_implicit_const)
			spec.implicit = cursor_sleb(cursor);
		if (cursor->failed || name > UINT16_MAX || form > UINT16_MAX)
			return false;
		if (!name && !form)
			break;
		if (table->specs.count - abbrev.first_spec >= MAX_SPECS)
			return false;
		spec.name = (uint16_t)name;
		spec.form = (uint16_t)form;
		vec_push(&table->specs, spec);
		size = form_size(spec.form, 4);
		if (size < 0 || abbrev.fixed_size < 0)
			abbrev.fixed_size = -1;
		else
			abbrev.fixed_size += size;
	}
	abbrev.spec_count = (uint32_t)table->specs.count - abbrev.first_spec;
	vec_push(&table->abbrevs, abbrev);
	return true;
}

static int compare(const void *a_, const void *b_)
{
	const struct abbrev *a = a_, *b = b_;

	return a->code < b->code ? -1 : a->code > b->code;
}

struct abbrev_table *abbrev_table_read(struct bytes section, uint64_t offset,
				       uint64_t budget, uint64_t *read)
{
	struct cursor cursor = cursor_at(section, offset);
	struct abbrev_table *table;
	bool sorted = true, dense = true;

	if (cursor.failed)
		return NULL;
	/* Tables in a correct file do not overlap, so the budget for all of
	 * them, a multiple of the section's size, is not used up. */
	if (cursor_left(&cursor) > budget)
		cursor.end = cursor.at + budget;
	table = xcalloc(1, sizeof(*table));
	while (read_abbrev(&cursor, table))
		;
	*read = (uint64_t)(cursor.at - section.data) - offset + 1;
	for (size_t i = 0; i < table->abbrevs.count; i++) {
		const struct abbrev *abbrev = &table->abbrevs.data[i];

		dense &= abbrev->code == i + 1;
		sorted &= !i || abbrev[-1].code < abbrev->code;
	}
	table->dense = dense;
	if (!sorted)
		qsort(table->abbrevs.data, table->abbrevs.count,
		      sizeof(struct abbrev), compare);
	return table;
}

const struct abbrev_table *abbrev_table_of(struct debugfile *file,
					   const struct unit *unit)
{
	struct dwarf *dwarf = file_dwarf(file);
	struct map *tables = &unit->source->abbrev_tables;
	uint64_t offset = unit->abbrev_offset;
	struct abbrev_table *table = map_get(tables, offset);
	uint64_t read;

	if (table)
		return table;
	table = abbrev_table_read(unit_section(unit, SECTION_ABBREV), offset,
				  dwarf->abbrev_budget, &read);
	if (!table)
		return NULL;
	dwarf->abbrev_budget -=
		read < dwarf->abbrev_budget ? read : dwarf->abbrev_budget;
	map_set(tables, offset, table);
	return table;
}

void abbrev_table_destroy(struct abbrev_table *table)
{
	vec_free(&table->abbrevs);
	vec_free(&table->specs);
	free(table);
}

const struct abbrev *abbrev_find_sparse(const struct abbrev_table *table,
					uint64_t code)
{
	size_t low;

	SEARCH_FIRST(low, table->abbrevs.count,
		     table->abbrevs.data[low].code >= code);
	if (low < table->abbrevs.count && table->abbrevs.data[low].code == code)
		return &table->abbrevs.data[low];
	return NULL;
}

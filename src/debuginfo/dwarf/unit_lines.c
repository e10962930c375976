/*
 * unit_lines.c - finds the line table of a unit; see unit_lines.h
 *
 * The reader reads each line table once. All units that refer to the table
 * share it.
 */
#include "unit_lines.h"

/* Subtract `bytes` from the budget for line tables. False: the budget is spent,
 * which happens only if the line tables of a broken file overlap. */
static bool spend(struct debugfile *file, uint64_t bytes)
{
	struct dwarf *dwarf = file->dwarf;

	if (bytes > dwarf->line_budget)
		return false;
	dwarf->line_budget -= bytes;
	return true;
}

struct line_table *line_header(struct source *source, uint64_t offset)
{
	struct bytes section = source_section(source, SECTION_LINE);
	struct map *tables = &source->line_tables;
	struct line_strings strings;
	struct line_table *table;

	if (offset >= section.size)
		return NULL;
	table = map_get(tables, offset);
	if (!table) {
		strings.line_str = source_section(source, SECTION_LINE_STR);
		strings.str = source_section(source, SECTION_STR);
		table = line_table_create(section, offset, &strings);
		if (table->good && !spend(source->file, table->header_size))
			table->good = false;
		map_set(tables, offset, table);
	}
	return table;
}

struct line_table *unit_line_header(struct debugfile *file, struct unit *unit)
{
	struct line_table *table;

	/* The line table has addresses, which the linker must fill in. The
	 * table of a split unit is therefore in the linked file, and its
	 * skeleton refers to it. */
	if (unit->skeleton)
		unit = unit->skeleton;
	if (!unit_read_root(file, unit) || unit->line_offset == NO_OFFSET)
		return NULL;
	table = line_header(unit->source, unit->line_offset);
	return table && table->good ? table : NULL;
}

bool line_rows(struct debugfile *file, struct line_table *table)
{
	if (!table->rows_known) {
		if (!spend(file, cursor_left(&table->program)))
			return false;
		line_table_run(table);
	}
	return true;
}

struct line_table *unit_lines(struct debugfile *file, struct unit *unit)
{
	struct line_table *table = unit_line_header(file, unit);

	return table && line_rows(file, table) ? table : NULL;
}

const struct line_row *line_row_at(const struct line_table *table,
				   uint64_t address)
{
	size_t i = line_table_upper_bound(table, address);
	const struct line_row *row, *best;

	if (!i)
		return NULL;
	row = &table->rows.data[i - 1];
	if (row->end || !row->line)
		return NULL;
	/* If several rows have the address of the row, prefer a row that begins
	 * a statement, because its line is more useful to the user. */
	for (best = row; best > table->rows.data && !best->is_stmt &&
			 best[-1].address == row->address && !best[-1].end;
	     best--)
		;
	return best->is_stmt && best->line ? best : row;
}

bool die_call_site(struct debugfile *file, const struct die *call,
		   const char **path, uint32_t *line)
{
	struct line_table *table = unit_lines(file, call->unit);
	uint64_t index, number;

	if (!die_constant(file, call, DW_AT_call_file, &index))
		return false;
	die_constant(file, call, DW_AT_call_line, &number);
	if (!table || index > UINT32_MAX || number > UINT32_MAX)
		return false;
	*path = line_table_path(table, (uint32_t)index, call->unit->directory);
	*line = (uint32_t)number;
	return *path != NULL;
}

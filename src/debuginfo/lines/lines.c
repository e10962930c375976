/*
 * lines.c - see lines.h; the source line of an address
 */
#include "lines.h"
#include "perftool/debuginfo/code_lines.h"

#include "function_source.h"

/* Give the path and line of a row of the unit's line table. False: the table
 * does not have the file with the number in the row. */
static bool row_source(struct unit *unit, struct line_table *table,
		       const struct line_row *row, const char **path,
		       uint32_t *line)
{
	const char *name = line_table_path(table, row->file, unit->directory);

	if (!name)
		return false;
	*path = name;
	*line = row->line;
	return true;
}

bool line_at(struct debugfile *file, uint64_t address, const char **path,
	     uint32_t *line)
{
	struct unit *unit = unit_at(file, address);
	struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	const struct line_row *row = table ? line_row_at(table, address) : NULL;

	return row && row_source(unit, table, row, path, line);
}

bool debugfile_source_at(struct debugfile *file, uint64_t address,
			 const char **path, uint32_t *line)
{
	struct unit *unit = unit_at(file, address);
	struct line_table *table = unit ? unit_lines(file, unit) : NULL;
	const struct line_row *row = table ? line_row_at(table, address) : NULL;

	return row &&
	       row_source(unit, table, written_row(file, unit, table, row),
			  path, line);
}

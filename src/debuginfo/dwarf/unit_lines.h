/*
 * unit_lines.h - the line table of a unit
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_LINES_H
#define PERFTOOL_DEBUGINFO_UNIT_LINES_H

#include "die.h"
#include "line_table.h"
#include "unit_source.h"

/* The line table of the unit; its rows may not have been made. The source owns
 * the table. NULL: the unit has no line table, or its header cannot be read. */
struct line_table *unit_line_header(struct debugfile *file, struct unit *unit);

/* The line table at `offset` of .debug_line; its rows may not have been made.
 * It is not `good` if its header cannot be read, or if the budget for line
 * tables is spent. NULL: the offset is beyond the section. */
struct line_table *line_header(struct source *source, uint64_t offset);

/* The line table of the unit with its rows. NULL: the unit has no line table,
 * or the table cannot be read. */
struct line_table *unit_lines(struct debugfile *file, struct unit *unit);

/* Make sure that a `good` table has its rows. False: the budget for line tables
 * is spent. */
bool line_rows(struct debugfile *file, struct line_table *table);

/* Find the source line of the call that was inlined as this DIE. The line table
 * owns the path. False: the DIE or the line table does not tell. */
bool die_call_site(struct debugfile *file, const struct die *call,
		   const char **path, uint32_t *line);

/* The row that the code at `address` belongs to. NULL: the code has no line. */
const struct line_row *line_row_at(const struct line_table *table,
				   uint64_t address);

#endif

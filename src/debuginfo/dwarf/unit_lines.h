/*
 * unit_lines.h - finds the line table of a unit
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_LINES_H
#define PERFTOOL_DEBUGINFO_UNIT_LINES_H

#include "die.h"
#include "line_table.h"
#include "unit_source.h"

/* The line table of the unit, perhaps without its rows (see line_rows()). The
 * source owns the table. NULL: the unit has no line table, or the table's
 * header cannot be read. */
struct line_table *unit_line_header(struct debugfile *file, struct unit *unit);

/* The line table at `offset` of .debug_line, perhaps without its rows. `good`
 * is false in the table if its header cannot be read, or if the budget for line
 * tables is spent. NULL: the offset is beyond the end of the section. */
struct line_table *line_header(struct source *source, uint64_t offset);

/* The line table of the unit with its rows. The source owns the table. NULL:
 * the unit has no line table, or the table cannot be read. */
struct line_table *unit_lines(struct debugfile *file, struct unit *unit);

/* Make the rows of a `good` table, unless they have been made before. False:
 * the budget for line tables is spent. */
bool line_rows(struct debugfile *file, struct line_table *table);

/* Find the source line of a call that the compiler has inlined; `call` is the
 * DIE of the inlined call. The line table owns the path. False: the unit has no
 * line table, or the table does not have the file of the call. */
bool die_call_site(struct debugfile *file, const struct die *call,
		   const char **path, uint32_t *line);

/* The row of the line table that describes the code at `address`. NULL: no
 * source line belongs to this code. */
const struct line_row *line_row_at(const struct line_table *table,
				   uint64_t address);

#endif

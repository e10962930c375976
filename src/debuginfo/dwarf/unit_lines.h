/*
 * unit_lines.h - the line table of a unit
 */
#ifndef PERFTOOL_DEBUGINFO_UNIT_LINES_H
#define PERFTOOL_DEBUGINFO_UNIT_LINES_H

#include "die.h"
#include "line_table.h"
#include "unit_source.h"

/* Its header; NULL: the unit has none that can be read. */
struct line_table *unit_line_header(struct debugfile *file, struct unit *unit);

/* The same, of the table at `offset`; NULL: that is beyond the section. */
struct line_table *line_header(struct source *source, uint64_t offset);

/* With its rows. */
struct line_table *unit_lines(struct debugfile *file, struct unit *unit);

/* Have the rows of a table that is good; false: too much was asked for. */
bool line_rows(struct debugfile *file, struct line_table *table);

/* Where the call that was inlined as this DIE is written; false: not known. */
bool die_call_site(struct debugfile *file, const struct die *call,
		   const char **path, uint32_t *line);

/* The row that `address` belongs to; NULL: it has no line. */
const struct line_row *line_row_at(const struct line_table *table,
				   uint64_t address);

#endif

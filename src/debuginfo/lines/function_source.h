/*
 * function_source.h - the source file that a function is written in
 */
#ifndef PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H
#define PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H

#include "debuginfo/dwarf/dwarf.h"

/* Where the function of a DIE is declared: of a copy, where the original is, of
 * a method that is defined elsewhere, there. False: not known. */
bool die_written(struct debugfile *file, const struct die *die,
		 const char **path, uint32_t *line);

/*
 * Of all rows that a table has for the address of `row`, the one that is of the
 * file which the code there is written in. Where a call was inlined and nothing
 * is left of it, rows of it are among those of what follows.
 */
const struct line_row *written_row(struct debugfile *file, struct unit *unit,
				   struct line_table *table,
				   const struct line_row *row);

#endif

/*
 * function_source.h - the source file that a function is written in
 */
#ifndef PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H
#define PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H

#include "debuginfo/dwarf/dwarf.h"

/*
 * Choose among the rows that the line table has for the address of `row`. The
 * result is the row of the source file in which the code at this address is
 * written. The choice is needed because the rows of an inlined call of which no
 * code is left have the address of the code that follows.
 */
const struct line_row *written_row(struct debugfile *file, struct unit *unit,
				   struct line_table *table,
				   const struct line_row *row);

#endif

/*
 * function_source.h - the source file that a function is written in
 */
#ifndef PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H
#define PERFTOOL_DEBUGINFO_FUNCTION_SOURCE_H

#include "debuginfo/dwarf/dwarf.h"

/* Find where the function of `die` is declared. For a copy this is where the
 * original is declared. For a method that is defined outside its class this is
 * where the method is defined. False: not known. */
bool die_written(struct debugfile *file, const struct die *die,
		 const char **path, uint32_t *line);

/*
 * The table may have several rows for the address of `row`. Return the row of
 * the file in which the code at this address is written. If a call was inlined
 * and no code of it is left, its rows are among those of the code that
 * follows.
 */
const struct line_row *written_row(struct debugfile *file, struct unit *unit,
				   struct line_table *table,
				   const struct line_row *row);

#endif

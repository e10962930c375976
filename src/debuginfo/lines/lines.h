/*
 * lines.h - addresses and the lines of source files
 *
 * This folder finds the line of an address, and the addresses where a
 * breakpoint on a line belongs. It finds the end of a function's prologue and
 * the file that a function is written in. dwarf/ reads the rows of line tables,
 * and this folder interprets them: which of several rows counts if they have
 * the same address, how a path that the user has written is compared with a
 * path of a table, and where the debugger stops. The rules are those of gdb.
 *
 * It implements the functions for lines of perftool/debuginfo.h, which frames/
 * and variables/ use, too. It uses symbols/, scopes/, dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_LINES_H
#define PERFTOOL_DEBUGINFO_LINES_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the source file and line of an address by the line table alone. If the
 * table has rows of several source files for the address, debugfile_source_at()
 * chooses among them by the function that is there. This function does not. */
bool line_at(struct debugfile *file, uint64_t address, const char **path,
	     uint32_t *line);

/*
 * Find the source file and line where the function of `die` is declared. For a
 * copy or an inlined call this is where the original is declared. For a method
 * that is defined outside its class this is where the method is defined. False:
 * not known.
 */
bool die_written(struct debugfile *file, const struct die *die,
		 const char **path, uint32_t *line);

#endif

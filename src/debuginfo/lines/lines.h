/*
 * lines.h - addresses and the lines of source files
 *
 * This folder finds the line of an address, and the addresses where a
 * breakpoint on a line belongs. It finds the end of a function's prologue and
 * the file that a function is written in. dwarf/ reads the rows of line
 * tables, and this folder interprets them: which of several rows of an address
 * counts, how a path that the user has written is compared with a path of a
 * table, and where the debugger stops. The rules are those of gdb.
 *
 * It implements the functions for lines of perftool/debuginfo.h, which frames/
 * and variables/ use, too. It uses symbols/, scopes/, dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_LINES_H
#define PERFTOOL_DEBUGINFO_LINES_H

#include "debuginfo/dwarf/dwarf.h"

/* Find the line of an address as the table has it. Unlike
 * debugfile_source_at(), this function does not choose between rows of several
 * files by the functions of the unit. */
bool line_at(struct debugfile *file, uint64_t address, const char **path,
	     uint32_t *line);

#endif

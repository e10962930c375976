/*
 * lines.h - addresses and the lines of source files
 *
 * This folder goes from an address to its line and from a line to the addresses
 * where a breakpoint on it belongs; it finds the end of a function's prologue
 * and the file that a function is written in. The rows of line tables are read
 * by dwarf/. Here it is decided what they mean: which of several rows of an
 * address counts, how a path that a person has written matches that of a table,
 * and where the debugger stops. The rules are gdb's.
 *
 * It implements the functions for lines of perftool/debuginfo.h, which frames
 * and variables use too. It uses symbols/, scopes/, dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_LINES_H
#define PERFTOOL_DEBUGINFO_LINES_H

#include "debuginfo/dwarf/dwarf.h"

/* The line of an address as the table has it: debugfile_source_at() without a
 * look at the functions of the unit. */
bool line_at(struct debugfile *file, uint64_t address, const char **path,
	     uint32_t *line);

#endif

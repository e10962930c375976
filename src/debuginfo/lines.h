/*
 * lines.h - the line table of a unit
 */
#ifndef PERFTOOL_DEBUGINFO_LINES_H
#define PERFTOOL_DEBUGINFO_LINES_H

#include "dwarf.h"
#include "unit_lines.h"

/* The line of an address as the table has it: debugfile_source_at() without a
 * look at the functions of the unit. */
bool line_at(struct debugfile *file, uint64_t address, const char **path,
	     uint32_t *line);

#endif

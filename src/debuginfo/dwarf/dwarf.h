/*
 * dwarf.h - reads the sections of DWARF
 *
 * This folder turns the bytes of the sections .debug_* (and .eh_frame) into
 * units, DIEs, the values of attributes, ranges of addresses, rows of line
 * tables and rows of call frame information. It reads versions 2 to 5, as gcc
 * and clang write them. It finds the files that have the units: the program's
 * own file or its separate debug file, the file that dwz lets several programs
 * share, and the files of split units. The folder trusts none of these files.
 * It checks that each offset is inside of its section. Budgets limit how many
 * bytes a broken file can make the folder read, for example by tables that
 * overlap.
 *
 * The folder reports what the sections contain and does not interpret it. The
 * folder scopes/ finds out which code is in which function, types/ knows what
 * the DIE of a type means, and locations/ evaluates expressions.
 *
 * The folder uses elf/ only. All folders above it use it: they ask for a unit
 * by an address or by a DIE (unit.h), read DIEs and attributes (die.h,
 * ranges.h), and ask for the tables of a unit (unit_lines.h, frame_table.h).
 * Only the folder index/ also uses abbreviations and compressed units, since it
 * steps over DIEs with code of its own.
 */
#ifndef PERFTOOL_DEBUGINFO_DWARF_H
#define PERFTOOL_DEBUGINFO_DWARF_H

#include "abbrev.h"
#include "attribute.h"
#include "compressed_units.h"
#include "die.h"
#include "frame_table.h"
#include "line_table.h"
#include "ranges.h"
#include "split_units.h"
#include "unit.h"
#include "unit_lines.h"
#include "unit_source.h"

#endif

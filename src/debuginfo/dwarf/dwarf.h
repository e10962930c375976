/*
 * dwarf.h - what the sections of DWARF say
 *
 * This folder turns the bytes of the sections .debug_* (and .eh_frame) into
 * units, DIEs, the values of attributes, ranges of addresses, rows of line
 * tables and rows of call frame information. It reads versions 2 to 5, as gcc
 * and clang write them. It finds the files that units are in: the program's own
 * or its separate one, the file that dwz lets several programs share, and the
 * files of split units. Nothing is believed: offsets are checked against their
 * sections, and budgets bound what a broken file can make it read.
 *
 * It says what is written there, and does not interpret it. What code is in
 * which function is the matter of scopes/, what a DIE of a type means that of
 * types/, and expressions are evaluated by locations/.
 *
 * It uses elf/ only. All folders above it use it: they ask for a unit by an
 * address or by a DIE (unit.h), read DIEs and attributes (die.h, ranges.h), and
 * ask for the tables of a unit (unit_lines.h, frame_table.h). The index alone
 * also uses abbreviations and compressed units, since it steps over DIEs by
 * itself.
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

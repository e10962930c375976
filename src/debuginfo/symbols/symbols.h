/*
 * symbols.h - functions and data by their names, and the names of addresses
 *
 * This folder knows what is called how. It reads the symbol tables, demangles
 * names of C++ and Rust, and takes them apart, so that a name that a person has
 * written, or a glob, finds the functions that are meant, whatever the
 * spelling. Where the tables are silent it asks the debug information. It
 * implements the search for functions of perftool/debuginfo.h, and knows which
 * code belongs to a function: cold parts, and copies that the compiler made.
 *
 *  - symbol_table.h: functions and data by the symbol tables
 *  - function_names.h: functions by the names that people use, and demangling
 *  - patterns.h, signature.h: what was asked for, and whether a name matches
 *  - die_signature.h: whether the function of a DIE matches, which has no
 *    symbol
 *  - overloads.h: names that are written by typedefs and aliases, which the
 *    linker does not know
 *  - plt.h: the entries of the procedure linkage table
 *
 * It uses types/, scopes/, dwarf/ and elf/. Its users are lines, frames and
 * variables.
 */
#ifndef PERFTOOL_DEBUGINFO_SYMBOLS_H
#define PERFTOOL_DEBUGINFO_SYMBOLS_H

#include "die_signature.h"
#include "function_names.h"
#include "overloads.h"
#include "patterns.h"
#include "plt.h"
#include "signature.h"
#include "symbol_table.h"

#endif

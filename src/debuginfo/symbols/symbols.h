/*
 * symbols.h - functions and data by their names, and the names of addresses
 *
 * This folder relates names and addresses. It reads the symbol tables,
 * demangles names of C++ and Rust, and splits them into their parts. A name or
 * glob that the user has written, in whatever spelling, then finds the
 * functions that it means. Where the symbol tables have no name, the folder
 * uses the debug information. It implements the search for functions of
 * perftool/debuginfo.h, and determines which code belongs to a function,
 * including cold parts and copies that the compiler made.
 *
 * - symbol_table.h: functions and data of the symbol tables
 * - function_names.h: functions by the names that people use, and demangling
 * - patterns.h, signature.h: the user's pattern, and whether a name matches it
 * - die_signature.h: whether the function of a DIE that has no symbol matches
 * - overloads.h: names that are written with typedefs and aliases, which the
 *   linker does not know
 * - plt.h: the entries of the procedure linkage table
 *
 * It uses types/, scopes/, dwarf/ and elf/. The folders lines/, frames/ and
 * variables/ use it.
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

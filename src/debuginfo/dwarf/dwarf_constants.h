/*
 * dwarf_constants.h - the numbers of DWARF by name: DW_TAG_..., DW_AT_... etc.
 *
 * They are those of libdwarf's dwarf.h, which also has what GNU and LLVM have
 * added. Newer versions of libdwarf install it in a directory that has the
 * version in its name. The plain <dwarf.h> is not used: it may be the one of
 * elfutils, which knows fewer names.
 */
#ifndef PERFTOOL_DEBUGINFO_DWARF_CONSTANTS_H
#define PERFTOOL_DEBUGINFO_DWARF_CONSTANTS_H

#if __has_include(<libdwarf/dwarf.h>)
#include <libdwarf/dwarf.h>
#elif __has_include(<libdwarf-2/dwarf.h>)
#include <libdwarf-2/dwarf.h>
#else
#include <libdwarf-0/dwarf.h>
#endif

#endif

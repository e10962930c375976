/*
 * dwarf_constants.h - names for the numbers of DWARF: DW_TAG_..., DW_AT_...
 * etc.
 *
 * The names come from libdwarf's dwarf.h, which also has the names that GNU and
 * LLVM have added. Newer versions of libdwarf install dwarf.h in a directory
 * with the version in its name. This file does not include plain <dwarf.h>,
 * because that may be the header of elfutils, which has fewer names.
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

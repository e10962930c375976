/*
 * libdwarf_api.h - what differs between the versions of libdwarf
 *
 * Debian 12 has version 20210528. Versions 0.x and 2.x, which are later, have
 * other signatures and names of some functions, and may be installed in a
 * directory that has the version in its name. The tests use the later names.
 */
#ifndef LIBDWARF_API_H
#define LIBDWARF_API_H

#include "debuginfo/dwarf/dwarf_constants.h"

#if __has_include(<libdwarf/libdwarf.h>)
#include <libdwarf/libdwarf.h>
#elif __has_include(<libdwarf-2/libdwarf.h>)
#include <libdwarf-2/libdwarf.h>
#else
#include <libdwarf-0/libdwarf.h>
#endif

#ifndef DW_LIBDWARF_VERSION
#define dwarf_dealloc_ranges dwarf_ranges_dealloc
#define dwarf_dealloc_fde_cie_list dwarf_fde_cie_list_dealloc
#endif

/* The types in which dwarf_get_fde_info_for_cfa_reg3_b() returns numbers and
 * expressions. */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Unsigned libdwarf_rule_number;
typedef Dwarf_Block libdwarf_rule_block;
#else
typedef Dwarf_Signed libdwarf_rule_number;
typedef Dwarf_Ptr libdwarf_rule_block;
#endif

/* Call dwarf_init_b() and dwarf_finish(), which have other parameters in later
 * versions. */
static inline int libdwarf_open(int fd, Dwarf_Handler handler, void *context,
				Dwarf_Debug *out)
{
#ifdef DW_LIBDWARF_VERSION
	return dwarf_init_b(fd, DW_GROUPNUMBER_ANY, handler, context, out,
			    NULL);
#else
	return dwarf_init_b(fd, DW_DLC_READ, DW_GROUPNUMBER_ANY, handler,
			    context, out, NULL);
#endif
}

static inline void libdwarf_close(Dwarf_Debug dbg)
{
#ifdef DW_LIBDWARF_VERSION
	dwarf_finish(dbg);
#else
	dwarf_finish(dbg, NULL);
#endif
}

#endif

/*
 * declarations.h - variables that a unit uses and another defines
 */
#ifndef PERFTOOL_DEBUGINFO_DECLARATIONS_H
#define PERFTOOL_DEBUGINFO_DECLARATIONS_H

#include "debuginfo/dwarf/dwarf.h"

/* `extern int name;` outside the functions of a unit. */
bool declared_find(struct debugfile *file, struct unit *unit, const char *name,
		   struct die *out);

/* What the variable is linked as that the DIE only declares, for the caller to
 * free; NULL: it is no declaration, or not of what other files could define. */
char *declared_symbol(struct debugfile *file, const struct die *die);

#endif

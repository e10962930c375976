/*
 * globals.h - the file's variables outside of functions, by name
 */
#ifndef PERFTOOL_DEBUGINFO_GLOBALS_H
#define PERFTOOL_DEBUGINFO_GLOBALS_H

#include "debuginfo/dwarf/dwarf.h"

struct global {
	const char *name;
	uint64_t die; /* offset of its DIE */
	bool external;
};

struct globals {
	VEC(struct global) list;
	struct strmap by_name; /* struct global *: the best of this name */
};

/* The variables that have a place or a value. The list is made once and
 * belongs to the file. In `by_name`, an external variable comes before a
 * static one. */
const struct globals *file_globals(struct debugfile *file);
void globals_destroy(struct globals *globals);

/* The best variable of this name, or NULL. */
const struct global *globals_find(struct debugfile *file, const char *name);

/* Find what a name means in one unit outside its functions: a variable or an
 * enumerator. *defined: it has a place or a value. False: the unit has no such
 * name. */
bool unit_find_global(struct debugfile *file, struct unit *unit,
		      const char *name, struct die *out, bool *defined);

/* Visit the variables and enumerators of a unit until `visit` returns false. */
bool unit_each_global(struct debugfile *file, struct unit *unit,
		      bool (*visit)(void *context, const struct die *die,
				    const char *name),
		      void *context);

#endif

/*
 * globals.h - the variables of the file, outside all functions, by name
 */
#ifndef PERFTOOL_DEBUGINFO_GLOBALS_H
#define PERFTOOL_DEBUGINFO_GLOBALS_H

#include "debuginfo/dwarf/dwarf.h"

struct global {
	const char *name;
	uint64_t die; /* offset */
	bool external;
};

struct globals {
	VEC(struct global) list;
	struct strmap by_name; /* struct global *: the best of the name */
};

/* Those that have a place, external ones before static ones. Made once. */
const struct globals *file_globals(struct debugfile *file);
void globals_destroy(struct globals *globals);

/* The best one of the name, or NULL. */
const struct global *globals_find(struct debugfile *file, const char *name);

/*
 * What a name means in one unit outside its functions: a variable or an
 * enumerator. *defined: it has a place or a value.
 */
bool unit_find_global(struct debugfile *file, struct unit *unit,
		      const char *name, struct die *out, bool *defined);

/* Visit the variables and enumerators of a unit until `visit` is false. */
bool unit_each_global(struct debugfile *file, struct unit *unit,
		      bool (*visit)(void *context, const struct die *die,
				    const char *name),
		      void *context);

#endif

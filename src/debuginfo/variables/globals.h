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
	/* struct global *: the best variable of a name */
	struct strmap by_name;
};

/* All variables outside of functions that have a place or a value. The list is
 * made once and belongs to the file. If several variables have the same name,
 * `by_name` has an external variable rather than a static one. */
const struct globals *file_globals(struct debugfile *file);
void globals_destroy(struct globals *globals);

/* Find the variable in `by_name`, or NULL. */
const struct global *globals_find(struct debugfile *file, const char *name);

/* Find the variable or enumerator that a name means in one unit, outside the
 * functions of the unit. *defined tells whether the DIE has a location or a
 * value. False: the unit has no such name. */
bool unit_find_global(struct debugfile *file, struct unit *unit,
		      const char *name, struct die *out, bool *defined);

/* Visit the variables and enumerators outside the functions of a unit, until
 * `visit` returns false. The function returns false if `visit` has. */
bool unit_each_global(struct debugfile *file, struct unit *unit,
		      bool (*visit)(void *context, const struct die *die,
				    const char *name),
		      void *context);

#endif

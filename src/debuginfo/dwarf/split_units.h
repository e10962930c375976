/*
 * split_units.h - units whose DIEs are in files of their own (-gsplit-dwarf)
 *
 * What is linked has a skeleton of each: its code, its line table, and the name
 * and number (dwo_id) of what has the rest. That is looked for in
 *
 *	FILE.dwp			a package of all of them; also beside
 *the separate debug file, and in the debug directories that were named
 *	COMP-DIR/NAME			of each; then
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/LAST-OF-NAME
 *	DEBUG-DIR/COMP-DIR/NAME, DEBUG-DIR/NAME, DEBUG-DIR/LAST-OF-NAME
 *
 * and taken if it has a unit with that number. Each is opened when something in
 * it is first asked for, read whole, and closed.
 */
#ifndef PERFTOOL_DEBUGINFO_SPLIT_UNITS_H
#define PERFTOOL_DEBUGINFO_SPLIT_UNITS_H

#include "unit_source.h"

struct splits;

/* The unit with the DIEs, if `unit` is only its skeleton and it can be found;
 * else `unit`. */
struct unit *unit_whole(struct debugfile *file, struct unit *unit);

/* How many units are elsewhere, and what is not found; looks for all of them.
 */
struct split_facts {
	size_t count, missing;
	/* where the first that was sought should be, or NULL; and what is there
	 * instead but is of another build, or NULL */
	const char *first, *mismatch;
};
void file_split_facts(struct debugfile *file, struct split_facts *out);

/* May there be any? Cheap; false is certain. */
bool file_may_be_split(struct debugfile *file);

/* As image_take_failure(), of those that are open. */
int splits_take_failure(const struct splits *splits);

struct source *splits_source(const struct splits *splits, uint64_t number);
void splits_destroy(struct splits *splits);

/* Read the index of a package: which parts of its sections belong to which
 * unit, and which number each unit has. */
void split_read_package(struct source *package);

#endif

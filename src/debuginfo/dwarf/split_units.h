/*
 * split_units.h - units whose DIEs are in files of their own (-gsplit-dwarf)
 *
 * The linked file has a skeleton of each split unit. The skeleton has the
 * unit's code and its line table, the name NAME of the file that has the rest
 * of the unit, and the unit's number (dwo_id). The reader tries these paths in
 * this order:
 *
 *	FILE.dwp			a package of all split units
 *	DEBUG-FILE.dwp			a package beside the separate debug file
 *	DEBUG-DIR/FILE.dwp, DEBUG-DIR/LAST-OF-FILE.dwp
 *	COMP-DIR/NAME			a file of one unit, as are those below
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/LAST-OF-NAME
 *	DEBUG-DIR/COMP-DIR/NAME, DEBUG-DIR/NAME, DEBUG-DIR/LAST-OF-NAME
 *
 * DEBUG-DIR is each debug directory that the user has named. LAST-OF-NAME is
 * the last component of NAME. The reader uses a file only if the file has a
 * unit with the skeleton's number. It opens the file of a unit when something
 * in the unit is first needed, reads the whole file, and closes it. A package
 * stays open, and its sections are read when they are needed.
 */
#ifndef PERFTOOL_DEBUGINFO_SPLIT_UNITS_H
#define PERFTOOL_DEBUGINFO_SPLIT_UNITS_H

#include "unit_source.h"

struct splits;

/* The split unit, if `unit` is a skeleton and its split unit can be found; else
 * `unit`. The first call for a skeleton searches the files. */
struct unit *unit_whole(struct debugfile *file, struct unit *unit);

/* How many units are split, and which of them are missing. */
struct split_facts {
	/* the number of all split units, and of those that were not found */
	size_t count, missing;
	/* The path at which the first missing unit should be, or NULL; and the
	 * path of a file of another build that was found instead, or NULL. The
	 * strings belong to the file. */
	const char *first, *mismatch;
};

/* Search for all split units of the file, and report what was found. */
void file_split_facts(struct debugfile *file, struct split_facts *out);

/* May the file have split units? The answer is cheap. "No" is certain, "yes" is
 * not. */
bool file_may_be_split(struct debugfile *file);

/* Do image_take_failure() for all files of split units that are open. */
int splits_take_failure(const struct splits *splits);

/* The source with this number (enum source_number), or NULL. `splits` may be
 * NULL. */
struct source *splits_source(const struct splits *splits, uint64_t number);
void splits_destroy(struct splits *splits);

/* Read the index of a package. It says which parts of the package's sections
 * belong to each unit, and which number each unit has. */
void split_read_package(struct source *package);

#endif

/*
 * split_units.h - units whose DIEs are in files of their own (-gsplit-dwarf)
 *
 * The linked file has a skeleton of each split unit. The skeleton has the
 * address ranges and the line table of the unit, the path NAME of the file that
 * has the rest of the unit (the split unit), and a number that both share
 * (dwo_id). FILE is the path of the linked file, COMP-DIR the directory in
 * which the unit was compiled. The reader tries these paths in this order:
 *
 *	FILE.dwp			a package of all split units
 *	DEBUG-FILE.dwp			a package beside the separate debug file
 *	DEBUG-DIR/FILE.dwp, DEBUG-DIR/LAST-OF-FILE.dwp
 *	COMP-DIR/NAME			a file of one unit; so are the next
 *	DIR-OF-FILE/NAME, DIR-OF-FILE/LAST-OF-NAME
 *	DEBUG-DIR/COMP-DIR/NAME, DEBUG-DIR/NAME, DEBUG-DIR/LAST-OF-NAME
 *
 * DEBUG-DIR is each debug directory that the user has named. LAST-OF-NAME is
 * the last component of NAME. The reader uses a file only if the file has a
 * unit with the skeleton's number. When something in a split unit is first
 * needed, the reader opens the unit's file, reads the whole file, and closes
 * it. A package stays open, and the reader reads its sections when they are
 * needed.
 */
#ifndef PERFTOOL_DEBUGINFO_SPLIT_UNITS_H
#define PERFTOOL_DEBUGINFO_SPLIT_UNITS_H

#include "unit_source.h"

struct splits;

/* If `unit` is a skeleton and its split unit can be found, the result is the
 * split unit, else `unit`. The first call for a skeleton searches the files. */
struct unit *unit_whole(struct debugfile *file, struct unit *unit);

/* How many units are split, and which of them are missing. */
struct split_facts {
	/* the number of all split units, and of those that were not found */
	size_t count, missing;
	/* `first`: the path at which the first missing unit should be, or NULL.
	 * `mismatch`: the path of a file of another build that was found
	 * instead of this unit, or NULL. The file owns both strings. */
	const char *first, *mismatch;
};

/* Search for all split units of the file, and report what was found. */
void file_split_facts(struct debugfile *file, struct split_facts *out);

/* May the file have split units? The answer is cheap: false is certain, but
 * true may be wrong. */
bool file_may_be_split(struct debugfile *file);

/* Return the errno of a failed read of a file of split units, or 0, as
 * image_take_failure() does for one file. */
int splits_take_failure(const struct splits *splits);

/* The source with this number (enum source_number), or NULL. `splits` may be
 * NULL. */
struct source *splits_source(const struct splits *splits, uint64_t number);
void splits_destroy(struct splits *splits);

/* Read the index of a package. The index says which part of each section of the
 * package belongs to a unit, and which number (dwo_id) the unit has. */
void split_read_package(struct source *package);

#endif

/*
 * index.h - what is found by its name: inlined calls, types, variables
 *
 * One look at all DIEs of the file, and of those that have parts of it
 * (source.h), on all processors that may be used, when
 * something is first looked for in all units. What it finds does not depend on
 * how many there are.
 */
#ifndef PERFTOOL_DEBUGINFO_INDEX_H
#define PERFTOOL_DEBUGINFO_INDEX_H

#include "dwarf.h"
#include "scan.h"

/* The calls of far origins have their names by now: there are none left. */
struct index {
	struct scan_shared shared;
	struct scan *scans; /* what each thread has found */
	size_t scan_count;
	bool complete; /* not only what was inflated piece by piece */
};

/* Never NULL. */
const struct index *file_index(struct debugfile *file);
/* The same for a caller that will ask for the calls of these names. */
const struct index *file_index_for(struct debugfile *file,
				   const struct expected_names *expected);
void index_destroy(struct index *index);

/* index_threads.c: how many threads are worth it, the asking one included. */
size_t index_processors(void);

/* Scan these units, or, if there are none, all that are inflated; the last of
 * the scans is the asking thread's. */
void index_scan(struct debugfile *file, struct index *index,
		struct unit **units, size_t count);

/* Begin the index by what is inflated piece by piece; that finds the units. */
void index_read_packed(struct debugfile *file);

#endif

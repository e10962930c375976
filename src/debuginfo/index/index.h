/*
 * index.h - what is found by its name: inlined calls, types, variables
 *
 * The index is made by one look at all DIEs of the file, and of the files that
 * have parts of it, when something is first looked for in all units. As many
 * threads as there are processors scan one unit after the other; what they find
 * does not depend on how many they are. A scan does not read DIE after DIE as
 * dwarf/ does: it makes a program of each abbreviation, by which it steps over
 * DIEs, and keeps a name and an offset of what can be asked for.
 *
 * It offers file_index(), whose result the other folders go through: types
 * looks up types by the hash of their names, variables makes its list of
 * globals, and frames finds inlined calls. A compressed .debug_info is inflated
 * in passing; therefore the reader of DWARF has the index made when it needs
 * all units, by the pointer read_compressed_units in struct debugfile.
 *
 * It uses dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_INDEX_H
#define PERFTOOL_DEBUGINFO_INDEX_H

#include "debuginfo/dwarf/dwarf.h"
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

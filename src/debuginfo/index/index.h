/*
 * index.h - finds inlined calls, types and variables by name
 *
 * The index is made in one pass over all DIEs of the file, and of the files
 * that have parts of its debug information. It is made when something is first
 * looked for in all units. Several threads, one for each processor, scan one
 * unit after the other. The result does not depend on the number of threads. A
 * scan does not read each DIE as dwarf/ does. It makes a program of each
 * abbreviation, which steps over DIEs, and it stores the name and offset of
 * each DIE that a caller may ask for.
 *
 * The folder offers file_index(), and the other folders search its result:
 * types/ looks up types by the hash of their names, variables/ makes its list
 * of globals, and frames/ finds inlined calls. A compressed .debug_info is
 * inflated during the pass. So when dwarf/ needs all units of a compressed
 * file, it has the index made, through the pointer read_compressed_units in
 * struct debugfile.
 *
 * It uses dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_INDEX_H
#define PERFTOOL_DEBUGINFO_INDEX_H

#include "debuginfo/dwarf/dwarf.h"
#include "scan.h"

/* A finished index. The calls whose origin is in another unit have their names
 * by now, so `far_calls` of the scans is empty. */
struct index {
	struct scan_shared shared;
	struct scan *scans; /* what each thread has found */
	size_t scan_count;
	/* all units were scanned, not only those that are inflated piece by
	 * piece */
	bool complete;
};

/* The index of the file, never NULL. */
const struct index *file_index(struct debugfile *file);
/* The index for a caller that is going to ask for inlined calls of the
 * expected names. */
const struct index *file_index_for(struct debugfile *file,
				   const struct expected_names *expected);
void index_destroy(struct index *index);

/* The number of threads that a scan should use, the calling thread included.
 * It is in index_threads.c. */
size_t index_processors(void);

/* Scan these units; if `units` is NULL, scan all units that are inflated piece
 * by piece. The calling thread uses the last scan of the index. */
void index_scan(struct debugfile *file, struct index *index,
		struct unit **units, size_t count);

/* Begin the index with the units that are inflated piece by piece. This also
 * makes these units known to dwarf/. */
void index_read_packed(struct debugfile *file);

#endif

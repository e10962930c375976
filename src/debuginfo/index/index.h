/*
 * index.h - finds inlined calls, types and variables by name
 *
 * The folder makes the index when a caller first looks for a name in all units
 * of a file. One pass over all DIEs of the file, and of the files that have
 * parts of its debug information, is enough. Several threads, one for each
 * processor, scan the units; each thread takes one unit after the other. The
 * result does not depend on the number of threads. For speed, a scan does not
 * read each DIE as dwarf/ does. It compiles each abbreviation to a scan
 * program, a list of steps that skip the values of a DIE (scan_program.h), and
 * it stores the name and offset of each DIE that a caller may ask for.
 *
 * The folder offers file_index(), and the other folders search its result:
 * types/ looks up types by the hash of their names, variables/ makes its list
 * of globals, and frames/ finds inlined calls. The pass also inflates a
 * compressed .debug_info. When dwarf/ needs all units of such a file, it
 * therefore makes this folder run the pass, through the pointer
 * read_compressed_units in struct debugfile.
 *
 * This folder uses dwarf/ and elf/.
 */
#ifndef PERFTOOL_DEBUGINFO_INDEX_H
#define PERFTOOL_DEBUGINFO_INDEX_H

#include "debuginfo/dwarf/dwarf.h"
#include "scan.h"

/* A finished index. The names of calls whose origin is in another unit have
 * been found, so `far_calls` of all scans is empty. */
struct index {
	struct scan_shared shared;
	struct scan *scans; /* what each thread has found */
	size_t scan_count;
	/* all units were scanned; false: only those that are inflated piece by
	 * piece */
	bool complete;
};

/* The index of the file, never NULL. The function makes it when it is first
 * needed; the file owns it. */
const struct index *file_index(struct debugfile *file);
/* The same as file_index(), for a caller that will next ask for the inlined
 * calls of functions with the expected names. If the index must be made, the
 * bytes of the units with such calls are kept. */
const struct index *file_index_for(struct debugfile *file,
				   const struct expected_names *expected);
void index_destroy(struct index *index);

/* Begin the index of the file: the scans have found nothing yet. */
struct index *index_begin(struct debugfile *file);

/* Enter the units of a compressed .debug_info in the file's list as the cache
 * file has them (index_cache.h). False: there is no cache file for them. */
bool index_recall_units(struct debugfile *file);

/* The number of threads that should scan units, the calling thread included.
 * Defined in index_threads.c. */
size_t index_processors(void);

/* Scan these units with several threads; if `units` is NULL, scan all units
 * that are inflated piece by piece. The calling thread uses the last of
 * index->scans. The function returns when all units have been scanned. */
void index_scan(struct debugfile *file, struct index *index,
		struct unit **units, size_t count);

/* Begin the index: scan the units that are inflated piece by piece. The
 * function also enters these units in the file's list of units (struct
 * source). */
void index_read_packed(struct debugfile *file);

#endif

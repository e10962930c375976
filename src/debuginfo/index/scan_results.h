/*
 * scan_results.h - stores what a scan needs of a DIE
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_RESULTS_H
#define PERFTOOL_DEBUGINFO_SCAN_RESULTS_H

#include "scan_program.h"

/*
 * Store what `look` asks for of the DIE at `offset`. *path is the hash of the
 * scopes around the DIE; the function changes it to the hash of the scopes
 * around the DIE's children. False: the unit must be scanned again when no
 * other thread scans.
 */
bool scan_add(struct scan *scan, const struct scanned *scanned, uint64_t offset,
	      unsigned look, uint64_t *path);

/* The same string in memory that stays. The string may be among the unit's
 * bytes, which may be freed. */
const char *scan_lasting(struct scan *scan, const char *text);

#endif

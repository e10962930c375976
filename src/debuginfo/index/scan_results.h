/*
 * scan_results.h - adds DIEs to the results of a scan
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_RESULTS_H
#define PERFTOOL_DEBUGINFO_SCAN_RESULTS_H

#include "scan_program.h"

/*
 * If `look` asks for the DIE at `offset`, add it to the results of the scan: as
 * an inlined call, a type, a variable or an import. *path is the hash of the
 * scopes around the DIE; the function changes it to the hash of the scopes
 * around the DIE's children. False: the DIE's name may be in another unit, so
 * the unit must be scanned again when no other thread scans.
 */
bool scan_add(struct scan *scan, const struct scanned *scanned, uint64_t offset,
	      unsigned look, uint64_t *path);

/* The same string in memory that lives as long as the results. The function
 * copies the string if it is among the unit's bytes and these are freed after
 * the scan. */
const char *scan_lasting(struct scan *scan, const char *text);

#endif

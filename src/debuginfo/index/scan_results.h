/*
 * scan_results.h - what is kept of a DIE
 */
#ifndef PERFTOOL_DEBUGINFO_SCAN_RESULTS_H
#define PERFTOOL_DEBUGINFO_SCAN_RESULTS_H

#include "scan_program.h"

/* Keep what is looked for of the DIE at `offset`; *path, the hash of the scopes
 * around it, becomes that of what is in it. False: it has to be done again,
 * alone. */
bool scan_add(struct scan *scan, const struct scanned *scanned, uint64_t offset,
	      unsigned look, uint64_t *path);

/* A string that may be among the unit's bytes, as one that stays. */
const char *scan_lasting(struct scan *scan, const char *text);

#endif

/*
 * unknown_code.h - code of a file in which nothing tells where functions begin
 */
#ifndef PERFTOOL_DEBUGINFO_UNKNOWN_CODE_H
#define PERFTOOL_DEBUGINFO_UNKNOWN_CODE_H

#include "perftool/debuginfo.h"

/*
 * Find where the code begins that is around `address` and has neither symbols
 * nor call frame information: behind the function before it, and behind what
 * fills the space up to a multiple of 16. If the code is one function, as in
 * assembly between compiled functions, this is its first instruction. False:
 * the section has no function that is known.
 */
bool debugfile_unknown_code(struct debugfile *file, uint64_t address,
			    uint64_t *start);

#endif

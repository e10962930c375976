/*
 * file_claim.h - a file that one tool writes
 *
 * Two perftools that write one file at a time would make a mixture that nobody
 * can read. So a tool locks the file that it writes, and the second one fails.
 */
#ifndef PERFTOOL_BASE_FILE_CLAIM_H
#define PERFTOOL_BASE_FILE_CLAIM_H

#include "perftool/base/error.h"

/* Lock the open file for this tool until the descriptor is closed. `path` is
 * its name, for the error: another tool has locked it. A file that cannot be
 * locked (a terminal, a file system without locks) is no error. */
struct error *file_claim(int fd, const char *path);

#endif

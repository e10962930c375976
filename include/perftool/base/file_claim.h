/*
 * file_claim.h - a file that one tool writes
 *
 * Two perftools that write one file at a time would make a mixture that nobody
 * can read, or the report of one would be lost. So a tool locks the file that
 * it will write, and the second one fails. The file keeps its content until the
 * tool has something to write, because until then the user's mistakes (a name
 * that no function has) must not cost an earlier report.
 */
#ifndef PERFTOOL_BASE_FILE_CLAIM_H
#define PERFTOOL_BASE_FILE_CLAIM_H

#include <stdbool.h>

#include "perftool/base/error.h"

/* Lock the open file for this tool until the descriptor is closed. `path` is
 * its name, for the error: another tool has locked it. A file that cannot be
 * locked (a terminal, a file system without locks) is no error. */
struct error *file_claim(int fd, const char *path);

/* All zero is no file. */
struct claimed_file {
	char *path;
	int fd;
	bool is_new; /* there was no file of this name before */
};

/* Open a file for writing, and lock it. A file that is not there is created; a
 * program is refused (perftool/base/replaced_file.h). */
struct error *claimed_file_open(struct claimed_file *file, const char *path);

/* Remove the content of an older file. The function does nothing to a file that
 * is no regular one: a FIFO or a terminal keeps no content. */
struct error *claimed_file_empty(const struct claimed_file *file);

/* The file was not written: remove it if it is new. */
void claimed_file_give_up(struct claimed_file *file);

/* End the lock. The object is then empty. The function does nothing to an empty
 * object. */
void claimed_file_close(struct claimed_file *file);

#endif

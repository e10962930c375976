/*
 * replaced_file.h - files that must not be replaced by what the tool writes
 */
#ifndef PERFTOOL_BASE_REPLACED_FILE_H
#define PERFTOOL_BASE_REPLACED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "perftool/base/error.h"

/* May a report be written to `path`? An error if the file is a program, a
 * library or a script (`#!'): in `-o ./prog ./prog` a name is missing, and
 * writing would destroy the program. No error if there is no such file. */
struct error *replaced_file_check(const char *path);

/* Is it right to write `what`, such as "the merge", to `path`? An error if that
 * is one of the files of which it is to be made; NULL as a path is none. */
struct error *replaced_file_check_inputs(const char *path, char *const *inputs,
					 size_t count, const char *what);

/* Do both names lead to the same regular file? */
bool is_same_file(const char *path, const char *other);

#endif

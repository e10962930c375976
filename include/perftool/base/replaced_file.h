/*
 * replaced_file.h - files that must not be replaced by what the tool writes
 */
#ifndef PERFTOOL_BASE_REPLACED_FILE_H
#define PERFTOOL_BASE_REPLACED_FILE_H

#include <stdbool.h>

#include "perftool/base/error.h"

/* May a report be written to `path`? An error if the file is a program, a
 * library or a script (`#!'): in `-o ./prog ./prog` a name is missing, and
 * writing would destroy the program. No error if there is no such file. */
struct error *replaced_file_check(const char *path);

/* Do both names lead to the same regular file? */
bool is_same_file(const char *path, const char *other);

#endif

/*
 * file_names.h - a list of names in a file, for a command line that would be
 * too long
 */
#ifndef UI_FILE_NAMES_H
#define UI_FILE_NAMES_H

#include "perftool/base/error.h"
#include "perftool/base/string_list.h"

/* Appends the names that the file has: one in a line, or, if a null byte is in
 * it, one before each null byte (as `find -print0` writes them). "-" is
 * standard input. Empty lines are passed over. */
struct error *file_names_read(const char *path, struct string_list *names);

#endif

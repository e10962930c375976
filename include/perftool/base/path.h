/*
 * path.h - names of files
 */
#ifndef PERFTOOL_BASE_PATH_H
#define PERFTOOL_BASE_PATH_H

/* The absolute path of a name that is relative to a directory, or absolute
 * already. Links are not followed, so ".." stays; "./" at the beginning goes.
 * The caller frees it. */
char *path_absolute(const char *directory, const char *name);

/* A path without its directories. */
const char *path_file_name(const char *path);

#endif

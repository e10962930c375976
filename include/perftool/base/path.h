/*
 * path.h - names of files
 */
#ifndef PERFTOOL_BASE_PATH_H
#define PERFTOOL_BASE_PATH_H

#include <stdbool.h>

/* The absolute path of `name`, which is relative to `directory` or already
 * absolute. The function does not follow links, so ".." stays in the path; a
 * "./" at the beginning of `name` is removed. The caller frees the path. */
char *path_absolute(const char *directory, const char *name);

/* The path that the user means by `name`: a "~/" at its beginning is the home
 * directory, if the environment has one, as shells have it. The caller frees
 * the path. */
char *path_of_user(const char *name);

/* The part of `path` behind its last slash. It points into `path`. */
const char *path_file_name(const char *path);

/* Does the path end in `ending`, such as ".json", in capitals or not, with a
 * name before it? */
bool path_has_ending(const char *path, const char *ending);

/* The name of the CSV file of one table: "y-legs.csv" for the paths "y.csv" and
 * "y" and the table "legs". The caller frees it. */
char *path_of_table(const char *path, const char *table);

#endif

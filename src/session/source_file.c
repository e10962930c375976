/*
 * source_file.c - finding a source file by the path that the compiler recorded
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "session_state.h"

/* Opens a source file below a directory. The function first tries the whole
 * path, then the path without its first component, and so on. So the directory
 * may stand for any of the directories in the path. */
static FILE *open_below(const char *directory, const char *path)
{
	FILE *file = NULL;

	while (!file && path) {
		char *candidate = xasprintf("%s/%s", directory, path);

		file = fopen(candidate, "re");
		free(candidate);
		path = strchr(path, '/');
		while (path && *path == '/')
			path++;
	}
	return file;
}

FILE *open_source(struct session *session, const char *path)
{
	FILE *file = fopen(path, "re");

	for (size_t i = 0; !file && i < session->directories.count; i++)
		file = open_below(session->directories.data[i], path);
	return file ? file : open_below(".", path);
}

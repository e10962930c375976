/*
 * locate.h - the files that a library and a program are taken from
 *
 * Included by one test program; it holds its code. Paths are the caller's to
 * free; NULL when there is no such file.
 */
#ifndef TESTS_ARCH_LOCATE_H
#define TESTS_ARCH_LOCATE_H

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

/* The file that the dynamic loader takes for a library. */
static char *find_library(const char *name)
{
	FILE *list = popen("PATH=$PATH:/sbin:/usr/sbin ldconfig -p", "r");
	char line[1024], wanted[256], *found = NULL;

	if (!list)
		return NULL;
	snprintf(wanted, sizeof(wanted), "\t%s (libc6,x86-64", name);
	while (!found && fgets(line, sizeof(line), list)) {
		char *arrow = strstr(line, "=> ");

		if (!str_starts(line, wanted) || !arrow)
			continue;
		arrow[strcspn(arrow, "\n")] = '\0';
		found = xstrdup(arrow + 3);
	}
	while (fgets(line, sizeof(line), list))
		; /* ldconfig is not to die of a closed pipe */
	pclose(list);
	return found;
}

/* The first program on PATH of that name that is an ELF file. */
static char *find_program(const char *name)
{
	const char *environment = getenv("PATH");
	char *path = xstrdup(environment ? environment : "/usr/bin:/bin");
	char *rest = path, *directory, *found = NULL;

	while (!found && (directory = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", directory, name);
		FILE *stream = fopen(file, "re");
		char magic[4] = "";

		if (stream && fread(magic, 1, 4, stream) == 4 &&
		    memcmp(magic, ELFMAG, SELFMAG) == 0)
			found = xstrdup(file);
		if (stream)
			fclose(stream);
		free(file);
	}
	free(path);
	return found;
}

#endif

/*
 * lookup.c - how long the first answer takes to a question about a file
 *
 * usage: lookup QUESTION NAME FILE: prints "lookup N", in seconds from opening
 * the file to the answer, and how many there are. Questions: function, inlined,
 * line (NAME is FILE:LINE), complete, near, type, variable, nothing, and source
 * (NAME is a function), which prints "place FILE:LINE" too: where
 * its code is in a source file. LOOKUP_CACHE is a folder for the index cache;
 * by default there is none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "perftool/base/str.h"
#include "perftool/debuginfo.h"
#include "perftool/debuginfo/code_lines.h"
#include "perftool/debuginfo/debug_variables.h"
#include "perftool/debugtype.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check(struct error *error)
{
	if (!error)
		return;
	fprintf(stderr, "lookup: %s\n", error_message(error));
	exit(1);
}

static bool count(void *context, const char *name)
{
	(void)name;
	++*(size_t *)context;
	return true;
}

static size_t find_functions(struct debugfile *file, const char *name)
{
	struct function_list found = {0};
	size_t number;

	check(debugfile_find_functions(file, name, &found));
	number = found.count;
	vec_free(&found);
	return number;
}

static size_t find_inlined(struct debugfile *file, const char *name)
{
	struct line_list found = {0};
	size_t number;

	check(debugfile_find_inlined(file, name, &found, NULL));
	number = found.count;
	vec_free(&found);
	return number;
}

static size_t find_line(struct debugfile *file, char *name)
{
	struct line_list found = {0};
	char *colon = strrchr(name, ':');
	size_t number;

	if (!colon)
		return 0;
	*colon = '\0';
	check(debugfile_find_line(file, name, (uint32_t)atoi(colon + 1),
				  &found));
	*colon = ':';
	number = found.count;
	vec_free(&found);
	return number;
}

static size_t near_names(struct debugfile *file, const char *name)
{
	char *names[3];
	size_t number = debugfile_near_names(file, name, names, 3);

	for (size_t i = 0; i < number; i++)
		free(names[i]);
	return number;
}

/* Of what a function inlines the lines are elsewhere. */
static bool is_source(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && dot[1] == 'c';
}

static size_t find_source(struct debugfile *file, const char *name)
{
	struct function_list found = {0};
	const struct function *function;
	const char *path;
	uint32_t line;
	bool known = false;

	check(debugfile_find_functions(file, name, &found));
	function = found.count ? &found.data[0] : NULL;
	for (uint64_t at = 0; function && !known && at < function->size; at++)
		known = debugfile_source_at(file, function->address + at, &path,
					    &line) &&
			is_source(path);
	if (known)
		printf("place %s:%u\n", path, line);
	vec_free(&found);
	return known;
}

static size_t answer(struct debugfile *file, const char *question, char *name)
{
	struct variable *variable = NULL;
	uint64_t address = debugfile_facts(file)->entry;
	size_t number = 0;

	if (str_equal(question, "function"))
		return find_functions(file, name);
	if (str_equal(question, "inlined"))
		return find_inlined(file, name);
	if (str_equal(question, "line"))
		return find_line(file, name);
	if (str_equal(question, "complete"))
		debugfile_each_name(file, name, count, &number);
	else if (str_equal(question, "near"))
		return near_names(file, name);
	else if (str_equal(question, "type"))
		return debugfile_find_type(file, address, name) != NULL;
	else if (str_equal(question, "source"))
		return find_source(file, name);
	else if (str_equal(question, "variable")) {
		error_destroy(debugfile_find_variable(file, address, false,
						      name, &variable));
		number = variable != NULL;
		variable_destroy(variable);
	}
	return number;
}

int main(int argc, char **argv)
{
	struct debugfile *file;
	double start = seconds(), end;
	size_t number;

	if (argc != 4) {
		fprintf(stderr, "usage: lookup QUESTION NAME FILE\n");
		return 2;
	}
	check(debugfile_open(argv[3], &file));
	debugfile_cache_index(file, getenv("LOOKUP_CACHE"), INDEX_CACHE_LEAST);
	number = answer(file, argv[1], argv[2]);
	end = seconds();
	printf("lookup %.4f %zu\n", end - start, number);
	debugfile_close(file);
	return 0;
}

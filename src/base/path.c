/* path.c - see path.h */
#include "perftool/base/path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "perftool/base/alloc.h"

static const char *without_dots(const char *name)
{
	while (name[0] == '.' && name[1] == '/') {
		name++;
		name += strspn(name, "/");
	}
	return name;
}

char *path_absolute(const char *directory, const char *name)
{
	size_t length = strlen(directory);
	bool is_ended = length && directory[length - 1] == '/';

	if (name[0] == '/')
		return xstrdup(name);
	return xasprintf("%s%s%s", directory, is_ended ? "" : "/",
			 without_dots(name));
}

char *path_of_user(const char *name)
{
	const char *home = getenv("HOME");

	if (strncmp(name, "~/", 2) != 0 || !home || !*home)
		return xstrdup(name);
	return xasprintf("%s%s", home, name + 1);
}

const char *path_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_has_ending(const char *path, const char *ending)
{
	size_t length = strlen(path), tail = strlen(ending);

	return length > tail && strcasecmp(path + length - tail, ending) == 0;
}

char *path_of_table(const char *path, const char *table)
{
	size_t length = strlen(path);

	if (path_has_ending(path, ".csv"))
		length -= strlen(".csv");
	return xasprintf("%.*s-%s.csv", (int)length, path, table);
}

/*
 * debian_package.c - see debian_package.h
 *
 * dpkg keeps the paths of the files of a package P, one a line, in P.list or
 * P:ARCH.list in the directory /var/lib/dpkg/info. Debian builds its packages
 * with debhelper, which puts the debug information of P into P-dbgsym. For a
 * few packages the debug information is in a package with another name.
 */
#include "debian_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"

#define INFO "/var/lib/dpkg/info"
/* Real lists have at most some megabytes; the reader ignores larger files. */
#define MAX_LIST (64 << 20)

/* The contents of a file as a zero-terminated string, which the caller frees.
 * NULL: the file cannot be read. */
static char *read_all(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = NULL;
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size < MAX_LIST) {
		text = xmalloc((size_t)status.st_size + 1);
		got = read(fd, text, (size_t)status.st_size);
		text[got > 0 ? got : 0] = '\0';
	}
	close(fd);
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at++)
		if ((at == text || at[-1] == '\n') &&
		    (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

/* The name of the package whose list contains `path` or `other`, or NULL. The
 * caller frees the name. */
static char *owner(DIR *lists, const char *path, const char *other)
{
	const struct dirent *entry;

	while ((entry = readdir(lists))) {
		size_t length = strlen(entry->d_name);
		char *text;
		bool found;

		if (length < 6 ||
		    !str_equal(entry->d_name + length - 5, ".list"))
			continue;
		text = read_all(dirfd(lists), entry->d_name);
		found = text && (has_line(text, path) || has_line(text, other));
		free(text);
		if (found)
			return xstrndup(entry->d_name,
					strcspn(entry->d_name, ":") < length
						? strcspn(entry->d_name, ":")
						: length - 5);
	}
	return NULL;
}

/* The name of the debug package for a package whose name begins with `prefix`
 * and a version: the prefix, the version and "-dbg". For example,
 * openjdk-17-jre gives openjdk-17-dbg. */
static char *versioned(const char *package, const char *prefix)
{
	size_t length = strlen(prefix);

	length += strspn(package + length, "0123456789.");
	return xasprintf("%.*s-dbg", (int)length, package);
}

static char *debug_package(const char *package)
{
	/* In Debian 12 the debug information of the following packages is not
	 * in a package P-dbgsym. */
	if (str_equal(package, "libc6"))
		return xstrdup("libc6-dbg");
	if (str_starts(package, "openjdk-"))
		return versioned(package, "openjdk-");
	if (str_starts(package, "python3."))
		return versioned(package, "python3.");
	if (str_starts(package, "libpython3."))
		return versioned(package + strlen("lib"), "python3.");
	return xasprintf("%s-dbgsym", package);
}

char *package_with_debuginfo(const char *root, const char *path)
{
	char *info = xasprintf("%s" INFO, root);
	DIR *lists = opendir(info);
	char *package, *name, *other;

	free(info);
	if (!lists)
		return NULL;
	/* /lib is a link to /usr/lib, so dpkg's list may have the path of the
	 * file with or without /usr. */
	other = str_starts(path, "/usr/") ? xstrdup(path + strlen("/usr"))
					  : xasprintf("/usr%s", path);
	package = owner(lists, path, other);
	closedir(lists);
	free(other);
	name = package ? debug_package(package) : NULL;
	free(package);
	return name;
}

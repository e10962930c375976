/*
 * process_files.c - finds paths by which the tool can open the files of a
 * running process
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/str.h"
#include "perftool/target.h"
#include "perftool/target/memory_maps.h"
#include "proc.h"

#define DELETED " (deleted)"

static bool is_same(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

static bool shares_mounts(pid_t pid)
{
	char path[64];

	proc_path(pid, "ns/mnt", path, sizeof(path));
	return is_same(path, "/proc/self/ns/mnt");
}

/*
 * Is the file at `path` the file of the mapping? The function compares only the
 * inode, because on btrfs and overlayfs the maps and stat(2) show different
 * devices for the same file.
 */
static bool is_mapped(const char *path, const struct mapping *mapping)
{
	struct stat file;

	return stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
	       file.st_ino == mapping->inode;
}

static bool can_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char *read_link(const char *path)
{
	char target[4096];
	ssize_t length = readlink(path, target, sizeof(target) - 1);

	return length > 0 ? xstrndup(target, (size_t)length) : NULL;
}

/* Find the file of the mapping among the files that the process has open. */
static char *find_open(pid_t pid, const struct mapping *mapping)
{
	char path[64], *found = NULL;
	struct dirent *entry;
	DIR *files;

	proc_path(pid, "fd", path, sizeof(path));
	files = opendir(path);
	while (files && !found && (entry = readdir(files))) {
		char *file = xasprintf("%s/%s", path, entry->d_name);
		char *target = read_link(file);

		if (target && str_equal(target, mapping->path) &&
		    is_mapped(file, mapping) && can_open(file))
			found = xstrdup(file);
		free(target);
		free(file);
	}
	if (files)
		closedir(files);
	return found;
}

/* Find a path to the file through /proc/PID, for a mapping whose own path does
 * not lead to the file. (Without root's rights the kernel lets nobody open a
 * path of map_files.) */
static char *find_by_process(pid_t pid, const struct mapping *mapping)
{
	char path[128], *program;
	bool is_program;

	proc_path(pid, "exe", path, sizeof(path));
	program = read_link(path);
	is_program = program && str_equal(program, mapping->path) &&
		     is_mapped(path, mapping) && can_open(path);
	free(program);
	if (is_program)
		return xstrdup(path);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 pid, mapping->low, mapping->high);
	return can_open(path) ? xstrdup(path) : find_open(pid, mapping);
}

/*
 * The path of a mapping begins at the root of the tool, if the process has the
 * same mounts, even if it has another root (chroot(2)). Else it begins at the
 * root of the mounts of the process, which is the root of the process, as a
 * rule.
 */
static char *path_of(pid_t pid, const struct mapping *mapping)
{
	char root[64];

	if (shares_mounts(pid))
		return xstrdup(mapping->path);
	proc_path(pid, "root", root, sizeof(root));
	return xasprintf("%s%s", root, mapping->path);
}

static char *say(char **problem, char *text)
{
	if (problem)
		*problem = text;
	else
		free(text);
	return NULL;
}

char *target_file_of_mapping(pid_t pid, const struct mapping *mapping,
			     char **problem)
{
	char *name, *path, *found = NULL;
	size_t length = strlen(mapping->path);
	bool deleted = false;

	if (problem)
		*problem = NULL;
	if (mapping->path[0] != '/')
		return say(problem,
			   xasprintf("%s is not a file",
				     length ? mapping->path : "memory"));
	path = path_of(pid, mapping);
	if (is_mapped(path, mapping) && can_open(path))
		return path;
	name = xstrdup(mapping->path);
	if (length > strlen(DELETED) &&
	    str_equal(name + length - strlen(DELETED), DELETED)) {
		deleted = true;
		name[length - strlen(DELETED)] = '\0';
		path[strlen(path) - strlen(DELETED)] = '\0';
	}
	found = find_by_process(pid, mapping);
	if (!found && access(path, F_OK) < 0)
		say(problem,
		    deleted ? xasprintf("%s was deleted since it was "
					"loaded",
					name)
			    : xasprintf("%s: %s", name, strerror(errno)));
	else if (!found && is_mapped(path, mapping))
		say(problem, xasprintf("%s cannot be read", name));
	else if (!found)
		say(problem,
		    xasprintf("%s was replaced on disk since it was loaded",
			      name));
	free(name);
	free(path);
	return found;
}

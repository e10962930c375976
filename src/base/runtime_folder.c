/*
 * runtime_folder.c - see runtime_folder.h
 */
#include "perftool/base/runtime_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

/* The owner that the kernel shows for files of users that have no number in the
 * user namespace of the tool: usually root outside of a container. */
#define NO_USER 65534

/* Has the user a number in the user namespace of the tool? */
static bool has_number(uid_t user)
{
	unsigned first, outside, count;
	FILE *map = fopen("/proc/self/uid_map", "re");
	bool is_found = !map;

	while (map && fscanf(map, "%u %u %u", &first, &outside, &count) == 3)
		is_found |= user >= first && user - first < count;
	if (map)
		fclose(map);
	return is_found;
}

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || owner == 0 ||
	       (owner == NO_USER && !has_number(owner));
}

/* Is the path a folder in which only this user and root can put something else
 * in the place of a folder of this user? (In a sticky folder, only the owner of
 * a file can.) */
static bool is_kept(const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0 || !S_ISDIR(status.st_mode) ||
	    !is_trusted(status.st_uid))
		return false;
	if (status.st_mode & S_ISVTX)
		return true;
	return !(status.st_mode & S_IWOTH) &&
	       (!(status.st_mode & S_IWGRP) || status.st_gid == 0);
}

/* Is the path, which has no links, kept, and each folder above it, too? */
static bool is_kept_from_root(const char *path)
{
	for (const char *end = strchr(path + 1, '/'); end;
	     end = strchr(end + 1, '/')) {
		CLEANUP(free_pointer)
		char *above = xstrndup(path, (size_t)(end - path));

		if (!is_kept(above))
			return false;
	}
	return is_kept(path) && is_kept("/");
}

static struct error *check(const char *above, const char *path)
{
	struct stat status;

	if (lstat(path, &status) != 0 && errno == ENOENT)
		return error_create(ERROR_GONE, "there is no folder %s", path);
	if (lstat(path, &status) != 0)
		return error_system(errno, "cannot use %s", path);
	if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
	    (status.st_mode & 077))
		return error_create(ERROR_OTHER,
				    "cannot use %s: it must be a folder of "
				    "yours that others may not enter (chmod "
				    "700); --socket PATH names another socket",
				    path);
	if (!is_kept_from_root(above))
		return error_create(ERROR_OTHER,
				    "cannot use %s: other users can replace "
				    "it, because a folder above it is theirs, "
				    "or they may write there; set "
				    "XDG_RUNTIME_DIR to a folder of yours, or "
				    "name another socket with --socket PATH",
				    path);
	return NULL;
}

static struct error *find(bool makes, struct str *out)
{
	const char *set = getenv("XDG_RUNTIME_DIR");
	bool is_set = set && *set == '/';
	const char *runtime = is_set ? set : "/tmp";
	CLEANUP(free_pointer) char *above = realpath(runtime, NULL);
	CLEANUP(free_pointer) char *path = NULL;

	if (!above && errno == ENOENT && !makes)
		return error_create(ERROR_GONE, "there is no folder %s",
				    runtime);
	if (!above)
		return error_system(errno,
				    "cannot use the folder %s for the socket",
				    runtime);
	path = is_set ? xasprintf("%s/perftool", above)
		      : xasprintf("%s/perftool-%u", above, (unsigned)geteuid());
	if (makes && mkdir(path, 0700) != 0 && errno != EEXIST)
		return error_system(errno,
				    "cannot make the folder %s for the socket",
				    path);
	TRY(check(above, path));
	str_append(out, path);
	return NULL;
}

struct error *runtime_folder_find(struct str *out)
{
	return find(false, out);
}

struct error *runtime_folder_make(struct str *out)
{
	return find(true, out);
}

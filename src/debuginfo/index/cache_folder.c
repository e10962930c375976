/*
 * cache_folder.c - the folder of cache files: who may have written to it, and
 * how much it may have; see cache_file.h
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cache_file.h"
#include "perftool/base/alloc.h"
#include "perftool/base/vec.h"

/* A file that is still being written after this many seconds was left behind by
 * a writer that was killed. */
#define ABANDONED 3600

bool cache_is_own(const struct stat *stat)
{
	return stat->st_uid == geteuid() && !(stat->st_mode & S_IWOTH);
}

/* Is there a folder of the user at `path`? `missing` tells whether there is
 * nothing. */
static bool is_own_folder(const char *path, bool *missing)
{
	struct stat found;

	*missing = stat(path, &found) < 0 && errno == ENOENT;
	return !*missing && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

/*
 * Make a folder, and the one around it, if they are missing. The first that is
 * there must belong to the user: a tool that runs as root must not make folders
 * in the home directory of another user, who could not use them later.
 */
static void make_folder(const char *path, int levels)
{
	char *around = xstrdup(path), *slash = strrchr(around, '/');
	bool missing;

	if (slash && slash != around) {
		*slash = '\0';
		if (!is_own_folder(around, &missing) && missing && levels > 1)
			make_folder(around, levels - 1);
		if (is_own_folder(around, &missing))
			mkdir(path, 0700);
	}
	free(around);
}

int cache_folder_open(const char *path, bool create)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
	int folder = open(path, flags);
	struct stat found;

	if (folder < 0 && errno == ENOENT && create) {
		make_folder(path, 2);
		folder = open(path, flags);
	}
	if (folder < 0)
		return -1;
	if (fstat(folder, &found) < 0 || !cache_is_own(&found)) {
		close(folder);
		return -1;
	}
	return folder;
}

/* ---- how much the folder has --------------------------------------------- */

struct kept {
	char *name;
	struct timespec time;
	uint64_t size;
};

VEC_STRUCT(kept_list, struct kept);

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length &&
	       strcmp(name + length - end_length, end) == 0;
}

/* The newest first. */
static int compare(const void *a_, const void *b_)
{
	const struct kept *a = a_, *b = b_;

	if (a->time.tv_sec != b->time.tv_sec)
		return a->time.tv_sec > b->time.tv_sec ? -1 : 1;
	if (a->time.tv_nsec != b->time.tv_nsec)
		return a->time.tv_nsec > b->time.tv_nsec ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void list_file(int folder, const char *name, struct kept_list *list)
{
	struct stat found;

	if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(found.st_mode))
		return;
	if (ends_with(name, CACHE_NEW_SUFFIX) &&
	    found.st_mtim.tv_sec + ABANDONED < time(NULL))
		unlinkat(folder, name, 0);
	if (ends_with(name, CACHE_SUFFIX))
		vec_push(list, (struct kept){xstrdup(name), found.st_mtim,
					     (uint64_t)found.st_size});
}

static void list_files(int folder, struct kept_list *list)
{
	/* closedir() closes the descriptor that fdopendir() was given. */
	int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (!directory) {
		if (again >= 0)
			close(again);
		return;
	}
	while ((entry = readdir(directory)))
		list_file(folder, entry->d_name, list);
	closedir(directory);
}

void cache_folder_tidy(int folder)
{
	struct kept_list list = {0};
	uint64_t bytes = 0;

	list_files(folder, &list);
	if (list.count)
		qsort(list.data, list.count, sizeof(*list.data), compare);
	for (size_t i = 0; i < list.count; i++) {
		uint64_t size = list.data[i].size;

		if (i >= CACHE_MOST_FILES || size > CACHE_MOST_BYTES - bytes)
			unlinkat(folder, list.data[i].name, 0);
		else
			bytes += size;
		free(list.data[i].name);
	}
	vec_free(&list);
}

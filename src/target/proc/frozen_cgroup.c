/*
 * frozen_cgroup.c - finds the cgroup that keeps a process frozen
 *
 * The kernel executes no instruction of a frozen process, also none that the
 * tool puts there. See "Cgroup freezer" in the kernel's cgroup-v1 documents,
 * and cgroup.freeze in its cgroup-v2.rst.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "proc.h"

/* One of the two kinds of hierarchy whose cgroups can freeze processes. */
struct hierarchy {
	const char *type;      /* of the file system */
	const char *option;    /* the mount has this option; "": any mount */
	const char *file;      /* in the folder of each cgroup */
	const char *is_frozen; /* what this file then holds */
};

static const struct hierarchy unified = {"cgroup2", "", "cgroup.freeze", "1"},
			      freezer = {"cgroup", "freezer", "freezer.state",
					 "FR" /* OZEN or EEZING */};

/* Is `word` one of the comma-separated words of `list`? */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ',')) {
		list += *list == ',';
		if (strncmp(list, word, length) == 0 &&
		    (list[length] == ',' || !list[length]))
			return true;
	}
	return false;
}

/* Find where the hierarchy is mounted. `*root` becomes the cgroup that is at
 * `*mount`. */
static bool find_mount(const struct hierarchy *hierarchy, char *root,
		       char *mount)
{
	char line[3 * PATH_MAX], type[32], options[256];
	FILE *file = fopen("/proc/self/mountinfo", "re");
	bool found = false;
	const char *end;

	while (file && !found && fgets(line, sizeof(line), file)) {
		end = strstr(line, " - ");
		found = end &&
			sscanf(line, "%*d %*d %*s %4095s %4095s", root,
			       mount) == 2 &&
			sscanf(end + 3, "%31s %*s %255s", type, options) == 2 &&
			strcmp(type, hierarchy->type) == 0 &&
			(!hierarchy->option[0] ||
			 has_word(options, hierarchy->option));
	}
	if (file)
		fclose(file);
	return found;
}

static bool begins_with(const char *path, const char *start)
{
	FILE *file = fopen(path, "re");
	char line[32] = "";
	bool does;

	if (!file)
		return false;
	does = fgets(line, sizeof(line), file) &&
	       strncmp(line, start, strlen(start)) == 0;
	fclose(file);
	return does;
}

/* Is this cgroup, or one that it is in, frozen? The name of the highest one
 * that is frozen goes to `cgroup`, which is cut off there. */
static bool is_frozen(const struct hierarchy *hierarchy, char *cgroup)
{
	char root[PATH_MAX], mount[PATH_MAX], path[3 * PATH_MAX];
	size_t below = 0, length;
	bool found = false;
	char *end;

	if (!find_mount(hierarchy, root, mount))
		return false;
	if (strcmp(root, "/") != 0) {
		below = strlen(root);
		if (strncmp(cgroup, root, below) != 0)
			return false;
	}
	for (end = cgroup + strlen(cgroup);; end--) {
		if (*end && *end != '/')
			continue;
		length = (size_t)(end - cgroup);
		if (length < below)
			break;
		snprintf(path, sizeof(path), "%s%.*s/%s", mount,
			 (int)(length - below), cgroup + below,
			 hierarchy->file);
		if (begins_with(path, hierarchy->is_frozen)) {
			found = true;
			cgroup[length] = '\0';
		}
		if (end == cgroup)
			break;
	}
	return found;
}

bool proc_is_frozen(pid_t pid, char *cgroup, size_t size)
{
	char path[64], line[PATH_MAX + 256];
	bool found = false;
	const char *names;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	file = fopen(path, "re");
	/* A line is "NUMBER:CONTROLLERS:CGROUP"; the unified hierarchy has the
	 * number 0 and no controllers. */
	while (file && !found && fgets(line, sizeof(line), file)) {
		char *name = strchr(line, ':');
		char *place = name ? strchr(name + 1, ':') : NULL;

		if (!place)
			continue;
		line[strcspn(line, "\n")] = '\0';
		*place++ = '\0';
		names = name + 1;
		found = (!names[0] && is_frozen(&unified, place)) ||
			(has_word(names, freezer.option) &&
			 is_frozen(&freezer, place));
		if (found)
			snprintf(cgroup, size, "%s", place);
	}
	if (file)
		fclose(file);
	return found;
}

/*
 * children.c - the children of a process, and theirs, whoever traces them, as
 * the kernel lists them in /proc/PID/task/TID/children
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "internal.h"

static void add_children_of_thread(pid_t pid, pid_t tid, struct pid_list *out)
{
	char path[64];
	FILE *file;
	pid_t child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		vec_push(out, child);
	if (file)
		fclose(file);
}

static void add_children(pid_t pid, struct pid_list *out)
{
	struct dirent *entry;
	char path[64];
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			add_children_of_thread(pid, tid, out);
	}
	if (directory)
		closedir(directory);
}

void target_find_children(pid_t pid, struct pid_list *out)
{
	*out = (struct pid_list){0};
	add_children(pid, out);
	for (size_t i = 0; i < out->count; i++)
		add_children(out->data[i], out);
}

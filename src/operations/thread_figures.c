/*
 * thread_figures.c - see thread_figures.h
 */
#include "thread_figures.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perftool/base/alloc.h"

/* Reads a file of a thread's folder. Returns false if it cannot be read. */
static bool read_file(pid_t pid, pid_t tid, const char *name, char *text,
		      size_t size)
{
	CLEANUP(free_pointer)
	char *path = xasprintf("/proc/%d/task/%d/%s", pid, tid, name);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	return length > 0;
}

static bool read_thread(pid_t pid, pid_t tid, struct thread_figures *out)
{
	char text[1024], *open, *close;

	*out = (struct thread_figures){.tid = tid};
	if (!read_file(pid, tid, "stat", text, sizeof(text)))
		return false;
	open = strchr(text, '(');
	close = strrchr(text, ')');
	if (!open || !close || close < open || strlen(close) < 3)
		return false;
	snprintf(out->name, sizeof(out->name), "%.*s", (int)(close - open - 1),
		 open + 1);
	out->state = close[2];
	if (read_file(pid, tid, "schedstat", text, sizeof(text)))
		sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNu64, &out->cpu,
		       &out->queue, &out->switches);
	return true;
}

static void read_process(pid_t pid, struct thread_figures_list *out)
{
	CLEANUP(free_pointer) char *path = xasprintf("/proc/%d/task", pid);
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		struct thread_figures figures;
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && read_thread(pid, tid, &figures))
			vec_push(out, figures);
	}
	if (folder)
		closedir(folder);
}

void thread_figures_read(const struct session *session,
			 struct thread_figures_list *out)
{
	pid_t pid;

	for (size_t i = 0; (pid = session_process_at(session, i)); i++)
		read_process(pid, out);
}

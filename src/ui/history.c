/*
 * history.c - see history.h. A history that cannot be read or written is no
 * reason not to work: it is then kept for this session only.
 */
#include "history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

enum { HISTORY_MAX = 5000 };

static char *history_path(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state) {
		CLEANUP(free_pointer)
		char *directory = xasprintf("%s/perftool", state);

		/* The directories of the XDG rules are the user's alone. */
		mkdir(state, 0700);
		mkdir(directory, 0700);
		return xasprintf("%s/history", directory);
	}
	if (home && *home)
		return xasprintf("%s/.perftool_history", home);
	return NULL;
}

/* Reading a pipe would wait for a writer, and a device may have no end. */
static bool is_file_or_nothing(const char *path)
{
	struct stat found;

	return stat(path, &found) < 0 || S_ISREG(found.st_mode);
}

void history_file_init(struct history_file *file)
{
	HistEvent event;

	file->path = history_path();
	if (file->path && !is_file_or_nothing(file->path)) {
		free(file->path);
		file->path = NULL;
	}
	file->lines = history_init();
	if (!file->lines)
		out_of_memory(0);
	history(file->lines, &event, H_SETSIZE, HISTORY_MAX);
	history(file->lines, &event, H_SETUNIQUE, 1);
	if (file->path)
		history(file->lines, &event, H_LOAD, file->path);
}

void history_file_deinit(struct history_file *file)
{
	HistEvent event;

	if (file->path) {
		/* What was typed is nobody else's business. */
		int fd = open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		if (fd >= 0) {
			close(fd);
			history(file->lines, &event, H_SAVE, file->path);
		}
	}
	history_end(file->lines);
	free(file->path);
}

void history_file_add(struct history_file *file, const char *line)
{
	HistEvent event;

	if (line[strspn(line, " \t")] != '\0')
		history(file->lines, &event, H_ENTER, line);
}

void history_file_print(const struct history_file *file, struct str *out)
{
	HistEvent event;
	unsigned long number = 1;

	for (int found = history(file->lines, &event, H_LAST); found >= 0;
	     found = history(file->lines, &event, H_PREV))
		str_printf(out, "%5lu  %.*s\n", number++,
			   (int)strcspn(event.str, "\n"), event.str);
}

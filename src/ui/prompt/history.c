/*
 * history.c - keeps the lines that the user has entered, and saves them in a
 * file
 *
 * If the file cannot be read or written, the tool works all the same, and keeps
 * the lines for this session only.
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

		/* The XDG base directory rules ask for directories that only
		 * the user can read. */
		mkdir(state, 0700);
		mkdir(directory, 0700);
		return xasprintf("%s/history", directory);
	}
	if (home && *home)
		return xasprintf("%s/.perftool_history", home);
	return NULL;
}

/* Is the path a regular file, or does nothing exist there? The tool does not
 * read other files: the read of a pipe would wait for a writer, and a device
 * may have no end. */
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
		/* Only the user may read what the user has typed, so the tool
		 * creates the file with these permissions before libedit writes
		 * it. */
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

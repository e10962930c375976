/* replaced_file.c - see replaced_file.h */
#include "perftool/base/replaced_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How files of programs begin. No report begins like that. */
static const char object_start[] = {0x7f, 'E', 'L', 'F'};
static const char script_start[] = {'#', '!'};

static bool begins(const char *bytes, ssize_t count, const char *start,
		   size_t length)
{
	return count >= (ssize_t)length && memcmp(bytes, start, length) == 0;
}

struct error *replaced_file_check(const char *path)
{
	char bytes[sizeof(object_start)];
	const char *what = NULL;
	struct stat status;
	ssize_t count;
	int fd;

	/* To open a FIFO would wait for its writer. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	count = read(fd, bytes, sizeof(bytes));
	close(fd);
	if (begins(bytes, count, object_start, sizeof(object_start)))
		what = "a program or a library";
	else if (begins(bytes, count, script_start, sizeof(script_start)))
		what = "a script";
	if (!what)
		return NULL;
	return error_create(ERROR_USAGE,
			    "cannot write %s: it is %s, which would be lost; "
			    "name another file, or remove this one first",
			    path, what);
}

bool is_same_file(const char *path, const char *other)
{
	struct stat one, two;

	return stat(path, &one) == 0 && stat(other, &two) == 0 &&
	       S_ISREG(one.st_mode) && one.st_dev == two.st_dev &&
	       one.st_ino == two.st_ino;
}

struct error *replaced_file_check_inputs(const char *path, char *const *inputs,
					 size_t count, const char *what)
{
	for (size_t i = 0; path && i < count; i++)
		if (is_same_file(inputs[i], path))
			return error_create(
				ERROR_USAGE,
				"%s is among the files to be read, and is "
				"where %s would be written (-o); write to "
				"another file",
				inputs[i], what);
	return NULL;
}

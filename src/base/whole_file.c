/* whole_file.c - see whole_file.h */
#include "perftool/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/replaced_file.h"

static void forget(struct whole_file *file)
{
	free(file->path);
	free(file->target);
	free(file->temporary);
	*file = (struct whole_file){0};
}

/* Make an error of errno, and forget the file. */
static struct error *fail(struct whole_file *file)
{
	struct error *error = writer_error(errno, file->path);

	forget(file);
	return error;
}

static struct error *begin_directly(struct whole_file *file)
{
	file->fd = writer_open(&file->writer, file->path);
	return file->fd < 0 ? fail(file) : NULL;
}

/* Create the temporary file in the folder of the target. Its name is short,
 * because the target's may be as long as names can be. Returns false, with
 * errno set, if there can be no file. */
static bool create_temporary(struct whole_file *file)
{
	const char *slash = strrchr(file->target, '/');
	int folder = slash ? (int)(slash - file->target) + 1 : 0;

	for (unsigned number = 0;; number++) {
		free(file->temporary);
		file->temporary =
			xasprintf("%.*s.perftool-%d-%u", folder, file->target,
				  (int)getpid(), number);
		file->fd = open(file->temporary,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (file->fd >= 0)
			return true;
		/* another tool that had this number died while it wrote */
		if (errno != EEXIST)
			return false;
	}
}

/* Write the existing file itself after all. */
static struct error *begin_at_last(struct whole_file *file)
{
	if (file->fd >= 0) {
		close(file->fd);
		unlink(file->temporary);
	}
	free(file->temporary);
	file->temporary = NULL;
	return begin_directly(file);
}

/* May the user write the file `old`, but create none beside it? */
static bool is_forbidden(const struct stat *old)
{
	return old && (errno == EACCES || errno == EPERM);
}

/* Does the temporary file belong to the owner and the group of the old one, as
 * it must if root replaces the file of a user? */
static bool has_owner_of(const struct whole_file *file, const struct stat *old)
{
	struct stat own;

	if (fstat(file->fd, &own) == 0 && own.st_uid == old->st_uid &&
	    own.st_gid == old->st_gid)
		return true;
	return fchown(file->fd, old->st_uid, old->st_gid) == 0;
}

/* `old`: the file that is replaced, or NULL. */
static struct error *begin_beside(struct whole_file *file,
				  const struct stat *old)
{
	if (!create_temporary(file))
		return is_forbidden(old) ? begin_at_last(file) : fail(file);
	if (old && !has_owner_of(file, old))
		return begin_at_last(file);
	if (old && fchmod(file->fd, old->st_mode & 07777) != 0) {
		struct error *error = writer_error(errno, file->path);

		whole_file_give_up(file);
		return error;
	}
	return NULL;
}

struct error *whole_file_begin(struct whole_file *file,
			       const struct writer *writer, const char *path)
{
	struct stat status;

	*file = (struct whole_file){0};
	TRY(replaced_file_check(path));
	*file = (struct whole_file){.writer = *writer, .path = xstrdup(path)};
	if (writer->interrupted && writer->interrupted(writer->context)) {
		errno = EINTR;
		return fail(file);
	}
	if (stat(path, &status) != 0) {
		char link[1];

		/* open(2) creates the file that a broken link names */
		if (errno == ENOENT && readlink(path, link, 1) > 0)
			return begin_directly(file);
		if (errno != ENOENT && errno != EINVAL)
			return fail(file);
		file->target = xstrdup(path);
		return begin_beside(file, NULL);
	}
	if (!S_ISREG(status.st_mode))
		return begin_directly(file);
	if (access(path, W_OK) != 0)
		return fail(file);
	file->target = realpath(path, NULL);
	return file->target ? begin_beside(file, &status) : fail(file);
}

struct error *whole_file_write(struct whole_file *file, const char *bytes,
			       size_t length)
{
	int failure = writer_write(&file->writer, file->fd, bytes, length);

	return failure ? writer_error(failure, file->path) : NULL;
}

struct error *whole_file_finish(struct whole_file *file)
{
	int fd = file->fd;

	/* Some file systems report a full disk only when the file is closed. */
	if (close(fd) != 0 ||
	    (file->temporary && rename(file->temporary, file->target) != 0)) {
		int failure = errno;

		if (file->temporary)
			unlink(file->temporary);
		errno = failure;
		return fail(file);
	}
	forget(file);
	return NULL;
}

void whole_file_give_up(struct whole_file *file)
{
	if (!file->path)
		return;
	close(file->fd);
	if (file->temporary)
		unlink(file->temporary);
	forget(file);
}

/* file_claim.c - see file_claim.h */
#include "perftool/base/file_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/replaced_file.h"

struct error *file_claim(int fd, const char *path)
{
	/* Such a lock belongs to the open file and not to the process, so that
	 * closing another descriptor of the same file keeps it. */
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return NULL;
	if (fcntl(fd, F_OFD_SETLK, &whole) == 0 ||
	    (errno != EAGAIN && errno != EACCES))
		return NULL;
	return error_create(
		ERROR_OTHER,
		"cannot write %s: another perftool is writing it; give each "
		"its own file: %%r in the name is the rank, %%h the machine, "
		"and %%p the process that is measured",
		path);
}

/* ---- a claimed file ------------------------------------------------------ */

static void forget(struct claimed_file *file)
{
	free(file->path);
	*file = (struct claimed_file){0};
}

struct error *claimed_file_open(struct claimed_file *file, const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC;
	struct error *error;

	TRY(replaced_file_check(path));
	*file = (struct claimed_file){.path = xstrdup(path), .is_new = true};
	file->fd = open(path, flags | O_EXCL, 0666);
	/* The file is there, or `path` is a link that leads to no file yet. */
	if (file->fd < 0 && errno == EEXIST) {
		file->is_new = false;
		file->fd = open(path, flags, 0666);
	}
	if (file->fd < 0) {
		error = error_system(errno, "cannot write %s", path);
		forget(file);
		return error;
	}
	error = file_claim(file->fd, path);
	if (error) {
		close(file->fd);
		forget(file);
	}
	return error;
}

struct error *claimed_file_empty(const struct claimed_file *file)
{
	if (ftruncate(file->fd, 0) == 0 || errno == EINVAL)
		return NULL;
	return error_system(errno, "cannot write %s", file->path);
}

void claimed_file_give_up(struct claimed_file *file)
{
	if (file->path && file->is_new)
		unlink(file->path);
	claimed_file_close(file);
}

void claimed_file_close(struct claimed_file *file)
{
	if (!file->path)
		return;
	close(file->fd);
	forget(file);
}

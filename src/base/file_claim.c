/* file_claim.c - see file_claim.h */
#include "perftool/base/file_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

/*
 * streams.c - takes care of standard streams that are closed, and of lost
 * output
 */
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

void streams_reserve(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* /dev/null is opened for writing in place of standard input,
		 * and for reading in place of the other two streams, so that
		 * each use of the stream fails. */
		int way = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", way | O_CLOEXEC) < 0)
			return;
	}
}

struct error *streams_flush(void)
{
	errno = EIO; /* an earlier write has failed, and the errno of that write
		      * is not known any more */
	if (fflush(stdout) != 0 || ferror(stdout))
		return error_system(errno, "cannot write standard output");
	return NULL;
}

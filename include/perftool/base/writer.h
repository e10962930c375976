/*
 * writer.h - writing to files that may not take it: a pipe that nobody reads, a
 * terminal whose output is stopped
 *
 * The tool waits for room before it writes, so that it does not block in the
 * write: there it would miss a signal that came just before.
 */
#ifndef PERFTOOL_BASE_WRITER_H
#define PERFTOOL_BASE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"

/* All zero: it waits as long as it takes. */
struct writer {
	/* Wait until the file has room, for this many milliseconds at most (-1:
	 * for ever). It may return earlier, at a signal. False: the file is not
	 * to be waited for any longer. */
	bool (*await)(void *context, int fd, int milliseconds);
	/* Has the user asked not to write this any more? */
	bool (*interrupted)(void *context);
	void *context;
	/* The reader may take nothing for so long, ns; 0: without limit. */
	uint64_t patience;
};

/* Write all of the text. Returns 0, EINTR (the user does not want it any more),
 * ECANCELED (nobody reads it), or what write(2) has failed with. */
int writer_write(const struct writer *writer, int fd, const char *text,
		 size_t length);

/* The same; `*written` is how much of it was written then. */
int writer_write_some(const struct writer *writer, int fd, const char *text,
		      size_t length, size_t *written);

/* What such a value means, for people. */
const char *writer_reason(int number);

/* "cannot write NAME: ...", ERROR_INTERRUPTED where the user's request has
 * ended it. */
struct error *writer_error(int number, const char *name);

/* "the WHAT PATH could not be written whole: ..." */
struct error *writer_incomplete(int number, const char *what, const char *path);

/* Make a file and open it for writing. A FIFO is opened when somebody reads it;
 * that is waited for without a limit of `patience`. Returns a descriptor, or -1
 * and errno as above. */
int writer_open(const struct writer *writer, const char *path);

/* The same for a stream, which has a copy of `writer`. The user's request not
 * to write it ends the wait for a reader, but nothing that was begun. NULL:
 * errno.
 */
FILE *writer_stream(const struct writer *writer, const char *path);

#endif

/*
 * writer.h - writing to files that may not accept the text at once: a pipe that
 * nobody reads, or a terminal whose output is stopped
 *
 * The tool waits for room before it calls write(2), so that it does not block
 * in the call. While it blocked there, it would miss a signal that had come
 * just before the call.
 */
#ifndef PERFTOOL_BASE_WRITER_H
#define PERFTOOL_BASE_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "perftool/base/error.h"

/* If all members are zero, the functions wait without a limit and cannot be
 * interrupted. */
struct writer {
	/*
	 * Wait until the file has room, but at most this number of milliseconds
	 * (-1: no limit). The function may return earlier, for example at a
	 * signal. It returns false if the writer must not wait any longer for
	 * this file.
	 */
	bool (*await)(void *context, int fd, int milliseconds);
	/* Does the user want this writing to end? */
	bool (*interrupted)(void *context);
	void *context;
	/* The longest time, in ns, for which the reader of the file may take
	 * nothing; 0: no limit. */
	uint64_t patience;
};

/* Write the whole text. Returns 0, EINTR (the user wants the writing to end),
 * ECANCELED (nobody reads the file), or the errno value of a write(2) that
 * failed. */
int writer_write(const struct writer *writer, int fd, const char *text,
		 size_t length);

/* The same as writer_write(). `*written` becomes the number of bytes that were
 * written, also if the function fails. */
int writer_write_some(const struct writer *writer, int fd, const char *text,
		      size_t length, size_t *written);

/* The meaning of a return value of writer_write(), as a text for the user. */
const char *writer_reason(int number);

/* Make an error "cannot write NAME: ...". It is an ERROR_INTERRUPTED if the
 * user has ended the writing, or if nobody reads the file. */
struct error *writer_error(int number, const char *name);

/* Make an error "the WHAT PATH could not be written completely: ...". */
struct error *writer_incomplete(int number, const char *what, const char *path);

/*
 * Create a file and open it for writing. If the file is a FIFO, the function
 * waits until somebody opens it for reading; `patience` does not limit this
 * wait. Returns a descriptor that the caller closes, or -1, with errno set to a
 * value that writer_write() could return.
 */
int writer_open(const struct writer *writer, const char *path);

/*
 * Open a file for writing as a stream, which has its own copy of `writer`. The
 * user can end the wait for the reader of a FIFO, but cannot end the writing to
 * the stream. Returns a stream that the caller closes, or NULL, with errno as
 * writer_open() sets it.
 */
FILE *writer_stream(const struct writer *writer, const char *path);

/*
 * The same for a file that is open already. When the stream is closed, the file
 * stays open. A signal that comes while the file has no room does not make a
 * write fail, as it does for a stream of fdopen(3).
 */
FILE *writer_stream_onto(const struct writer *writer, int fd);

#endif

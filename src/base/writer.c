/*
 * writer.c - see writer.h
 */
#include "perftool/base/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"

/* Largest number of bytes for one write(2). A pipe for which poll(2) reports
 * room has room for at least this number. */
#define CHUNK 4096

/* How often the tool looks whether a process reads a FIFO. */
#define LOOK_INTERVAL 20 /* ms */

static bool has_room(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	return poll(&ready, 1, 0) > 0;
}

static bool await(const struct writer *writer, int fd, int milliseconds)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};

	if (writer->await)
		return writer->await(writer->context, fd, milliseconds);
	poll(&ready, 1, milliseconds);
	return true;
}

static bool is_interrupted(const struct writer *writer)
{
	return writer->interrupted && writer->interrupted(writer->context);
}

/* Wait once for the reader of the file, which has taken nothing since the time
 * `since`. Returns false if the patience with this reader is at its end. */
static bool await_reader(const struct writer *writer, int fd, uint64_t since)
{
	uint64_t gone = monotonic_now() - since;

	if (!writer->patience)
		return await(writer, fd, -1);
	if (gone >= writer->patience)
		return false;
	return await(writer, fd,
		     (int)((writer->patience - gone) / 1000000) + 1);
}

/* Write some bytes to a file that has room. Another process, for example the
 * program, may fill a pipe between the check for room and the write. A blocking
 * write would then wait; so the write to a pipe must not block. */
static ssize_t write_chunk(int fd, bool is_pipe, const char *text,
			   size_t length)
{
	struct iovec part = {(void *)text, length};
	ssize_t written = -1;

	errno = EOPNOTSUPP;
	if (is_pipe)
		written = pwritev2(fd, &part, 1, -1, RWF_NOWAIT);
	/* An older kernel does not support RWF_NOWAIT for pipes. */
	if (written < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
		written = write(fd, text, length);
	return written;
}

int writer_write_some(const struct writer *writer, int fd, const char *text,
		      size_t length, size_t *written)
{
	struct stat status = {0};
	bool is_pipe = fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
	uint64_t since = 0;

	*written = 0;
	while (*written < length) {
		size_t left = length - *written;
		ssize_t count;

		if (is_interrupted(writer))
			return EINTR;
		if (!has_room(fd)) {
			if (!since)
				since = monotonic_now();
			if (!await_reader(writer, fd, since))
				return ECANCELED;
			continue;
		}
		since = 0;
		count = write_chunk(fd, is_pipe, text + *written,
				    left < CHUNK ? left : CHUNK);
		if (count < 0 && errno != EINTR && errno != EAGAIN)
			return errno;
		if (count > 0)
			*written += (size_t)count;
	}
	return 0;
}

int writer_write(const struct writer *writer, int fd, const char *text,
		 size_t length)
{
	size_t written;

	return writer_write_some(writer, fd, text, length, &written);
}

const char *writer_reason(int number)
{
	return number == ECANCELED ? "nobody reads it" : strerror(number);
}

struct error *writer_error(int number, const char *name)
{
	switch (number) {
	case EINTR:
		return error_create(ERROR_INTERRUPTED, "interrupted");
	case ECANCELED:
		return error_create(ERROR_INTERRUPTED, "cannot write %s: %s",
				    name, writer_reason(number));
	default:
		return error_system(number, "cannot write %s", name);
	}
}

struct error *writer_incomplete(int number, const char *what, const char *path)
{
	char *text = xasprintf("the %s %s could not be written completely",
			       what, path);
	struct error *error;

	if (number == ECANCELED)
		error = error_create(ERROR_OTHER, "%s: %s", text,
				     writer_reason(number));
	else
		error = error_system(number, "%s", text);
	free(text);
	return error;
}

static bool is_fifo(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISFIFO(status.st_mode);
}

int writer_open(const struct writer *writer, const char *path)
{
	int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK;
	int fd;

	while ((fd = open(path, flags, 0666)) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != ENXIO)
			return -1;
		if (!is_fifo(path))
			return -1;
		errno = EINTR;
		if (is_interrupted(writer))
			return -1;
		errno = ECANCELED;
		if (!await(writer, -1, LOOK_INTERVAL))
			return -1;
	}
	return fd;
}

/* ---- streams ------------------------------------------------------------ */

struct stream {
	struct writer writer;
	int fd;
	bool stays_open;
	int failure; /* the errno value of the first write that failed, or 0 */
};

static ssize_t stream_write(void *stream_, const char *text, size_t length)
{
	struct stream *stream = stream_;

	if (!stream->failure)
		stream->failure =
			writer_write(&stream->writer, stream->fd, text, length);
	if (!stream->failure)
		return (ssize_t)length;
	errno = stream->failure;
	return 0;
}

static int stream_close(void *stream_)
{
	struct stream *stream = stream_;
	int result = stream->stays_open ? 0 : close(stream->fd);
	int number = errno;

	free(stream);
	errno = number;
	return result;
}

static FILE *open_stream(const struct writer *writer, int fd, bool stays_open)
{
	const cookie_io_functions_t functions = {.write = stream_write,
						 .close = stream_close};
	struct stream *stream = xcalloc(1, sizeof(*stream));
	FILE *file;

	*stream = (struct stream){
		.writer = *writer, .fd = fd, .stays_open = stays_open};
	stream->writer.interrupted = NULL;
	file = fopencookie(stream, "w", functions);
	if (!file)
		stream_close(stream);
	return file;
}

FILE *writer_stream(const struct writer *writer, const char *path)
{
	int fd = writer_open(writer, path);

	return fd < 0 ? NULL : open_stream(writer, fd, false);
}

FILE *writer_stream_onto(const struct writer *writer, int fd)
{
	return open_stream(writer, fd, true);
}

/* json_bytes.c - see json_bytes.h */
#include "json_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/saved.h"

#define PIECE 65536

static struct json_stream *create(int fd, const char *name)
{
	struct json_stream *stream = xcalloc(1, sizeof(*stream));

	stream->fd = fd;
	stream->path = xstrdup(name);
	stream->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	return stream;
}

struct error *json_stream_open(const char *path, struct json_stream **out)
{
	bool is_stdin = str_equal(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	bool has_status;

	if (fd < 0)
		return error_system(errno, "cannot read %s", path);
	has_status = fstat(fd, &status) == 0;
	if (has_status && S_ISDIR(status.st_mode)) {
		if (!is_stdin)
			close(fd);
		return error_system(EISDIR, "cannot read %s", path);
	}
	*out = create(fd, is_stdin ? "standard input" : path);
	(*out)->buffer = xmalloc(PIECE);
	if (has_status && S_ISREG(status.st_mode) && status.st_size > 0)
		(*out)->size = (uint64_t)status.st_size;
	return NULL;
}

struct json_stream *json_stream_open_text(const char *text, size_t length,
					  const char *name)
{
	struct json_stream *stream = create(-1, name);

	stream->piece = stream->next = text;
	stream->end = text + length;
	return stream;
}

void json_stream_close(struct json_stream *stream)
{
	if (!stream)
		return;
	if (stream->fd > STDIN_FILENO)
		close(stream->fd);
	freelocale(stream->locale);
	free(stream->buffer);
	str_deinit(&stream->text);
	str_deinit(&stream->name);
	free(stream->path);
	free(stream);
}

const char *json_stream_name(const struct json_stream *stream)
{
	return stream->path;
}

void json_stream_watch(struct json_stream *stream,
		       const struct saved_watch *watch)
{
	stream->watch = watch;
}

/* Does the user still want the file to be read? */
static bool is_wanted(struct json_stream *stream)
{
	const struct saved_watch *watch = stream->watch;

	if (watch && !stream->size)
		watch->await(watch->context, stream->fd);
	return !watch || watch->goes_on(watch->context, stream->path,
					json_bytes_at(stream), stream->size);
}

bool json_bytes_fill(struct json_stream *stream)
{
	ssize_t count;

	if (stream->fd < 0 || stream->failure)
		return false;
	do {
		if (!is_wanted(stream)) {
			stream->failure = EINTR;
			return false;
		}
		count = read(stream->fd, stream->buffer, PIECE);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		stream->failure = errno;
	if (count <= 0)
		return false;
	stream->before = json_bytes_at(stream);
	stream->piece = stream->next = stream->buffer;
	stream->end = stream->buffer + count;
	return true;
}

static bool is_blank(char byte)
{
	return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

int json_bytes_token(struct json_stream *stream)
{
	const char *at;

	do {
		for (at = stream->next; at < stream->end && is_blank(*at); at++)
			;
		stream->next = at;
		if (at < stream->end)
			return (unsigned char)*at;
	} while (json_bytes_fill(stream));
	return EOF;
}

struct error *json_bytes_unexpected(struct json_stream *stream)
{
	if (json_bytes_peek(stream) != EOF)
		return error_create(
			ERROR_BAD_FILE,
			"%s is no JSON (byte %" PRIu64
			"): tables are saved as JSON by "
			"`-f json -o FILE' or `save tables FILE.json'",
			stream->path, json_bytes_at(stream) + 1);
	if (stream->failure == EINTR)
		return error_create(ERROR_INTERRUPTED,
				    "the reading of %s was interrupted",
				    stream->path);
	if (stream->failure)
		return error_system(stream->failure, "cannot read %s",
				    stream->path);
	if (!stream->in_value)
		return error_create(
			ERROR_BAD_FILE,
			"%s is empty: nothing was saved in it, or not yet; "
			"measure again with `-f json -o FILE'",
			stream->path);
	return error_create(ERROR_BAD_FILE,
			    "%s is cut off after %" PRIu64 " bytes: it was not "
			    "written or copied as a whole; copy it again, or "
			    "measure again",
			    stream->path, json_bytes_at(stream));
}

struct error *json_bytes_wrong(const struct json_stream *stream,
			       const char *what)
{
	return error_create(
		ERROR_BAD_FILE,
		"%s is no JSON that perftool has written (byte %" PRIu64
		": %s): save the tables again",
		stream->path, json_bytes_at(stream), what);
}

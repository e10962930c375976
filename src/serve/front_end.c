/*
 * front_end.c - see front_end.h
 */
#include "front_end.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

struct front_end *front_end_create(int fd, const struct caller *caller)
{
	struct front_end *front_end = xcalloc(1, sizeof(*front_end));

	front_end->fd = fd;
	front_end->caller = *caller;
	front_end->wire = wire_create();
	return front_end;
}

void front_end_destroy(struct front_end *front_end)
{
	char rest[4096];

	if (!front_end)
		return;
	/* If the tool closed a socket in which there is something to read, the
	 * kernel would throw away what the front end has not read yet. */
	while (front_end->fd >= 0 &&
	       recv(front_end->fd, rest, sizeof(rest), MSG_DONTWAIT) > 0)
		;
	if (front_end->fd >= 0)
		close(front_end->fd);
	wire_destroy(front_end->wire);
	str_deinit(&front_end->output);
	free(front_end);
}

void front_end_read(struct front_end *front_end, size_t most)
{
	char buffer[16384];

	while (most && !front_end->is_dead && !front_end->is_closing &&
	       !front_end->has_ended) {
		size_t size = most < sizeof(buffer) ? most : sizeof(buffer);
		ssize_t count = recv(front_end->fd, buffer, size, MSG_DONTWAIT);

		if (count > 0) {
			wire_push(front_end->wire, buffer, (size_t)count);
			most -= (size_t)count;
		} else if (count == 0) {
			/* The last line may come without a newline: the end
			 * of the input completes it. */
			wire_push(front_end->wire, "\n", 1);
			front_end->has_ended = true;
		} else if (errno != EAGAIN && errno != EINTR) {
			front_end->is_dead = true;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

bool front_end_has_output(const struct front_end *front_end)
{
	return front_end->written < front_end->output.length;
}

static void count_written(struct front_end *front_end, size_t count)
{
	front_end->written += count;
	front_end->unwritten_first -= count < front_end->unwritten_first
					      ? count
					      : front_end->unwritten_first;
}

void front_end_write(struct front_end *front_end)
{
	while (!front_end->is_dead && front_end_has_output(front_end)) {
		ssize_t count =
			send(front_end->fd,
			     front_end->output.data + front_end->written,
			     front_end->output.length - front_end->written,
			     MSG_DONTWAIT | MSG_NOSIGNAL);

		if (count >= 0)
			count_written(front_end, (size_t)count);
		else if (errno == EAGAIN)
			return;
		else if (errno != EINTR)
			front_end->is_dead = true;
	}
	str_deinit(&front_end->output);
	front_end->written = 0;
	front_end->is_dead |= front_end->is_closing;
}

static size_t count_waiting(const struct front_end *front_end)
{
	return front_end->output.length - front_end->written;
}

/* A reply with thousands of legs is longer than what may wait. Its front end
 * reads it while notices are put behind it. */
static bool is_too_much(const struct front_end *front_end, size_t more)
{
	size_t waiting = count_waiting(front_end);

	return waiting && waiting - front_end->unwritten_first + more >
				  FRONT_END_MAX_WAITING;
}

void front_end_send(struct front_end *front_end, const struct str *text)
{
	size_t waiting;

	if (!text->length || front_end->is_dead)
		return;
	if (is_too_much(front_end, text->length))
		front_end_write(front_end);
	if (is_too_much(front_end, text->length)) {
		front_end->is_dead = true;
		return;
	}
	waiting = count_waiting(front_end);
	if (!waiting)
		front_end->unwritten_first = text->length;
	if (front_end->written) {
		struct str rest = {0};

		str_append_n(&rest, front_end->output.data + front_end->written,
			     waiting);
		str_deinit(&front_end->output);
		front_end->output = rest;
		front_end->written = 0;
	}
	str_append_n(&front_end->output, text->data, text->length);
}

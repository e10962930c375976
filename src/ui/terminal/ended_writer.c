/*
 * ended_writer.c - a writer that gives up when a signal asks the tool to end
 */
#include "ended_writer.h"

#include "signals.h"

static bool is_ended(void *context)
{
	(void)context;
	return signals_peek() != 0;
}

static bool await_room(void *context, int fd, int milliseconds)
{
	(void)context;
	signals_await_room(fd, milliseconds);
	return true;
}

struct writer ended_writer(void)
{
	return (struct writer){.await = await_room, .interrupted = is_ended};
}

/*
 * status.c - writes the status line during a run
 */
#include "status.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/monotonic.h"

#include "terminal.h"

#define SECOND 1000000000u

void status_init(struct status *status, int fd)
{
	*status = (struct status){.fd = fd};
}

void status_begin(struct status *status)
{
	status->began = status->shown = monotonic_now();
	status->hits = 0;
}

/* Writes text to the terminal if the terminal has room. It is no error if the
 * status line cannot be written. The tool does not wait for a user who has
 * stopped the output of the terminal (Ctrl-S). */
static void put(const struct status *status, const char *text, size_t length)
{
	struct pollfd ready = {.fd = status->fd, .events = POLLOUT};

	if (poll(&ready, 1, 0) > 0 && write(status->fd, text, length) < 0)
		return;
}

void status_update(struct status *status,
		   const struct session_progress *progress)
{
	uint64_t at, columns;
	struct str line = {0};
	double rate;

	if (status->fd < 0)
		return;
	at = monotonic_now();
	if (at - status->began < SECOND || at - status->shown < SECOND / 2)
		return;
	rate = progress->hits < status->hits
		       ? 0.0
		       : (double)(progress->hits - status->hits) * SECOND /
				 (double)(at - status->shown);
	str_printf(&line, "%.1f s, %llu hits, %.0f hits/s",
		   (double)progress->elapsed / SECOND,
		   (unsigned long long)progress->hits, rate);
	columns = (uint64_t)terminal_columns(status->fd);
	if (line.length >= columns)
		line.length = columns - 1;
	/* After the line, the tool puts the cursor back to the beginning of the
	 * row. What the program writes next begins there, as it would without
	 * the tool. */
	put(status, "\r\033[K", 4);
	put(status, line.data, line.length);
	put(status, "\r", 1);
	str_deinit(&line);
	status->visible = true;
	status->shown = at;
	status->hits = progress->hits;
}

void status_erase(struct status *status)
{
	if (status->fd < 0 || !status->visible)
		return;
	put(status, "\r\033[K", 4);
	status->visible = false;
}

/*
 * status.c - writes the status line during a run, and while a command works
 */
#include "status.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/monotonic.h"

#include "terminal.h"

#define SECOND 1000000000u
#define MILLISECOND 1000000u

void status_init(struct status *status, int fd, int work_fd)
{
	*status = (struct status){.fd = fd, .work_fd = work_fd};
}

void status_begin(struct status *status)
{
	status->began = status->shown = monotonic_now();
	status->hits = 0;
}

/* For how long the tool waits for room to erase the line, in ms: the terminal
 * may not have read the last lines yet. */
#define PATIENCE 200

/* Has the terminal room within so many ms? Signals, such as those of traced
 * children, do not end the wait. */
static bool has_room(int fd, int patience)
{
	uint64_t until = monotonic_now() + (uint64_t)patience * MILLISECOND;
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	uint64_t now;
	int count;

	while ((count = poll(&ready, 1, patience)) < 0 && errno == EINTR) {
		now = monotonic_now();
		patience = now < until ? (int)((until - now) / MILLISECOND) : 0;
	}
	return count > 0;
}

/* Writes text to the terminal if the terminal has room within so many ms. It is
 * no error if the status line cannot be written. The tool does not wait longer
 * for a user who has stopped the output of the terminal (Ctrl-S). Returns false
 * if there was no room. */
static bool put(int fd, const char *text, size_t length, int patience)
{
	/* (if the terminal is gone, there is nothing to erase, either) */
	return has_room(fd, patience) && write(fd, text, length) != 0;
}

/* Shows the line. After it, the tool puts the cursor back to the beginning of
 * the row. What the program writes next begins there, as it would without the
 * tool. */
static void show(struct status *status, int fd, struct str *line, uint64_t now)
{
	uint64_t columns = (uint64_t)terminal_columns(fd);

	if (line->length >= columns)
		line->length = columns - 1;
	put(fd, "\r\033[K", 4, 0);
	put(fd, line->data, line->length, 0);
	put(fd, "\r", 1, 0);
	status->visible = true;
	status->shown = now;
}

void status_update(struct status *status, uint64_t elapsed, uint64_t hits)
{
	uint64_t at;
	struct str line = {0};
	double rate;

	if (status->fd < 0)
		return;
	at = monotonic_now();
	if (at - status->began < SECOND || at - status->shown < SECOND / 2)
		return;
	rate = hits < status->hits ? 0.0
				   : (double)(hits - status->hits) * SECOND /
					     (double)(at - status->shown);
	str_printf(&line, "%.1f s, %llu hits, %.0f hits/s",
		   (double)elapsed / SECOND, (unsigned long long)hits, rate);
	show(status, status->fd, &line, at);
	str_deinit(&line);
	status->hits = hits;
}

/* Appends the number with commas between its thousands. */
static void add_number(struct str *out, size_t number)
{
	if (number >= 1000) {
		add_number(out, number / 1000);
		str_printf(out, ",%03zu", number % 1000);
	} else {
		str_printf(out, "%zu", number);
	}
}

void status_work(struct status *status, const char *what, size_t done,
		 size_t count, const char *unit)
{
	struct str line = {0};
	uint64_t now;

	if (status->work_fd < 0)
		return;
	now = monotonic_now();
	if (!done)
		status->work_began = now;
	if (done == count)
		status_erase(status);
	if (done == count || now - status->work_began < SECOND / 2 ||
	    (status->visible && now - status->shown < SECOND / 5))
		return;
	str_printf(&line, "%s: ", what);
	add_number(&line, done);
	if (count) {
		str_append(&line, " of ");
		add_number(&line, count);
	}
	str_printf(&line, " %s", unit);
	show(status, status->work_fd, &line, now);
	str_deinit(&line);
}

void status_erase(struct status *status)
{
	if (!status->visible)
		return;
	status->visible = !put(status->work_fd, "\r\033[K", 4, PATIENCE);
}

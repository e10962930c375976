/*
 * front_end.h - one connection: what it has sent, and what it has not read yet
 *
 * The tool writes to a front end only as much as the socket takes at once. The
 * rest waits in memory. A front end that lets too much wait is dropped, so that
 * the program never waits for a front end.
 */
#ifndef SERVE_FRONT_END_H
#define SERVE_FRONT_END_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/base/str.h"
#include "perftool/operations.h"
#include "serve/wire/wire.h"

/* How many bytes of output may wait, beside a message of any length that was
 * sent when nothing waited. */
#define FRONT_END_MAX_WAITING (4u << 20)

struct front_end {
	/* The serials count the connections from 1. */
	struct caller caller;
	int fd;
	struct wire *wire;
	struct str output;
	size_t written; /* how much of `output` is written */
	/* How much of the message that was sent when nothing waited is not
	 * written yet. */
	size_t unwritten_first;
	/* The connection is of no use any more: it is broken, or the front end
	 * does not read, or all that it wanted is done. */
	bool is_dead;
	/* The front end sends nothing more. It may still read the replies to
	 * what it has sent. */
	bool has_ended;
	/* The connection is closed once its output is written. */
	bool is_closing;
	/* Its last request, which waits for something; NULL: none does. What it
	 * sends after that is read when that is over. */
	struct errand *errand;
	/* It got START, and has answered. */
	bool was_told_start, has_answered;
};

/* Takes over the descriptor; -1: there is none, and the output stays in memory.
 * The caller calls front_end_destroy(). */
struct front_end *front_end_create(int fd, const struct caller *caller);
void front_end_destroy(struct front_end *front_end);

/* Reads what the front end has sent, at most `most` bytes. */
void front_end_read(struct front_end *front_end, size_t most);

/* Writes what waits, as far as the socket takes it. */
void front_end_write(struct front_end *front_end);
bool front_end_has_output(const struct front_end *front_end);

/* Adds text that must be written. If the front end has not read what was added
 * before, and too much would wait, the front end is dropped. */
void front_end_send(struct front_end *front_end, const struct str *text);

#endif

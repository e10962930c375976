/*
 * status.h - the status line: one line on the terminal that shows how a long
 * run is going
 */
#ifndef UI_STATUS_H
#define UI_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/command.h"

struct status {
	int fd;       /* the terminal; -1: there is no status line */
	bool visible; /* the status line is on the screen now */
	/* The times when the run began, and when the line was last shown:
	 * CLOCK_MONOTONIC, in ns. */
	uint64_t began, shown;
	uint64_t hits; /* the number of hits that the line last showed */
};

/* Prepares the status line. `fd` must be a terminal, or -1 for no status line.
 */
void status_init(struct status *status, int fd);

/* Starts the time of the status line. The caller calls this function when the
 * program begins to run. */
void status_begin(struct status *status);

/* Shows the status line about twice a second, beginning one second after
 * status_begin(). The caller may call this function more often. */
void status_update(struct status *status,
		   const struct session_progress *progress);

/* Takes the status line off the screen. The caller calls this function when the
 * run is over, and before other text is written to the terminal. */
void status_erase(struct status *status);

#endif

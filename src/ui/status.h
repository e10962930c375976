/*
 * status.h - one line on the terminal that tells how a long run is going
 */
#ifndef UI_STATUS_H
#define UI_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "perftool/command.h"

struct status {
	int fd;                /* -1: no status line */
	bool visible;          /* it is on the screen now */
	uint64_t began, shown; /* CLOCK_MONOTONIC, ns */
	uint64_t hits;         /* when it was last shown */
};

/* `fd` must be a terminal, or -1. */
void status_init(struct status *status, int fd);

/* The program begins to run. */
void status_begin(struct status *status);

/* Shown about twice a second, from the first second of a run on. */
void status_update(struct status *status,
		   const struct session_progress *progress);

/* Take it off the screen: the run is over, or other text is to follow. */
void status_erase(struct status *status);

#endif

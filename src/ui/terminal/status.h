/*
 * status.h - the status line: one line on the terminal that shows how a long
 * run, or a command that takes long, is going
 */
#ifndef UI_STATUS_H
#define UI_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct status {
	int fd;       /* the terminal; -1: runs have no status line */
	int work_fd;  /* the terminal; -1: commands have none, and runs neither
		       */
	bool visible; /* the status line is on the screen now */
	/* The times when the run began, and when the line was last shown:
	 * CLOCK_MONOTONIC, in ns. */
	uint64_t began, shown;
	uint64_t work_began;
	uint64_t hits; /* the number of hits that the line last showed */
};

/* Prepares the status line of runs, and that of commands. Both files must be
 * terminals, or -1 for no such line. */
void status_init(struct status *status, int fd, int work_fd);

/* Starts the time of the status line. The caller calls this function when the
 * program begins to run. */
void status_begin(struct status *status);

/* Shows the status line about twice a second, beginning one second after
 * status_begin(): the measured time in ns, and how often nodes were hit. The
 * caller may call this function more often. */
void status_update(struct status *status, uint64_t elapsed, uint64_t hits);

/* Shows how far a command has come, such as "what: 1,000 of 2,000 places",
 * beginning half a second after it was called with `done` equal to 0. The line
 * is gone when `done` is `count`. `count` 0: it is not known how much there is
 * to do. The caller may call this function often. */
void status_work(struct status *status, const char *what, size_t done,
		 size_t count, const char *unit);

/* Takes the status line off the screen. The caller calls this function when the
 * run is over, and before other text is written to the terminal. */
void status_erase(struct status *status);

#endif

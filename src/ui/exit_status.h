/*
 * exit_status.h - the exit status of perftool where there is no prompt
 */
#ifndef UI_EXIT_STATUS_H
#define UI_EXIT_STATUS_H

#include "perftool/base/error.h"

/* Exit statuses of perftool. env(1), nohup(1) and timeout(1) use the same
 * numbers. */
enum {
	EXIT_NOT_EXPECTED = 124,
	EXIT_TOOL_FAILED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128, /* base of the exit status if a signal ended the
			    * program or the tool: the number of the signal is
			    * added */
};

struct ui;

/* Returns the status that stands for the error. */
int exit_of_error(const struct error *error);

/* Tells the user of the error, destroys it, and returns the status that stands
 * for it. */
int exit_failed(const struct ui *ui, struct error *error);

/* Returns the status that stands for the end of the program, as a shell has it:
 * the program's own status, or 128 plus the number of the signal that killed
 * the program. Returns 0 if the program has not ended. That the tool has ended
 * it because the time was over is no failure, either. */
int exit_of_program(const struct ui *ui);

/* Does the same, but an expectation that failed or was not met has precedence
 * over the status of the program. */
int exit_final(struct ui *ui);

#endif

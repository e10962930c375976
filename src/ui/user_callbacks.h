/*
 * user_callbacks.h - the callbacks by which the session talks to the user
 */
#ifndef UI_USER_CALLBACKS_H
#define UI_USER_CALLBACKS_H

#include <stdbool.h>

#include "perftool/library.h"

struct ui;

/* Returns the callbacks for the session. Their context is `ui`. */
struct perftool_user user_callbacks(struct ui *ui);

/* The handler of events: shows a remark, a stop, or how far the run has come.
 * `ui` is a struct ui. */
void user_event(void *ui, const struct perftool_event *event);

/* Waits until a file has room, for a writer (struct writer). As long as the
 * user does not want the tool to end, the process that reads the file may take
 * its time. `ui` is a struct ui. */
bool user_await_room(void *ui, int fd, int milliseconds);

/* Forgets a Ctrl-C that no part of the tool has acted on. */
void user_forget_interruption(struct ui *ui);

#endif

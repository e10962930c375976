/*
 * signals.h - the user's requests that come as signals
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H

#include <stdbool.h>

/* Take over SIGINT, SIGTERM, SIGHUP and SIGTSTP (those not ignored on arrival),
 * let SIGWINCH and SIGCONT interrupt a read, and have writes to a closed pipe
 * fail: a program that was attached to must be let go. No call is
 * restarted. */
void signals_install(void);

/* The signal that came since the last call, or 0. SIGTERM and SIGHUP outweigh
 * SIGINT. */
int signals_take(void);

/* The same, leaving it there. */
int signals_peek(void);

/* Did SIGWINCH or SIGCONT come since the last call: is the screen another? */
bool signals_take_redraw(void);
bool signals_peek_redraw(void);

/* Was Ctrl-Z typed (SIGTSTP) since the last call? */
bool signals_take_suspend(void);
bool signals_peek_suspend(void);

/* Stop as SIGTSTP would have; returns when continued. */
void signals_suspend(void);

#endif

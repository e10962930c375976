/*
 * signals.h - the user's requests that come as signals
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H

#include <stdbool.h>

/* Take over SIGINT, SIGTERM and SIGHUP (those not ignored on arrival), and
 * let SIGWINCH and SIGCONT interrupt a read. No call is restarted. */
void signals_install(void);

/* The signal that came since the last call, or 0. SIGTERM and SIGHUP outweigh
 * SIGINT. */
int signals_take(void);

/* The same, leaving it there. */
int signals_peek(void);

#endif

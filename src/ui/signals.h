/*
 * signals.h - the user's requests that come as signals
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H

#include <stdbool.h>

/* Take over whatever else would end us, SIGINT, SIGTERM, SIGQUIT and others
 * (those not ignored on arrival), and SIGTSTP; let SIGWINCH and SIGCONT
 * interrupt a read, and have writes to a closed pipe fail: a program that was
 * attached to must be let go. No call is restarted. */
void signals_install(void);

/*
 * Take over SIGUSR1, which asks for tables; unless it is ignored on arrival.
 * The first thing to do, for it would end us. It interrupts nothing but waits:
 * what is being written when it comes is written whole.
 */
void signals_install_report(void);

/* Did SIGUSR1 come since the last call? */
bool signals_take_report(void);
/* The same, leaving it there. */
bool signals_peek_report(void);

/* The signal that came since the last call, or 0. All others outweigh
 * SIGINT. */
int signals_take(void);

/* The same, leaving it there. */
int signals_peek(void);

/* Wait until a file is ready for these events of poll(2), or until any of the
 * functions here has something to tell. Other signals interrupt it, too. */
void signals_await(int fd, short events);

/* The same, or until SIGUSR1 has come. */
void signals_await_report(int fd, short events);

/* Wait until a file has room to be written to, or until signals_take() has
 * something to tell, for this many milliseconds at most (-1: for ever). */
void signals_await_room(int fd, int milliseconds);

/* SIGALRM, the tick of target_wait(), is held back from now on (`on`), or comes
 * again. It would interrupt what a library writes, which then loses text. */
void signals_hold_ticks(bool on);

/* All is done: end by this signal, without a core, for whoever waits for us to
 * see. Returns for 0, and for SIGINT, SIGTERM and SIGHUP, which exit statuses
 * tell of. */
void signals_die(int number);

/* Did SIGWINCH come since the last call: has the screen another size? */
bool signals_take_resized(void);

/* Did SIGCONT: may the screen have been another's meanwhile? */
bool signals_take_continued(void);

/* Would one of these say so? */
bool signals_peek_redraw(void);

/* Was Ctrl-Z typed (SIGTSTP) since the last call? */
bool signals_take_suspend(void);
bool signals_peek_suspend(void);

/* Stop as SIGTSTP would have; returns when continued. */
void signals_suspend(void);

/*
 * Is a program held that would stand still with us? Then neither what we write
 * nor what we read stops us, as it stops others in the background: writing goes
 * through, and reading fails (EIO).
 */
void signals_hold(bool on);

#endif

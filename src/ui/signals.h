/*
 * signals.h - requests of the user that reach the tool as signals
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H

#include <stdbool.h>

/*
 * Installs the handlers of all signals except SIGUSR1.
 *
 * An attached program must be let go of before the tool ends. So the tool
 * handles the signals that would otherwise end it: SIGINT, SIGTERM, SIGQUIT and
 * others. It also handles SIGTSTP. SIGWINCH and SIGCONT interrupt a read. A
 * write to a closed pipe fails, instead of ending the tool by SIGPIPE. A signal
 * that is ignored when the tool starts stays ignored. A system call that a
 * signal interrupts is not restarted.
 */
void signals_install(void);

/*
 * Installs the handler of SIGUSR1, by which the user asks for tables. If
 * SIGUSR1 is ignored when the tool starts, the signal stays ignored.
 *
 * main() calls this first, because SIGUSR1 would end the tool before. The
 * signal interrupts only waits: a write that is in progress when the signal
 * comes is restarted, so that the text is written whole.
 */
void signals_install_report(void);

/* Has SIGUSR1 come since the last call? */
bool signals_take_report(void);
/* Has SIGUSR1 come? The next signals_take_report() still returns true then. */
bool signals_peek_report(void);

/* Returns the signal that has come since the last call, or 0. These are the
 * signals that ask the tool to interrupt or to end, not SIGUSR1 and SIGTSTP. If
 * SIGINT and another signal have come, returns the other signal. */
int signals_take(void);

/* Returns the same, but the next signals_take() still returns the signal. */
int signals_peek(void);

/* Waits until a file is ready for these events of poll(2), or until a signal
 * has come that a function of this header tells of, except SIGUSR1. Other
 * signals end the wait, too. */
void signals_await(int fd, short events);

/* Does the same, but SIGUSR1 also ends the wait. */
void signals_await_report(int fd, short events);

/* Waits until a file has room for more output, until signals_take() has a
 * signal to return, or until this many milliseconds have passed (-1: no
 * limit). */
void signals_await_room(int fd, int milliseconds);

/*
 * `on` true: blocks SIGALRM from now on. `on` false: lets SIGALRM come again.
 *
 * SIGALRM is the tick of target_wait(). It would interrupt a write of a
 * library, and the library would then lose text.
 */
void signals_hold_ticks(bool on);

/* Ends the tool by this signal, without a core file, so that the process which
 * waits for the tool can see the signal. The caller calls this when all work is
 * done. The function returns if `number` is 0, SIGINT, SIGTERM or SIGHUP: for
 * these signals, the exit status tells of the signal. */
void signals_die(int number);

/* Has SIGWINCH come since the last call? The window of the terminal may then
 * have another size. */
bool signals_take_resized(void);

/* Has SIGCONT come since the last call? Another process may then have used the
 * screen meanwhile. */
bool signals_take_continued(void);

/* Would signals_take_resized() or signals_take_continued() return true? */
bool signals_peek_redraw(void);

/* Has SIGTSTP come since the last call? The terminal sends it for Ctrl-Z.
 * signals_peek_suspend() does not consume the request. */
bool signals_take_suspend(void);
bool signals_peek_suspend(void);

/* Stops the tool as SIGTSTP would have done without a handler. Returns when the
 * tool is continued. */
void signals_suspend(void);

/*
 * `on` true: from now on the tool must not be stopped, because a program that
 * the tool is attached to would stand still with it. A process in the
 * background that writes to the terminal or reads from it is usually stopped
 * (SIGTTOU, SIGTTIN). With `on` true this does not happen to the tool: a write
 * goes through, and a read fails with EIO.
 */
void signals_hold(bool on);

#endif

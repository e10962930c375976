/*
 * signals.h - requests of the user that reach the tool as signals
 */
#ifndef UI_SIGNALS_H
#define UI_SIGNALS_H

#include <stdbool.h>

/*
 * Installs the handlers of all signals except SIGUSR1.
 *
 * The tool must detach from an attached program before the tool ends. So the
 * tool handles the signals that would otherwise end it: SIGINT, SIGTERM,
 * SIGQUIT and others. It also handles SIGTSTP. SIGWINCH and SIGCONT interrupt a
 * read. A write to a closed pipe fails, instead of ending the tool by SIGPIPE.
 * A signal that is ignored when the tool starts stays ignored. A system call
 * that a signal interrupts is not restarted.
 */
void signals_install(void);

/* Installs only the handlers of the signals that interrupt or end the tool, for
 * work that has no program. */
void signals_install_ends(void);

/* From here on these signals end the tool at once again. Nothing is lost: what
 * was noted stays noted. For long work that leaves nothing half done. */
void signals_release_ends(void);

/*
 * Installs the handler of SIGUSR1, by which the user asks for tables. If
 * SIGUSR1 is ignored when the tool starts, the signal stays ignored.
 *
 * main() calls this function before all others, because without the handler
 * SIGUSR1 would end the tool. The signal interrupts only waits: a write that is
 * in progress when the signal comes is restarted, so that the text is written
 * whole.
 */
void signals_install_report(void);

/* Has SIGUSR1 come since the last call of this function? */
bool signals_take_report(void);
/* Has SIGUSR1 come? This function does not consume the signal: the next
 * signals_take_report() still returns true. */
bool signals_peek_report(void);

/* Returns the signal that asks the tool to interrupt or to end, if such a
 * signal has come since the last call; else 0. SIGUSR1 and SIGTSTP are not
 * among these signals. If SIGINT and another signal have come, returns the
 * other signal. */
int signals_take(void);

/* Returns the signal that signals_take() would return, but does not consume it:
 * the next signals_take() still returns the signal. */
int signals_peek(void);

/* Waits until one of the events `events` of poll(2) happens to the file `fd`,
 * or until a signal has come that a function of this header tells of, except
 * SIGUSR1. Other signals end the wait, too. */
void signals_await(int fd, short events);

/* Does the same as signals_await(), but SIGUSR1 also ends the wait. */
void signals_await_report(int fd, short events);

/* Waits until one of two files can be read, or until a signal has come, as
 * signals_await_report() does. `other` may be -1. */
void signals_await_input(int fd, int other);

/* Waits until a file can be read, until signals_take() has a signal to return,
 * or until any other signal comes. */
void signals_await_data(int fd);

/* Waits until a file has room for more output, until signals_take() has a
 * signal to return, or until `milliseconds` have passed (-1: no limit). */
void signals_await_room(int fd, int milliseconds);

/*
 * With `on` true, blocks SIGALRM from now on. With `on` false, unblocks
 * SIGALRM.
 *
 * SIGALRM is the tick of target_wait(). The signal would interrupt a write of a
 * library, and the library would then lose text.
 */
void signals_hold_ticks(bool on);

/* Ends the tool by the signal `number`, without a core file, so that the
 * process which waits for the tool can see the signal. The caller calls this
 * function when all work is done. The function returns if `number` is 0,
 * SIGINT, SIGTERM or SIGHUP: for these signals, the exit status tells of the
 * signal. */
void signals_die(int number);

/* Has SIGWINCH come since the last call of this function? The window of the
 * terminal may then have another size. */
bool signals_take_resized(void);

/* Has SIGCONT come since the last call of this function? Another process may
 * have used the screen while the tool was stopped. */
bool signals_take_continued(void);

/* Would signals_take_resized() or signals_take_continued() return true? */
bool signals_peek_redraw(void);

/* Has SIGTSTP come since the last call of signals_take_suspend()? The terminal
 * sends this signal for Ctrl-Z. signals_peek_suspend() does not consume the
 * signal. */
bool signals_take_suspend(void);
bool signals_peek_suspend(void);

/* Stops the tool as SIGTSTP would have done without a handler. Returns when the
 * tool is continued. */
void signals_suspend(void);

/*
 * With `on` true, nothing may stop the tool from now on, because a program that
 * the tool is attached to would stand still with the tool. A process in the
 * background that writes to the terminal or reads from it is usually stopped
 * (SIGTTOU, SIGTTIN). With `on` true this does not happen to the tool: a write
 * succeeds, and a read fails with EIO.
 */
void signals_hold(bool on);

#endif

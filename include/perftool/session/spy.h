/*
 * spy.h - the Spy of a session: samples of call stacks, and their display
 *
 * The Spy is that of Cedar (Xerox, 1982): it records call stacks when something
 * happens that the user watches, and displays them with an indentation that
 * shows which procedure contains the calls of which. doc/RULES.md, "Profiles",
 * has the rules. All functions return an error whose message is the one line
 * that the user reads.
 */
#ifndef PERFTOOL_SESSION_SPY_H
#define PERFTOOL_SESSION_SPY_H

#include "perftool/profile/call_stacks.h"
#include "perftool/report/spy_display.h"
#include "perftool/session.h"

/* Choose what makes a sample, and how many ticks a second there are. Fails
 * while the Spy is on. */
struct error *session_spy_watch(struct session *session, enum spy_watch watch);
struct error *session_spy_rate(struct session *session, double hz);
/* `tid` 0: all threads. */
struct error *session_spy_process(struct session *session, pid_t tid);
/* Watch the thread that meets the first start break. */
struct error *session_spy_process_break(struct session *session);

/* Set a break that makes samples, or that starts or stops the recording. The
 * texts are a location as of `break` and a condition or NULL. */
enum spy_break_kind { SPY_BREAK_SAMPLE, SPY_BREAK_START, SPY_BREAK_STOP };
struct error *session_spy_break(struct session *session,
				enum spy_break_kind kind, const char *location,
				const char *condition, struct str *out);
/* Remove the breaks that make samples, or those that start and stop. */
struct error *session_spy_clear(struct session *session, bool samples);

/* Begin to record at once; `out` gets remarks on what the user has chosen and
 * is not used then, such as start breaks. Samples that nobody has seen are in
 * the way: the user is asked, or it is an error where no user can be asked. */
struct error *session_spy_on(struct session *session, struct str *out);
/* The same, but the samples of the last measurement stay, and new ones are
 * added to them. It is an error if those are of another kind. */
struct error *session_spy_resume(struct session *session, struct str *out);
/* Arm the start and stop breaks, or disarm them. `out` is as above. */
struct error *session_spy_starts(struct session *session, bool on,
				 struct str *out);
struct error *session_spy_off(struct session *session);
/* Say whether the Spy is on, and what it records. */
void session_spy_show(const struct session *session, struct str *out);
/* Forget the samples. */
struct error *session_spy_flush(struct session *session);

/* Does the Spy have anything to display: was it on? */
bool session_spy_was_on(const struct session *session);

/* Turn the Spy off and append its display. The thresholds are percentages: of a
 * procedure, and of a call below a procedure. `columns` is the width of the
 * terminal; 0: the display does not go to a terminal. */
struct error *session_spy_display(struct session *session, double min,
				  double min_son, int columns, struct str *out);

/* The samples with their names, for files. The caller frees them with
 * call_stacks_deinit(). */
void session_spy_stacks(struct session *session, struct call_stacks *out);

#endif

/*
 * user_callbacks.c - the callbacks by which the session talks to the user
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"

#include "report_stream.h"
#include "ui.h"
#include "ui/prompt/prompt.h"
#include "ui/terminal/terminal.h"
#include "user_callbacks.h"

/* How long, in ns, the tool waits for the processes that read its output when
 * the user wants the tool to end. */
#define LAST_PATIENCE 1000000000u
/* A SIGINT that comes within this time, in ns, after another one is no second
 * request. */
#define ECHO_TIME 100000000u

/* ---- events -------------------------------------------------------------- */

/* Shows a text, which may lack its last newline, now or when the pager has
 * ended. */
static void show(struct ui *ui, const char *text)
{
	struct str lines = {0};

	str_append(&lines, text);
	if (lines.length && lines.data[lines.length - 1] != '\n')
		str_append_char(&lines, '\n');
	if (ui->paging) {
		str_append(&ui->held, str_text(&lines));
	} else {
		status_erase(&ui->status);
		fflush(stdout);
		if (ui->editor)
			editor_above(ui->editor);
		message_write(&ui->writer, stderr, str_text(&lines));
	}
	str_deinit(&lines);
}

void user_event(void *context, const struct perftool_event *event)
{
	struct ui *ui = context;

	switch (event->kind) {
	case PERFTOOL_EVENT_NOTE:
		show(ui, event->text);
		break;
	case PERFTOOL_EVENT_STOP:
		if (!ui->options.quiet)
			show(ui, event->text);
		break;
	case PERFTOOL_EVENT_PROGRESS:
		status_update(&ui->status, event->elapsed_ns, event->hits);
		break;
	case PERFTOOL_EVENT_REPORT:
	case PERFTOOL_EVENT_DUMP:
		break;
	}
}

/* ---- the program --------------------------------------------------------- */

static void program_runs(void *context, pid_t group)
{
	struct ui *ui = context;

	/* If the file of -o cannot get its name now, ui_deinit() tries again
	 * and reports the error. */
	error_destroy(report_stream_name(ui));
	fflush(NULL);
	if (group)
		terminal_give(&ui->terminal, group);
	status_begin(&ui->status);
}

static void program_stopped(void *context)
{
	struct ui *ui = context;

	status_erase(&ui->status);
	terminal_take(&ui->terminal);
}

static void working(void *context, const char *what, size_t done, size_t count)
{
	struct ui *ui = context;

	status_work(&ui->status, what, done, count, "places");
}

/* ---- requests of the user ------------------------------------------------ */

/* Does the signal not interrupt what the tool does before its end? This is so
 * if a signal that ends the tool comes a second time, because timeout(1) sends
 * its signal twice, the second time at once. Where there is no prompt, two
 * presses of Ctrl-C differ from one, and a person needs longer than ECHO_TIME
 * for the second. Ctrl-C does not interrupt the report of a measurement, nor
 * the last table of `perftool top': the user may press it more than once to end
 * the measurement, or at the moment at which the program ends by itself. */
static bool is_passed_over(const struct ui *ui, int number)
{
	bool is_again = !ui->interactive && ui->interrupted_by == SIGINT;

	if (number != SIGINT)
		return number == ui->ended_by;
	if (is_again && monotonic_now() - ui->interrupted_at < ECHO_TIME)
		return true;
	return ui->is_reporting || (ui->options.subcommand == SUBCOMMAND_TOP &&
				    ui->interrupted_by == SIGINT);
}

/* Has the user asked to interrupt since the last call? SIGTERM and the other
 * signals that end the tool interrupt as Ctrl-C does, and then the tool ends.
 */
static bool interrupted(void *context)
{
	struct ui *ui = context;
	int number = signals_take();

	if (!number)
		return false;
	if (is_passed_over(ui, number)) {
		/* await_room() now waits for a reader of the report for
		 * LAST_PATIENCE only */
		ui->interrupted_by = number;
		return false;
	}
	if (number != SIGINT)
		ui->ended_by = number;
	ui->interrupted_by = number;
	ui->interrupted_at = monotonic_now();
	return true;
}

static bool interrupting(void *context)
{
	const struct ui *ui = context;
	int number = signals_peek();

	return number && !is_passed_over(ui, number);
}

void user_forget_interruption(struct ui *ui)
{
	interrupted(ui);
}

static bool suspended(void *context)
{
	(void)context;
	return signals_take_suspend();
}

/* Suspends the tool. The shell that has the terminal meanwhile finds the
 * terminal as it was before the tool was started. */
static void suspend(void *context)
{
	struct ui *ui = context;

	status_erase(&ui->status);
	terminal_take(&ui->terminal);
	signals_suspend();
}

/* ---- waiting ------------------------------------------------------------- */

/* Waits for an event of a file or a signal. If SIGUSR1 has asked for tables,
 * prints or writes the tables and waits again. While a question waits for its
 * answer, the tables are not printed. */
static void await(void *context, int fd, short events)
{
	struct ui *ui = context;

	signals_await_report(fd, events);
	while (signals_peek_report() && !ui->asks) {
		unattended_look(ui, false);
		signals_await_report(fd, events);
	}
}

/* Does the user want the tool to end? At a prompt, Ctrl-C does not ask for
 * that. */
static bool is_to_end(const struct ui *ui)
{
	int number = signals_peek();

	if (ui->interactive)
		return ui->ended_by || (number && number != SIGINT);
	return number || ui->ended_by || ui->interrupted_by;
}

/* Waits until a file has room, for a writer (struct writer). As long as the
 * user does not want the tool to end, the process that reads the file may take
 * its time. When the user wants the end, the tool waits LAST_PATIENCE for a
 * reader that does not read, and after that it waits for no reader any more. */
bool user_await_room(void *context, int fd, int milliseconds)
{
	struct pollfd room = {.fd = fd, .events = POLLOUT};
	struct ui *ui = context;
	uint64_t end;

	if (!is_to_end(ui)) {
		signals_await_room(fd, milliseconds);
		return true;
	}
	end = monotonic_now() + (ui->is_unread ? 0 : LAST_PATIENCE);
	for (;;) {
		uint64_t now = monotonic_now();
		uint64_t left = now < end ? end - now : 0;

		/* A signal may interrupt poll(2), so the loop computes the time
		 * that is left. */
		if (poll(&room, 1, (int)((left + 999999) / 1000000)) > 0)
			return true;
		if (!left)
			break;
	}
	ui->is_unread = true;
	return false;
}

static void holds(void *context, bool on)
{
	(void)context;
	signals_hold(on);
}

/* ---- questions ----------------------------------------------------------- */

/* Can the tool ask the user? It cannot while a pager has the screen, because
 * the pager reads what the user types. */
static bool can_ask(const struct ui *ui)
{
	return ui->interactive && !ui->paging;
}

static bool confirm(void *context, const char *question, bool is_leaving)
{
	struct ui *ui = context;

	return can_ask(ui) && ask_confirm(ui, question, is_leaving);
}

/* Asks the user for a word that is missing after the command line `before`. */
static bool ask(void *context, const char *name, const char *before,
		char **answer)
{
	struct ui *ui = context;

	return ui->editor && editor_ask(ui->editor, name, before, answer);
}

struct perftool_user user_callbacks(struct ui *ui)
{
	return (struct perftool_user){
		.context = ui,
		.program_runs = program_runs,
		.program_stopped = program_stopped,
		.working = working,
		.report = unattended_look,
		.interrupted = interrupted,
		.interrupting = interrupting,
		.suspended = suspended,
		.suspend = suspend,
		.await = await,
		.await_room = user_await_room,
		.holds = holds,
		.confirm = confirm,
		.ask = ask,
		.before_output = unattended_flush,
	};
}

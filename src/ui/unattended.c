/* unattended.c - see unattended.h */
#include "unattended.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perftool/base/monotonic.h"

#include "editor.h"
#include "message.h"
#include "signals.h"
#include "ui.h"

/* How long the tool waits for a reader that takes nothing (threads that reach
 * an int3 wait with it), and how long until it looks again, ns. */
#define PATIENCE 5000000u
#define NO_PATIENCE 1u
#define RETRY_INTERVAL 100000000u

void unattended_begin(struct ui *ui)
{
	session_set_every(ui->session, ui->options.every);
	if (ui->options.delta)
		session_count_intervals(ui->session);
}

void unattended_deinit(struct ui *ui)
{
	str_deinit(&ui->unattended.rest);
}

bool unattended_repeats(const struct ui *ui)
{
	return ui->options.every || ui->unattended.was_written;
}

static struct report_request request_part(const struct ui *ui)
{
	struct report_request request = ui_report_request(ui);

	request.repeated = true;
	request.part = ui->options.delta ? REPORT_SINCE_LAST : REPORT_SO_FAR;
	return request;
}

/* ---- writing without waiting -----------------------------------------------
 */

static void failed(struct ui *ui, int failure)
{
	struct str text = {0};

	ui->unattended.failure = failure;
	str_deinit(&ui->unattended.rest);
	str_printf(&text,
		   "cannot write %s: %s; perftool writes no more tables until "
		   "the end",
		   ui_output_name(ui), writer_reason(failure));
	ui->callbacks.note(ui, str_text(&text));
	str_deinit(&text);
}

/* What there is room for. */
static void write_rest(struct ui *ui, uint64_t patience)
{
	const struct writer writer = {.patience = patience};
	struct str *rest = &ui->unattended.rest, left = {0};
	size_t written;
	int failure;

	status_erase(&ui->status);
	fflush(ui_output(ui));
	failure = writer_write_some(&writer, fileno(ui_output(ui)),
				    str_text(rest), rest->length, &written);
	str_append_n(&left, str_text(rest) + written, rest->length - written);
	str_deinit(rest);
	*rest = left;
	ui->unattended.next_try = monotonic_now() + RETRY_INTERVAL;
	if (failure && failure != ECANCELED)
		failed(ui, failure);
}

/* The rest, as soon as somebody reads it. */
static struct error *write_all(struct ui *ui)
{
	struct str *rest = &ui->unattended.rest;
	struct error *error;

	if (!rest->length)
		return NULL;
	error = interpreter_report_write(ui->interpreter, rest, ui_output(ui),
					 ui->options.output);
	str_deinit(rest);
	return error;
}

void unattended_flush(void *context)
{
	struct ui *ui = context;

	/* where that fails the other text cannot be written, which is told */
	if (ui->output)
		error_destroy(write_all(ui));
}

/* As CSV the tables have files of their own, which are made anew. */
static void write_csv(struct ui *ui)
{
	const struct report_request request = request_part(ui);
	struct error *error = interpreter_report(ui->interpreter, &request,
						 NULL, ui->options.output);

	if (error)
		ui->callbacks.note(ui, error_message(error));
	error_destroy(error);
	ui->unattended.was_written = true;
}

static void write_tables(struct ui *ui)
{
	const struct report_request request = request_part(ui);

	if (!ui_report_file(ui)) {
		write_csv(ui);
		return;
	}
	if (ui->unattended.rest.length)
		write_rest(ui, NO_PATIENCE);
	if (ui->unattended.rest.length || ui->unattended.failure)
		return;
	interpreter_report_text(ui->interpreter, &request, ui_output(ui),
				&ui->unattended.rest);
	ui->unattended.was_written = true;
	write_rest(ui, PATIENCE);
}

/* ---- at a prompt -----------------------------------------------------------
 */

/* In the middle of a run; the editor sees to it itself while it reads a line,
 * and what is on the screen else stays there. */
static bool show_tables(struct ui *ui)
{
	struct error *error;

	if (ui->paging || ui->asks ||
	    (ui->editor && editor_is_reading(ui->editor)) ||
	    !signals_take_report())
		return false;
	error = interpreter_tables(ui->interpreter);
	if (error)
		ui_report_error(ui, "", error);
	return true;
}

/* ---- when ------------------------------------------------------------------
 */

bool unattended_look(void *context, bool due)
{
	struct ui *ui = context;
	struct unattended *unattended = &ui->unattended;

	if (ui->interactive)
		return show_tables(ui);
	if (signals_take_report() || due) {
		write_tables(ui);
		return true;
	}
	if (unattended->rest.length && monotonic_now() >= unattended->next_try)
		write_rest(ui, NO_PATIENCE);
	return false;
}

static struct error *write_last(struct ui *ui)
{
	const struct report_request request = request_part(ui);

	return interpreter_report(ui->interpreter, &request, ui_report_file(ui),
				  ui->options.output);
}

struct error *unattended_end(struct ui *ui)
{
	struct unattended *unattended = &ui->unattended;

	if (unattended->is_over)
		return NULL;
	unattended->is_over = true;
	if (unattended->failure)
		return writer_incomplete(unattended->failure, "report",
					 ui_output_name(ui));
	TRY(write_all(ui));
	if (ui->options.delta &&
	    (session_was_run(ui->session) || unattended->was_written))
		TRY(write_last(ui));
	return NULL;
}

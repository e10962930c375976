/*
 * unattended.c - writes tables while the program is measured, and does not wait
 * long for the process that reads them
 */
#include "unattended.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perftool/base/monotonic.h"

#include "batch_report.h"
#include "report_stream.h"
#include "ui.h"
#include "ui/prompt/prompt.h"
#include "ui/terminal/terminal.h"

/* PATIENCE: how long the tool waits for a reader that takes nothing from the
 * file. Threads that reach an int3 meanwhile wait as long, because the tool
 * does not handle them. NO_PATIENCE: the tool does not wait (0 would mean no
 * limit). RETRY_INTERVAL: how long the tool waits until it tries again to write
 * the rest. All are in ns. */
#define PATIENCE 5000000u
#define NO_PATIENCE 1u
#define RETRY_INTERVAL 100000000u

void unattended_deinit(struct ui *ui)
{
	str_deinit(&ui->unattended.rest);
}

bool unattended_repeats(const struct ui *ui)
{
	return ui->options.every || ui->unattended.was_written;
}

/* Returns what the tables that are written before the end of the run contain.
 */
static struct perftool_report part_of_report(const struct ui *ui)
{
	struct perftool_report report = report_whole(ui);

	report.is_repeated = true;
	report.part = ui->options.delta ? PERFTOOL_REPORT_SINCE_LAST
					: PERFTOOL_REPORT_SO_FAR;
	return report;
}

/* ---- writing without waiting -------------------------------------------- */

/* Notes that a write of tables has failed, throws the rest of the tables away,
 * and tells the user. */
static void failed(struct ui *ui, int failure)
{
	struct str text = {0};

	ui->unattended.failure = failure;
	str_deinit(&ui->unattended.rest);
	str_printf(&text,
		   "cannot write %s: %s; perftool writes no more tables until "
		   "the end",
		   report_output_name(ui), writer_reason(failure));
	perftool_session_remark(ui->session, str_text(&text));
	str_deinit(&text);
}

/* Writes as much of the rest (text of tables that is not yet written) as the
 * file has room for, and keeps what is left. */
static void write_rest(struct ui *ui, uint64_t patience)
{
	const struct writer writer = {.patience = patience};
	struct str *rest = &ui->unattended.rest, left = {0};
	size_t written;
	int failure;

	status_erase(&ui->status);
	error_destroy(report_stream_begin(ui));
	fflush(report_output(ui));
	failure = writer_write_some(&writer, fileno(report_output(ui)),
				    str_text(rest), rest->length, &written);
	str_append_n(&left, str_text(rest) + written, rest->length - written);
	str_deinit(rest);
	*rest = left;
	ui->unattended.next_try = monotonic_now() + RETRY_INTERVAL;
	if (failure && failure != ECANCELED)
		failed(ui, failure);
}

/* Writes all of the rest, and waits until the file has taken it. */
static struct error *write_all(struct ui *ui)
{
	struct str *rest = &ui->unattended.rest;
	struct error *error;

	if (!rest->length)
		return NULL;
	TRY(report_stream_begin(ui));
	error = perftool_session_write(ui->session, rest, report_output(ui),
				       ui->options.output);
	str_deinit(rest);
	return error;
}

void unattended_flush(void *context)
{
	struct ui *ui = context;

	/* An error is ignored here: the caller's other text cannot be written
	 * to this file either, and the user is told of that. */
	if (!ui->output)
		return;
	error_destroy(write_all(ui));
	error_destroy(report_stream_begin(ui));
}

/* Writes the tables as CSV. Each table has a file of its own, which is
 * overwritten each time. */
static void write_csv(struct ui *ui)
{
	const struct perftool_report report = part_of_report(ui);
	struct error *error = perftool_session_report(ui->session, &report,
						      NULL, ui->options.output);

	if (error)
		perftool_session_remark(ui->session, error_message(error));
	error_destroy(error);
	ui->unattended.was_written = true;
}

/* Makes tables and writes as much of them as the file has room for. If a rest
 * of earlier tables still cannot be written, makes no tables. */
static void write_tables(struct ui *ui)
{
	const struct perftool_report report = part_of_report(ui);

	if (!report_file(ui)) {
		write_csv(ui);
		return;
	}
	if (ui->unattended.rest.length)
		write_rest(ui, NO_PATIENCE);
	if (ui->unattended.rest.length || ui->unattended.failure)
		return;
	perftool_session_report_text(ui->session, &report, report_output(ui),
				     &ui->unattended.rest);
	ui->unattended.was_written = true;
	write_rest(ui, PATIENCE);
}

/* ---- at a prompt -------------------------------------------------------- */

/* Prints the tables at a prompt if SIGUSR1 has asked for them. Returns whether
 * the function has printed them. While the editor reads a line, the editor
 * prints the tables itself. While a pager or a question is on the screen, the
 * tables are not printed; they are printed after that. */
static bool show_tables(struct ui *ui)
{
	struct error *error;

	if (ui->paging || ui->asks ||
	    (ui->editor && editor_is_reading(ui->editor)) ||
	    !signals_take_report())
		return false;
	error = perftool_session_print_tables(ui->session);
	if (error)
		ui_report_error(ui, "", error);
	return true;
}

/* ---- when tables are due ------------------------------------------------ */

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

/* Writes what was counted since the last tables. */
static struct error *write_last(struct ui *ui)
{
	const struct perftool_report report = part_of_report(ui);

	TRY(report_stream_begin(ui));
	return perftool_session_report(ui->session, &report, report_file(ui),
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
					 report_output_name(ui));
	TRY(write_all(ui));
	if (ui->options.delta &&
	    (ui_state(ui).was_run || unattended->was_written))
		TRY(write_last(ui));
	return NULL;
}

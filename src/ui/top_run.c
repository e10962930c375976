/*
 * top_run.c - `perftool top`: shows where the program spends its time, and ends
 * it
 */
#include <inttypes.h>

#include "perftool/base/alloc.h"

#include "batch_report.h"
#include "ui.h"

static struct error *look(struct ui *ui)
{
	const struct options *options = &ui->options;
	const struct perftool_state state = ui_state(ui);
	CLEANUP(free_pointer)
	char *line = options->duration ? xasprintf("top for %" PRIu64 "ns",
						   options->duration)
				       : xstrdup("top");

	if (!state.has_program && !state.has_process)
		return error_create(ERROR_USAGE,
				    "no program to look at; `perftool top "
				    "PROGRAM', or `perftool top -p PID'");
	if (options->format)
		TRY(perftool_error_cause(perftool_session_set(
			ui->session, "format",
			report_format_name(options->format))));
	return ui_line(ui, line);
}

/* The program may print something when it is ended, such as a traceback. */
static void say_end(struct ui *ui)
{
	struct str text = {0};

	str_append(&text, "The time is over, and the program is ended by "
			  "SIGINT, as by Ctrl-C.\n");
	ui_say(ui, &text);
}

int top_run(struct ui *ui)
{
	struct error *error = look(ui);

	ui_detach(ui);
	ui->ended_in_time = ui_state(ui).has_process && !ui->interrupted_by;
	if (ui->ended_in_time)
		say_end(ui);
	error = error_first(error, ui_end_program(ui));
	error = error_unless(error, ERROR_INTERRUPTED);
	return error ? exit_failed(ui, error) : exit_of_program(ui);
}

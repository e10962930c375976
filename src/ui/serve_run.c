/*
 * serve_run.c - `perftool serve`: measures, and takes commands from front ends
 */
#include <stdio.h>

#include "perftool/serve.h"

#include "batch_report.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

/* The address of the page is the only way to it, so it is printed under -q,
 * too. */
static void tell_of_page(struct ui *ui, const char *address)
{
	struct str text = {0};

	str_printf(&text, "%s\n", address);
	message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
}

/* Starts the program, or lets the attached process go on, and serves front ends
 * until the program ends. A program that is started is held until the socket
 * exists, so that it does not run if there can be none. */
static struct error *serve(struct ui *ui)
{
	const struct options *options = &ui->options;
	struct server_options how = {.session = ui->session,
				     .socket = options->socket,
				     .waits = options->waits_for_front_end,
				     .patience = options->patience,
				     .has_page = options->has_page,
				     .port = options->port};
	struct server *server = NULL;
	struct error *error;

	TRY(perftool_session_keep_running(ui->session));
	TRY(perftool_session_start(ui->session));
	if (!ui_state(ui).has_process)
		return NULL;
	error = server_create(&how, &server);
	if (!error && options->has_page)
		tell_of_page(ui, server_page(server));
	if (!error && !how.waits)
		perftool_session_let_begin(ui->session);
	if (!error)
		error = server_run(server);
	ui->ended_in_time = server && server_is_time_over(server);
	error = error_first(error, ui_end_program(ui));
	server_destroy(server);
	return error;
}

int serve_run(struct ui *ui)
{
	const struct perftool_state state = ui_state(ui);
	struct error *error = NULL;

	if (!state.has_program && !state.has_process)
		error = error_create(ERROR_USAGE,
				     "no program to serve; `perftool serve "
				     "PROGRAM', or `perftool serve -p PID'");
	if (!error)
		error = serve(ui);
	if (!error && ui->options.output)
		error = report_write(ui);
	return error ? exit_failed(ui, error) : exit_final(ui);
}

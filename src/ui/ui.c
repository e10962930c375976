/*
 * ui.c - sets up what batch mode and the prompt both need, and takes it down
 */
#include "ui.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"

#include "report_stream.h"
#include "ui/terminal/terminal.h"
#include "user_callbacks.h"

/* Are commands read from standard input? */
static bool reads_stdin(const struct options *options)
{
	for (size_t i = 0; i < options->tasks.count; i++)
		if (options->tasks.data[i].kind == TASK_SCRIPT &&
		    str_equal(options->tasks.data[i].text, "-"))
			return true;
	return options->tasks.count == 0 && !options->subcommand &&
	       !isatty(STDIN_FILENO);
}

bool ui_wants_color(const struct options *options, FILE *file)
{
	const char *no_color = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	if (no_color && *no_color)
		return false;
	if (!terminal || str_equal(terminal, "dumb"))
		return false;
	return isatty(fileno(file)) == 1;
}

static void create_session(struct ui *ui)
{
	FILE *output = ui->output ? ui->output : stdout;
	struct perftool_options options = {
		.user = user_callbacks(ui),
		.output = output,
		.messages = stderr,
		.lay_out = message_lay_out,
		.color = ui_wants_color(&ui->options, output),
		.interactive = ui->interactive,
		.stdin_is_commands = ui->commands_on_stdin,
		.program_runs_on = ui->options.subcommand == SUBCOMMAND_SERVE,
		.runs_later = ui->options.batch,
		.time_limit_ns = ui->options.duration,
		.every_ns = ui->options.every,
		.counts_intervals = ui->options.delta,
	};

	if (ui->interactive)
		options.messages = stdout;
	else if (ui->options.quiet)
		options.messages = NULL;
	if (options.messages)
		ui->messages = message_stream(&ui->writer, options.messages);
	if (ui->messages)
		options.messages = ui->messages;
	perftool_session_create_here(&options, &ui->session);
	error_destroy(perftool_error_cause(
		perftool_session_on_event(ui->session, user_event, ui)));
}

static struct error *check_modes(const struct ui *ui)
{
	const struct options *options = &ui->options;

	if (!options->batch && options->duration)
		return error_create(ERROR_USAGE,
				    "--for is for batch mode: give -b or -t");
	if (!options->batch && options->every)
		return error_create(ERROR_USAGE,
				    "--every is for batch mode: give -b or -t");
	if (!options->batch && options->format && !options->format_by_name)
		return error_create(ERROR_USAGE,
				    "-f is for batch mode: give -b or -t");
	return NULL;
}

/* Is there a status line? There is none if a launched program writes to the
 * same terminal: the program's lines and the status line would overwrite each
 * other. */
static bool shows_status(const struct options *options)
{
	return !options->quiet && isatty(STDERR_FILENO) == 1 &&
	       (options->pids.count || isatty(STDOUT_FILENO) != 1);
}

struct error *ui_init(struct ui *ui, const struct options *options)
{
	bool terminal = isatty(STDIN_FILENO) == 1;

	*ui = (struct ui){.options = *options};
	ui->commands_on_stdin = reads_stdin(options);
	ui->interactive = !options->batch && terminal && !ui->commands_on_stdin;
	terminal_init(&ui->terminal, -1);
	status_init(&ui->status, -1, -1);
	TRY(check_modes(ui));
	TRY(report_stream_open(ui));
	signals_install();
	if (ui->interactive)
		terminal_init(&ui->terminal, STDIN_FILENO);
	if (ui->interactive && !options->quiet && isatty(STDERR_FILENO) == 1)
		status_init(&ui->status, -1, STDERR_FILENO);
	else if (!ui->interactive && shows_status(options))
		status_init(&ui->status, STDERR_FILENO, STDERR_FILENO);
	ui->writer = (struct writer){.await = user_await_room, .context = ui};
	create_session(ui);
	return NULL;
}

struct error *ui_line(struct ui *ui, const char *line)
{
	return perftool_error_cause(
		perftool_session_command(ui->session, line, NULL));
}

struct perftool_state ui_state(const struct ui *ui)
{
	struct perftool_state state;

	perftool_session_state(ui->session, &state);
	return state;
}

void ui_detach(struct ui *ui)
{
	struct perftool_state state = ui_state(ui);
	struct str text = {0};
	char *said = NULL;
	struct error *error;

	if (!state.has_process || !state.is_attached)
		return;
	error = perftool_error_cause(
		perftool_session_detach(ui->session, &said));
	str_append(&text, said ? said : "");
	free(said);
	ui_say(ui, &text);
	if (error)
		ui_report_error(ui, "perftool: ", error);
}

struct error *ui_end_program(struct ui *ui)
{
	ui_detach(ui);
	if (!ui_state(ui).has_process)
		return NULL;
	return perftool_error_cause(perftool_session_end(ui->session, NULL));
}

struct error *ui_deinit(struct ui *ui, bool has_failed)
{
	struct error *error = NULL;

	if (ui->session)
		error = error_first(report_stream_name(ui),
				    perftool_session_close_files(ui->session));
	perftool_session_destroy(ui->session);
	if (ui->messages)
		fclose(ui->messages);
	str_deinit(&ui->held);
	unattended_deinit(ui);
	terminal_deinit(&ui->terminal);
	error = error_first(error, report_stream_close(ui, has_failed));
	return error_first(error, streams_flush());
}

/*
 * one_run.c - one use of perftool: from the options to the end of the session
 */
#include "one_run.h"

#include "perftool/base/host.h"

#include "ui.h"
#include "ui/terminal/terminal.h"
#include "user_callbacks.h"

static int fail(struct error *error, int status)
{
	ui_report_error(NULL, "perftool: ", error);
	return status;
}

static struct error *add_debug_directories(struct ui *ui)
{
	for (size_t i = 0; i < ui->options.debug_directories.count; i++)
		TRY(perftool_session_add_debug_directory(
			ui->session, ui->options.debug_directories.data[i]));
	return NULL;
}

/* At a prompt, tells the user what the tool knows of the program (symbols,
 * debug information), so that the user knows which names can be used. */
static void describe_program(struct ui *ui)
{
	struct str text = {0};

	if (ui->interactive) {
		perftool_session_describe(ui->session, &text);
		ui_tell_of_options(ui, &text);
	}
	ui_say(ui, &text);
}

/* Loads the program that the command line names. Returns the exit status if the
 * tool must end now, else 0. If there will be a prompt, a program that cannot
 * be loaded does not end the tool, because the command `file` can name another
 * program. */
static int load_program(struct ui *ui)
{
	const struct options *options = &ui->options;
	struct error *error;
	int status;

	if (options->program_count == 0)
		return 0;
	error = perftool_session_load(ui->session, options->program);
	if (!error)
		return 0;
	status = exit_of_error(error);
	ui_report_error(ui, "perftool: ", error);
	return ui->interactive ? 0 : status;
}

/* Attaches to the processes of the option -p, and to their children if
 * --children was given. Returns the exit status if the
 * tool must end now, else 0. If there will be a prompt, a failure does not end
 * the tool, because the user can go on without the processes. */
static int attach(struct ui *ui)
{
	const struct options *options = &ui->options;
	struct str text = {0};
	struct error *error = perftool_session_attach_all(
		ui->session, options->pids.data, options->pids.count,
		options->children, &text);

	ui_say(ui, &text);
	if (!error)
		return 0;
	if (error_code(error) == ERROR_INTERRUPTED)
		user_forget_interruption(ui);
	ui_report_error(ui, "perftool: ", error);
	if (ui->interactive)
		return 0;
	return ui->interrupted_by ? EXIT_SIGNAL + ui->interrupted_by
				  : EXIT_TOOL_FAILED;
}

/* Does the status tell of a failure of the tool? Else it is that of the
 * program, or says that an expectation was not met. */
static bool is_tool_failure(const struct ui *ui, int status)
{
	const struct perftool_state state = ui_state(ui);

	return status != 0 && status != EXIT_NOT_EXPECTED &&
	       (!state.has_ended || status != state.exit_status);
}

/* Notes what the run has measured, and how it has ended. */
static void take_record(struct ui *ui, int status, struct run_record *record)
{
	const struct perftool_state state = ui_state(ui);
	const struct perftool_report report = {.format = PERFTOOL_FORMAT_JSON,
					       .is_repeated = true};

	record->is_interrupted =
		ui->interrupted_by || ui->ended_by || state.is_ended_by_user;
	record->has_ended = state.has_ended || state.is_time_over;
	record->is_tool_failure = is_tool_failure(ui, status);
	if (state.was_run)
		perftool_session_report_text(ui->session, &report, stdout,
					     &record->json);
}

int one_run(const struct options *options, struct run_record *record,
	    int *signal)
{
	struct ui ui;
	struct error *error = host_check();
	bool has_failed;
	int status;

	if (error)
		return fail(error, EXIT_TOOL_FAILED);
	error = ui_init(&ui, options);
	if (error) {
		error_destroy(ui_deinit(&ui, true));
		return fail(error, EXIT_TOOL_FAILED);
	}
	ui.record = record;
	if (ui.interactive)
		shell_greet(&ui);
	error = add_debug_directories(&ui);
	if (error) {
		error_destroy(ui_deinit(&ui, true));
		return fail(error, EXIT_TOOL_FAILED);
	}
	if (options->pending)
		perftool_error_destroy(
			perftool_session_set(ui.session, "pending", "on"));
	status = load_program(&ui);
	if (status == 0)
		status = attach(&ui);
	if (status == 0)
		describe_program(&ui);
	if (status == 0)
		status = ui.interactive ? shell_main(&ui) : batch_main(&ui);
	if (record)
		take_record(&ui, status, record);
	has_failed = is_tool_failure(&ui, status);
	ui_detach(&ui);
	error = ui_deinit(&ui, has_failed);
	*signal = ui.ended_by ? ui.ended_by : signals_take();
	return error ? fail(error, EXIT_TOOL_FAILED) : status;
}

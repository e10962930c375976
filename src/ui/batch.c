/*
 * batch.c - batch mode, in which perftool has no prompt
 *
 * Batch mode runs the commands that the options or standard input give. With
 * the option -b or -t, batch mode then runs the program and writes the report,
 * unless the commands have run the program already. The exit status of the tool
 * is that of the program, unless the tool has failed or an expectation (command
 * `expect`) was not met.
 */
#include "batch_report.h"
#include "exit_status.h"
#include "one_run.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

/* Tells the user of the breakpoints whose place was never found, and of those
 * that no thread has reached. Returns false if some places were never found. */
static bool describe_unresolved(struct ui *ui)
{
	struct str text = {0};
	bool all_found = perftool_session_unresolved(ui->session, &text);

	if (text.length && !(ui->record && ui->record->is_quiet))
		message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
	return all_found;
}

/* ---- batch mode from its beginning to its end ---------------------------- */

/* Tells the user that nothing was measured, and that the file of -o was not
 * written. Destroys `why`. */
static void tell_of_nothing(struct ui *ui, struct error *why)
{
	struct error *told;

	if (!ui->claimed.path || ui->awaits_name || ui->has_written) {
		ui_report_error(ui, "perftool: ", why);
		return;
	}
	told = error_create(ERROR_INTERRUPTED,
			    "%s; nothing was measured, and %s was not "
			    "written",
			    error_message(why), ui->options.output);
	error_destroy(why);
	ui_report_error(ui, "perftool: ", told);
}

/* Ends batch mode because the user has interrupted a command that runs no
 * program. If nothing was measured until then, this is a failure, and the user
 * is told the message of `why`. The function destroys `why`. */
static int end_early(struct ui *ui, struct error *why)
{
	const struct perftool_state state = ui_state(ui);
	bool is_measured =
		state.was_run || (state.is_attached && state.is_monitored);
	struct error *error = ui_end_program(ui);

	if (!error && !is_measured && ui->interrupted_by) {
		tell_of_nothing(ui, why);
		return EXIT_SIGNAL + ui->interrupted_by;
	}
	error_destroy(why);
	if (!error && ui_state(ui).was_run) {
		describe_unresolved(ui);
		error = report_write(ui);
	}
	return error ? exit_failed(ui, error) : exit_final(ui);
}

/* Ends batch mode because the user has interrupted the commands that follow the
 * end of the measurement: the program has ended, or the user has ended the
 * measurement, too. The function destroys `why`. */
static int end_for_good(struct ui *ui, struct error *why)
{
	struct error *told = error_create(
		ERROR_INTERRUPTED, "%s; the rest of the commands was left out",
		error_message(why));

	error_destroy(why);
	ui_report_error(ui, "perftool: ", told);
	return EXIT_SIGNAL + ui->interrupted_by;
}

/* Reports a measurement that the time limit or the user has ended during the
 * last of the commands. Commands that come after that print what the user
 * wants, as those after the end of the program do. */
static int end_at_last(struct ui *ui)
{
	struct error *error;

	describe_unresolved(ui);
	error = report_write(ui);
	return error ? exit_failed(ui, error) : exit_final(ui);
}

/* Tells the user if nothing is measured and an argument of the program looks
 * like an option of the tool. The tool leaves the arguments of the program
 * alone, so a user who meant the option for the tool would wait for a table in
 * vain. `commands`: how many commands are those of the start-up file. */
static void tell_of_options(struct ui *ui, size_t commands)
{
	const struct perftool_state state = ui_state(ui);
	struct str why = {0}, text = {0};

	ui_tell_of_options(ui, &why);
	if (why.length && state.commands == commands && !state.has_requests) {
		str_printf(&text, "perftool: nothing was asked for; %s",
			   str_text(&why));
		message_write(&ui->writer, stderr, str_text(&text));
	}
	str_deinit(&why);
	str_deinit(&text);
}

/* Are there breakpoints, but no run of the program, because without -b batch
 * mode does not run the program by itself? */
static bool is_run_missing(const struct ui *ui,
			   const struct perftool_state *state)
{
	return !ui->options.batch && state->has_program && !state->was_run &&
	       !state->is_attached && state->has_requests;
}

/* Have the commands set no breakpoint in the attached process? Then there is
 * nothing to measure, and the tool does not wait for the end of the process. */
static bool is_done_with_process(const struct ui *ui,
				 const struct perftool_state *state)
{
	return ui->options.tasks.count && !ui->options.duration &&
	       state->is_attached && !state->has_requests;
}

static struct error *run_commands(struct ui *ui, bool *script)
{
	struct perftool_state state;

	*script = true;
	TRY(ui_run_startup_file(ui));
	state = ui_state(ui);
	if (state.is_done)
		return NULL;
	if (ui->options.tasks.count)
		return ui_run_tasks(ui, script);
	if (ui->commands_on_stdin)
		TRY(perftool_session_script(ui->session, "-"));
	if (!ui->options.subcommand)
		tell_of_options(ui, state.commands);
	return NULL;
}

static int run_by_itself(struct ui *ui)
{
	const struct perftool_state state = ui_state(ui);
	struct error *error;
	bool all_found;
	int status;

	if (!state.has_program && !state.has_process) {
		if (ui->options.tasks.count)
			return exit_final(ui);
		return exit_failed(
			ui,
			error_create(
				ERROR_USAGE,
				"no program to measure; see perftool --help"));
	}
	error = perftool_session_measure(ui->session, ui->options.duration,
					 &ui->ended_in_time);
	if (error)
		/* The run has failed before the program ended. It means nothing
		 * that no thread has reached a breakpoint until then, so the
		 * user is not told of it. */
		return exit_failed(ui, error);
	all_found = describe_unresolved(ui);
	error = report_write(ui);
	if (error)
		return exit_failed(ui, error);
	status = exit_final(ui);
	return all_found ? status : EXIT_TOOL_FAILED;
}

/* Does what is left to do after the commands. */
static int finish(struct ui *ui)
{
	const struct perftool_state state = ui_state(ui);

	if (is_run_missing(ui, &state))
		message_write(&ui->writer, stderr,
			      "perftool: the program was not run; -b or the "
			      "command `run' runs it\n");
	if (ui->options.batch && !state.was_run && !state.is_done &&
	    !is_done_with_process(ui, &state))
		return run_by_itself(ui);
	if ((state.is_time_over || state.is_ended_by_user) &&
	    !state.ran_after_end)
		return end_at_last(ui);
	report_tell_of_format(ui);
	report_tell_of_profiles(ui);
	return exit_final(ui);
}

static int run_batch(struct ui *ui)
{
	struct error *error;
	bool script;

	report_tell_of_picture(&ui->options, &ui->writer);
	error = run_commands(ui, &script);

	if (error && error_code(error) == ERROR_INTERRUPTED) {
		const struct perftool_state state = ui_state(ui);

		return ui->interrupted_by && (state.is_ended_by_user ||
					      state.has_ended)
			       ? end_for_good(ui, error)
			       : end_early(ui, error);
	}
	if (error) {
		ui_report_error(ui, script ? "" : "perftool: ", error);
		return EXIT_TOOL_FAILED;
	}
	switch (ui->options.subcommand) {
	case SUBCOMMAND_TOP:
		return top_run(ui);
	case SUBCOMMAND_SERVE:
		return serve_run(ui);
	default:
		return finish(ui);
	}
}

int batch_main(struct ui *ui)
{
	int status = run_batch(ui);
	/* If no report was written, the tool must still write the last tables
	 * of --every and of SIGUSR1. */
	struct error *error = unattended_end(ui);

	return error ? exit_failed(ui, error) : status;
}

/*
 * batch.c - batch mode, in which perftool has no prompt
 *
 * Batch mode runs the commands that the options or standard input give. With
 * the option -b or -t, batch mode then runs the program and writes the report,
 * unless the commands have run the program already. The exit status of the tool
 * is that of the program, unless the tool has failed or an expectation (command
 * `expect`) was not met.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/monotonic.h"

#include "ui.h"
#include "ui/terminal/terminal.h"

/* ---- the run that batch mode starts by itself ---------------------------- */

static void describe_stop(struct ui *ui, const struct session_stop *stop)
{
	struct str text = {0};

	session_describe_stop(ui->session, stop, &text);
	ui_say(ui, &text);
}

static bool has_ended(const struct session_stop *stop)
{
	return stop->reason == STOP_EXITED || stop->reason == STOP_SIGNALED ||
	       stop->reason == STOP_DETACHED;
}

/* Starts the program, or continues the process that the tool is attached to. */
static struct error *begin_program(struct ui *ui, uint64_t limit,
				   struct session_stop *stop)
{
	TRY(session_monitor(ui->session, true));
	if (session_has_process(ui->session))
		return session_continue(ui->session, limit, stop);
	return session_run(ui->session, NULL, 0, NULL, NULL, limit, stop);
}

/* Measures the program until the program ends or the time of --for is over. If
 * a breakpoint stops the program, tells the user and continues the program. */
static struct error *run_program(struct ui *ui)
{
	uint64_t limit = ui->options.duration, began = monotonic_now();
	struct session_stop stop;

	/* The attached process has ended while the commands were run. The
	 * measurement is complete, and the tool does not start the same program
	 * instead. */
	if (!session_has_process(ui->session) &&
	    session_last_end(ui->session, &stop))
		return NULL;
	TRY(begin_program(ui, limit, &stop));
	while (stop.reason == STOP_BREAKPOINT) {
		uint64_t gone = monotonic_now() - began;

		describe_stop(ui, &stop);
		if (limit && gone >= limit)
			break;
		TRY(session_continue(ui->session, limit ? limit - gone : 0,
				     &stop));
	}
	ui_detach(ui);
	if (!has_ended(&stop) && session_has_process(ui->session))
		TRY(session_end_program(ui->session, &stop));
	/* The tool does not report the ordinary end of the program. */
	if (stop.reason == STOP_SIGNALED || stop.reason == STOP_DETACHED)
		describe_stop(ui, &stop);
	return NULL;
}

/* Tells the user of the breakpoints whose place was never found, and of those
 * that no thread has reached. Returns false if some places were never found. */
static bool describe_unresolved(struct ui *ui)
{
	struct str text = {0};
	bool all_found = session_describe_unresolved(ui->session, &text);

	if (text.length)
		message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
	return all_found;
}

/* The option -f has precedence over `set format`. */
struct report_request ui_report_request(const struct ui *ui)
{
	enum report_format format = ui->options.format_given
					    ? ui->options.format
					    : session_format(ui->session);

	return (struct report_request){
		.format = format,
		.ranked = session_timed_pattern(ui->session),
		.repeated = unattended_repeats(ui)};
}

FILE *ui_output(const struct ui *ui)
{
	return ui->output ? ui->output : stderr;
}

/* With the option -f csv, each table is written to a file of its own, so there
 * is no common file. */
FILE *ui_report_file(const struct ui *ui)
{
	const struct options *options = &ui->options;

	return options->format_given && options->format == FORMAT_CSV
		       ? NULL
		       : ui_output(ui);
}

const char *ui_output_name(const struct ui *ui)
{
	const char *path = ui->options.output;

	if (!path)
		return "standard error";
	return str_equal(path, "-") ? "standard output" : path;
}

/* Tells the user if the name of the report's file ends in .json or .csv, but
 * the report is written as text. The user may have expected that the ending
 * chooses the form, as it does for `save tables`. */
static void tell_of_name(struct ui *ui, enum report_format format)
{
	static const char *const others[] = {"json", "csv"};
	const char *path = ui->options.output;
	const char *end = path ? strrchr(path, '.') : NULL;
	struct str text = {0};

	if (!end || format != FORMAT_TEXT || ui->options.format_given)
		return;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		if (!str_equal(end + 1, others[i]))
			continue;
		str_printf(&text,
			   "perftool: the report in %s is text; `-f %s' writes "
			   "the form that the name ends in\n",
			   path, others[i]);
		message_write(&ui->writer, stderr, str_text(&text));
	}
	str_deinit(&text);
}

/* Writes the last report, after the tables that were written to the same file
 * during the run. */
static struct error *report(struct ui *ui)
{
	struct error *error = unattended_end(ui);
	const struct report_request request = ui_report_request(ui);

	tell_of_name(ui, request.format);
	return error_first(error, interpreter_report(ui->interpreter, &request,
						     ui_report_file(ui),
						     ui->options.output));
}

static const char *const format_names[] = {
	[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_CSV] = "csv"};

/* Tells the user of profiles that commands have recorded, if no command has
 * shown or saved them. */
static void tell_of_profiles(struct ui *ui)
{
	const char *command = interpreter_unseen_profile(ui->interpreter);
	struct str text = {0};

	if (!command)
		return;
	str_printf(&text,
		   "perftool: a profile was recorded, and no command has shown "
		   "it: `-e %s' behind the command that runs the program shows "
		   "it\n",
		   command);
	message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
}

/* Tells the user if the option -f has no effect: commands have run the program,
 * so there is no report. -f has an effect all the same if tables are written
 * during the run. */
static void tell_of_format(struct ui *ui)
{
	const char *name = format_names[ui->options.format];
	struct str text = {0};

	if (!ui->options.format_given || !session_was_run(ui->session) ||
	    ui->unattended.was_written || ui->options.delta)
		return;
	str_printf(&text,
		   "perftool: -f %s has no effect: commands have run the "
		   "program, so that perftool prints no report by itself (use "
		   "`set format %s' and `print tables')\n",
		   name, name);
	message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
}

/* ---- batch mode from its beginning to its end ---------------------------- */

static int failure_status(const struct error *error)
{
	switch (error_code(error)) {
	case ERROR_NOT_EXECUTABLE:
		return EXIT_NOT_EXECUTABLE;
	case ERROR_NO_PROGRAM:
		return EXIT_NOT_FOUND;
	default:
		return EXIT_TOOL_FAILED;
	}
}

static int fail(const struct ui *ui, struct error *error)
{
	int status = failure_status(error);

	ui_report_error(ui, "perftool: ", error);
	return status;
}

/* Returns the exit status that stands for the end of the program, as a shell
 * has it: the program's own status, or 128 plus the number of the signal that
 * killed the program. Returns 0 if the program has not ended. */
static int program_status(const struct ui *ui)
{
	struct session_stop end;

	if (session_has_process(ui->session) ||
	    !session_last_end(ui->session, &end))
		return 0;
	if (end.reason == STOP_SIGNALED)
		return EXIT_SIGNAL + end.signal;
	return end.status;
}

/* Returns the exit status of perftool. An expectation that failed or was not
 * met has precedence over the status of the program. */
static int final_status(struct ui *ui)
{
	switch (interpreter_expected(ui->interpreter)) {
	case EXPECTED_FAILED:
		return EXIT_TOOL_FAILED;
	case EXPECTED_UNMET:
		return EXIT_NOT_EXPECTED;
	case EXPECTED_MET:
		break;
	}
	return program_status(ui);
}

/* Ends batch mode because the user, or the time limit, has ended the
 * measurement while commands were run. If the user has ended it before anything
 * was measured, this is a failure, and the user is told the message of `why`.
 * The function destroys `why`. */
static int end_early(struct ui *ui, struct error *why)
{
	bool is_measured = session_was_run(ui->session) ||
			   (session_is_attached(ui->session) &&
			    session_monitor_is_on(ui->session));
	struct error *error = NULL;
	struct session_stop stop;

	ui_detach(ui);
	if (session_has_process(ui->session))
		error = session_end_program(ui->session, &stop);
	if (!error && !is_measured && ui->interrupted_by) {
		ui_report_error(ui, "perftool: ", why);
		return EXIT_SIGNAL + ui->interrupted_by;
	}
	error_destroy(why);
	if (!error && session_was_run(ui->session)) {
		describe_unresolved(ui);
		error = report(ui);
	}
	return error ? fail(ui, error) : final_status(ui);
}

/* Reports a measurement that the time limit has ended during the last of the
 * commands. Commands that come after that print what the user wants, as those
 * after the end of the program do. */
static int end_in_time(struct ui *ui)
{
	struct error *error;

	describe_unresolved(ui);
	error = report(ui);
	return error ? fail(ui, error) : final_status(ui);
}

/* Tells the user if nothing is measured and an argument of the program looks
 * like an option of the tool. The tool leaves the arguments of the program
 * alone, so a user who meant the option for the tool would wait for a table in
 * vain. */
static void tell_of_options(struct ui *ui)
{
	struct str why = {0}, text = {0};

	ui_tell_of_options(ui, &why);
	if (why.length && !interpreter_was_used(ui->interpreter) &&
	    !session_has_requests(ui->session)) {
		str_printf(&text, "perftool: nothing was asked for; %s",
			   str_text(&why));
		message_write(&ui->writer, stderr, str_text(&text));
	}
	str_deinit(&why);
	str_deinit(&text);
}

/* Are there breakpoints, but no run of the program, because without -b batch
 * mode does not run the program by itself? */
static bool is_run_missing(const struct ui *ui)
{
	return !ui->options.batch && session_program(ui->session) &&
	       !session_was_run(ui->session) &&
	       !session_is_attached(ui->session) &&
	       session_has_requests(ui->session);
}

/* Have the commands set no breakpoint in the attached process? Then there is
 * nothing to measure, and the tool does not wait for the end of the process. */
static bool is_done_with_process(const struct ui *ui)
{
	return ui->options.tasks.count && !ui->options.duration &&
	       session_is_attached(ui->session) &&
	       !session_has_requests(ui->session);
}

static struct error *run_commands(struct ui *ui, bool *script)
{
	struct error *error;

	*script = true;
	error = ui_run_startup_file(ui);
	if (error || interpreter_is_done(ui->interpreter))
		return error;
	interpreter_was_used(ui->interpreter);
	if (ui->options.tasks.count)
		return ui_run_tasks(ui, script);
	if (ui->commands_on_stdin)
		TRY(interpreter_script(ui->interpreter, "-"));
	if (!ui->options.top)
		tell_of_options(ui);
	return NULL;
}

static int run_by_itself(struct ui *ui)
{
	struct error *error;
	bool all_found;
	int status;

	if (!session_program(ui->session) &&
	    !session_has_process(ui->session)) {
		if (ui->options.tasks.count)
			return final_status(ui);
		return fail(
			ui,
			error_create(
				ERROR_USAGE,
				"no program to measure; see perftool --help"));
	}
	error = run_program(ui);
	if (error && !session_was_run(ui->session))
		return fail(ui, error);
	if (error)
		/* The run has failed before the program ended. It means nothing
		 * that no thread has reached a breakpoint until then, so the
		 * user is not told of it. */
		return fail(ui, error);
	all_found = describe_unresolved(ui);
	error = report(ui);
	if (error)
		return fail(ui, error);
	status = final_status(ui);
	return all_found ? status : EXIT_TOOL_FAILED;
}

/* `perftool top`: shows where the program spends its time, and ends it. */
static int run_top(struct ui *ui)
{
	CLEANUP(free_pointer)
	char *line = ui->options.duration ? xasprintf("top for %" PRIu64 "ns",
						      ui->options.duration)
					  : xstrdup("top");
	struct error *error = NULL;
	struct session_stop stop;

	if (!session_program(ui->session) && !session_has_process(ui->session))
		error = error_create(ERROR_USAGE,
				     "no program to look at; `perftool top "
				     "PROGRAM', or `perftool top -p PID'");
	if (!error && ui->options.format_given)
		error = session_set(ui->session, "format",
				    format_names[ui->options.format]);
	if (!error)
		error = interpreter_line(ui->interpreter, line);
	ui_detach(ui);
	if (session_has_process(ui->session))
		error = error_first(error,
				    session_end_program(ui->session, &stop));
	if (error && error_code(error) == ERROR_INTERRUPTED) {
		error_destroy(error);
		error = NULL;
	}
	return error ? fail(ui, error) : program_status(ui);
}

static int run_batch(struct ui *ui)
{
	bool script, ran_after;
	struct error *error = run_commands(ui, &script);

	if (error && error_code(error) == ERROR_INTERRUPTED)
		return end_early(ui, error);
	if (error) {
		ui_report_error(ui, script ? "" : "perftool: ", error);
		return EXIT_TOOL_FAILED;
	}
	if (ui->options.top)
		return run_top(ui);
	if (is_run_missing(ui))
		message_write(&ui->writer, stderr,
			      "perftool: the program was not run; -b or the "
			      "command `run' runs it\n");
	if (ui->options.batch && !session_was_run(ui->session) &&
	    !interpreter_is_done(ui->interpreter) && !is_done_with_process(ui))
		return run_by_itself(ui);
	if (interpreter_time_is_over(ui->interpreter, &ran_after) && !ran_after)
		return end_in_time(ui);
	tell_of_format(ui);
	tell_of_profiles(ui);
	return final_status(ui);
}

int batch_main(struct ui *ui)
{
	int status = run_batch(ui);
	/* If no report was written, the tool must still write the last tables
	 * of --every and of SIGUSR1. */
	struct error *error = unattended_end(ui);

	return error ? fail(ui, error) : status;
}

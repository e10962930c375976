/*
 * batch_report.c - the report that batch mode writes: into which file, in which
 * form, and what the user must know of it
 */
#include "batch_report.h"

#include <string.h>

#include "perftool/base/path.h"
#include "report_stream.h"
#include "ui.h"
#include "ui/terminal/terminal.h"

struct perftool_report report_whole(const struct ui *ui)
{
	return (struct perftool_report){.format = ui->options.format,
					.is_repeated = unattended_repeats(ui)};
}

FILE *report_output(const struct ui *ui)
{
	return ui->output ? ui->output : stderr;
}

/* With the option -f csv, each table is written to a file of its own, so there
 * is no common file. */
FILE *report_file(const struct ui *ui)
{
	return ui->options.format == PERFTOOL_FORMAT_CSV ? NULL
							 : report_output(ui);
}

const char *report_output_name(const struct ui *ui)
{
	const char *path = ui->options.output;

	if (!path)
		return "standard error";
	return str_equal(path, "-") ? "standard output" : path;
}

/* What writes the kind of file that the ending of the name promises, or NULL:
 * it promises no picture. */
static const char *picture_command(const char *path)
{
	if (path_has_ending(path, ".html") || path_has_ending(path, ".htm"))
		return "save report";
	return path_has_ending(path, ".svg") ? "save plot" : NULL;
}

void report_tell_of_picture(const struct options *options,
			    const struct writer *writer)
{
	const char *path = options->output, *command;
	bool is_of_one_run = !options->subcommand && !options->runs;
	struct str text = {0};

	command = path && !options->format ? picture_command(path) : NULL;
	if (!command)
		return;
	str_printf(&text, "perftool: the report in %s will be text; ", path);
	if (is_of_one_run)
		str_printf(
			&text,
			"%s is written by the command `%s', as in `-e run -e "
			"\"%s %s\"'\n",
			str_equal(command, "save plot") ? "a figure" : "a page",
			command, command, path);
	else
		str_printf(&text,
			   "%s are written of one run, by the command `%s'\n",
			   str_equal(command, "save plot") ? "figures"
							   : "pages",
			   command);
	message_write(writer, stderr, str_text(&text));
	str_deinit(&text);
}

/* Tells the user if the name of the report's file ends in .json or .csv,
 * but the report is written as text. The user may have expected that the ending
 * chooses the form, as it does for `save tables`. */
static void tell_of_name(struct ui *ui, const struct perftool_report *report)
{
	static const char *const others[] = {"json", "csv"};
	const char *path = ui->options.output;
	const char *end = path ? strrchr(path, '.') : NULL;
	struct str text = {0};

	if (!end || ui->options.format ||
	    perftool_session_format(ui->session, report) !=
		    PERFTOOL_FORMAT_TEXT)
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

struct error *report_write(struct ui *ui)
{
	const struct perftool_report report = report_whole(ui);
	struct error *error, *unwritten;

	ui->is_reporting = true;
	if (ui->record)
		return NULL; /* the report comes after the last run */
	error = report_stream_name(ui);
	unwritten = report_stream_begin_whole(ui);
	if (unwritten)
		return error_first(error, unwritten);
	error = error_first(error, unattended_end(ui));
	tell_of_name(ui, &report);
	error = error_first(error, perftool_session_report(ui->session, &report,
							   report_file(ui),
							   ui->options.output));
	if (error)
		report_stream_spoil(ui);
	return error;
}

const char *report_format_name(enum perftool_format format)
{
	static const char *const names[] = {[PERFTOOL_FORMAT_TEXT] = "text",
					    [PERFTOOL_FORMAT_JSON] = "json",
					    [PERFTOOL_FORMAT_CSV] = "csv"};

	return names[format];
}

void report_tell_of_profiles(struct ui *ui)
{
	const char *command = ui_state(ui).unseen_profile;
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

void report_tell_of_format(struct ui *ui)
{
	const struct perftool_report as_set = {0};
	const char *name = report_format_name(ui->options.format);
	struct str text = {0};

	if (!ui->options.format || !ui_state(ui).was_run ||
	    ui->unattended.was_written || ui->options.delta)
		return;
	/* Commands may have written this form to the file. */
	if (ui->options.format_by_name &&
	    perftool_session_format(ui->session, &as_set) == ui->options.format)
		return;
	str_printf(&text,
		   "perftool: %s%s has no effect: commands have run the "
		   "program, so that perftool prints no report by itself (use "
		   "`set format %s' and `print tables')\n",
		   ui->options.format_by_name ? "the ending ." : "-f ", name,
		   name);
	message_write(&ui->writer, stderr, str_text(&text));
	str_deinit(&text);
}

/*
 * main.c - the beginning and the end of the process perftool
 *
 * Invariant: only this file ends the process.
 */
#include <errno.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/host.h"
#include "perftool/serve.h"

#include "compare_command.h"
#include "front_end_commands.h"
#include "merge_run.h"
#include "ui.h"
#include "ui/terminal/terminal.h"
#include "usage.h"
#include "user_callbacks.h"

/* The lines of a file of --man that stand for text that is made from a table.
 */
static const struct {
	const char *line;
	void (*append)(struct str *out);
} made_texts[] = {
	{"@COMMANDS@\n", perftool_man_commands},
	{"@OPERATIONS@\n", serve_document},
	{"@OPTION LINES@\n", option_lines},
	{"@SUBCOMMAND LINES@\n", subcommand_lines},
	{"@OPTION TABLE@\n", option_reference},
	{"@SUBCOMMAND TABLE@\n", subcommand_reference},
	{"@COMMAND REFERENCE@\n", perftool_reference_commands},
};

/* Prints the text of the file `path`, which is that of the man page, of a
 * document or of a shell's completion, with what made_texts has in the place of
 * its lines. */
static struct error *print_man(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	char *line = NULL;

	if (!file)
		return error_system(errno, "cannot read %s", path);
	while (getline(&line, &capacity, file) >= 0) {
		struct str section = {0};

		for (size_t i = 0; i < sizeof(made_texts) / sizeof(*made_texts);
		     i++)
			if (str_equal(line, made_texts[i].line))
				made_texts[i].append(&section);
		fputs(section.length ? str_text(&section) : line, stdout);
		str_deinit(&section);
	}
	free(line);
	fclose(file);
	return streams_flush();
}

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

/* Runs the tool from the options to the end. Returns the exit status. `*signal`
 * gets the signal that has ended the tool, or 0. */
static int run(const struct options *options, int *signal)
{
	struct ui ui;
	struct error *error = host_check();
	int status;

	if (error)
		return fail(error, EXIT_TOOL_FAILED);
	error = ui_init(&ui, options);
	if (error) {
		error_destroy(ui_deinit(&ui));
		return fail(error, EXIT_TOOL_FAILED);
	}
	if (ui.interactive)
		shell_greet(&ui);
	error = add_debug_directories(&ui);
	if (error) {
		error_destroy(ui_deinit(&ui));
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
	ui_detach(&ui);
	error = ui_deinit(&ui);
	*signal = ui.ended_by ? ui.ended_by : signals_take();
	return error ? fail(error, EXIT_TOOL_FAILED) : status;
}

/* Ends the tool because there is no memory left. The function itself allocates
 * no memory. Output that is still in the buffers of stdio is lost. */
_Noreturn void out_of_memory(size_t size)
{
	char text[160];
	int length;

	if (size && size < SIZE_MAX)
		length = snprintf(text, sizeof(text),
				  "perftool: out of memory: %zu more bytes are "
				  "not available (is there a limit, ulimit -v "
				  "or a container's?)\n",
				  size);
	else
		length = snprintf(text, sizeof(text),
				  "perftool: out of memory (is there a limit, "
				  "ulimit -v or a container's?)\n");
	if (write(STDERR_FILENO, text, (size_t)length) < 0)
		_exit(EXIT_TOOL_FAILED); /* the tool cannot even write the
					  * reason */
	_exit(EXIT_TOOL_FAILED);
}

int main(int argc, char **argv)
{
	struct options options;
	struct error *error;
	int status = 0, signal = 0;

	signals_install_report();
	setlocale(LC_CTYPE, "");
	streams_reserve();
	error = options_parse(argc, argv, &options);
	if (error)
		return fail(error, EXIT_TOOL_FAILED);
	if (options.man) {
		error = print_man(options.man);
	} else if (options.help) {
		usage_print(stdout, options.subcommand);
	} else if (options.version) {
		printf("perftool %s\n", PERFTOOL_VERSION);
	} else if (options.subcommand == SUBCOMMAND_WHO) {
		status = who_main(&options);
	} else if (options.subcommand == SUBCOMMAND_CTL) {
		status = ctl_main(&options);
	} else if (options.subcommand == SUBCOMMAND_COMPARE) {
		status = compare_main(&options);
	} else if (options.subcommand == SUBCOMMAND_MERGE) {
		status = merge_main(&options);
	} else {
		status = run(&options, &signal);
	}
	options_deinit(&options);
	if (!error && status == 0)
		error = streams_flush();
	signals_die(signal);
	return error ? fail(error, EXIT_TOOL_FAILED) : status;
}

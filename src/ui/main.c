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
#include "perftool/serve.h"

#include "compare_command.h"
#include "front_end_commands.h"
#include "merge_run.h"
#include "one_run.h"
#include "repeat_run.h"
#include "ui.h"
#include "ui/terminal/terminal.h"
#include "usage.h"

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
		status = compare_main(&options, &signal);
	} else if (options.subcommand == SUBCOMMAND_MERGE) {
		status = merge_main(&options, &signal);
	} else if (options.runs) {
		status = repeat_main(&options, &signal);
	} else {
		status = one_run(&options, NULL, &signal);
	}
	options_deinit(&options);
	if (!error && status == 0)
		error = streams_flush();
	signals_die(signal);
	return error ? fail(error, EXIT_TOOL_FAILED) : status;
}

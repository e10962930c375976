/*
 * front_end_commands.c - `perftool who` and `perftool ctl`
 */
#include "front_end_commands.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perftool/base/alloc.h"
#include "perftool/base/utf8.h"
#include "perftool/serve.h"

#include "ui.h"
#include "ui/prompt/prompt.h"
#include "ui/terminal/terminal.h"

static int fail(struct error *error)
{
	const struct writer forever = {0};
	struct str text = {0};

	fflush(stdout);
	str_printf(&text, "perftool: %s\n", error_message(error));
	message_write(&forever, stderr, str_text(&text));
	str_deinit(&text);
	error_destroy(error);
	return EXIT_TOOL_FAILED;
}

/* Prints what a server has said. Names in it are those that the measured
 * program has chosen, and the server may be anybody's, so a terminal gets no
 * orders. */
static void print(struct str *text)
{
	const struct writer forever = {0};

	if (text->length && text->data[text->length - 1] != '\n')
		str_append_char(text, '\n');
	message_write(&forever, stdout, str_text(text));
}

int who_main(const struct options *options)
{
	struct str text = {0}, shown = {0};
	struct error *error = serve_who(options->json, &text);

	if (options->json && isatty(STDOUT_FILENO) == 1) {
		/* The line is not broken, because a program may read it. */
		utf8_append_harmless(str_text(&text), text.length, "\n",
				     &shown);
		fputs(str_text(&shown), stdout);
	} else if (options->json) {
		fputs(str_text(&text), stdout);
	} else {
		print(&text);
	}
	str_deinit(&shown);
	str_deinit(&text);
	return error ? fail(error) : 0;
}

/* Is the word the number of a process? */
static bool is_pid(const char *word, pid_t *pid)
{
	char *end;
	long number = strtol(word, &end, 10);

	if (!isdigit((unsigned char)*word) || *end || number < 1 ||
	    number > INT_MAX)
		return false;
	*pid = (pid_t)number;
	return true;
}

/* Has the server run the line, and prints what it replies. */
static struct error *run_line(struct control *control, const char *line,
			      bool *ended)
{
	struct str output = {0};
	size_t rows, columns;
	struct error *error;

	if (!terminal_size(STDOUT_FILENO, &rows, &columns))
		columns = 0;
	error = control_line(control, line, columns, &output, ended);

	print(&output);
	str_deinit(&output);
	return error;
}

/* Reads lines from standard input, and has the server run them until one fails.
 */
static int run_lines(struct control *control)
{
	CLEANUP(free_pointer) char *line = NULL;
	struct error *error = NULL;
	size_t capacity = 0;
	bool ended = false;

	while (!error && !ended) {
		ssize_t length = getline(&line, &capacity, stdin);

		if (length < 0)
			break;
		if (length && line[length - 1] == '\n')
			line[length - 1] = '\0';
		error = run_line(control, line, &ended);
	}
	return error ? fail(error) : 0;
}

int ctl_main(const struct options *options)
{
	struct control *control;
	struct str line = {0};
	struct error *error;
	bool ended = false;
	pid_t pid = 0;
	int first = 0, status;

	if (options->program_count && is_pid(options->program[0], &pid))
		first = 1;
	error = control_create(pid, options->socket, &control);
	if (error)
		return fail(error);
	for (int i = first; i < options->program_count; i++)
		str_printf(&line, "%s%s", i > first ? " " : "",
			   options->program[i]);
	if (first < options->program_count) {
		error = run_line(control, str_text(&line), &ended);
		status = error ? fail(error) : 0;
	} else if (isatty(STDIN_FILENO)) {
		status = control_prompt(control, !options->quiet);
	} else {
		status = run_lines(control);
	}
	str_deinit(&line);
	control_destroy(control);
	return status;
}

/*
 * ask.c - see ask.h
 *
 * What is typed is not read through stdio: the line editor reads the same
 * terminal, and nothing that comes after the answer may be kept from it.
 */
#include "ask.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "message.h"
#include "signals.h"
#include "ui.h"

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO, ANSWER_END };

static bool is_answered(void *context)
{
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)context;
	return signals_peek() || poll(&ready, 1, 0) > 0;
}

/* The program that was attached to runs until something is typed. */
static void serve(struct ui *ui)
{
	struct str told = {0};

	if (ui->interpreter)
		error_destroy(interpreter_serve(ui->interpreter, is_answered,
						NULL, &told));
	message_write(stdout, str_text(&told));
	fflush(stdout);
	str_deinit(&told);
}

/* The rest of a line; false: there is none, but a signal or an end. */
static bool read_line(struct ui *ui, struct str *line)
{
	char byte = '\0';

	while (byte != '\n') {
		ssize_t count;

		serve(ui);
		count = read(STDIN_FILENO, &byte, 1);
		if (count < 0 && errno == EINTR && !signals_peek())
			continue;
		if (count <= 0 || signals_peek())
			return false;
		str_append_char(line, byte);
	}
	return true;
}

static enum answer meaning(const struct str *line)
{
	static const char *const yes[] = {"y", "yes"}, *const no[] = {"n",
								      "no"};
	const char *text = str_text(line);
	struct str word = {0};
	enum answer answer = ANSWER_NONE;

	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			str_append_char(&word, *text);
	for (size_t i = 0; i < 2; i++)
		if (strcasecmp(str_text(&word), yes[i]) == 0)
			answer = ANSWER_YES;
		else if (strcasecmp(str_text(&word), no[i]) == 0)
			answer = ANSWER_NO;
	str_deinit(&word);
	return answer;
}

static enum answer ask(struct ui *ui, const char *question)
{
	struct str text = {0}, line = {0};
	enum answer answer = ANSWER_END;

	str_printf(&text, "%s (y or n) ", question);
	message_write(stdout, str_text(&text));
	fflush(stdout);
	/* typed in front of a Ctrl-D it is an answer, too */
	if (read_line(ui, &line) || (line.length && !signals_peek()))
		answer = meaning(&line);
	str_deinit(&text);
	str_deinit(&line);
	return answer;
}

/* Ctrl-D, or is it that no one is there who could have typed it? */
static bool was_typed(void)
{
	struct termios modes;

	return !signals_peek() && tcgetattr(STDIN_FILENO, &modes) == 0;
}

bool ask_confirm(struct ui *ui, const char *question)
{
	enum answer answer;

	while ((answer = ask(ui, question)) == ANSWER_NONE)
		puts("Please answer y or n.");
	if (answer != ANSWER_END)
		return answer == ANSWER_YES;
	if (was_typed()) {
		puts("EOF [assumed Y]");
		return true;
	}
	ui->callbacks.interrupted(ui);
	putchar('\n');
	return false;
}

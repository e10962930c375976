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
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "editor.h"
#include "message.h"
#include "signals.h"
#include "ui.h"

enum { ESC = 27 };

/* After so many lines that are no answer the question is left. */
enum { MOST_LINES = 3 };

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO, ANSWER_END };

static bool is_answered(void *context)
{
	const struct ui *ui = context;
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

	return signals_peek() || ui->was_interposed || poll(&ready, 1, 0) > 0;
}

/* The program that was attached to runs until something is typed. */
static void serve(struct ui *ui)
{
	struct str told = {0};

	if (ui->interpreter)
		error_destroy(interpreter_serve(ui->interpreter, is_answered,
						ui, &told));
	message_write(&ui->writer, stdout, str_text(&told));
	fflush(stdout);
	str_deinit(&told);
}

/* The terminal at which the user answers, wherever standard output is now. */
static FILE *screen(void)
{
	return isatty(STDOUT_FILENO) == 1 ? stdout : stderr;
}

static void put(const struct ui *ui, const char *question)
{
	struct str text = {0};

	str_printf(&text, "%s (y or n) ", question);
	message_write(&ui->writer, screen(), str_text(&text));
	fflush(screen());
	str_deinit(&text);
}

/* Have ESC end a line, too: the terminal gives out whole lines only. */
static bool end_lines_at_escape(struct termios *before)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, before) < 0)
		return false;
	modes = *before;
	modes.c_cc[VEOL] = ESC;
	return tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0;
}

/* The rest of a line; false: there is none, but a signal or an end. */
static bool read_line(struct ui *ui, const char *question, struct str *line)
{
	char byte = '\0';

	while (byte != '\n' && byte != ESC) {
		ssize_t count;

		serve(ui);
		if (ui->was_interposed) {
			ui->was_interposed = false;
			put(ui, question);
			continue;
		}
		signals_await(STDIN_FILENO, POLLIN);
		if (signals_peek())
			return false;
		count = read(STDIN_FILENO, &byte, 1);
		if (count < 0 && errno == EINTR && !signals_peek())
			continue;
		if (count <= 0 || signals_peek())
			return false;
		str_append_char(line, byte);
	}
	if (byte == ESC) {
		fputc('\n', screen());
		/* a key such as an arrow sends more behind it */
		tcflush(STDIN_FILENO, TCIFLUSH);
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

	if (strchr(text, ESC))
		return ANSWER_NO;
	for (; *text; text++)
		if (!isspace((unsigned char)*text))
			str_append_char(&word, *text);
	for (size_t i = 0; i < 2; i++)
		if (strcasecmp(str_text(&word), yes[i]) == 0)
			answer = ANSWER_YES;
		else if (strcasecmp(str_text(&word), no[i]) == 0 ||
			 !word.length)
			answer = ANSWER_NO;
	str_deinit(&word);
	return answer;
}

static enum answer ask(struct ui *ui, const char *question)
{
	struct str line = {0};
	enum answer answer = ANSWER_END;

	put(ui, question);
	/* typed in front of a Ctrl-D it is an answer, too */
	if (read_line(ui, question, &line) || (line.length && !signals_peek()))
		answer = meaning(&line);
	str_deinit(&line);
	return answer;
}

/* Was Ctrl-D typed? The end of input also comes when the terminal has gone. */
static bool was_typed(void)
{
	struct termios modes;

	return !signals_peek() && tcgetattr(STDIN_FILENO, &modes) == 0;
}

/* A signal stays noted: it is for what was about to be done, too. */
static bool confirm(struct ui *ui, const char *question, bool end_means_yes)
{
	enum answer answer = ANSWER_NONE;

	for (unsigned lines = 0; lines < MOST_LINES; lines++) {
		answer = ask(ui, question);
		if (answer != ANSWER_NONE)
			break;
		fputs(lines + 1 < MOST_LINES ? "Please answer y or n.\n"
					     : "No answer, taken as no.\n",
		      screen());
	}
	if (answer != ANSWER_END)
		return answer == ANSWER_YES;
	if (was_typed()) {
		fprintf(screen(), "EOF [assumed %c]\n",
			end_means_yes ? 'Y' : 'N');
		return end_means_yes;
	}
	fputc('\n', screen());
	return false;
}

bool ask_confirm(struct ui *ui, const char *question, bool end_means_yes)
{
	bool interposed = ui->asks, changed, yes;
	struct termios before;

	fflush(stdout);
	if (ui->editor)
		editor_pause(ui->editor);
	if (interposed)
		fputc('\n', screen());
	ui->asks = true;
	changed = end_lines_at_escape(&before);
	yes = confirm(ui, question, end_means_yes);
	if (changed)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
	ui->asks = interposed;
	ui->was_interposed = interposed;
	if (ui->editor)
		editor_resume(ui->editor);
	return yes;
}

/*
 * ask.c - asks the user questions that are answered by yes or no
 *
 * The tool reads the answer byte by byte and not through stdio. stdio would
 * read ahead, and the line editor, which reads the same terminal, would then
 * miss what the user types after the answer.
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
#include "ui/terminal/terminal.h"
#include "ui/ui.h"

enum { ESC = 27 };

/* How many lines that are neither yes nor no the tool accepts. After that it
 * takes the answer as no. */
enum { MOST_LINES = 3 };

enum answer { ANSWER_NONE, ANSWER_YES, ANSWER_NO, ANSWER_END };

static bool is_answered(void *context)
{
	const struct ui *ui = context;
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

	return signals_peek() || ui->was_interposed || poll(&ready, 1, 0) > 0;
}

/* Handles the events of an attached program until the user types something. The
 * program runs meanwhile. */
static void serve(struct ui *ui)
{
	struct str told = {0};

	if (ui->session)
		error_destroy(perftool_session_serve(ui->session, is_answered,
						     ui, &told));
	message_write(&ui->writer, stdout, str_text(&told));
	fflush(stdout);
	str_deinit(&told);
}

/* Returns the stream of the terminal at which the user answers. Standard output
 * may be redirected to a file at this time. */
static FILE *screen(void)
{
	return isatty(STDOUT_FILENO) == 1 ? stdout : stderr;
}

static void say(const struct ui *ui, const char *text)
{
	message_write(&ui->writer, screen(), text);
}

static void put(const struct ui *ui, const char *question)
{
	struct str text = {0};

	str_printf(&text, "%s (y or n) ", question);
	say(ui, str_text(&text));
	str_deinit(&text);
}

/* Makes ESC end a line, as a newline does. In line mode the terminal passes on
 * only whole lines, so the tool would otherwise not see the ESC. Saves the
 * modes of the terminal in `*before`. */
static bool end_lines_at_escape(struct termios *before)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, before) < 0)
		return false;
	modes = *before;
	modes.c_cc[VEOL] = ESC;
	return tcsetattr(STDIN_FILENO, TCSANOW, &modes) == 0;
}

/* Reads the rest of the line that the user types as an answer. Returns false if
 * a signal or the end of the input comes before the end of the line. */
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
		say(ui, "\n");
		/* An arrow key, for example, sends more bytes after the ESC.
		 * These bytes are thrown away. */
		tcflush(STDIN_FILENO, TCIFLUSH);
	}
	return true;
}

/* Tells whether the line that the user typed means yes or no. Blanks and the
 * case of letters do not matter. */
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
	/* Text that the user typed before a Ctrl-D is an answer, too. */
	if (read_line(ui, question, &line) || (line.length && !signals_peek()))
		answer = meaning(&line);
	str_deinit(&line);
	return answer;
}

/* Has the user typed Ctrl-D, so that the input ended? The input also ends when
 * the terminal is gone. */
static bool was_typed(void)
{
	struct termios modes;

	return !signals_peek() && tcgetattr(STDIN_FILENO, &modes) == 0;
}

/* Asks until the user has answered. If a signal ends the question, the signal
 * stays noted, because it also ends what the tool was about to do. */
static bool confirm(struct ui *ui, const char *question, bool end_means_yes)
{
	enum answer answer = ANSWER_NONE;

	for (unsigned lines = 0; lines < MOST_LINES; lines++) {
		answer = ask(ui, question);
		if (answer != ANSWER_NONE)
			break;
		say(ui, lines + 1 < MOST_LINES ? "Please answer y or n.\n"
					       : "No answer, taken as no.\n");
	}
	if (answer != ANSWER_END)
		return answer == ANSWER_YES;
	if (was_typed()) {
		say(ui,
		    end_means_yes ? "EOF [assumed Y]\n" : "EOF [assumed N]\n");
		return end_means_yes;
	}
	say(ui, "\n");
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
		say(ui, "\n");
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

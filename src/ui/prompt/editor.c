/*
 * editor.c - reads lines that the user types, by means of libedit
 *
 * libedit gets each character from read_character() below. Only this function
 * handles signals while a line is read:
 *
 *   - SIGINT (Ctrl-C) becomes the character ^C, which is bound to the
 *     function that drops the line.
 *   - SIGTERM, SIGHUP and the other signals that end the tool become the
 *     end of the input.
 *   - SIGWINCH (the window has another size) and SIGCONT (the tool returns
 *     from the background) make the tool draw the line again.
 *   - SIGTSTP (Ctrl-Z) suspends the tool, and SIGUSR1 prints the tables.
 *
 * While the tool waits for a key, it handles the events of an attached program.
 * Messages about the program are written above the prompt and the typed line.
 */
#include "editor.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "perftool/base/alloc.h"
#include "perftool/library.h"

#include "candidates.h"
#include "history.h"
#include "ui/terminal/terminal.h"

enum { CTRL_C = 3, ESC = 27 };

/* How many ms the tool waits after an ESC. The terminal sends all bytes of one
 * key together. So if nothing follows the ESC within this time, the user has
 * pressed ESC, and not another key whose bytes begin with ESC. */
#define ESC_MS 50

struct editor {
	EditLine *edit;
	struct history_file history;
	struct editor_party party;
	const struct writer *writer;
	/* Libedit and the editor write to this stream. It is standard output;
	 * if that is a terminal, then by `writer`: if a signal comes while the
	 * terminal takes no output, stdio would lose the text and take the
	 * write for failed. */
	FILE *screen;
	struct str line;
	bool reading; /* the prompt is on the screen */
	bool hidden;  /* a message has taken the prompt off the screen, so the
		       * prompt must be shown again */
	bool dropped; /* the user has dropped the line by Ctrl-C or ESC */
	/* has the user dropped the answer to a question by ESC? The editor
	 * treats the ESC as a Ctrl-C, but does not show "^C" then */
	bool escaped;
	/* has `kept` a byte? The byte was read before a signal was seen, and
	 * must be handled after the signal */
	bool has_kept;
	char kept;
	/* width of the window, in columns, when the editor last looked */
	int columns;
	char *asked;        /* prompt of a question; NULL: the editor shows the
			     * usual prompt */
	const char *before; /* the command line whose missing word the answer
			     * is; completion needs it */
};

static struct editor *editor_of(EditLine *edit)
{
	void *data = NULL;

	el_get(edit, EL_CLIENTDATA, &data);
	return data;
}

/* libedit declares the prompt as char *, but does not change the text. */
#define PROMPT "perftool> "

static char *prompt(EditLine *edit)
{
	static char text[] = PROMPT;
	const struct editor *editor = editor_of(edit);

	return editor->asked ? editor->asked : text;
}

/* ---- text above the line ------------------------------------------------ */

/* Returns the distance of the cursor from the beginning of the prompt, in
 * columns, as if the screen were so wide that the line needs one row. */
static size_t cursor(const struct editor *editor)
{
	const LineInfo *info = el_line(editor->edit);

	return terminal_width(info->buffer,
			      (size_t)(info->cursor - info->buffer),
			      strlen(prompt(editor->edit)));
}

/* Takes the prompt and the typed text off the screen. The cursor is `row` rows
 * below the beginning of the prompt. Afterwards the cursor is at that
 * beginning. */
static void erase(const struct editor *editor, size_t row)
{
	fputc('\r', editor->screen);
	for (; row > 0; row--)
		fputs("\033[A", editor->screen);
	/* The text is erased in two steps: first all of it but the first column
	 * of the first row, then the first row. If the text were erased at once
	 * from the first column on, some terminals (tmux) would keep it in
	 * their scrollback, and would show it again when the window becomes
	 * wider. */
	fputs("\033[C\033[J\r\033[K", editor->screen);
	fflush(editor->screen);
}

void editor_above(struct editor *editor)
{
	if (!editor->reading || editor->hidden)
		return;
	erase(editor, cursor(editor) / (size_t)editor->columns);
	editor->hidden = true;
}

bool editor_is_reading(const struct editor *editor)
{
	return editor->reading;
}

void editor_pause(struct editor *editor)
{
	editor_above(editor);
	if (editor->reading)
		el_set(editor->edit, EL_PREP_TERM, 0);
}

void editor_resume(struct editor *editor)
{
	if (editor->reading)
		el_set(editor->edit, EL_PREP_TERM, 1);
}

static void show_again(struct editor *editor)
{
	if (!editor->hidden)
		return;
	editor->hidden = false;
	fflush(editor->screen);
	el_set(editor->edit, EL_REFRESH);
}

/* ---- characters ---------------------------------------------------------- */

/*
 * Draws the line again after the window has got another size.
 *
 * Nearly all terminals rearrange the text themselves: they break a line that no
 * longer fits at the new edge, and join the pieces of a line that fits again.
 * The line is then where it would be if the user had typed it in this window.
 * libedit does not know this. It would leave the old text there and begin a new
 * line at the cursor. So the tool computes where the prompt is, erases the
 * text, and lets libedit draw it.
 */
static void after_resize(struct editor *editor)
{
	const LineInfo *info = el_line(editor->edit);
	size_t at = cursor(editor), before = (size_t)editor->columns;
	size_t columns = (size_t)terminal_columns(STDIN_FILENO);
	size_t row = at / columns;

	/* The last character of the line may now be in the last column of a
	 * row. The terminal then leaves the cursor in that row, behind the
	 * character. But if the character was in the last column in the old
	 * window, too, libedit had put the cursor into the next row. */
	if (info->cursor == info->lastchar && at % columns == 0 &&
	    at % before != 0)
		row--;
	editor->columns = (int)columns;
	if (!editor->hidden)
		erase(editor, row);
	el_resize(editor->edit);
	if (!editor->hidden)
		el_set(editor->edit, EL_REFRESH);
}

/* Sets the terminal up again and draws the line again after the tool returns
 * from the background. Another process may have changed the terminal's modes
 * and the screen. */
static void after_return(struct editor *editor)
{
	editor->columns = terminal_columns(STDIN_FILENO);
	el_resize(editor->edit);
	el_set(editor->edit, EL_PREP_TERM, 0);
	el_set(editor->edit, EL_PREP_TERM, 1);
	fputs("\r\033[J", editor->screen);
	fflush(editor->screen);
	el_set(editor->edit, EL_REFRESH);
}

static void after_signal(struct editor *editor)
{
	bool resized = signals_take_resized();

	if (signals_take_continued())
		after_return(editor);
	else if (resized)
		after_resize(editor);
}

static bool is_readable_within(int milliseconds)
{
	struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&ready, 1, milliseconds) > 0;
}

static bool is_readable(void)
{
	return is_readable_within(0);
}

/* Must the editor stop handling the events of the program, because a key, a
 * signal or a message needs it? */
static bool is_wanted(void *context)
{
	const struct editor *editor = context;

	return editor->hidden || signals_peek() || signals_peek_redraw() ||
	       signals_peek_suspend() || signals_peek_report() || is_readable();
}

static bool runs_on(const struct editor *editor)
{
	return editor->party.runs_on(editor->party.context);
}

static bool is_over(const struct editor *editor)
{
	return editor->party.is_over &&
	       editor->party.is_over(editor->party.context);
}

/* Handles the events of an attached program until the user presses a key, a
 * signal comes, or a message was written above the line. The program runs
 * during this time. */
static void serve(struct editor *editor)
{
	struct str told = {0};
	struct error *error;

	signals_hold_ticks(false);
	error = editor->party.serve(editor->party.context, is_wanted, editor,
				    &told);
	signals_hold_ticks(true);
	if (told.length || error)
		editor_above(editor);
	if (error)
		str_printf(&told, "%s\n", error_message(error));
	message_write(editor->writer, stdout, str_text(&told));
	error_destroy(error);
	str_deinit(&told);
	if (!is_over(editor))
		show_again(editor);
}

/* Prints the tables above the line that the user types, because SIGUSR1 has
 * asked for them. */
static void show_tables(struct editor *editor)
{
	struct str text = {0};
	struct error *error;

	editor_above(editor);
	error = editor->party.print_tables(editor->party.context);
	if (error)
		str_printf(&text, "%s\n", error_message(error));
	message_write(editor->writer, stdout, str_text(&text));
	error_destroy(error);
	str_deinit(&text);
	show_again(editor);
}

/* Suspends the tool because of Ctrl-Z. The tool refuses this while an attached
 * program runs, because the program would stand still with the tool. */
static void suspend(struct editor *editor)
{
	if (runs_on(editor)) {
		editor_above(editor);
		message_write(editor->writer, stdout,
			      "Not suspended, because the program "
			      "would stand still: `detach' first.\n");
		show_again(editor);
		return;
	}
	el_set(editor->edit, EL_PREP_TERM, 0);
	signals_suspend();
}

/*
 * Reads one byte. Returns 1, or 0 at the end of the input, or -1 for Ctrl-C.
 *
 * A byte that the user types after a Ctrl-C must be handled after the Ctrl-C.
 * But read(2) may return this byte before the tool has seen the signal. The
 * byte then waits in `kept` until the signal is handled.
 */
static int read_byte(EditLine *edit, char *byte)
{
	struct editor *editor = editor_of(edit);

	for (;;) {
		ssize_t count;
		int number = signals_peek();

		if (number == SIGINT) {
			signals_take();
			return -1;
		}
		if (number)
			return 0;
		if (editor->has_kept) {
			editor->has_kept = false;
			*byte = editor->kept;
			return 1;
		}
		if (signals_take_suspend())
			suspend(editor);
		after_signal(editor);
		if (signals_take_report())
			show_tables(editor);
		serve(editor);
		if (is_over(editor))
			return 0;
		if (runs_on(editor) && !is_readable())
			continue;
		signals_await_input(STDIN_FILENO, editor->party.fd);
		if (!is_readable())
			continue;
		count = read(STDIN_FILENO, byte, 1);
		if (count == 1 && signals_peek()) {
			editor->has_kept = true;
			editor->kept = *byte;
			continue;
		}
		/* The tool must handle a new size of the window before the key
		 * changes the line, because after_resize() computes with the
		 * line that is on the screen. */
		after_signal(editor);
		if (count == 1 && editor->asked && *byte == ESC &&
		    !is_readable_within(ESC_MS)) {
			editor->escaped = true;
			return -1;
		}
		if (count >= 0)
			return (int)count;
		if (errno != EINTR)
			return 0;
	}
}

/* Reads one character for libedit. Returns 1, or 0 at the end of the input. */
static int read_character(EditLine *edit, wchar_t *character)
{
	mbstate_t state = {0};
	char byte;

	for (;;) {
		int got = read_byte(edit, &byte);
		size_t used;

		if (got < 0) {
			*character = CTRL_C;
			return 1;
		}
		if (got == 0)
			return 0;
		used = mbrtowc(character, &byte, 1, &state);
		if (used == (size_t)-1) {
			/* The byte is not part of a valid character in this
			 * locale. The tool ignores the byte. */
			state = (mbstate_t){0};
			continue;
		}
		if (used != (size_t)-2)
			return 1;
	}
}

/* ---- keys ---------------------------------------------------------------- */

static unsigned char drop_line(EditLine *edit, wint_t key)
{
	struct editor *editor = editor_of(edit);

	(void)key;
	editor->dropped = true;
	el_cursor(edit, (int)wcslen(L"^C"));
	/* libedit does not begin a new row after a dropped line. */
	fputs(editor->escaped ? "\n" : "^C\n", editor->screen);
	editor->escaped = false;
	return CC_NEWLINE;
}

/* Returns the number of characters in the first `length` bytes of the text. */
static size_t characters(const char *text, size_t length)
{
	CLEANUP(free_pointer) char *copy = xstrndup(text, length);
	size_t count = mbstowcs(NULL, copy, 0);

	return count == (size_t)-1 ? length : count;
}

/* Does the candidate end in a character, such as `=` or `/`, after which more
 * text must follow? Then the editor puts no blank after the candidate. */
static bool is_open(const char *word)
{
	size_t length = strlen(word);

	return length && strchr("/=:@(.", word[length - 1]) != NULL;
}

/* Replaces the word `typed`, which ends at the cursor, by the candidate `text`.
 * `complete`: the word is complete, so a blank may follow. */
static void replace(EditLine *edit, const char *typed, const char *text,
		    bool complete)
{
	struct str word = {0};

	str_append(&word, text);
	if (complete && !is_open(text))
		str_append_char(&word, ' ');
	el_deletestr(edit, (int)characters(typed, strlen(typed)));
	el_insertstr(edit, str_text(&word));
	str_deinit(&word);
}

/* Completes the word `typed`, which ends at the cursor. */
static unsigned char complete_with(EditLine *edit, const char *typed,
				   char *const *words)
{
	CLEANUP(free_pointer) char *common = NULL;

	if (!words[0])
		return CC_REFRESH_BEEP;
	if (!words[1]) {
		replace(edit, typed, words[0], true);
		return CC_REFRESH;
	}
	common = candidates_common(words);
	if (strlen(common) > strlen(typed)) {
		replace(edit, typed, common, false);
		return CC_REFRESH;
	}
	candidates_list(words, editor_of(edit)->screen);
	return CC_REDISPLAY;
}

static unsigned char complete(EditLine *edit, wint_t key)
{
	struct editor *editor = editor_of(edit);
	const LineInfo *info = el_line(edit);
	CLEANUP(free_pointer)
	char *line =
		xasprintf("%s%.*s", editor->asked ? editor->before : "",
			  (int)(info->cursor - info->buffer), info->buffer);
	struct error *error;
	unsigned char result;
	char **words;
	size_t start;

	(void)key;
	error = editor->party.complete(editor->party.context, line, &start,
				       &words);
	if (error) {
		error_destroy(error);
		return CC_REFRESH_BEEP;
	}
	result = complete_with(edit, line + start, words);
	perftool_words_destroy(words);
	return result;
}

/* The user's .editrc may give this key another meaning. */
static void bind_search(EditLine *edit)
{
	el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
}

static void bind_keys(EditLine *edit)
{
	static const char *const of_libedit[] = {"^[x", "^[X", "\\370",
						 "\\330"};

	el_set(edit, EL_BIND, "^I", "perftool-complete", NULL);
	el_set(edit, EL_BIND, "^[^[", "perftool-complete", NULL);
	el_set(edit, EL_BIND, "^C", "perftool-drop-line", NULL);
	/* These keys begin a command of libedit itself (ed-command). Libedit
	 * follows a null pointer if the line that the user then types has no
	 * word. (Libedit takes Alt-x for Escape and x, or for one character
	 * with the eighth bit.) */
	for (size_t i = 0; i < sizeof(of_libedit) / sizeof(*of_libedit); i++)
		el_set(edit, EL_BIND, of_libedit[i], "ed-unassigned", NULL);
	el_set(edit, EL_BIND, "-a", ":", "ed-unassigned", NULL);
	/* In vi's command mode, this key starts vi, and libedit waits for its
	 * end. Meanwhile nobody would resume the threads that stop at nodes. */
	el_set(edit, EL_BIND, "-a", "v", "ed-unassigned", NULL);
}

/* ---- the editor ---------------------------------------------------------- */

struct editor *editor_create(const struct editor_party *party,
			     const struct writer *writer)
{
	struct editor *editor = xcalloc(1, sizeof(*editor));
	const char *mode = NULL;

	editor->party = *party;
	editor->writer = writer;
	editor->columns = terminal_columns(STDIN_FILENO);
	history_file_init(&editor->history);
	editor->screen = isatty(STDOUT_FILENO) == 1
				 ? writer_stream_onto(writer, STDOUT_FILENO)
				 : stdout;
	if (!editor->screen)
		out_of_memory(0);
	editor->edit = el_init_fd("perftool", stdin, editor->screen, stderr,
				  STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO);
	if (!editor->edit)
		out_of_memory(0);
	el_set(editor->edit, EL_CLIENTDATA, editor);
	el_set(editor->edit, EL_PROMPT, prompt);
	el_set(editor->edit, EL_EDITOR, "emacs");
	el_set(editor->edit, EL_HIST, history, editor->history.lines);
	el_set(editor->edit, EL_GETCFN, read_character);
	/* The tool calls the function for wide characters, because el_set()
	 * makes copies of the texts and never frees them. */
	el_wset(editor->edit, EL_ADDFN, L"perftool-complete",
		L"Complete the word before the cursor", complete);
	el_wset(editor->edit, EL_ADDFN, L"perftool-drop-line",
		L"Drop the line and begin another", drop_line);
	bind_search(editor->edit);
	el_source(editor->edit, NULL);
	/* If the user's .editrc chooses a key map (`bind -v`, `bind -e`),
	 * libedit starts from that, and the bindings of the tool are gone. */
	bind_keys(editor->edit);
	el_get(editor->edit, EL_EDITOR, &mode);
	if (mode && str_equal(mode, "vi"))
		bind_search(editor->edit);
	return editor;
}

void editor_destroy(struct editor *editor)
{
	el_end(editor->edit);
	if (editor->screen != stdout)
		fclose(editor->screen);
	history_file_deinit(&editor->history);
	str_deinit(&editor->line);
	free(editor);
}

/* Reads a line that the user types, and stores it in `line`. */
static enum editor_result read_line(struct editor *editor, struct str *line)
{
	const char *text;
	int length = 0;

	editor->dropped = false;
	/* libedit prints the prompt first, and switches line mode off only
	 * then. A Ctrl-D that the user types in between would be lost. So line
	 * mode is switched off here, before the prompt appears. */
	el_set(editor->edit, EL_PREP_TERM, 1);
	editor->reading = true;
	signals_hold_ticks(true);
	text = el_gets(editor->edit, &length);
	signals_hold_ticks(false);
	editor->reading = false;
	fflush(editor->screen);
	if (editor->dropped)
		return EDITOR_DROPPED;
	if (!text || length <= 0)
		return EDITOR_END;
	str_deinit(line);
	str_append_n(line, text, strcspn(text, "\n"));
	return EDITOR_LINE;
}

bool editor_ask(struct editor *editor, const char *name, const char *before,
		char **answer)
{
	struct str line = {0};
	enum editor_result result;

	editor->asked = xasprintf("%s: ", name);
	editor->before = before;
	result = read_line(editor, &line);
	free(editor->asked);
	editor->asked = NULL;
	if (result == EDITOR_END)
		message_write(editor->writer, stdout, "\n");
	if (result == EDITOR_LINE)
		*answer = str_take(&line);
	str_deinit(&line);
	return result == EDITOR_LINE;
}

enum editor_result editor_read(struct editor *editor, const char **line)
{
	enum editor_result result = read_line(editor, &editor->line);

	if (result != EDITOR_LINE)
		return result;
	*line = str_text(&editor->line);
	history_file_add(&editor->history, *line);
	return EDITOR_LINE;
}

void editor_print_history(void *editor, struct str *out)
{
	history_file_print(&((struct editor *)editor)->history, out);
}
